// Floats: decimal and scientific notation, correctly rounded, beyond the
// largest value to infinity; inf, infinity and nan in any case. Options: the
// point, the thousands separator or 0. Output.type is FloatTables. The twin is
// internal/convert/float.go.
#pragma once

#include "number.cuh"
#include "rounding.cuh"

namespace dfaparse {

constexpr uint64_t kMostExactDigits = (uint64_t)1 << 53;

// Whether field from byte i on is word, of letters, in any case.
template <class F>
__device__ inline bool is_word(const F& field, uint32_t i, const char* word, uint32_t n) {
  if (field.n - i != n) return false;
  for (uint32_t k = 0; k < n; k++) {
    if ((field[i + k] | 0x20) != (uint32_t)word[k]) return false;
  }
  return true;
}

// The bits of inf, infinity and nan with an optional sign, which nan has not.
template <class Format, class F>
__device__ inline Maybe special_number(const F& field) {
  uint32_t c = field[0], i = c == '-' || c == '+';
  uint64_t infinity = (uint64_t)Format::kInfinity << Format::kMantissa;
  if (is_word(field, i, "nan", 3)) return Maybe{true, infinity | (uint64_t)1 << (Format::kMantissa - 1)};
  bool is = is_word(field, i, "inf", 3) || is_word(field, i, "infinity", 8);
  return Maybe{is, infinity | (uint64_t)(c == '-') << Format::kSign};
}

// A number that is not short, or has more digits than a float: its bits.
template <class Format, class F>
__device__ __noinline__ Maybe long_float(const Output& output, F field) {
  if (field.n - 1 >= kLongestNumber) return Maybe{false, 0};
  const FloatTables* tables = (const FloatTables*)output.type;
  LongNumber x = long_number(field, NumberForm{(uint32_t)output.options[0], (uint32_t)output.options[1]});
  if (!x.is) return special_number<Format>(field);
  Maybe rounded{true, 0};
  if (x.digits != 0) {
    rounded = round_number<Format>(tables, x.digits, x.exponent);
    if (x.cut) { // it is between these digits and the next: do both round alike?
      Maybe above = round_number<Format>(tables, x.digits + 1, x.exponent);
      rounded.is = rounded.is && above.is && above.bits == rounded.bits;
    }
  }
  rounded.bits |= (uint64_t)x.negative << Format::kSign;
  return rounded;
}

// A field that short_number says is, or is not, a number, as 64 bits of a
// double or 32 of a float.
template <class F>
__device__ __forceinline__ Maybe convert_float(const Output& output, const F& field, bool is_short, const ShortNumber& x) {
  bool narrow = output.kind == kFloat32;
  if (is_short && x.digits <= kMostExactDigits) {
    double v = divide_exactly((double)x.digits, ((const FloatTables*)output.type)->exact[x.places]);
    uint64_t bits = (uint64_t)__double_as_longlong(v);
    if (!narrow) return Maybe{true, bits | (uint64_t)x.negative << 63};
    // Rounding twice is right unless the first time landed on the middle between
    // two floats, which are doubles: no other value can have crossed it.
    if ((bits & ((1u << 29) - 1)) != 1u << 28) return Maybe{true, __float_as_uint((float)v) | (uint32_t)x.negative << 31};
  }
  return narrow ? long_float<Binary32>(output, field) : long_float<Binary64>(output, field);
}

} // namespace dfaparse
