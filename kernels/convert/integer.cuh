// Integers of 1 to 8 bytes: [+-]digits, decimal or hexadecimal. Options: the
// largest value, the largest magnitude below 0, the thousands separator or 0,
// whether digits are hexadecimal. The twin is internal/convert/integer.go.
#pragma once

#include "field.cuh"
#include "words.cuh"

namespace dfaparse {

// The longest number that is read symbol by symbol.
constexpr uint32_t kLongestNumber = 1024;

// The value of a hexadecimal digit; above 15: it is none.
__device__ inline uint32_t hex_digit(uint32_t c) {
  uint32_t d = c - '0', l = (c | 0x20) - 'a';
  return d <= 9 ? d : l <= 5 ? l + 10 : 255;
}

// Whether byte i of field is the thousands separator between two digits.
template <class F>
__device__ inline bool separates(const F& field, uint32_t i, uint32_t thousands) {
  return thousands != 0 && field[i] == thousands && i > 0 && i + 1 < field.n && hex_digit(field[i - 1]) < 16 && hex_digit(field[i + 1]) < 16;
}

// Up to 19 symbols, the first of which may be a minus sign.
template <class F>
__device__ __forceinline__ bool short_integer(const F& field, uint64_t* magnitude, bool* negative) {
  constexpr uint32_t kSign = '-' ^ '0';
  uint32_t n = field.n;
  if (n - 1 >= 19) return false;
  // The sign becomes a zero, which does not count.
  uint64_t x = field.load8(0) ^ kZeros;
  bool minus = (uint32_t)(x & 0xff) == kSign;
  if (minus) x ^= kSign;
  *negative = minus;
  if (minus && n == 1) return false;
  if (n <= 8) {
    x = right_aligned(x, n);
    *magnitude = digits8(x);
    return not_digits8(x) == 0;
  }
  uint64_t y = field.load8(n - 8) ^ kZeros;
  if (n <= 16) {
    x = right_aligned(x, n - 8);
    *magnitude = (uint64_t)digits8(x) * 100000000u + digits8(y);
    return (not_digits8(x) | not_digits8(y)) == 0;
  }
  x = right_aligned(x, n - 16);
  uint64_t w = field.load8(n - 16) ^ kZeros;
  *magnitude = digits8(x) * 10000000000000000ull + (uint64_t)digits8(w) * 100000000u + digits8(y);
  return (not_digits8(x) | not_digits8(w) | not_digits8(y)) == 0;
}

// Digits of any number, with separators, after the sign.
template <class F>
__device__ __noinline__ Maybe long_integer(F b, bool hexadecimal, uint32_t thousands, uint64_t limit) {
  if (hexadecimal && b.n > 2 && b[0] == '0' && (b[1] | 0x20) == 'x') b = b.from(2);
  uint64_t v = 0, base = hexadecimal ? 16 : 10;
  if (b.n == 0) return Maybe{false, 0};
  for (uint32_t i = 0; i < b.n; i++) {
    uint32_t d = hex_digit(b[i]);
    if (d >= base) {
      if (separates(b, i, thousands)) continue;
      return Maybe{false, 0};
    }
    if (v > limit / base || d > limit - v * base) return Maybe{false, 0};
    v = v * base + d;
  }
  return Maybe{true, v};
}

// The value in two's complement of 8 bytes.
template <class F>
__device__ bool convert_integer(const Output& output, const F& field, uint64_t* value) {
  uint64_t magnitude;
  bool negative;
  bool hexadecimal = output.options[3] != 0;
  if (hexadecimal || !short_integer(field, &magnitude, &negative)) {
    if (field.n - 1 >= kLongestNumber) return false;
    uint32_t sign = field[0];
    negative = sign == '-';
    F digits = field.from(negative || sign == '+');
    Maybe x = long_integer(digits, hexadecimal, (uint32_t)output.options[2], output.options[negative]);
    if (!x.is) return false;
    magnitude = x.bits;
  }
  if (magnitude > output.options[negative]) return false;
  *value = negative ? 0 - magnitude : magnitude;
  return true;
}

} // namespace dfaparse
