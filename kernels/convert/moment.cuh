// What a field says about a time, part by part, as a layout has it. The twins
// are internal/convert/layout.go and moment.go.
#pragma once

#include "field.cuh"
#include "words.cuh"

namespace dfaparse {

// The directives of layouts, as ops have them. The first are those of one or
// two digits.
enum Directive : uint32_t {
  kMonth = 0, kDay, kHour, kMinute, kSecond, kPairs = kSecond,
  kText, // nothing but the symbol after it
  kYear, kShortYear, kMonthName, kMonthWord, kDayName, kDayWord, kSpacedDay, kYearDay, kHalf, kFraction, kMillis,
  kEpoch, kOffset, kZoneName,
};

// An op: the directive in bits 0 to 7; bit 8: a symbol has to follow, which
// bits 16 to 23 are; bit 9: a number has all of its digits.
constexpr uint32_t kFollowed = 1u << 8, kFull = 1u << 9, kFollowShift = 16;

// A name in lower case, all of it.
struct Name {
  uint32_t words[3]; // zero from its end on
  uint32_t n;
};

constexpr int32_t kUnsaid = -1;

struct Moment {
  int32_t year = kUnsaid;
  // By Directive. In local memory, where it is in no one's way: what is read by
  // its parts is never the fastest.
  uint32_t pairs[kPairs + 1] = {1, 1, 0, 0, 0};
  int32_t year_day = kUnsaid; // from 1
  uint32_t half = 0;     // 1: AM, 2: PM
  uint32_t fraction = 0; // in the column's units
  bool has_offset = false, has_epoch = false;
  bool before = false;   // the epoch has a minus sign, which is its fraction's too
  int32_t offset = 0;    // seconds east of UTC
  int64_t epoch = 0;     // seconds since 1970
};

// 10^k, k < 10.
__device__ __forceinline__ uint32_t ten_to(uint32_t k) {
  return (k & 1 ? 10u : 1u) * (k & 2 ? 100u : 1u) * (k & 4 ? 10000u : 1u) * (k & 8 ? 100000000u : 1u);
}

// Symbols as next4 gives them.
__device__ constexpr uint32_t two(char a, char b) { return (uint32_t)(uint8_t)a | (uint32_t)(uint8_t)b << 8; }
__device__ constexpr uint32_t three(char a, char b, char c) { return two(a, b) | (uint32_t)(uint8_t)c << 16; }

// The number of three letters in any case, the first lowest, from 1; 0: they
// are no month, or no day of the week.
__device__ __forceinline__ uint32_t month_of(uint32_t key) {
  constexpr uint32_t keys[] = {three('j', 'a', 'n'), three('f', 'e', 'b'), three('m', 'a', 'r'), three('a', 'p', 'r'), three('m', 'a', 'y'),
      three('j', 'u', 'n'), three('j', 'u', 'l'), three('a', 'u', 'g'), three('s', 'e', 'p'), three('o', 'c', 't'), three('n', 'o', 'v'), three('d', 'e', 'c')};
  uint32_t month = 0;
  key = (key & 0xffffff) | 0x202020;
#pragma unroll
  for (uint32_t i = 0; i < 12; i++) month = key == keys[i] ? i + 1 : month;
  return month;
}
__device__ __forceinline__ uint32_t weekday_of(uint32_t key) {
  constexpr uint32_t keys[] = {three('m', 'o', 'n'), three('t', 'u', 'e'), three('w', 'e', 'd'), three('t', 'h', 'u'), three('f', 'r', 'i'),
      three('s', 'a', 't'), three('s', 'u', 'n')};
  uint32_t day = 0;
  key = (key & 0xffffff) | 0x202020;
#pragma unroll
  for (uint32_t i = 0; i < 7; i++) day = key == keys[i] ? i + 1 : day;
  return day;
}

// Takes a field from its front to its end.
template <class F>
struct Reader {
  const F& field;
  uint32_t at; // the next symbol, at most field.n

  __device__ bool ended() const { return at == field.n; }

  // The next 4 symbols, zero from the field's end on: what is read in them is
  // never a digit or a letter beyond that.
  __device__ __forceinline__ uint32_t next4() const { return at < field.n ? padded(at) : 0; }

  // Takes 0 to most digits, most <= 4, as many as there are.
  __device__ __forceinline__ uint32_t digits(uint32_t most, uint32_t* n) {
    uint32_t x = next4() ^ (uint32_t)kZeros, other = not_digits4(x);
    uint32_t count = other != 0 ? ((uint32_t)__ffs((int)other) - 1) >> 3 : 4;
    count = min(count, most);
    at += count;
    *n = count;
    return count == 0 ? 0 : digits4(x << (32 - 8 * count));
  }

  // Takes least to most digits.
  __device__ __forceinline__ bool number(uint32_t least, uint32_t most, uint32_t* value) {
    uint32_t n;
    *value = digits(most, &n);
    return n >= least;
  }

  __device__ __forceinline__ bool symbol(uint32_t c) {
    if (at >= field.n || field[at] != c) return false;
    at++;
    return true;
  }

  // Takes n symbols if they are there.
  __device__ __forceinline__ bool skip(uint32_t n) {
    if (field.n - at < n) return false;
    at += n;
    return true;
  }

  // Takes a name whose first three letters have been seen.
  __device__ bool rest_of(const Name& name) {
    if (field.n - at < name.n) return false;
#pragma unroll
    for (uint32_t i = 0; i < 3; i++) {
      uint32_t left = name.n - min(4 * i, name.n);
      uint32_t x = left != 0 ? field.load4(at + 4 * i) | 0x20202020 : 0;
      if (left < 4) x &= (1u << 8 * left) - 1;
      if (x != name.words[i]) return false;
    }
    at += name.n;
    return true;
  }

