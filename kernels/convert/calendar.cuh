// The proleptic Gregorian calendar, years 1 to 9999, and zones. The twins are
// internal/convert/calendar.go and zone.go.
#pragma once

#include "../device.cuh"

namespace dfaparse {

constexpr uint32_t kSecondsPerDay = 86400;
constexpr int32_t kDaysBefore1970 = 719162; // from the year 1 on

// The first second of the year 1 and the first after the year 9999, since 1970.
constexpr int64_t kMinSeconds = -(int64_t)kDaysBefore1970 * kSecondsPerDay;
constexpr int64_t kEndSeconds = (int64_t)2932897 * kSecondsPerDay;

// Whether there is a 29 February, year < 10000.
__device__ inline bool is_leap(uint32_t year) {
  // Divisible by 4, and by 16 if by 25: 100 = 4*25, 400 = 16*25.
  return (year & 3) == 0 && ((year & 15) == 0 || year % 25 != 0);
}

// Days since 1970 of a date that may not exist; false: it does not.
__device__ __forceinline__ bool day_number(uint32_t year, uint32_t month, uint32_t day, int32_t* days) {
  // Months count from March in a year that begins with it: 979/32 days each,
  // from 2937/32 on, give where they begin (Neri and Schneider, "Euclidean
  // affine functions and their application to calendar algorithms").
  bool early = month < 3;
  uint32_t y = year - early, m = early ? month + 12 : month;
  uint32_t century = y / 100;
  uint32_t d = 365 * y + y / 4 - century + century / 4 + (979 * m - 2919) / 32 + day;
  *days = (int32_t)d - 719469;
  uint32_t length = month == 2 ? 28 + is_leap(year) : 30 + ((month ^ month >> 3) & 1);
  return year - 1 <= 9998 && month - 1 <= 11 && day - 1 < length;
}

// What a zone makes of wall clock times, in seconds: from from[i] on they are
// offset[i] later than UTC. Before from[1] it is offset[0].
struct ZoneTable {
  int64_t first; // from[1]
  int64_t end;   // nothing is known from here on
  uint32_t n;    // periods, at least 2
  uint32_t buckets;
  // int64_t from[n]
  // int32_t offset[n]
  // uint32_t bucket[buckets]: the period of the first second of each 1<<kBucketBits
  // from first on; times after the last one have the last one's.
};
constexpr uint32_t kBucketBits = 24; // half a year

// The instant that a wall clock time means, in seconds since 1970; false: the
// table does not reach there.
__device__ inline bool instant_of(const ZoneTable* zone, int64_t wall, int64_t* utc) {
  if (wall >= zone->end) return false;
  const int64_t* from = (const int64_t*)(zone + 1);
  const int32_t* offset = (const int32_t*)(from + zone->n);
  uint32_t i = 0;
  if (wall >= zone->first) {
    uint64_t bucket = (uint64_t)(wall - zone->first) >> kBucketBits;
    i = ((const uint32_t*)(offset + zone->n))[min(bucket, (uint64_t)zone->buckets - 1)];
    while (i + 1 < zone->n && from[i + 1] <= wall) i++;
  }
  *utc = wall - offset[i];
  return true;
}

} // namespace dfaparse
