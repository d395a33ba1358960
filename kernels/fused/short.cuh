// The usual notations of numbers and of time, in few instructions: numbers of up
// to eight symbols, and time stamps of exactly 19. What these say is what the
// converters of ../convert say; whatever they do not take goes there.
#pragma once

#include "../convert/clock.cuh"
#include "../convert/float.cuh"
#include "tile.cuh"

namespace dfaparse {

// 4*N symbols from byte `at` of the tile on. What follows the field is anything.
template <uint32_t N>
__device__ __forceinline__ void symbols_at(SharedAddress words, uint32_t at, uint32_t (&out)[N]) {
  SharedAddress from = words + (at & ~3u);
  uint32_t low = load32(from);
#pragma unroll
  for (uint32_t k = 0; k < N; k++) {
    uint32_t high = load32(from + 4 * k + 4);
    out[k] = __funnelshift_r(low, high, 8 * at);
    low = high;
  }
}

// Up to eight digits, the last in the highest byte; a minus sign is gone.
struct ShortDigits {
  uint32_t low, high;
  uint32_t odd; // bit 4i+3 is not 0: symbol i/2 of low (i even) or high is no digit
  bool minus;
};

// Reads n symbols, 1 to 8. What is odd is right up to the first symbol that is,
// and says in any case whether there is one. The two words interleave, so that
// one of 32 bits holds all: a symbol's bit is its index in PointPlace.
__device__ __forceinline__ ShortDigits short_digits(SharedAddress words, uint32_t at, uint32_t n) {
  constexpr uint32_t kSign = '-' ^ '0';
  uint32_t w[2];
  symbols_at(words, at, w);
  w[0] ^= (uint32_t)kZeros;
  w[1] ^= (uint32_t)kZeros;
  ShortDigits x;
  x.minus = (w[0] & 0xff) == kSign;
  if (x.minus) w[0] ^= kSign; // becomes a zero, which does not count
  uint64_t aligned = right_aligned((uint64_t)w[1] << 32 | w[0], n);
  x.low = (uint32_t)aligned;
  x.high = (uint32_t)(aligned >> 32);
  x.odd = not_digits4(x.high) | not_digits4(x.low) >> 4;
  return x;
}

__device__ __forceinline__ uint32_t value_of_digits(uint32_t low, uint32_t high) { return digits4(low) * 10000 + digits4(high); }

// Up to eight symbols with at most one point: digits over 10^places, and what
// to divide by. point: four times the point XOR '0', below 0x80 each.
struct ShortDecimal {
  ExactPower ten; // 10^places
  uint32_t digits, places;
  bool minus;
};

// Entries of places, before the first the one without a point.
__device__ __forceinline__ bool short_decimal(SharedAddress words, SharedAddress places, uint32_t at, uint32_t n, uint32_t point, ShortDecimal* number) {
  ShortDigits x = short_digits(words, at, n);
  // The bit's number over 4, or -1: then, if it is the only one, there is no other
  // odd symbol above it.
  SharedAddress entry = places + (highest_bit(x.odd) * 8 & -32); // 32 bytes an entry
  uint4 scale = load128(entry), selectors = load128(entry + 16);
  number->ten = ExactPower{__hiloint2double((int)scale.y, (int)scale.x), __hiloint2double((int)scale.w, (int)scale.z)};
  number->places = selectors.w;
  number->minus = x.minus;
  number->digits = value_of_digits(permute(x.low, 0, selectors.x), permute(x.low, x.high, selectors.y));
  bool none = x.odd == 0;
  bool is = none || ((x.odd & (x.odd - 1)) == 0 && permute(x.low, x.high, selectors.z) == point);
  return is && n > (uint32_t)x.minus + !none;
}

// Fills the table of places, by threads 0 to kPlaces-1. Entry i+1 is of a point
// in byte i/2 of the lower four symbols if i is even, of the upper ones if not.
__device__ inline void fill_places(PointPlace* places, uint32_t thread) {
  if (thread >= kPlaces) return;
  PointPlace place{{1, 1}, 0x3210, 0x7654, 0, 0};
  if (thread != 0) {
    uint32_t i = thread - 1, byte = i / 2 + 4 * (i & 1);
    place.places = 7 - byte;
    for (uint32_t k = 0; k < place.places; k++) place.ten.power *= 10;
    place.ten.reciprocal = 1 / place.ten.power;
    place.low = place.high = 0;
    for (uint32_t k = 0; k < 8; k++) {
      uint32_t from = k > byte ? k : k != 0 ? k - 1 : 4; // 4 is a zero
      if (k < 4) {
        place.low |= from << 4 * k;
      } else {
        place.high |= from << 4 * (k - 4);
      }
    }
    place.point = byte * 0x1111;
  }
  places[thread] = place;
}

// A time stamp of the form 2006-01-02T15:04:05, in seconds since 1970 by its
// own clock, years 2 to 9998. separator 0: T, t or a space.
__device__ __forceinline__ bool short_stamp(SharedAddress words, uint32_t at, uint32_t separator, int64_t* seconds) {
  uint32_t w[5]; // 2006 -01- 02T1 5:04 :05
  symbols_at(words, at, w);
  uint32_t bad = 0, second;
  int32_t days = 0;
  CalendarDay d;
  bool is = iso_stamp(w, separator, &bad, &d, &second) && day_number(d.year, d.month, d.day, &days);
  *seconds = (int64_t)days * kSecondsPerDay + second;
  return is && (bad & kHighBit4) == 0 && d.year - 2 <= 9996;
}

} // namespace dfaparse
