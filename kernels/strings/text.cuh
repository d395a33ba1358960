// The texts of a set, and their bytes 8 or 16 at a time.
//
// A set of texts has, beside what offsets.cuh asks for,
//
//   Text text(uint32_t text) const
//   uint8_t* heap() const
#pragma once

#include "../convert/binary.cuh"
#include "offsets.cuh"

namespace dfaparse {

constexpr uint32_t kSlice = 16; // bytes of the heap that a lane writes at once

// 16 bytes, the first lowest.
struct alignas(16) Bytes16 {
  uint64_t low, high;
};

// A text of a set: of each row a string, which is the bytes that its span says,
// or what they stand for.
struct Text {
  uint32_t* offsets;
  const uint32_t* units = nullptr; // where each unit's strings begin: offsets are their lengths until they have been copied
  const uint32_t* span_start;
  const uint32_t* span_end;
  const uint8_t* source;
  const uint8_t* default_bytes;
  uint32_t rows, bytes;
  uint8_t* to;    // in the heap
  uint64_t place; // of the same, counted from the heap's begin
  uint32_t encoding = kAsIs; // BinaryEncoding
};

// What is in words a, b, ..., from bit `shift` of the first on.
__device__ __forceinline__ uint64_t shifted8(uint32_t a, uint32_t b, uint32_t c, uint32_t shift) {
  return uint64_t(__funnelshift_r(b, c, shift)) << 32 | __funnelshift_r(a, b, shift);
}

// The n bytes from p on, 0 < n <= 8, by aligned words of 8, which may begin before
// p and end after them, but not in another word. What comes after is not defined.
__device__ __forceinline__ uint64_t load8(const uint8_t* p, uint32_t n) {
  uint32_t skip = uint32_t(uint64_t(p) & 7);
  const uint64_t* words = reinterpret_cast<const uint64_t*>(p - skip);
  uint64_t x = words[0], y = skip + n > 8 ? words[1] : 0;
  bool second = skip >= 4;
  uint32_t a = uint32_t(x), b = uint32_t(x >> 32), c = uint32_t(y), d = uint32_t(y >> 32);
  return shifted8(second ? b : a, second ? c : b, second ? d : c, 8 * (skip & 3));
}

// The same of n bytes, 0 < n <= 16.
__device__ __forceinline__ Bytes16 load16(const uint8_t* p, uint32_t n) {
  uint32_t skip = uint32_t(uint64_t(p) & 7), shift = 8 * (skip & 3);
  const uint64_t* words = reinterpret_cast<const uint64_t*>(p - skip);
  uint64_t x[3] = {words[0], skip + n > 8 ? words[1] : 0, skip + n > 16 ? words[2] : 0};
  uint32_t w[5];
#pragma unroll
  for (uint32_t i = 0; i < 5; i++) w[i] = uint32_t(skip >= 4 ? x[(i + 1) / 2] >> 32 * ((i + 1) & 1) : x[i / 2] >> 32 * (i & 1));
  return Bytes16{shifted8(w[0], w[1], w[2], shift), shifted8(w[2], w[3], w[4], shift)};
}

// The is_data bits of a chunk, symbol 0 lowest.
__device__ __forceinline__ uint64_t data_bits(const Job& job, uint32_t chunk) { return reinterpret_cast<const uint64_t*>(job.is_data)[chunk]; }

} // namespace dfaparse
