// Numbers that are kept exactly, as integers of 10^-scale. Options: the point,
// the thousands separator or 0, the scale (of two's complement: it may be below
// 0), the precision. Output.type is the powers of ten up to 10^38, two words
// each. The twin is internal/convert/decimal.go.
#pragma once

#include "number.cuh"

namespace dfaparse {

// A magnitude, or two's complement; Arrow's layout of decimals.
struct Int128 {
  uint64_t lo, hi;
};

constexpr uint32_t kMostDigits = 38;

__device__ inline bool operator<(const Int128& a, const Int128& b) { return a.hi != b.hi ? a.hi < b.hi : a.lo < b.lo; }

// The lowest 128 bits of a product.
__device__ inline Int128 times(const Int128& a, const Int128& b) {
  return Int128{a.lo * b.lo, __umul64hi(a.lo, b.lo) + a.lo * b.hi + a.hi * b.lo};
}

__device__ inline Int128 plus(const Int128& a, uint32_t b) {
  uint64_t lo = a.lo + b;
  return Int128{lo, a.hi + (lo < b)};
}

__device__ inline Int128 negated(const Int128& a) {
  uint64_t lo = 0 - a.lo;
  return Int128{lo, 0 - a.hi - (lo != 0)};
}

// What a field says.
struct Magnitude {
  bool is, negative;
  Int128 v;
};

// How decimals, epochs and durations in numbers are written, and what counts.
struct DecimalForm {
  NumberForm number;
  int32_t scale;
  uint32_t precision;
  const Int128* tens; // [kMostDigits+1]
};

// Symbol by symbol: digits beyond the scale are zeros, others are refused.
template <class F>
__device__ __noinline__ Magnitude long_magnitude(DecimalForm form, F field) {
  Magnitude x{false, false, {0, 0}};
  if (field.n - 1 >= kLongestNumber) return x;
  uint32_t i = 0;
  if (field[0] == '-' || field[0] == '+') x.negative = field[i++] == '-';
  bool any = false, point = false;
  int32_t exponent = 0; // of the last digit read
  uint32_t zeros = 0;   // after the last digit that is not one
  uint32_t ndigits = 0; // of x.v
  for (; i < field.n; i++) {
    uint32_t c = field[i], d = c - '0';
    if (d <= 9) {
      any = true;
      exponent -= point;
      if (d != 0) {
        ndigits += zeros + 1;
        if (ndigits > kMostDigits) return x; // more than any precision
        x.v = plus(times(x.v, form.tens[zeros + 1]), d);
        zeros = 0;
      } else {
        zeros += ndigits > 0;
      }
    } else if (c == form.number.point && !point) {
      point = true;
    } else if (point || !separates(field, i, form.number.thousands)) {
      break;
    }
  }
  if (!any) return x;
  if (i < field.n) {
    int32_t e;
    if ((field[i] | 0x20) != 'e' || !read_exponent(field, i + 1, &e)) return x;
    exponent += e;
  }
  if (ndigits != 0) {
    uint32_t shift = (uint32_t)(exponent + (int32_t)zeros + form.scale);
    if (shift > kMostDigits || ndigits + shift > form.precision) return x; // below 0, digits would be lost
    x.v = times(x.v, form.tens[shift]);
  }
  x.is = true;
  return x;
}

// A field that short_number says is, or is not, a number, as a count of
// 10^-scale below 10^precision.
template <class F>
__device__ __forceinline__ Magnitude magnitude_of(const DecimalForm& form, const F& field, bool is_short, const ShortNumber& x) {
  uint32_t shift = (uint32_t)(form.scale - (int32_t)x.places);
  if (is_short && shift <= 19) {
    uint64_t ten = form.tens[shift].lo;
    Int128 v{x.digits * ten, __umul64hi(x.digits, ten)};
    return Magnitude{v < form.tens[form.precision], x.negative, v};
  }
  return long_magnitude(form, field);
}

template <class F>
__device__ __forceinline__ Magnitude read_magnitude(const DecimalForm& form, const F& field) {
  ShortNumber x;
  bool is_short = short_number(field, form.number.point, &x);
  return magnitude_of(form, field, is_short, x);
}

__device__ inline DecimalForm decimal_form(const Output& output) {
  return DecimalForm{{(uint32_t)output.options[0], (uint32_t)output.options[1]}, (int32_t)output.options[2],
      (uint32_t)output.options[3], (const Int128*)output.type};
}

// The same in two's complement.
template <class F>
__device__ __forceinline__ bool convert_decimal(const Output& output, const F& field, bool is_short, const ShortNumber& x, Value* value) {
  Magnitude m = magnitude_of(decimal_form(output), field, is_short, x);
  Int128 v = m.negative ? negated(m.v) : m.v;
  value->lo = v.lo;
  value->hi = v.hi;
  return m.is;
}

} // namespace dfaparse
