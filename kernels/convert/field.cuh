// What a converter is given and gives. The fields of a column reach it one by
// one: there, trimmed, not null, and side by side. A kind has
//
//   template <class F>
//   __device__ bool convert_KIND(const Output& output, const F& field, VALUE* value);
//
// in a file of its own, and a case in convert_value (value.cuh). True: *value
// is what the field means, the same that internal/convert gives, bit by bit.
// False: the row is left, because the field is no value of the type or because
// deciding costs more than the kernel wants to pay; *value does not count.
// Options are Output.options and Output.type, as the kind's builder in
// runtime/gpu lays them out.
//
// A converter may read whole words around its field, see FieldIn, and nothing
// else of the input. What it does must end soon for a field of any length: a
// thread has a row, and its warp waits.
#pragma once

#include "../layout.cuh"

namespace dfaparse {

// dfa.TypeKind.
enum TypeKind : uint32_t {
  kString = 0, kBool, kInt8, kInt16, kInt32, kInt64, kUint8, kUint16, kUint32, kUint64, kFloat32, kFloat64,
  kDecimal, kDate, kTime, kTimestamp, kDuration, kBinary, kEnum, kDictionary, kIP, kUUID, kList, kMap,
};

// A field in memory that Memory gives by aligned words of 4 bytes, the first
// byte lowest: a pointer to global, shared or local memory.
template <class Memory>
struct FieldIn {
  Memory words;
  uint32_t at; // offset of its first byte in words
  uint32_t n;  // its bytes

  // Byte i, which is one of the field's.
  __device__ uint32_t operator[](uint32_t i) const {
    uint32_t p = at + i;
    return words[p >> 2] >> (8 * (p & 3)) & 0xff;
  }

  // The 4 or 8 bytes from byte i on, i < n, the first lowest. What comes after
  // the field's last byte is not defined, and may be read.
  __device__ uint32_t load4(uint32_t i) const {
    uint32_t p = at + i, w = p >> 2;
    return shifted(words[w], words[w + 1], p);
  }
  __device__ uint64_t load8(uint32_t i) const {
    uint32_t p = at + i, w = p >> 2;
    uint32_t a = words[w], b = words[w + 1], c = words[w + 2];
    return (uint64_t)shifted(b, c, p) << 32 | shifted(a, b, p);
  }

  // 4*N bytes from byte i on, i + 4*N < n + 4: each word of memory is read once.
  template <uint32_t N>
  __device__ __forceinline__ void load(uint32_t i, uint32_t (&out)[N]) const {
    uint32_t p = at + i, w = p >> 2, low = words[w];
#pragma unroll
    for (uint32_t k = 0; k < N; k++) {
      uint32_t high = words[w + k + 1];
      out[k] = shifted(low, high, p);
      low = high;
    }
  }

  // The field without its first i bytes, and its first i bytes.
  __device__ FieldIn from(uint32_t i) const { return FieldIn{words, at + i, n - i}; }
  __device__ FieldIn first(uint32_t i) const { return FieldIn{words, at, i}; }

private:
  // 4 bytes from byte p&3 on of the 8 that two words have: one funnel shift.
  __device__ static uint32_t shifted(uint32_t low, uint32_t high, uint32_t p) {
    return (uint32_t)(((uint64_t)high << 32 | low) >> (8 * (p & 3)));
  }
};

using Field = FieldIn<const uint32_t*>;

// What a function gives that is called, not inlined: nothing of its caller's
// has an address then.
struct Maybe {
  bool is;
  uint64_t bits;
};

// A value of any fixed width, as it is stored: the lowest bytes of lo, or both.
struct Value {
  uint64_t lo, hi;
};

} // namespace dfaparse
