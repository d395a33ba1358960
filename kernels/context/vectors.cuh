// State-transition vectors of up to 4, 8 and 16 entries, composed by byte
// permutes (ParPaRaw, section 3.1, for the vectors).
//
// A vector is built from the end of its symbols backwards: with g the vector of
// the symbols from some one on, and f the transitions of the symbol before it,
// g∘f has at entry s what g has at f[s]. So g is the operand of a permute and f
// its selector, and selectors are constants of the symbol. Forwards it would be
// the other way round, and the selector would have to be packed at each symbol.
//
// What is tracked is called a code: a state, a class of states, or the place of
// a state among those that are possible (runtime/gpu/track.go, "What is tracked"). While a
// vector is built it has a byte an entry; in scans it is packed, a nibble each.
#pragma once

#include "../device.cuh"

namespace dfaparse {

// Byte i of the result is the byte of high:low that nibble i of selector names
// by its lower three bits. Where bit 3 of the nibble is set it is the sign of
// that byte, all over: 0, for all bytes here are below 128. (The function
// __byte_perm clears those bits first, an instruction more.)
__device__ __forceinline__ uint32_t permute(uint32_t low, uint32_t high, uint32_t selector) {
#ifdef DFAPARSE_HOST
  uint32_t bytes = __byte_perm(low, high, selector);
  for (uint32_t i = 0; i < 4; i++) {
    if ((selector >> (4 * i + 3) & 1) != 0) bytes &= ~(0xffu << (8 * i));
  }
  return bytes;
#else
  uint32_t bytes;
  asm("prmt.b32 %0, %1, %2, %3;" : "=r"(bytes) : "r"(low), "r"(high), "r"(selector));
  return bytes;
#endif
}

// Four bytes below 16, of which the lowest of each word counts first, as the
// nibbles of 16 bits, and two such.
__device__ __forceinline__ uint32_t nibbles(uint32_t bytes) {
  return permute(bytes | bytes >> 4, 0, 0x4420);
}
__device__ __forceinline__ uint32_t nibbles(uint32_t low, uint32_t high) {
  return permute(low | low >> 4, high | high >> 4, 0x6420);
}

// Codes 0 to 3 have an entry; codes 4 to 7 need none, for they are states that
// no symbol leaves.
struct Vector4 {
  using Row = uint32_t;    // of a symbol: nibble i of 4: the code after code i
  using Packed = uint32_t; // byte i: entry i
  using Kept = uint16_t;   // nibble i: entry i
  static constexpr uint32_t kKept = 0x07060504;

  uint32_t at = 0x03020100;

  __device__ __forceinline__ void precede(Row row) { at = permute(at, kKept, row); }
  __device__ __forceinline__ Packed pack() const { return at; }

  static __device__ __forceinline__ Packed identity() { return 0x03020100; }
  static __device__ __forceinline__ Packed constant(uint32_t code) { return code * 0x01010101; }
  static __device__ __forceinline__ Packed compose(Packed earlier, Packed later) {
    return permute(later, kKept, nibbles(earlier));
  }
  static __device__ __forceinline__ uint32_t follow(Packed v, uint32_t code) { return permute(v, kKept, code) & 0xff; }
  static __device__ __forceinline__ Kept keep(Packed v) { return Kept(nibbles(v)); }
  static __device__ __forceinline__ uint32_t follow_kept(Kept v, uint32_t code) {
    return code < 4 ? v >> (4 * code) & 0xf : code;
  }
};

// Packed, the entries of codes 0, 4, 1, 5, 2, 6, 3, 7 lie side by side: the even
// nibbles are the lower register, the odd ones the upper.
struct Vector8 {
  using Row = uint32_t; // nibble i of 8: the code after code i
  using Packed = uint32_t;
  using Kept = Packed;
  static constexpr uint32_t kEven = 0x0f0f0f0f;

  uint32_t low = 0x03020100, high = 0x07060504;

  __device__ __forceinline__ void precede(Row row) {
    uint32_t l = permute(low, high, row);
    high = permute(low, high, row >> 16);
    low = l;
  }
  __device__ __forceinline__ Packed pack() const { return low | high << 4; }

  static __device__ __forceinline__ Packed identity() { return 0x73625140; }
  static __device__ __forceinline__ Packed constant(uint32_t code) { return code * 0x11111111; }
  static __device__ __forceinline__ Packed compose(Packed earlier, Packed later) {
    uint32_t l = later & kEven, h = later >> 4 & kEven;
    return nibbles(permute(l, h, earlier), permute(l, h, earlier >> 16));
  }
  static __device__ __forceinline__ uint32_t follow(Packed v, uint32_t code) {
    return v >> ((code & 3) * 8 + (code >> 2) * 4) & 0xf;
  }
  static __device__ __forceinline__ Kept keep(Packed v) { return v; }
  static __device__ __forceinline__ uint32_t follow_kept(Kept v, uint32_t code) { return follow(v, code); }
};

// Two of those, of codes 0 to 7 and 8 to 15. A selector's bit 3 chooses: each
// half is permuted with the entries of the other half made 0.
struct Vector16 {
  struct alignas(8) Row { // nibble i: the code after code i, and after code 8+i
    uint32_t low, high;
  };
  struct alignas(8) Packed {
    uint32_t low, high;
  };
  using Kept = Packed;
  static constexpr uint32_t kEven = 0x0f0f0f0f, kUpper = 0x88888888;

  uint32_t at[4] = {0x03020100, 0x07060504, 0x0b0a0908, 0x0f0e0d0c};

  static __device__ __forceinline__ uint32_t pick(const uint32_t* v, uint32_t selector, uint32_t opposite) {
    return permute(v[0], v[1], selector) | permute(v[2], v[3], opposite);
  }
  __device__ __forceinline__ void precede(Row row) {
    uint32_t low = row.low ^ kUpper, high = row.high ^ kUpper;
    uint32_t a = pick(at, row.low, low), b = pick(at, row.low >> 16, low >> 16);
    uint32_t c = pick(at, row.high, high), d = pick(at, row.high >> 16, high >> 16);
    at[0] = a, at[1] = b, at[2] = c, at[3] = d;
  }
  __device__ __forceinline__ Packed pack() const { return Packed{at[0] | at[1] << 4, at[2] | at[3] << 4}; }

  static __device__ __forceinline__ Packed identity() { return Packed{0x73625140, 0xfbead9c8}; }
  static __device__ __forceinline__ Packed constant(uint32_t code) { return Packed{code * 0x11111111, code * 0x11111111}; }
  static __device__ __forceinline__ uint32_t compose_half(uint32_t earlier, const uint32_t* later) {
    uint32_t opposite = earlier ^ kUpper;
    return nibbles(pick(later, earlier, opposite), pick(later, earlier >> 16, opposite >> 16));
  }
  static __device__ __forceinline__ Packed compose(const Packed& earlier, const Packed& later) {
    uint32_t v[4] = {later.low & kEven, later.low >> 4 & kEven, later.high & kEven, later.high >> 4 & kEven};
    return Packed{compose_half(earlier.low, v), compose_half(earlier.high, v)};
  }
  static __device__ __forceinline__ uint32_t follow(const Packed& v, uint32_t code) {
    return Vector8::follow(code < 8 ? v.low : v.high, code & 7);
  }
  static __device__ __forceinline__ Kept keep(const Packed& v) { return v; }
  static __device__ __forceinline__ uint32_t follow_kept(const Kept& v, uint32_t code) { return follow(v, code); }
};

} // namespace dfaparse
