// Correct rounding of decimal numbers. What is exact in both operands takes one
// operation (Clinger, "How to read floating point numbers accurately", 1990);
// the rest is the algorithm of Lemire, "Number parsing at a gigabyte per
// second" (2021): the digits times a power of five to 128 bits.
#pragma once

#include "field.cuh"

namespace dfaparse {

// Tables that the host makes, Output.type of floats.
constexpr uint32_t kExactPowers = 23;
constexpr int32_t kSmallestFive = -342, kLargestFive = 308;
struct alignas(16) ExactPower {
  double power;      // 10^i, exact
  double reciprocal; // 10^-i, rounded to nearest
};
struct FloatTables {
  ExactPower exact[kExactPowers];
  // 5^q, its highest 128 bits, the low word first: cut off for q >= 0, rounded
  // up for q < 0.
  uint64_t five[kLargestFive - kSmallestFive + 1][2];
};

// What differs between the formats, of IEEE 754: binary64 and binary32.
struct Binary64 {
  static constexpr uint32_t kMantissa = 52, kSign = 63;
  static constexpr int32_t kBias = 1023, kInfinity = 0x7ff;
  // Powers of ten that can take a product of 64 bits to the middle between two.
  static constexpr int32_t kTieFrom = -4, kTieTo = 23;
};
struct Binary32 {
  static constexpr uint32_t kMantissa = 23, kSign = 31;
  static constexpr int32_t kBias = 127, kInfinity = 0xff;
  static constexpr int32_t kTieFrom = -17, kTieTo = 10;
};

// The bits of digits*10^exponent, rounded to nearest, ties to even; digits is
// not 0. Nothing: the product does not tell.
template <class Format>
__device__ __noinline__ Maybe round_number(const FloatTables* tables, uint64_t digits, int32_t exponent) {
  constexpr uint32_t kMantissa = Format::kMantissa;
  constexpr uint64_t kInfinity = (uint64_t)Format::kInfinity << kMantissa;
  if (exponent < kSmallestFive) return Maybe{true, 0}; // less than half of the smallest
  if (exponent > kLargestFive) return Maybe{true, kInfinity};
  uint32_t shift = (uint32_t)__clzll((long long)digits);
  uint64_t w = digits << shift;
  const uint64_t* five = tables->five[exponent - kSmallestFive];
  uint64_t high = __umul64hi(w, five[1]), low = w * five[1];
  constexpr uint64_t kBelow = ~(uint64_t)0 >> (kMantissa + 3);
  if ((high & kBelow) == kBelow) { // the low word of the power may carry into what counts
    uint64_t more = __umul64hi(w, five[0]);
    low += more;
    high += low < more;
  }
  if (low == ~(uint64_t)0 && (exponent < -27 || exponent > 55)) return Maybe{false, 0}; // the power is not exact
  uint32_t top = (uint32_t)(high >> 63), cut = top + 64 - kMantissa - 3;
  uint64_t mantissa = high >> cut; // one bit more than it has, the hidden one counted
  // floor(log2(10^exponent)) by 217706/2^16.
  int32_t power = ((217706 * exponent) >> 16) + 63 + (int32_t)top - (int32_t)shift + Format::kBias;
  if (power <= 0) { // subnormal, or 0
    if (power <= -63) return Maybe{true, 0};
    mantissa >>= 1 - power;
    return Maybe{true, (mantissa + (mantissa & 1)) >> 1}; // what rounds up to the smallest normal has its bits
  }
  if (low <= 1 && exponent >= Format::kTieFrom && exponent <= Format::kTieTo && (mantissa & 3) == 1 && mantissa << cut == high) {
    mantissa &= ~(uint64_t)1; // in the middle, and even
  }
  mantissa = (mantissa + (mantissa & 1)) >> 1;
  if (mantissa >> (kMantissa + 1)) {
    mantissa >>= 1;
    power++;
  }
  if (power >= Format::kInfinity) return Maybe{true, kInfinity};
  return Maybe{true, (uint64_t)power << kMantissa | (mantissa & (((uint64_t)1 << kMantissa) - 1))};
}

// digits / 10^places, correctly rounded; a is the digits, at most 2^53, places
// at most 21. One step of refinement in place of a division. With u = 2^-53, q is at
// first within about 2u of the quotient, relatively, and after the step, before
// that is rounded, within 4u^2. It is rounded as the quotient is, unless the
// middle M between two doubles lies between them. There M*10^places is a
// multiple of 2^(k-53+places), where 2^k is the power of two that the quotient
// is not below, and digits is a whole number that it is not: so M is at least
// 2^-54 / 5^places away from the quotient, or 1/digits, which is more than 4u^2.
__device__ __forceinline__ double divide_exactly(double a, ExactPower ten) {
  double q = __dmul_rn(a, ten.reciprocal);
  return fma(fma(-ten.power, q, a), ten.reciprocal, q);
}

} // namespace dfaparse
