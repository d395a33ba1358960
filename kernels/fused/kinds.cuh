// Kinds of values: the usual notations of each, from the symbols in shared memory.
#pragma once

#include "../convert/value.cuh"
#include "short.cuh"

namespace dfaparse {

enum Decision : uint32_t { kNull, kValid, kLeft };

// The value of a field, or of the output's default.
__device__ inline Decision decide(const Output& output, FieldIn<TileWords> field, Value* value) {
  uint32_t flags = output.flags;
  if (flags & kTrim) {
    while (field.n != 0 && (field[0] == ' ' || field[0] == '\t')) field = field.from(1);
    while (field.n != 0 && (field[field.n - 1] == ' ' || field[field.n - 1] == '\t')) field.n--;
  }
  if ((field.n == 0 && (flags & kEmptyIsNull)) || (output.ntokens != 0 && is_null_token(output, field))) {
    if (!(flags & kHasDefault)) return flags & kRequired ? kLeft : kNull;
    *value = Value{output.default_value[0], output.default_value[1]};
    return kValid;
  }
  if (convert_value(output, field, value)) return kValid;
  *value = Value{0, 0};
  return kLeft;
}

template <uint32_t width>
__device__ __forceinline__ void store_value(uint8_t* to, const Value& value) {
  if (width == 16) {
    *reinterpret_cast<ulonglong2*>(to) = make_ulonglong2(value.lo, value.hi);
  } else if (width == 8) {
    *reinterpret_cast<uint64_t*>(to) = value.lo;
  } else if (width == 4) {
    *reinterpret_cast<uint32_t*>(to) = (uint32_t)value.lo;
  } else if (width == 2) {
    *reinterpret_cast<uint16_t*>(to) = (uint16_t)value.lo;
  } else {
    *to = (uint8_t)value.lo;
  }
}

// A kind holds the options of an output in registers and decides the usual
// notation of a field that is not empty; whatever it does not, settle does.
template <bool negatives>
struct IntegerKind {
  uint64_t most, least;
  __device__ explicit IntegerKind(const Output& output) : most(output.options[0]), least(output.options[1]) {}
  __device__ __forceinline__ bool convert(const TileAddress& tile, uint32_t at, uint32_t n, Value* value) const {
    if (n <= 8) { // in the range of 4 bytes
      ShortDigits x = short_digits(tile.words, at, n);
      uint32_t digits = value_of_digits(x.low, x.high);
      value->lo = x.minus ? 0 - (uint64_t)digits : digits;
      return x.odd == 0 && (negatives || !x.minus || digits == 0) && n > (uint32_t)x.minus;
    }
    uint64_t magnitude;
    bool negative;
    if (!short_integer(FieldIn<TileWords>{TileWords(), at, n}, &magnitude, &negative) || magnitude > (negative ? least : most)) return false;
    value->lo = negative ? 0 - magnitude : magnitude;
    return true;
  }
};

struct DoubleKind {
  const FloatTables* tables;
  uint32_t point, points;
  __device__ explicit DoubleKind(const Output& output)
      : tables(static_cast<const FloatTables*>(output.type)), point((uint32_t)output.options[0]), points((point ^ '0') * 0x01010101) {}
  __device__ __forceinline__ bool convert(const TileAddress& tile, uint32_t at, uint32_t n, Value* value) const {
    ExactPower ten;
    double digits;
    bool is, minus;
    if (n <= 8) {
      ShortDecimal x;
      is = short_decimal(tile.words, tile.places, at, n, points, &x);
      digits = (double)x.digits;
      ten = x.ten;
      minus = x.minus;
    } else {
      ShortNumber x{0, 0, false};
      is = short_number(FieldIn<TileWords>{TileWords(), at, n}, point, &x) && x.digits <= kMostExactDigits;
      digits = (double)x.digits;
      ten = tables->exact[x.places];
      minus = x.negative;
    }
    value->lo = (uint64_t)__double_as_longlong(divide_exactly(digits, ten)) | (uint64_t)minus << 63;
    return is;
  }
};

struct DecimalKind {
  DecimalForm form;
  uint32_t points;
  uint64_t most; // 10^precision - 1, or the largest of 64 bits
  __device__ explicit DecimalKind(const Output& output) : form(decimal_form(output)), points((form.number.point ^ '0') * 0x01010101) {
    Int128 end = form.tens[form.precision];
    most = end.hi != 0 ? ~(uint64_t)0 : end.lo - 1;
  }
  __device__ __forceinline__ bool convert(const TileAddress& tile, uint32_t at, uint32_t n, Value* value) const {
    ShortDecimal x;
    if (n > 8 || !short_decimal(tile.words, tile.places, at, n, points, &x)) {
      ShortNumber y{0, 0, false};
      if (n <= 8 || !short_number(FieldIn<TileWords>{TileWords(), at, n}, form.number.point, &y)) return false;
      x.minus = y.negative;
      x.places = y.places;
      if (y.digits > 0xffffffffu) return false;
      x.digits = (uint32_t)y.digits;
    }
    // Of more than 9 places nothing is asked: the product might not fit.
    uint32_t shift = (uint32_t)form.scale - x.places;
    if (shift > 9) return false;
    uint64_t v = (uint64_t)x.digits * form.tens[shift].lo;
    value->lo = x.minus ? 0 - v : v;
    value->hi = x.minus && v != 0 ? ~(uint64_t)0 : 0;
    return v <= most;
  }
};

struct ClockKind {
  Clock clock;
  Output own; // kind, type and options[3]
  bool stamp; // what short_stamp reads, of a zone that keeps its offset
  __device__ explicit ClockKind(const Output& output) : clock(output) {
    own.kind = output.kind;
    own.type = output.type;
    own.options[3] = output.options[3];
    if (output.options[7] != 0) clock.form = kOps;
    stamp = clock.form == kISOStamp && clock.plain && own.kind == kTimestamp && own.options[3] >> 32 == 0 && clock.places != 9;
  }
  __device__ __forceinline__ bool convert(const TileAddress& tile, uint32_t at, uint32_t n, Value* value) const {
    if (stamp && n == 19) {
      int64_t seconds;
      bool is = short_stamp(tile.words, at, clock.separator, &seconds);
      value->lo = (uint64_t)(seconds - (int32_t)(uint32_t)own.options[3]) * clock.per; // wraps around if there is no such date
      return is;
    }
    Reading x;
    int64_t v;
    if (clock.form == kOps || !read_usual(clock, FieldIn<TileWords>{TileWords(), at, n}, &x) || !value_of(own, clock, x, &v)) return false;
    value->lo = (uint64_t)v;
    return true;
  }
};

// Integers of one or two bytes.
struct NarrowKind {
  uint32_t most, least;
  __device__ explicit NarrowKind(const Output& output) : most((uint32_t)output.options[0]), least((uint32_t)output.options[1]) {}
  __device__ __forceinline__ bool convert(const TileAddress& tile, uint32_t at, uint32_t n, Value* value) const {
    if (n > 8) return false;
    ShortDigits x = short_digits(tile.words, at, n);
    uint32_t digits = value_of_digits(x.low, x.high);
    value->lo = x.minus ? 0 - (uint64_t)digits : digits;
    return x.odd == 0 && digits <= (x.minus ? least : most) && n > (uint32_t)x.minus;
  }
};

// IPv4.
struct AddressKind {
  __device__ explicit AddressKind(const Output&) {}
  __device__ __forceinline__ bool convert(const TileAddress&, uint32_t at, uint32_t n, Value* value) const {
    uint32_t v4 = 0;
    bool is = whole_ipv4(FieldIn<TileWords>{TileWords(), at, n}, &v4);
    value->hi = (uint64_t)v4 << 32 | 0xffff0000u;
    return is;
  }
};

struct EnumKind {
  const Output& output;
  __device__ explicit EnumKind(const Output& o) : output(o) {}
  __device__ __forceinline__ bool convert(const TileAddress&, uint32_t at, uint32_t n, Value* value) const {
    int32_t index = 0;
    bool is = convert_enum(output, FieldIn<TileWords>{TileWords(), at, n}, &index);
    value->lo = (uint64_t)(int64_t)index;
    return is;
  }
};

// Dates and times in a layout that is read op by op: of each the symbols that it
// mostly has. Numbers have two digits, or four, so that an op is the same few
// instructions for all lanes.
struct LayoutKind {
  const Output& output;
  const uint32_t* ops;
  uint32_t nops;
  __device__ explicit LayoutKind(const Output& o) : output(o), ops((const uint32_t*)o.type), nops((uint32_t)o.options[2]) {}
  __device__ __forceinline__ bool convert(const TileAddress&, uint32_t at, uint32_t n, Value* value) const {
    const FieldIn<TileWords> field{TileWords(), at, n};
    const Clock clock(output);
    Moment m;
    bool ok = true;
    uint32_t p = 0; // symbols that have been read, or 0 if something is wrong
#pragma unroll 1
    for (uint32_t i = 0; i < nops; i++) {
      const uint32_t op = ops[i], directive = op & 0xff, w = field.load4(p);
      uint32_t taken = 0, digits = 0, read = 0; // symbols; those of them that are digits, as these
      switch (directive) {
      case kText: break;
      case kYear:
        taken = 4;
        digits = w ^ (uint32_t)kZeros;
        read = digits4(digits);
        m.year = (int32_t)read;
        break;
      case kMillis: {
        taken = 3;
        digits = (w ^ (uint32_t)kZeros) & 0xffffff;
        read = digits4(digits << 8);
        uint32_t finer = clock.places < 3 ? ten_to(3 - clock.places) : 1;
        ok &= read % finer == 0;
        m.fraction = clock.places < 3 ? read / finer : read * ten_to(clock.places - 3);
        break;
      }
      case kMonthName:
        taken = 3;
        m.pairs[kMonth] = month_of(w);
        ok &= m.pairs[kMonth] != 0;
        break;
      case kDayName:
        taken = 3;
        ok &= weekday_of(w) != 0;
        break;
      case kFraction:
      case kOffset: {
        Reader<FieldIn<TileWords>> r{field, p};
        m.has_offset |= directive == kOffset;
        ok = ok && (directive == kOffset ? r.offset(&m.offset) : r.fraction(clock.places, &m.fraction));
        taken = r.at - p;
        break;
      }
      case kZoneName: {
        uint32_t v = w | 0x20202020;
        bool three_letters = (v & 0xffffff) == three('u', 't', 'c') || (v & 0xffffff) == three('g', 'm', 't');
        m.has_offset = true;
        m.offset = 0;
        ok &= three_letters || (v & 0xff) == 'z';
        taken = three_letters ? 3 : 1;
        break;
      }
      case kMonth:
      case kDay:
      case kHour:
      case kMinute:
      case kSecond:
      case kShortYear:
      case kSpacedDay:
        taken = 2;
        digits = (w ^ (uint32_t)kZeros) & 0xffff;
        if (directive == kSpacedDay && (w & 0xff) == ' ') digits &= 0xff00;
        read = (digits & 0xff) * 10 + (digits >> 8);
        // Each place by a number that is known, so that none of them is in memory.
        if (directive == kMonth) m.pairs[kMonth] = read;
        if (directive == kDay || directive == kSpacedDay) m.pairs[kDay] = read;
        if (directive == kHour) m.pairs[kHour] = read;
        if (directive == kMinute) m.pairs[kMinute] = read;
        if (directive == kSecond) m.pairs[kSecond] = read;
        if (directive == kShortYear) m.year = (int32_t)(read < 69 ? read + 2000 : read + 1900);
        break;
      default: return false;
      }
      ok &= not_digits4(digits) == 0;
      p += taken;
      if (op & kFollowed) {
        ok = ok && p < n && field[p] == (op >> kFollowShift & 0xff);
        p++;
      }
      ok &= p <= n;
      p = ok ? p : 0;
    }
    Reading x;
    int64_t v = 0;
    bool is = ok && p == n && understand(output, m, &x) && value_of(output, clock, x, &v);
    value->lo = (uint64_t)v;
    return is;
  }
};

#ifdef DFAPARSE_LINES
// Dates and times in a layout whose parts have their places: all symbols are compared at once, and
// each part is read where it is.
struct PlacedKind {
  const Output& output;
  const PlacedLayout& layout;
  __device__ explicit PlacedKind(const Output& o) : output(o), layout(*(const PlacedLayout*)((const uint8_t*)o.type + (uint32_t)o.options[6])) {}
  __device__ __forceinline__ bool convert(const TileAddress& tile, uint32_t at, uint32_t n, Value* value) const {
    if (n != layout.length) return false;
    uint32_t bad = 0, low = load32(tile.words + (at & ~3u));
#pragma unroll 2
    for (uint32_t k = 0; 4 * k < layout.length; k++) {
      const uint32_t high = load32(tile.words + (at & ~3u) + 4 * k + 4);
      bad |= unexpected(__funnelshift_r(low, high, 8 * at) ^ layout.symbols[k], layout.expected[k]);
      low = high;
    }
    const uint32_t date = layout.date, time = layout.time;
    auto part = [&](uint32_t places, uint32_t i) { return symbols_of(tile, at + (places >> 8 * i & 0xff)); };
    auto there = [](uint32_t places, uint32_t i) { return (places >> 8 * i & 0xff) != kNoPlace; };
    auto two_digits = [&](uint32_t places, uint32_t i) { return there(places, i) ? __dp4a(part(places, i) ^ (uint32_t)kZeros, pattern(10, 1, 0, 0), 0u) : 0; };
    Reading x;
    bool is = (bad & kHighBit4) == 0;
    if (there(date, 0)) {
      const uint32_t month = there(date, 3) ? month_of(part(date, 3)) : two_digits(date, 1);
      is &= day_number(digits4(part(date, 0) ^ (uint32_t)kZeros), month, two_digits(date, 2), &x.days);
    }
    if (time != ~0u) {
      is &= second_of(two_digits(time, 0), two_digits(time, 1), two_digits(time, 2), &x.second);
      if (there(time, 3)) x.fraction = __dp4a(part(time, 3) ^ (uint32_t)kZeros, pattern(100, 10, 1, 0), 0u) * layout.units;
    }
    int64_t v = 0;
    is &= value_of(output, Clock(output), x, &v);
    value->lo = (uint64_t)v;
    return is;
  }

 private:
  static __device__ __forceinline__ uint32_t symbols_of(const TileAddress& tile, uint32_t at) {
    uint32_t w[1];
    symbols_at(tile.words, at, w);
    return w[0];
  }
};
#endif

} // namespace dfaparse