  // Takes 1 to 9 digits after the decimal point of a second, in units of
  // 10^-places. False too where they are finer, which is an error, and leaves
  // the row.
  __device__ bool fraction(uint32_t places, uint32_t* value) {
    uint32_t v = 0, n = 0;
    while (n < 9) {
      uint32_t most = min(9 - n, 4u), count;
      uint32_t d = digits(most, &count);
      v = v * ten_to(count) + d;
      n += count;
      if (count < most) break;
    }
    if (n == 0) return false;
    if (n > places) {
      uint32_t finer = ten_to(n - places);
      if (v % finer != 0) return false;
      v /= finer;
    } else {
      v *= ten_to(places - n);
    }
    *value = v;
    return true;
  }

  // Takes seconds since 1970 of up to 18 digits.
  __device__ bool epoch(Moment* m) {
    m->before = symbol('-');
    uint64_t v = 0;
    uint32_t n = 0;
    for (;;) {
      uint32_t count;
      uint32_t d = digits(4, &count);
      if (n + count > 18) return false;
      v = v * ten_to(count) + d;
      n += count;
      if (count < 4) break;
    }
    m->epoch = m->before ? -(int64_t)v : (int64_t)v;
    m->has_epoch = true;
    return n > 0;
  }

  // Takes +hh:mm, +hhmm, +hh or Z.
  __device__ __forceinline__ bool offset(int32_t* seconds) {
    uint32_t x = next4(), sign = x & 0xff;
    if ((sign | 0x20) == 'z') {
      *seconds = 0;
      at++;
      return true;
    }
    if (sign != '+' && sign != '-') return false;
    at++;
    uint32_t hours, minutes = 0;
    if (!number(2, 2, &hours)) return false;
    // Of what comes next only whole minutes count, with the colon before them.
    uint32_t back = at, n;
    if ((next4() & 0xff) == ':') at++;
    uint32_t v = digits(2, &n);
    if (n == 2) {
      minutes = v;
    } else {
      at = back;
    }
    int32_t s = (int32_t)(hours * 3600 + minutes * 60);
    *seconds = sign == '-' ? -s : s;
    return hours < 24 && minutes < 60;
  }

private:
  __device__ __forceinline__ uint32_t padded(uint32_t i) const {
    uint32_t w = field.load4(i), left = field.n - i;
    return left >= 4 ? w : w & ((1u << 8 * left) - 1);
  }
};

// Reads a field in a layout of n ops; its fractions in units of 10^-places,
// its words in names: 12 months and 7 days of the week.
template <class F>
__device__ __forceinline__ bool read_moment(const F& field, const uint32_t* ops, uint32_t n, uint32_t places, const Name* names, Moment* m) {
  Reader<F> r{field, 0};
  for (uint32_t i = 0; i < n; i++) {
    uint32_t op = ops[i], directive = op & 0xff, least = (op & kFull) != 0 ? 2 : 1, v;
    bool ok = true;
    if (directive <= kPairs) {
      ok = r.number(least, 2, &v);
      m->pairs[directive] = v;
    } else {
      switch (directive) {
      case kYear:
        ok = r.number(4, 4, &v);
        m->year = (int32_t)v;
        break;
      case kShortYear:
        ok = r.number(2, 2, &v);
        m->year = (int32_t)(v < 69 ? v + 2000 : v + 1900);
        break;
      case kMonthName:
        m->pairs[kMonth] = month_of(r.next4());
        ok = m->pairs[kMonth] != 0 && r.skip(3);
        break;
      case kMonthWord:
        m->pairs[kMonth] = month_of(r.next4());
        ok = m->pairs[kMonth] != 0 && r.rest_of(names[m->pairs[kMonth] - 1]);
        break;
      case kDayName:
        ok = weekday_of(r.next4()) != 0 && r.skip(3);
        break;
      case kDayWord:
        v = weekday_of(r.next4());
        ok = v != 0 && r.rest_of(names[11 + v]);
        break;
      case kSpacedDay: {
        uint32_t spaced = (r.next4() & 0xff) == ' ' && r.field.n - r.at > 1;
        r.at += spaced;
        ok = r.number(least - (least == 2 && spaced), 2 - spaced, &m->pairs[kDay]);
        break;
      }
      case kYearDay:
        ok = r.number(2 * least - 1, 3, &v);
        m->year_day = (int32_t)v;
        break;
      case kHalf:
        v = (r.next4() & 0xffff) | 0x2020;
        m->half = v == ('a' | 'm' << 8) ? 1 : 2;
        ok = (m->half == 1 || v == ('p' | 'm' << 8)) && r.skip(2);
        break;
      case kFraction:
        ok = r.fraction(places, &m->fraction);
        break;
      case kMillis: {
        ok = r.number(3, 3, &v);
        uint32_t finer = places < 3 ? ten_to(3 - places) : 1;
        ok = ok && v % finer == 0;
        m->fraction = places < 3 ? v / finer : v * ten_to(places - 3);
        break;
      }
      case kEpoch:
        ok = r.epoch(m);
        break;
      case kOffset:
        m->has_offset = true;
        ok = r.offset(&m->offset);
        break;
      case kZoneName:
        m->has_offset = true;
        m->offset = 0;
        v = r.next4() | 0x20202020;
        if ((v & 0xffffff) == three('u', 't', 'c') || (v & 0xffffff) == three('g', 'm', 't')) {
          ok = r.skip(3);
        } else {
          ok = (v & 0xff) == 'z' && r.skip(1);
        }
        break;
      }
    }
    if (!ok || ((op & kFollowed) && !r.symbol(op >> kFollowShift))) return false;
  }
  return r.ended();
}

} // namespace dfaparse
