// Durations, and time stamps that are numbers. The twins are
// internal/convert/duration.go and count.go.
//
// Options of a number: 0 to 3 and Output.type as decimal.cuh has them; 4 and 5
// the smallest and the largest value. Those of other durations: 0 digits after
// a second's point that units are; 6 DurationForm.
#pragma once

#include "decimal.cuh"
#include "moment.cuh"

namespace dfaparse {

enum DurationForm : uint32_t {
  kNumber = 0, // of units
  kGo = 1,     // 1h2m3.5s
  kClock = 2,  // [h:]mm:ss[.fff]
};

// A number of some unit, as an integer of another.
template <class F>
__device__ __noinline__ Maybe convert_count(const Output& output, F field) {
  Magnitude x = read_magnitude(decimal_form(output), field);
  bool is = x.is && x.v.hi == 0 && x.v.lo <= 0x7fffffffffffffffull + x.negative;
  uint64_t v = x.negative ? 0 - x.v.lo : x.v.lo;
  return Maybe{is && (int64_t)v >= (int64_t)output.options[4] && (int64_t)v <= (int64_t)output.options[5], v};
}

// A magnitude in units, below kMostUnits: what is larger is left.
constexpr uint64_t kMostUnits = (uint64_t)1 << 62;
constexpr uint32_t kMostWhole = 16; // digits of a whole number; more are left

// Adds n*factor.
__device__ __forceinline__ bool add_units(uint64_t n, uint64_t factor, uint64_t* sum) {
  uint64_t v = n * factor;
  *sum += v;
  return __umul64hi(n, factor) == 0 && v < kMostUnits && *sum < kMostUnits;
}

// Takes a whole number of up to kMostWhole digits.
template <class F>
__device__ __forceinline__ bool read_whole(Reader<F>& r, uint64_t* value, uint32_t* ndigits) {
  uint64_t v = 0;
  uint32_t n = 0, count;
  do {
    uint32_t d = r.digits(4, &count);
    v = v * ten_to(count) + d;
    n += count;
  } while (count == 4 && n <= kMostWhole);
  *value = v;
  *ndigits = n;
  return n <= kMostWhole;
}

// Takes numbers with units, in any order, each with a fraction if need be. A
// sum whose parts are not all whole units is left.
template <class F>
__device__ __forceinline__ bool read_go(Reader<F>& r, int32_t places, uint64_t* sum) {
  if (r.field.n - r.at == 1) return r.symbol('0');
  do {
    uint64_t whole;
    uint32_t fraction = 0, n, nfraction = 0;
    if (!read_whole(r, &whole, &n)) return false;
    if (r.symbol('.')) {
      uint32_t from = r.at;
      if (r.fraction(9, &fraction)) nfraction = r.at - from;
    }
    if (n + nfraction == 0) return false;
    // The unit is factor*10^power nanoseconds.
    uint32_t x = r.next4(), factor = 1, symbols = 2;
    int32_t power = 0;
    if ((x & 0xffff) == two('m', 's')) {
      power = 6;
    } else if ((x & 0xffff) == two('u', 's')) {
      power = 3;
    } else if ((x & 0xffffff) == three('\xc2', '\xb5', 's') || (x & 0xffffff) == three('\xce', '\xbc', 's')) {
      power = 3, symbols = 3;
    } else if ((x & 0xffff) != two('n', 's')) {
      symbols = 1;
      switch (x & 0xff) {
      case 's': power = 9; break;
      case 'm': factor = 6, power = 10; break;
      case 'h': factor = 36, power = 11; break;
      default: return false;
      }
    }
    r.at += symbols;
    // A letter after it makes it no unit: the next turn finds no digit.
    power -= 9 - places;
    if (whole != 0) {
      if (power < 0) return false;
      uint64_t per = (uint64_t)factor * ten_to(min(power, 9)) * ten_to(max(power - 9, 0));
      if (!add_units(whole, per, sum)) return false;
    }
    if (fraction != 0) {
      // fraction/10^9*factor*10^power
      power -= 9;
      uint64_t v = (uint64_t)fraction * factor;
      if (power < 0) {
        uint32_t finer = ten_to(min(-power, 9));
        if (power < -9 || v % finer != 0) return false;
        v /= finer;
        power = 0;
      }
      if (!add_units(v, ten_to(power), sum)) return false;
    }
  } while (!r.ended());
  return true;
}

// Takes [h:]mm:ss[.fff]. Without hours the minutes may be any number.
template <class F>
__device__ __forceinline__ bool read_clock(Reader<F>& r, uint32_t places, uint64_t* sum) {
  uint64_t first;
  uint32_t n, middle = 0, last, fraction = 0;
  if (!read_whole(r, &first, &n) || n == 0 || !r.symbol(':')) return false;
  uint32_t at = r.at;
  last = r.digits(3, &n);
  if (r.at - at != 2) return false;
  bool hours = r.symbol(':');
  if (hours) {
    at = r.at;
    middle = last;
    last = r.digits(3, &n);
    if (r.at - at != 2) return false;
  }
  if (last > 59 || middle > 59) return false;
  if (!r.ended() && (!r.symbol('.') || !r.fraction(places, &fraction) || !r.ended())) return false;
  uint32_t per = ten_to(places);
  return add_units(first, (uint64_t)per * (hours ? 3600 : 60), sum) && add_units(middle * 60 + last, per, sum) && add_units(fraction, 1, sum);
}

// A duration that is no number.
template <class F>
__device__ __noinline__ Maybe convert_parts(F field, uint32_t form, uint32_t places) {
  Reader<F> r{field, 0};
  uint64_t v = 0;
  bool negative = r.symbol('-');
  if (!negative) r.symbol('+');
  bool is = form == kGo ? read_go(r, (int32_t)places, &v) : read_clock(r, places, &v);
  return Maybe{is, negative ? 0 - v : v};
}

template <class F>
__device__ bool convert_duration(const Output& output, const F& field, int64_t* value) {
  uint32_t form = (uint32_t)output.options[6];
  Maybe v = form == kNumber ? convert_count(output, field) : convert_parts(field, form, (uint32_t)output.options[0]);
  *value = (int64_t)v.bits;
  return v.is;
}

} // namespace dfaparse
