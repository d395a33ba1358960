// Sixteen bytes of a text at a time, each made by one lane: of a string that lies
// side by side they are loaded as they are; of one whose data symbols lie apart,
// is_data and data_before tell where they begin, and what is no data between them
// is taken out in registers.
//
// A set of texts has, beside what offsets.cuh asks for,
//
//   Text text(uint32_t text) const
//   uint8_t* heap() const
#pragma once

#include "../convert/binary.cuh"
#include "offsets.cuh"

namespace dfaparse {

constexpr uint32_t kSlice = 16; // bytes of the heap that a lane makes at once

// 16 bytes, the first lowest.
struct alignas(16) Bytes16 {
  uint64_t low, high;
};

// Of 16 bytes, the first `filled`. The others are 0.
struct Slice {
  Bytes16 bytes;
  uint32_t filled;

  // Adds the first n bytes of x, filled + n <= 16, n > 0.
  __device__ __forceinline__ void add(Bytes16 x, uint32_t n) {
    x.low &= low_bits(8 * min(n, 8u));
    x.high &= n <= 8 ? 0 : low_bits(8 * (n - 8));
    if (filled == 0) {
      bytes = x;
    } else if (filled < 8) {
      uint32_t shift = 8 * filled;
      bytes.low |= x.low << shift;
      bytes.high |= x.high << shift | x.low >> (64 - shift);
    } else {
      bytes.high |= x.low << 8 * (filled - 8);
    }
    filled += n;
  }
};

// A text of a set: of each row a string, which is the bytes that its span says,
// or what they stand for.
struct Text {
  const uint32_t* offsets;
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

// 24 bytes.
struct Bytes24 {
  uint64_t low, high, more;
};

// The same as load8, of n bytes, 0 < n <= 24.
__device__ __forceinline__ Bytes24 load24(const uint8_t* p, uint32_t n) {
  uint32_t skip = uint32_t(uint64_t(p) & 7), last = skip + n;
  const uint64_t* words = reinterpret_cast<const uint64_t*>(p - skip);
  uint64_t x[4] = {words[0], 0, 0, 0};
  if (last > 8) x[1] = words[1];
  if (last > 16) x[2] = words[2];
  if (last > 24) x[3] = words[3];
  uint32_t w[7], shift = 8 * (skip & 3);
  bool second = skip >= 4;
#pragma unroll
  for (uint32_t i = 0; i < 7; i++) {
    uint32_t this_one = uint32_t(x[i / 2] >> 32 * (i & 1)), next = uint32_t(x[(i + 1) / 2] >> 32 * ((i + 1) & 1));
    w[i] = second ? next : this_one;
  }
  return Bytes24{shifted8(w[0], w[1], w[2], shift), shifted8(w[2], w[3], w[4], shift), shifted8(w[4], w[5], w[6], shift)};
}

// Takes byte number i, i < 16, out.
__device__ __forceinline__ void take_out(Bytes24* x, uint32_t i) {
  uint64_t low = low_bits(8 * min(i, 8u)), high = i <= 8 ? 0 : low_bits(8 * (i - 8));
  x->low = (x->low & low) | ((x->low >> 8 | x->high << 56) & ~low);
  x->high = (x->high & high) | ((x->high >> 8 | x->more << 56) & ~high);
  x->more >>= 8;
}

// select_bit where most bits are set.
__device__ __forceinline__ uint32_t select_dense(uint64_t bits, uint32_t k) {
  uint32_t at = k;
  for (uint32_t gaps = 0;;) {
    uint32_t below = uint32_t(__popcll(~bits & low_bits(at + 1)));
    if (below == gaps) return at;
    at += below - gaps;
    gaps = below;
  }
}

// The chunk, after `low` and through `last`, that has the data symbol of rank k:
// chunks are skipped two, four and so on at a time.
__device__ inline uint32_t chunk_of(const Job& job, uint32_t k, uint32_t low, uint32_t last) {
  uint32_t high = last, step = 1;
  while (low < last) {
    uint32_t next = min(low + step, last);
    if (job.data_before[next] > k) {
      high = next - 1;
      break;
    }
    low = next;
    step *= 2;
  }
  while (low < high) {
    uint32_t middle = low + (high - low + 1) / 2;
    if (job.data_before[middle] <= k) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

// The is_data bits of a chunk, symbol 0 lowest.
__device__ __forceinline__ uint64_t data_bits(const Job& job, uint32_t chunk) { return reinterpret_cast<const uint64_t*>(job.is_data)[chunk]; }

// A data symbol, and which are data of the 32 symbols from it on.
struct Located {
  uint32_t p, bits;
};

// The data symbol of rank k, which is not before `from`, and before `to`.
__device__ __forceinline__ Located locate(const Job& job, uint32_t k, uint32_t from, uint32_t to) {
  uint32_t chunk = from / kChunk, last = (to - 1) / kChunk;
  if (chunk < last && job.data_before[chunk + 1] <= k) chunk = chunk_of(job, k, chunk + 1, last);
  uint64_t bits = data_bits(job, chunk);
  uint32_t at = select_dense(bits, k - job.data_before[chunk]);
  bits >>= at;
  if (at > kChunk - 32 && chunk < last) bits |= data_bits(job, chunk + 1) << (kChunk - at);
  return Located{chunk * kChunk + at, uint32_t(bits)};
}

// Adds n bytes of a field whose data symbols lie apart, from x on, the one of
// that rank, by the stretches that lie side by side.
__device__ __forceinline__ Slice add_stretches(const Job& job, const uint8_t* source, Located x, uint32_t end, uint32_t rank, uint32_t n, Slice slice) {
  uint32_t p = x.p;
  uint64_t bits = data_bits(job, p / kChunk) >> (p % kChunk);
  for (;;) { // symbol p is bit 0, which is set
    uint32_t together = ~bits == 0 ? 64 : uint32_t(__ffsll((long long)~bits)) - 1;
    together = min(together, n);
    Bytes24 some = load24(source + p, together);
    slice.add(Bytes16{some.low, some.high}, together);
    n -= together;
    if (n == 0) return slice;
    rank += together;
    p += together;
    bits = together == 64 ? 0 : bits >> together;
    if (bits == 0 || p % kChunk == 0) {
      uint32_t chunk = (p + kChunk - 1) / kChunk;
      bits = data_bits(job, chunk);
      p = chunk * kChunk;
      if (bits == 0) {
        p = data_select(job, rank, p, end);
        bits = data_bits(job, p / kChunk) >> (p % kChunk);
      }
    }
    uint32_t control = uint32_t(__ffsll((long long)bits)) - 1;
    bits >>= control;
    p += control;
  }
}

// Adds n data symbols, from x on, which has that rank. Of a field that lies side
// by side, all bits of x are set.
__device__ __forceinline__ void add_located(const Job& job, const uint8_t* source, Located x, uint32_t end, uint32_t rank, uint32_t n, Slice* slice) {
  constexpr uint32_t kLoaded = 24;
  uint32_t all = (1u << n) - 1, bits = x.bits & ((1u << kLoaded) - 1);
  if (uint32_t(__popc(int(bits))) < n) {
    *slice = add_stretches(job, source, x, end, rank, n, *slice);
    return;
  }
  Bytes24 bytes = load24(source + x.p, (bits & all) == all ? n : kLoaded);
  while ((bits & all) != all) {
    uint32_t i = uint32_t(__ffs(int(~bits))) - 1, below = (1u << i) - 1;
    take_out(&bytes, i);
    bits = (bits & below) | (bits >> 1 & ~below);
  }
  slice->add(Bytes16{bytes.low, bytes.high}, n);
}

// n bytes that field stands for, from number `from` on.
__device__ __forceinline__ Bytes16 decoded(uint32_t encoding, Field field, uint32_t from, uint32_t n) {
  uint64_t low = decoded8(encoding, field, from, min(n, 8u));
  return Bytes16{low, n > 8 ? decoded8(encoding, field, from + 8, n - 8) : 0};
}

} // namespace dfaparse
