// Dates, times of day and time stamps. The twins are internal/convert/timestamp.go,
// moment.go, iso.go and fastclock.go. Fields in a usual form are read by words,
// the others part by part, as the ops of the layout say.
//
// Options, in the order of runtime/gpu/clock.go:
//   0  the form, see Clock
//   1  units a second, and how many digits after the point these are
//   2  the number of ops, and where the names begin in Output.type
//   3  the offset of the zone, and where the zone's table begins, 0: none
//   4  seconds since 1970 from which dates without a year are counted
//   5  their year, and the year that dates without one have, 0: none
//   6  where the layout's PlacedLayout is in Output.type, 0: it has none
//   7  not 0: the field is a number, see duration.cuh
// Two values share a word: the first is the lower half. Output.type has the
// ops first, 4 bytes each.
#pragma once

#include "calendar.cuh"
#include "duration.cuh"
#include "moment.cuh"

namespace dfaparse {

enum ClockForm : uint32_t {
  kOps = 0,
  kISODate = 1,  // 2006-01-02
  kISOTime = 2,  // 15:04:05, and a fraction
  kISOStamp = 3, // both, what separates them, and an offset
  kWebStamp = 4, // 02/Jan/2006:15:04:05 -0700
};

struct Clock {
  // Of the usual form.
  uint32_t form;       // ClockForm
  uint32_t separator;  // between date and time; 0: T, t or a space
  uint32_t point;      // before a fraction; 0: there is none
  uint32_t just;       // digits that a fraction has; 0: any number
  bool optional;       // the fraction may be left out
  bool may_offset;     // an offset may follow
  bool bare;           // it need not
  bool plain;          // the second may be the last
  // Of values.
  uint32_t per, places; // units a second, and their digits after the point

