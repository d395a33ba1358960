// The notation of floats and decimals:
// [+-] (digits [point digits*] | point digits) [(e|E) [+-] digits]. The twin is
// internal/convert/number.go.
#pragma once

#include "integer.cuh"

namespace dfaparse {

// The separators of a column's numbers.
struct NumberForm {
  uint32_t point, thousands; // thousands 0: none
};

// A number as written: digits over 10^places.
struct ShortNumber {
  uint64_t digits;
  uint32_t places;
  bool negative;
};

// Reads up to 19 symbols, one of which may be the point and the first a minus
// sign: no exponent, no thousands separator, no plus sign.
template <class F>
__device__ __forceinline__ bool short_number(const F& field, uint32_t point, ShortNumber* number) {
  constexpr uint32_t kSign = '-' ^ '0';
  uint32_t n = field.n;
  if (n - 1 >= 19) return false;
  point ^= '0';
  // The sign becomes a zero, which does not count; for the point, what is before
  // it moves up.
  uint64_t x = field.load8(0) ^ kZeros;
  bool minus = (uint32_t)(x & 0xff) == kSign;
  if (minus) x ^= kSign;
  number->negative = minus;
  uint32_t places = 0;
  if (n <= 8) {
    x = right_aligned(x, n);
    uint64_t found = find_byte(x, point);
    if (found != 0) x = squeeze(x, found, &places);
    number->places = places;
    number->digits = digits8(x);
    return not_digits8(x) == 0 && n > (uint32_t)minus + (found != 0);
  }
  uint64_t y = field.load8(n - 8) ^ kZeros;
  if (n <= 16) {
    x = right_aligned(x, n - 8);
    uint32_t scale = 100000000;
    if (uint64_t found = find_byte(x, point)) {
      x = squeeze(x, found, &places);
      places += 8;
    } else if (uint64_t found = find_byte(y, point)) {
      y = squeeze(y, found, &places);
      scale = 10000000;
    }
    number->places = places;
    number->digits = (uint64_t)digits8(x) * scale + digits8(y);
    return (not_digits8(x) | not_digits8(y)) == 0;
  }
  uint64_t w = field.load8(n - 16) ^ kZeros;
  x = right_aligned(x, n - 16);
  uint64_t x_scale = 10000000000000000ull;
  uint32_t w_scale = 100000000;
  if (uint64_t found = find_byte(x, point)) {
    x = squeeze(x, found, &places);
    places += 16;
  } else if (uint64_t found = find_byte(w, point)) {
    w = squeeze(w, found, &places);
    places += 8;
    x_scale = 1000000000000000ull;
  } else if (uint64_t found = find_byte(y, point)) {
    y = squeeze(y, found, &places);
    x_scale = 1000000000000000ull, w_scale = 10000000;
  }
  number->places = places;
  number->digits = digits8(x) * x_scale + (uint64_t)digits8(w) * w_scale + digits8(y);
  return (not_digits8(x) | not_digits8(w) | not_digits8(y)) == 0;
}

// A number of any length: digits*10^exponent, digits being the first 19 that
// are significant.
struct LongNumber {
  bool is;
  uint64_t digits;
  int32_t exponent; // at most about kMostExponent either way
  bool negative;
  bool cut; // a significant digit beyond the 19 is not 0
};

// No float, and no decimal that is not 0, has an exponent like this.
constexpr int32_t kMostExponent = 100000;

// Reads [+-]digits from byte i on, to the end; what is larger than
// kMostExponent is somewhat larger.
template <class F>
__device__ inline bool read_exponent(const F& field, uint32_t i, int32_t* exponent) {
  bool negative = false;
  if (i < field.n && (field[i] == '-' || field[i] == '+')) negative = field[i++] == '-';
  if (i >= field.n) return false;
  int32_t e = 0;
  for (; i < field.n; i++) {
    uint32_t d = field[i] - '0';
    if (d > 9) return false;
    if (e <= kMostExponent) e = e * 10 + (int32_t)d;
  }
  *exponent = negative ? -e : e;
  return true;
}

// Reads a field of at most kLongestNumber symbols.
template <class F>
__device__ __noinline__ LongNumber long_number(F field, NumberForm form) {
  LongNumber number{false, 0, 0, false, false};
  uint32_t i = 0, kept = 0;
  if (field[0] == '-' || field[0] == '+') number.negative = field[i++] == '-';
  bool any = false, point = false;
  for (; i < field.n; i++) {
    uint32_t c = field[i], d = c - '0';
    if (d <= 9) {
      any = true;
      number.exponent -= point;
      if (kept < 19) {
        number.digits = number.digits * 10 + d;
        kept += number.digits != 0;
      } else {
        number.exponent++;
        number.cut |= d != 0;
      }
    } else if (c == form.point && !point) {
      point = true;
    } else if (point || !separates(field, i, form.thousands)) {
      break;
    }
  }
  number.is = any;
  if (i < field.n) {
    int32_t e = 0;
    number.is = any && (field[i] | 0x20) == 'e' && read_exponent(field, i + 1, &e);
    number.exponent += e;
  }
  return number;
}

} // namespace dfaparse
