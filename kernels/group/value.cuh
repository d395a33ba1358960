// Values of rows.
#pragma once

#include "query.cuh"

namespace dfaparse {

__device__ __forceinline__ bool group_valid(const GroupColumn& c, uint32_t row) { return !c.valid || c.valid[row >> 5] >> (row & 31) & 1; }

// Words of 8 bytes from any address; only words that hold some of the n bytes are read.
struct GroupText {
  const uint64_t* words;
  uint32_t shift; // bits
  uint32_t size;  // bytes

  __device__ __forceinline__ GroupText(const uint8_t* at, uint32_t n)
      : words((const uint64_t*)((uint64_t)at & ~7ull)), shift((uint32_t)((uint64_t)at & 7) * 8), size(n) {}
  __device__ __forceinline__ uint32_t nwords() const { return (uint32_t)(((uint64_t)size + 7) / 8); }
  // Word i, zeros behind the end.
  __device__ __forceinline__ uint64_t word(uint32_t i) const {
    uint32_t left = size - 8 * i; // bytes, 1 or more
    uint64_t v = words[i] >> shift;
    if (shift != 0 && (left >= 8 || left * 8 > 64 - shift)) v |= words[i + 1] << (64 - shift);
    return left >= 8 ? v : v & ((1ull << (8 * left)) - 1);
  }
};

// The same words in order: each of the memory's is read once.
struct GroupWords {
  const uint64_t* words;
  uint64_t here;
  uint32_t last, size;  // the last word that holds some of the bytes
  uint32_t shift, odd;  // bits of a half of a word, and whether the first half is left out

  __device__ __forceinline__ GroupWords(const GroupText& t)
      : words(t.words), here(0), last(t.size == 0 ? 0 : (t.shift / 8 + t.size - 1) / 8), size(t.size), shift(t.shift & 31), odd(t.shift & 32) {
    if (size != 0) here = words[0];
  }
  // Word i, which is the next.
  __device__ __forceinline__ uint64_t next(uint32_t i) {
    const uint64_t then = words[min(i + 1, last)];
    const uint32_t a = odd ? (uint32_t)(here >> 32) : (uint32_t)here, b = odd ? (uint32_t)then : (uint32_t)(here >> 32), c = odd ? (uint32_t)(then >> 32) : (uint32_t)then;
    const uint64_t v = (uint64_t)__funnelshift_r(b, c, shift) << 32 | __funnelshift_r(a, b, shift);
    const uint32_t left = size - 8 * i; // bytes, 1 or more
    here = then;
    return left >= 8 ? v : v & ((1ull << (8 * left)) - 1);
  }
};

__device__ __forceinline__ GroupText group_text(const GroupColumn& c, uint32_t row) {
  if (c.form == kFormBytes) return GroupText(c.values + (uint64_t)row * c.width, c.width);
  uint32_t at = c.form == kFormCodes ? ((const uint32_t*)c.values)[row] : row;
  uint32_t from = c.offsets[at];
  return GroupText(c.text + from, c.offsets[at + 1] - from);
}

__device__ __forceinline__ int64_t floor_div(int64_t v, int64_t by) {
  int64_t q = v / by;
  return q - (v % by < 0);
}

// The day with which the unit of a day begins; both count from 1970. After Hinnant,
// "chrono-Compatible Low-Level Date Algorithms".
__device__ inline int64_t first_day(int64_t day, uint32_t round) {
  if (round == kRoundDay) return day;
  if (round == kRoundWeek) return day - (day + 3 - floor_div(day + 3, 7) * 7); // 1970 began on a Thursday
  int64_t z = day + 719468, era = floor_div(z, 146097);
  uint32_t doe = (uint32_t)(z - era * 146097), yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
  int64_t y = (int64_t)yoe + era * 400;
  uint32_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100), mp = (5 * doy + 2) / 153;
  uint32_t m = mp < 10 ? mp + 3 : mp - 9;
  if (m <= 2) y++;
  m = round == kRoundYear ? 1 : round == kRoundQuarter ? (m - 1) / 3 * 3 + 1 : m;
  if (m <= 2) y--;
  era = floor_div(y, 400);
  yoe = (uint32_t)(y - era * 400);
  doy = (153 * (m > 2 ? m - 3 : m + 9) + 2) / 5;
  return era * 146097 + (int64_t)(yoe * 365 + yoe / 4 - yoe / 100 + doy) - 719468;
}

// Seconds from 1970 beyond which rounded times are the host's.
constexpr int64_t kMostSeconds = 1ll << 38;

// A whole number; odd becomes true where only the host knows it.
__device__ __forceinline__ int64_t group_whole(const GroupColumn& c, uint32_t row, bool* odd) {
  const uint8_t* at = c.values + (uint64_t)row * c.stride;
  int64_t v;
  bool is_signed = c.form == kFormSigned;
  switch (c.width) {
    case 0: return c.values[row >> 3] >> (row & 7) & 1;
    case 1: v = is_signed ? (int64_t)*(const int8_t*)at : (int64_t)*at; break;
    case 2: v = is_signed ? (int64_t)*(const int16_t*)at : (int64_t)*(const uint16_t*)at; break;
    case 4: v = is_signed ? (int64_t)*(const int32_t*)at : (int64_t)*(const uint32_t*)at; break;
    default: v = *(const int64_t*)at;
  }
  if (c.round == kRoundNone) return v;
  int64_t seconds = c.ticks == 0 ? v * 86400 : floor_div(v, c.ticks);
  if (seconds > kMostSeconds || seconds < -kMostSeconds) {
    *odd = true;
    return 0;
  }
  if (c.round == kRoundTicks) return (int64_t)((uint64_t)(floor_div(seconds, c.unit) * c.unit) * (uint64_t)c.ticks);
  return first_day(floor_div(seconds, 86400), c.round);
}

// A float as a number whose order is theirs; NaN is the largest.
__device__ __forceinline__ uint64_t order_of(double f) {
  if (f != f) return ~0ull;
  uint64_t b = (uint64_t)__double_as_longlong(f);
  return b >> 63 ? ~b : b | 1ull << 63;
}

__device__ __forceinline__ double group_float(const GroupColumn& c, uint32_t row) {
  if (c.width == 4) return (double)((const float*)c.values)[row];
  return ((const double*)c.values)[row];
}

} // namespace dfaparse