  __device__ explicit Clock(const Output& output) {
    uint64_t x = output.options[0];
    form = x & 0xff;
    separator = x >> 8 & 0xff;
    point = x >> 16 & 0xff;
    just = x >> 24 & 0xff;
    optional = x >> 32 & 1;
    may_offset = x >> 33 & 1;
    bare = !may_offset || (x >> 34 & 1);
    plain = bare && optional;
    per = (uint32_t)output.options[1];
    places = output.options[1] >> 32;
  }
};

// A layout all parts of which have a place, since each has so many symbols: numbers all of their
// digits, a month three letters.
struct PlacedLayout {
  uint32_t length;      // symbols, 1 to kMostPlaced
  uint32_t date, time;  // where year, month, day and the month's name are, from the lowest byte on;
                        // and hour, minute, second, milliseconds; kNoPlace: the layout has none
  uint32_t units;       // in a millisecond
  uint32_t symbols[8];  // as they are to be, digits as '0', a name as 0, and so from the end on
  uint32_t expected[8]; // see unexpected
};
constexpr uint32_t kMostPlaced = 32, kNoPlace = 0xff;

// What was read: a day and a time of day, by the clock of the zone or offset.
struct Reading {
  int32_t days = 0;
  uint32_t second = 0;   // of the day, 86400 for a leap second at its end
  uint32_t fraction = 0; // in units
  int32_t offset = 0;    // seconds east of UTC
  bool has_offset = false;
};

constexpr uint32_t kHighBit4 = 0x80808080u;

// Adding to a byte that is XORed with its pattern: bit 7 says that it is none.
constexpr uint32_t kDigit = 0x80 - 10, kLiteral = 0x80 - 1;
__device__ constexpr uint32_t pattern(uint32_t a, uint32_t b, uint32_t c, uint32_t d) { return a | b << 8 | c << 16 | d << 24; }

// What is wrong with symbols that have been XORed with their pattern; expected
// are kDigit or kLiteral for each of them, and 0 for those that do not count.
__device__ __forceinline__ uint32_t unexpected(uint32_t x, uint32_t expected) { return (x + expected) | x; }

// A date, its parts perhaps too large.
struct CalendarDay {
  uint32_t year, month, day;
};

// 2006-01-02 in words of four symbols; of the third the first two. Adds to bad
// in bits 7, 15, 23 and 31 what is wrong.
__device__ __forceinline__ CalendarDay iso_day(uint32_t a, uint32_t b, uint32_t c, uint32_t* bad) {
  a ^= pattern('0', '0', '0', '0');
  b ^= pattern('-', '0', '0', '-');
  c = (c ^ pattern('0', '0', 0, 0)) & 0xffff;
  *bad |= unexpected(a, pattern(kDigit, kDigit, kDigit, kDigit)) | unexpected(b, pattern(kLiteral, kDigit, kDigit, kLiteral)) |
      unexpected(c, pattern(kDigit, kDigit, 0, 0));
  return CalendarDay{digits4(a), __dp4a(b, pattern(0, 10, 1, 0), 0u), __dp4a(c, pattern(10, 1, 0, 0), 0u)};
}

// 15:04:05 as seconds; false: there is no such time.
__device__ __forceinline__ bool second_of(uint32_t hours, uint32_t minutes, uint32_t seconds, uint32_t* second) {
  *second = hours * 3600 + minutes * 60 + seconds;
  return hours < 24 && minutes < 60 && seconds <= 60;
}

// 2006-01-02T15:04:05 in words of four symbols, the day perhaps none; of the
// fifth the first three. False, or something in bad: it is not. separator 0: T, t
// or a space.
__device__ __forceinline__ bool iso_stamp(uint32_t (&w)[5], uint32_t separator, uint32_t* bad, CalendarDay* day, uint32_t* second) {
  *day = iso_day(w[0], w[1], w[2], bad);
  uint32_t between = w[2] >> 16 & 0xff;
  uint32_t tens = w[2] >> 24 ^ '0'; // above 9, if it is no digit: too many hours
  w[3] ^= pattern('0', ':', '0', '0');
  w[4] = (w[4] ^ pattern(':', '0', '0', 0)) & 0xffffff;
  *bad |= unexpected(w[3], pattern(kDigit, kLiteral, kDigit, kDigit)) | unexpected(w[4], pattern(kLiteral, kDigit, kDigit, 0));
  bool is = second_of(__dp4a(w[3], pattern(1, 0, 0, 0), tens * 10), __dp4a(w[3], pattern(0, 0, 10, 1), 0u), __dp4a(w[4], pattern(0, 10, 1, 0), 0u), second);
  return is && (separator != 0 ? between == separator : between == ' ' || (between | 0x20) == 't');
}

// What follows the second, from r on: a fraction and an offset, as the form
// has them.
template <class F>
__device__ __forceinline__ bool read_tail(const Clock& clock, Reader<F>& r, Reading* x) {
  if (clock.point != 0 && r.symbol(clock.point)) {
    uint32_t begin = r.at;
    if (!r.fraction(clock.places, &x->fraction) || (clock.just != 0 && r.at - begin != clock.just)) return false;
  } else if (clock.point != 0 && !clock.optional) {
    return false;
  }
  if (r.ended()) return clock.bare;
  x->has_offset = true;
  return clock.may_offset && r.offset(&x->offset) && r.ended();
}

// A field in the usual form. False: it is not, or not just so.
template <class F>
__device__ __forceinline__ bool read_usual(const Clock& clock, const F& field, Reading* x) {
  uint32_t bad = 0;
  switch (clock.form) {
  case kISODate: {
    if (field.n != 10) return false;
    uint32_t w[3];
    field.load(0, w);
    CalendarDay d = iso_day(w[0], w[1], w[2], &bad);
    return day_number(d.year, d.month, d.day, &x->days) && (bad & kHighBit4) == 0;
  }
  case kISOTime: {
    if (field.n < 8) return false;
    uint32_t w[2];
    field.load(0, w);
    w[0] ^= pattern('0', '0', ':', '0');
    w[1] ^= pattern('0', ':', '0', '0');
    bad = unexpected(w[0], pattern(kDigit, kDigit, kLiteral, kDigit)) | unexpected(w[1], pattern(kDigit, kLiteral, kDigit, kDigit));
    bool is = second_of(__dp4a(w[0], pattern(10, 1, 0, 0), 0u), __dp4a(w[0], pattern(0, 0, 0, 10), __dp4a(w[1], pattern(1, 0, 0, 0), 0u)),
        __dp4a(w[1], pattern(0, 0, 10, 1), 0u), &x->second);
    if (!is || (bad & kHighBit4) != 0) return false;
    Reader<F> r{field, 8};
    return (field.n == 8 && clock.plain) || read_tail(clock, r, x);
  }
  case kISOStamp: {
    if (field.n < 19) return false;
    uint32_t w[5];
    field.load(0, w);
    CalendarDay d;
    if (!iso_stamp(w, clock.separator, &bad, &d, &x->second) || !day_number(d.year, d.month, d.day, &x->days) || (bad & kHighBit4) != 0) return false;
    Reader<F> r{field, 19};
    return (field.n == 19 && clock.plain) || read_tail(clock, r, x);
  }
  case kWebStamp: {
    if (field.n != 26) return false;
    uint32_t w[7]; // 02/J an/2 006: 15:0 4:05 _-07 00
    field.load(0, w);
    uint32_t month = month_of(__byte_perm(w[0], w[1], 0x0543));
    w[0] = (w[0] ^ pattern('0', '0', '/', 0)) & 0xffffff;
    w[1] = (w[1] ^ pattern(0, 0, '/', '0')) & 0xffff0000;
    w[2] ^= pattern('0', '0', '0', ':');
    w[3] ^= pattern('0', '0', ':', '0');
    w[4] ^= pattern('0', ':', '0', '0');
    uint32_t sign = w[5] >> 8 & 0xff;
    w[5] = (w[5] ^ pattern(' ', 0, '0', '0')) & 0xffff00ff;
    w[6] = (w[6] ^ pattern('0', '0', 0, 0)) & 0xffff;
    bad = unexpected(w[0], pattern(kDigit, kDigit, kLiteral, 0)) | unexpected(w[1], pattern(0, 0, kLiteral, kDigit)) |
        unexpected(w[2], pattern(kDigit, kDigit, kDigit, kLiteral)) | unexpected(w[3], pattern(kDigit, kDigit, kLiteral, kDigit)) |
        unexpected(w[4], pattern(kDigit, kLiteral, kDigit, kDigit)) | unexpected(w[5], pattern(kLiteral, 0, kDigit, kDigit)) |
        unexpected(w[6], pattern(kDigit, kDigit, 0, 0));
    uint32_t year = (w[1] >> 24) * 1000 + __dp4a(w[2], pattern(100, 10, 1, 0), 0u);
    bool exists = day_number(year, month, __dp4a(w[0], pattern(10, 1, 0, 0), 0u), &x->days);
    bool is = second_of(__dp4a(w[3], pattern(10, 1, 0, 0), 0u), __dp4a(w[3], pattern(0, 0, 0, 10), __dp4a(w[4], pattern(1, 0, 0, 0), 0u)),
        __dp4a(w[4], pattern(0, 0, 10, 1), 0u), &x->second);
    uint32_t hours = __dp4a(w[5], pattern(0, 0, 10, 1), 0u), minutes = __dp4a(w[6], pattern(10, 1, 0, 0), 0u);
    int32_t offset = (int32_t)(hours * 3600 + minutes * 60);
    x->offset = sign == '-' ? -offset : offset;
    x->has_offset = true;
    return exists && is && hours < 24 && minutes < 60 && (sign == '+' || sign == '-') && (bad & kHighBit4) == 0;
  }
  }
  return false;
}

// The day of a moment in a year; false: there is none.
__device__ __forceinline__ bool day_of(const Moment& m, int32_t year, int32_t* days) {
  bool by_number = m.year_day != kUnsaid;
  bool ok = day_number((uint32_t)year, by_number ? 1 : m.pairs[kMonth], by_number ? 1 : m.pairs[kDay], days);
  if (by_number) {
    *days += m.year_day - 1;
    ok = ok && m.year_day >= 1 && m.year_day <= 365 + (int32_t)is_leap((uint32_t)year);
  }
  return ok;
}

// Makes a reading of a moment.
__device__ __forceinline__ bool understand(const Output& output, Moment& m, Reading* x) {
  x->offset = m.offset;
  x->has_offset = m.has_offset;
  x->fraction = m.fraction;
  if (m.has_epoch) {
    int64_t s = m.epoch;
    if (s < kMinSeconds || s >= kEndSeconds) return false;
    if (output.kind != kDate && m.before && m.fraction > 0) {
      x->fraction = (uint32_t)output.options[1] - m.fraction;
      if (s-- == kMinSeconds) return false;
    }
    uint64_t since = (uint64_t)(s - kMinSeconds);
    x->days = (int32_t)(uint32_t)(since / kSecondsPerDay) - kDaysBefore1970;
    x->second = (uint32_t)(since % kSecondsPerDay);
    x->has_offset = true;
    x->offset = 0;
    return true;
  }
  uint32_t h = m.pairs[kHour], minute = m.pairs[kMinute], second = m.pairs[kSecond];
  if (m.half != 0) {
    if (h - 1 > 11) return false;
    h = h % 12 + 12 * (m.half - 1);
  }
  if (!second_of(h, minute, second, &x->second)) return false;
  if (output.kind == kTime) return true;
  int32_t year = m.year, fixed = (int32_t)(output.options[5] >> 32);
  if (year == kUnsaid && fixed != 0) year = fixed;
  if (year != kUnsaid) return day_of(m, year, &x->days);
  // The last year in which the time is not after the base. Eight years always
  // have a 29 February. By the clock of an offset the base is another: left.
  if (m.has_offset) return false;
  int64_t latest = (int64_t)output.options[4];
  int32_t base = (int32_t)(uint32_t)output.options[5];
  for (int32_t i = 0; i < 9; i++) {
    if (day_of(m, base - i, &x->days) && (int64_t)x->days * kSecondsPerDay + x->second <= latest) return true;
  }
  return false;
}

// A date in days since 1970, a time of day in units, or a time stamp in units
// since 1970.
__device__ __forceinline__ bool value_of(const Output& output, const Clock& clock, const Reading& x, int64_t* value) {
  if (output.kind == kDate) {
    *value = x.days;
    return true;
  }
  if (output.kind == kTime) {
    *value = (int64_t)x.second * clock.per + x.fraction;
    return x.second < kSecondsPerDay;
  }
  int64_t s = (int64_t)x.days * kSecondsPerDay + x.second;
  if (x.has_offset) {
    s -= x.offset;
  } else if (uint32_t at = output.options[3] >> 32) {
    if (!instant_of((const ZoneTable*)((const uint8_t*)output.type + at), s, &s)) return false;
  } else {
    s -= (int32_t)(uint32_t)output.options[3];
  }
  // 2^63 ns are 9223372036.85 s; what lies between that and the second is left.
  bool nanos = clock.places == 9;
  if (s < (nanos ? -9223372036 : kMinSeconds) || s >= (nanos ? 9223372036 : kEndSeconds)) return false;
  *value = s * (int64_t)clock.per + x.fraction;
  return true;
}

// A field in the layout that the ops are of.
template <class F>
__device__ __noinline__ Maybe convert_ops(const Output& output, F field) {
  Clock clock(output);
  const uint32_t* ops = (const uint32_t*)output.type;
  Moment m;
  Reading x;
  int64_t value = 0;
  bool is = read_moment(field, ops, (uint32_t)output.options[2], clock.places, (const Name*)(ops + (output.options[2] >> 34)), &m) &&
      understand(output, m, &x) && value_of(output, clock, x, &value);
  return Maybe{is, (uint64_t)value};
}

template <class F>
__device__ bool convert_clock(const Output& output, const F& field, int64_t* value) {
  bool number = output.options[7] != 0;
  if (!number) {
    Clock clock(output);
    Reading x;
    if (clock.form != kOps && read_usual(clock, field, &x)) return value_of(output, clock, x, value);
    if ((uint32_t)output.options[2] == 0) return false; // the ISO form has no ops
  }
  Maybe v = number ? convert_count(output, field) : convert_ops(output, field);
  *value = (int64_t)v.bits;
  return v.is;
}

} // namespace dfaparse
