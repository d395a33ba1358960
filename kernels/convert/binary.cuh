// Binaries that are written in hexadecimal or base64: whether a field is one,
// how many bytes it stands for, and these bytes, of which dfa_gather asks for
// some at a time. Option 0 is the encoding. The twin is
// internal/convert/binary.go.
#pragma once

#include "field.cuh"
#include "hex.cuh"

namespace dfaparse {

// dfa.Encoding.
enum BinaryEncoding : uint32_t { kAsIs = 0, kHex = 1, kBase64 = 2 };

__device__ __forceinline__ uint32_t binary_encoding(const Output& output) { return output.kind == kBinary ? (uint32_t)output.options[0] : kAsIs; }

// A thread looks at so many symbols, a warp at so many; what is longer is left.
constexpr uint32_t kShortEncoded = 128, kLongEncoded = 1 << 16;

// The values of four digits of base64, of either alphabet of RFC 4648, a byte
// each. Adds to bad, in bits 7, 15, 23 and 31, where there is none.
__device__ inline uint32_t base64_values(uint32_t x, uint32_t* bad) {
  constexpr uint32_t kEach = 0x01010101, kHigh = 0x80808080;
  uint32_t y = x & ~kHigh;
  // Bit 7 of a byte: it is from a to b.
  auto range = [=](uint32_t a, uint32_t b) { return (y + (0x80 - a) * kEach) & ~(y + (0x7f - b) * kEach) & kHigh; };
  uint32_t upper = range('A', 'Z'), lower = range('a', 'z'), digit = range('0', '9');
  uint32_t plus = range('+', '+'), minus = range('-', '-'), slash = range('/', '/'), line = range('_', '_');
  *bad |= (x | ~(upper | lower | digit | plus | minus | slash | line)) & kHigh;
  return y - (upper >> 7) * 'A' - (lower >> 7) * ('a' - 26) + (digit >> 7) * (52 - '0') + (plus >> 7) * (62 - '+') + (minus >> 7) * (62 - '-') +
      (slash >> 7) * (63 - '/') - (line >> 7) * ('_' - 63);
}

// A field that may be right, by its length and its end.
struct Encoded {
  bool is;
  uint32_t symbols; // without padding
  uint32_t bytes;
};

template <class F>
__device__ inline Encoded encoded_of(uint32_t encoding, const F& field) {
  uint32_t n = field.n;
  if (encoding == kHex) return Encoded{(n & 1) == 0, n, n / 2};
  if (n != 0 && (n & 3) == 0 && field[n - 1] == '=') {
    n--;
    if (field[n - 1] == '=') n--;
  }
  // The bits after the last byte are 0 (RFC 4648, 3.5).
  uint32_t rest = n & 3, bad = 0, last = rest > 1 ? base64_values(field[n - 1], &bad) : 0;
  return Encoded{rest != 1 && (last & (rest == 2 ? 15 : 3)) == 0, n, n / 4 * 3 + (rest > 1 ? rest - 1 : 0)};
}

// Whether words number first, first+step and so on of field, of 4 symbols each,
// are digits.
template <class F>
__device__ inline bool are_digits(uint32_t encoding, const F& field, uint32_t first, uint32_t step) {
  uint32_t bad = 0;
  for (uint32_t i = 4 * first; i < field.n; i += 4 * step) {
    uint32_t x = field.load4(i), left = field.n - i;
    if (left < 4) {
      uint32_t there = (1u << 8 * left) - 1;
      x = (x & there) | ('0' * 0x01010101u & ~there);
    }
    encoding == kHex ? hex_values(x, &bad) : base64_values(x, &bad);
  }
  return bad == 0;
}

// By a whole warp, a field a lane, if `some`, all of them in words: the bytes
// that it stands for; false: it is left.
__device__ inline bool measure_encoded(uint32_t encoding, const uint32_t* words, bool some, Field field, uint32_t* bytes) {
  Encoded x{false, 0, 0};
  if (some) x = encoded_of(encoding, field);
  *bytes = x.bytes;
  bool longer = x.symbols > kShortEncoded;
  if (x.is && !longer) x.is = are_digits(encoding, field.first(x.symbols), 0, 1);
  if (x.symbols > kLongEncoded) x.is = false;
  for (uint32_t todo = __ballot_sync(0xffffffffu, x.is && longer); todo != 0; todo &= todo - 1) {
    int lane = __ffs((int)todo) - 1;
    uint32_t at = __shfl_sync(0xffffffffu, field.at, lane), n = __shfl_sync(0xffffffffu, x.symbols, lane);
    Field one{words, at, n};
    bool right = are_digits(encoding, one, threadIdx.x & 31, 32);
    if (__ballot_sync(0xffffffffu, right) != 0xffffffffu && (threadIdx.x & 31) == (uint32_t)lane) x.is = false;
  }
  return x.is;
}

// Up to 8 bytes that field stands for, from number `from` on, the first lowest;
// at least n of them, n > 0, and there are so many.
template <class F>
__device__ inline uint64_t decoded8(uint32_t encoding, const F& field, uint32_t from, uint32_t n) {
  uint32_t bad = 0;
  if (encoding == kHex) {
    uint64_t x = field.load8(2 * from), y = n > 4 ? field.load8(2 * from + 8) : 0;
    return (uint64_t)hex_bytes((uint32_t)y, (uint32_t)(y >> 32), &bad) << 32 | hex_bytes((uint32_t)x, (uint32_t)(x >> 32), &bad);
  }
  uint64_t bytes = 0;
  uint32_t group = from / 3, skip = from - 3 * group;
  for (uint32_t filled = 0; filled < n; group++) {
    uint32_t v = base64_values(field.load4(4 * group), &bad);
    v = (v & 0xff) << 18 | (v >> 8 & 0xff) << 12 | (v >> 16 & 0xff) << 6 | v >> 24;
    v = __byte_perm(v, 0, 0x4012) >> 8 * skip;
    bytes |= (uint64_t)v << 8 * filled;
    filled += 3 - skip;
    skip = 0;
  }
  return bytes;
}

} // namespace dfaparse
