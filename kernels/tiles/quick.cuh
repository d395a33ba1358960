// Values of what is written in the most usual notation of its kind: numbers of up to
// eight symbols, dates of ten, time stamps of nineteen. A run of blocks in which all
// are is done here; any other is left to convert_run as a whole, so that nothing is
// decided field by field: what is wrong is only gathered, and asked about behind the
// run.
#pragma once

#include "../partly.cuh"
#include "../sum.cuh"
#include "marks.cuh"

namespace dfaparse {

// Where the tile's parts are.
struct QuickAddress {
  SharedAddress words, ends, places, powers, rows; // places: of the first with a point
  __device__ __forceinline__ QuickAddress()
      : words(address_of(fused_tile().words)),
        ends(address_of(fused_tile().ends)),
        places(address_of(fused_tile().steps.tables.places + 1)),
        powers(address_of(fused_tile().steps.tables.powers)),
        rows(address_of(&fused_tile().steps.rows)) {}
};

// Fills the tables of numbers, by threads 0 to kPlaces-1 and 0 to 15.
__device__ inline void fill_quick(QuickTables& tables, uint32_t thread) {
  uint32_t power = 1;
  for (uint32_t i = 0; i < thread && i < 9; i++) power *= 10;
  if (thread < 16) tables.powers[thread] = thread <= 9 ? power : 0;
  if (thread >= kPlaces) return;
  QuickPlace place{0x76543210, 0, 0, 10000000};
  if (thread != 0) {
    const uint32_t i = thread - 1, byte = i / 2 + 4 * (i & 1), places = 7 - byte;
    place.digits = 0;
    for (uint32_t k = 0; k < 8; k++) place.digits |= (k > byte ? k : k != 0 ? k - 1 : 4) << 4 * k; // 4 is a zero
    place.point = byte * 0x1111 | places << 16;
    place.some = ~0u;
    place.scale = 1;
    for (uint32_t k = 0; k < byte; k++) place.scale *= 10;
  }
  tables.places[thread] = place;
}

// 4*N symbols from byte `at` of the tile on, which may be anything.
template <uint32_t N>
__device__ __forceinline__ void quick_symbols(SharedAddress words, uint32_t at, uint32_t (&out)[N]) {
  SharedAddress from = words + (at & (kHead + kTile - 4));
  uint32_t low = load32(from);
#pragma unroll
  for (uint32_t k = 0; k < N; k++) {
    uint32_t high = load32(from + 4 * k + 4);
    out[k] = __funnelshift_r(low, high, 8 * at);
    low = high;
  }
}

// x << n, 0 if n is above 63.
__device__ __forceinline__ uint64_t shifted(uint64_t x, uint32_t n) {
#ifdef DFAPARSE_HOST
  return n < 64 ? x << n : 0;
#else
  uint64_t y;
  asm("shl.b64 %0, %1, %2;" : "=l"(y) : "l"(x), "r"(n));
  return y;
#endif
}

// Up to eight symbols as digits, the last in the highest byte; a minus sign is gone.
struct QuickDigits {
  uint32_t low, high, minus;
  __device__ __forceinline__ QuickDigits(const QuickAddress& tile, uint32_t at, uint32_t n) {
    constexpr uint32_t kSign = '-' ^ '0';
    uint32_t w[2];
    quick_symbols(tile.words, at, w);
    w[0] ^= (uint32_t)kZeros;
    w[1] ^= (uint32_t)kZeros;
    minus = 0;
    if ((w[0] & 0xff) == kSign) {
      minus = 1;
      w[0] ^= kSign; // becomes a zero, which does not count
    }
    const uint64_t aligned = shifted((uint64_t)w[1] << 32 | w[0], 64 - 8 * n);
    low = (uint32_t)aligned;
    high = (uint32_t)(aligned >> 32);
  }
};

// Above 9: bit 7 of a byte.
__device__ __forceinline__ uint32_t above_nine(uint32_t x) { return x + (0x80 - 10) * 0x01010101u | x; }

// A quick kind makes the value of a field, or something if the field is not so, which
// `wrong` then says of all that it has made.
template <bool negatives>
class QuickInteger {
 public:
  __device__ __forceinline__ explicit QuickInteger(const QuickColumn&) {}
  __device__ __forceinline__ Value convert(const QuickAddress& tile, uint32_t at, uint32_t n) {
    const QuickDigits x(tile, at, n);
    odd_ |= above_nine(x.low) | above_nine(x.high);
    far_ |= (n - 1) | (n - 1 - x.minus);
    uint32_t digits = value_of_digits(x.low, x.high);
    if (!negatives && x.minus != 0) far_ |= 0 - digits;
    if (negatives && x.minus != 0) digits = 0 - digits;
    return Value{(uint64_t)(int64_t)(int32_t)digits, 0};
  }
  __device__ __forceinline__ bool wrong() const { return (odd_ & kHigh4) != 0 || far_ > 7; }

 private:
  uint32_t odd_ = 0, far_ = 0;
};

// Up to eight symbols with at most one point: digits over 10^places.
class QuickNumber {
 public:
  uint32_t digits, minus, places, scale; // scale: 10^(7-places)
  __device__ __forceinline__ explicit QuickNumber(uint32_t points) : points_(points) {}
  __device__ __forceinline__ void read(const QuickAddress& tile, uint32_t at, uint32_t n) {
    const QuickDigits x(tile, at, n);
    const uint32_t odd = (above_nine(x.high) & kHigh4) | (above_nine(x.low) & kHigh4) >> 4;
    const uint4 place = load128(tile.places + (highest_bit(odd) * 4 & -16));
    digits = value_of_digits(permute(x.low, 0, place.x), permute(x.low, x.high, place.x >> 16));
    wrong_ |= (odd & (odd - 1)) | ((permute(x.low, x.high, place.y) ^ points_) & place.z);
    far_ |= (n - 1) | (n - 1 - x.minus + place.z); // a digit at least
    minus = x.minus;
    places = place.y >> 16;
    scale = place.w;
  }
  __device__ __forceinline__ bool wrong() const { return wrong_ != 0 || far_ > 7; }

 protected:
  uint32_t points_, wrong_ = 0, far_ = 0;
};

class QuickDouble : public QuickNumber {
 public:
  __device__ __forceinline__ explicit QuickDouble(const QuickColumn& column) : QuickNumber(column.a) {}
  // All are divided by the same power, of what has seven places then.
  __device__ __forceinline__ Value convert(const QuickAddress& tile, uint32_t at, uint32_t n) {
    read(tile, at, n);
    const double x = divide_exactly((double)((uint64_t)digits * scale), ExactPower{1e7, 1e-7});
    return Value{(uint64_t)__double_as_longlong(x) | (uint64_t)minus << 63, 0};
  }
};

class QuickDecimal : public QuickNumber {
 public:
  __device__ __forceinline__ explicit QuickDecimal(const QuickColumn& column) : QuickNumber(column.a), scale_(column.b), most_(column.most) {}
  __device__ __forceinline__ Value convert(const QuickAddress& tile, uint32_t at, uint32_t n) {
    read(tile, at, n);
    const uint32_t shift = scale_ - places;
    const uint64_t v = (uint64_t)digits * load32(tile.powers + 4 * (shift & 15));
    if (shift > 9 || v > most_) wrong_ = 1;
    Value value{v, 0};
    if (minus != 0) {
      value.lo = 0 - v;
      value.hi = v != 0 ? ~(uint64_t)0 : 0;
    }
    return value;
  }

 private:
  uint32_t scale_;
  uint64_t most_; // 10^precision - 1, or the largest of 64 bits
};

// Days since 1970, of years 2 to 9998.
class QuickDay {
 public:
  // 2006-01-02 in words that have been XORed with its pattern; of the third the first
  // two bytes, others are 0.
  __device__ __forceinline__ int32_t days_of(uint32_t a, uint32_t b, uint32_t c) {
    const uint32_t year = digits4(a), month = __dp4a(b, pattern(0, 10, 1, 0), 0u), day = __dp4a(c, pattern(10, 1, 0, 0), 0u);
    odd_ |= unexpected(a, pattern(kDigit, kDigit, kDigit, kDigit)) | unexpected(b, pattern(kLiteral, kDigit, kDigit, kLiteral));
    const bool february = month == 2;
    const uint32_t length = february ? 28 : 30 + ((month ^ month >> 3) & 1);
    uint32_t left = length - day;
    if ((int32_t)left < 0 && february && day == 29 && is_leap(year)) left = 0;
    below_ |= (year - 2) | (9998 - year) | (month - 1) | (12 - month) | (day - 1) | left;
    const bool early = month < 3;
    const uint32_t y = year - early, m = early ? month + 12 : month, century = y * 5243 >> 19; // right up to 43,698
    return (int32_t)(365 * y + y / 4 - century + century / 4 + (979 * m - 2919) / 32 + day) - 719469; // see day_number
  }
  __device__ __forceinline__ bool wrong() const { return (odd_ & kHigh4) != 0 || (int32_t)below_ < 0 || other_ != 0; }

 protected:
  uint32_t odd_ = 0, below_ = 0, other_ = 0;
};

class QuickDate : public QuickDay {
 public:
  __device__ __forceinline__ explicit QuickDate(const QuickColumn&) {}
  __device__ __forceinline__ Value convert(const QuickAddress& tile, uint32_t at, uint32_t n) {
    uint32_t w[3]; // 2006 -01- 02
    quick_symbols(tile.words, at, w);
    other_ |= n ^ 10;
    w[2] = (w[2] ^ pattern('0', '0', 0, 0)) & 0xffff;
    odd_ |= unexpected(w[2], pattern(kDigit, kDigit, 0, 0));
    return Value{(uint64_t)(int64_t)days_of(w[0] ^ pattern('0', '0', '0', '0'), w[1] ^ pattern('-', '0', '0', '-'), w[2]), 0};
  }
};

class QuickStamp : public QuickDay {
 public:
  __device__ __forceinline__ explicit QuickStamp(const QuickColumn& column) : separator_(column.a), per_(column.b), offset_((int32_t)(uint32_t)column.most) {}
  __device__ __forceinline__ Value convert(const QuickAddress& tile, uint32_t at, uint32_t n) {
    constexpr uint32_t kFive = 0x80 - 6; // a digit up to 5: a leap second is not usual
    uint32_t w[5]; // 2006 -01- 02T1 5:04 :05
    quick_symbols(tile.words, at, w);
    other_ |= n ^ 19;
    uint32_t separator = separator_;
    if (separator == 0) {
      separator = w[2] >> 16 & 0xff;
      if (separator != ' ' && (separator | 0x20) != 't') other_ = 1;
    }
    w[2] ^= pattern('0', '0', 0, '0') | separator << 16;
    w[3] ^= pattern('0', ':', '0', '0');
    w[4] = (w[4] ^ pattern(':', '0', '0', 0)) & 0xffffff;
    odd_ |= unexpected(w[2], pattern(kDigit, kDigit, kLiteral, kDigit)) | unexpected(w[3], pattern(kDigit, kLiteral, kFive, kDigit));
    odd_ |= unexpected(w[4], pattern(kLiteral, kFive, kDigit, 0));
    const uint32_t hours = __dp4a(w[3], pattern(1, 0, 0, 0), __dp4a(w[2], pattern(0, 0, 0, 10), 0u));
    const uint32_t minutes = __dp4a(w[3], pattern(0, 0, 10, 1), 0u), seconds = __dp4a(w[4], pattern(0, 10, 1, 0), 0u);
    below_ |= 23 - hours;
    const int64_t days = days_of(w[0] ^ pattern('0', '0', '0', '0'), w[1] ^ pattern('-', '0', '0', '-'), w[2] & 0xffff);
    return Value{(uint64_t)(days * kSecondsPerDay + (int32_t)((hours * 60 + minutes) * 60 + seconds - (uint32_t)offset_)) * per_, 0};
  }

 private:
  uint32_t separator_, per_;
  int32_t offset_;
};

// What a run has to know of an output that is made from a field in a form.
__device__ inline QuickColumn quick_column(const Output& output, uint32_t made) {
  QuickColumn x;
  x.fixed = output.fixed;
  x.valid = output.valid;
  x.form = made >> kFormShift;
  x.field = made & ((1u << kFormShift) - 1);
  x.a = x.b = x.failures = 0;
  x.most = 0;
  x.lengths = x.units = nullptr;
  switch (x.form) {
  case kFormInt32:
  case kFormInt64:
  case kFormUint32:
  case kFormUint64: break;
  case kFormDouble: x.a = ((uint32_t)output.options[0] ^ '0') * 0x01010101; break;
  case kFormDecimal: {
    DecimalForm form = decimal_form(output);
    Int128 end = form.tens[form.precision];
    x.a = (form.number.point ^ '0') * 0x01010101;
    x.b = (uint32_t)form.scale;
    x.most = end.hi != 0 ? ~(uint64_t)0 : end.lo - 1;
    break;
  }
  case kFormClock32:
    if (output.kind != kDate || output.options[7] != 0 || Clock(output).form != kISODate) x.form = kFormOther;
    break;
  case kFormClock64: {
    Clock clock(output);
    x.a = clock.separator;
    x.b = clock.per;
    x.most = (uint32_t)output.options[3];
    bool is = output.options[7] == 0 && clock.form == kISOStamp && clock.plain && output.kind == kTimestamp && output.options[3] >> 32 == 0 && clock.places != 9;
    if (!is) x.form = kFormOther;
    break;
  }
  default: x.form = kFormOther;
  }
  return x;
}

// What quick_spans has to know of a text.
__device__ inline QuickColumn quick_text(const Delivery& delivery, const Fused* fused, uint32_t text) {
  QuickColumn x{};
  const uint32_t made = fused->text_output[text];
  const uint64_t column = (uint64_t)fused->text_column[text] * delivery.capacity;
  x.field = fused->text_field[text];
  x.fixed = delivery.span_start + column;
  x.most = reinterpret_cast<uint64_t>(delivery.span_end + column);
  x.form = made == kNoOutput ? kFormOther : kFormSpans;
  if (made == kNoOutput) return x;
  const Output& output = delivery.outputs[made];
  x.lengths = output.offsets;
  x.units = unit_bytes(output);
  x.views = static_cast<uint4*>(output.views);
  x.a = output.flags & kOfMaps;
  x.valid = output.valid;
  x.b = (output.flags & kKeepUTF8) == 0;
  return x;
}

// What quick_ends has to know.
__device__ inline QuickColumn quick_check(const Fused* fused) {
  QuickColumn x{};
  x.form = kFormEnds;
  x.field = fused->columns - 1;
  x.fixed = fused->record_end;
  x.a = fused->line_end & 0xff;
  return x;
}

// Whether a value of a quick form may have a symbol in it.
__device__ __forceinline__ bool may_have(const QuickColumn& column, uint32_t symbol) {
  return symbol - '0' < 10 || symbol == '-' || symbol == ':' || symbol == ' ' || (symbol | 0x20) == 't' || symbol == (column.a & 0xff) || symbol == ((column.a ^ '0') & 0xff);
}

// What a value costs, about: those of other forms are read symbol by symbol.
template <bool quoted>
__device__ __forceinline__ uint32_t cost_of(uint32_t form) {
  switch (form) {
  case kFormOther: return 4;
  case kFormClock32:
  case kFormClock64: return 3;
  case kFormDouble:
  case kFormDecimal: return 2;
  case kFormSpans: return quoted ? 4 : 0;
  case kFormEnds: return 0;
  default: return 1;
  }
}

// What runs have to know of a tile's rows, by one thread. What is behind the flight's last record
// is no row, whichever tiles it is in.
__device__ __forceinline__ QuickRows quick_rows(const Rows& rows) {
  const uint32_t more = rows.first + rows.ended < fused_tile().steps.records ? rows.more : 0;
  return QuickRows{2 * rows.columns, rows.first, rows.ended, rows.first - rows.low, rows.skipped, more, {0, 0}};
}

// Of a word whose bit 0 is row `low`: bits of rows from to to-1.
__device__ __forceinline__ uint32_t bits_of_rows(int32_t low, int32_t from, int32_t to) {
  const uint32_t before = (uint32_t)max(from - low, 0), behind = (uint32_t)max(low + 32 - to, 0);
#ifdef DFAPARSE_HOST
  return before < 32 && behind < 32 ? (kAllLanes << before) & (kAllLanes >> behind) : 0;
#else
  uint32_t x, y; // 0 if they are shifted by more than 31
  asm("shl.b32 %0, %1, %2;" : "=r"(x) : "r"(kAllLanes), "r"(before));
  asm("shr.u32 %0, %1, %2;" : "=r"(y) : "r"(kAllLanes), "r"(behind));
  return x & y;
#endif
}

// The rows of run `run` of a field, which a warp's lanes take side by side from the first one
// on that the field has among these blocks, so that only the last step may have lanes without.
// Rows are counted from the tile's first one.
struct QuickRun {
  uint32_t lane, first, row; // row: the lane's, of the partition
  int32_t low, from, to;     // low: of the first word's bit 0
  uint32_t stride;
  SharedAddress boundary, stop;
  __device__ __forceinline__ QuickRun(const QuickAddress& tile, uint32_t field, uint32_t run) : lane(lane_id()) {
    const uint4 r = load128(tile.rows);
    const uint2 s = load64(tile.rows + 16);
    first = r.y;
    low = (int32_t)(run * kRun * 32 - r.w);
    from = max(low, (int32_t)(field < s.x));
    to = min(low + (int32_t)kRun * 32, (int32_t)(r.z + (field < s.y)));
    row = first + (uint32_t)from + lane;
    const SharedAddress ends = tile.ends + 2 * (int32_t)(field - s.x);
    boundary = ends + (from + (int32_t)lane) * (int32_t)r.x;
    stop = ends + to * (int32_t)r.x;
    stride = 32 * r.x;
  }
  // All of these rows are valid: a lane has a word.
  __device__ __forceinline__ void mark(uint32_t* valid) const {
    static_assert(kRun < kWarp, "a lane a word");
    add_bits(valid + ((first + (uint32_t)low) / 32 + lane), bits_of_rows(low + 32 * (int32_t)lane, from, to));
  }
};

// As convert_run, but false if some field is not of the usual notation: then nothing counts.
// quoted: a field may be enclosed.
template <class Quick, uint32_t width, bool quoted>
__device__ __noinline__ bool quick_run(const QuickColumn& column, uint32_t run) {
  const QuickAddress tile;
  QuickRun x(tile, column.field, run);
  uint8_t* at = static_cast<uint8_t*>(column.fixed) + (uint64_t)x.row * width;
  const uint32_t quote = quoted ? fused_tile().steps.quote : 0;
  Quick quick(column);
#pragma unroll 1
  for (; x.boundary < x.stop; x.boundary += x.stride, at += 32 * width) {
    uint32_t begin = load16(x.boundary - 2) + 1, n = load16(x.boundary) - begin;
    if (quoted && load_byte(tile.words + (begin & (kHead + kTile - 1))) == quote) {
      begin++;
      n -= 2;
    }
    store_value<width>(at, quick.convert(tile, begin, n));
  }
  if (__ballot_sync(kAllLanes, quick.wrong()) != 0) return false;
  x.mark(column.valid);
  return true;
}

// As quick_spans of a text with views, which are made in place of spans.
__device__ __noinline__ bool quick_views(const QuickColumn& column, uint32_t run, uint32_t origin, bool ascii) {
  if (!ascii && column.b != 0) return false;
  const QuickAddress tile;
  QuickRun x(tile, column.field, run);
  bool far = false;
#pragma unroll 1
  for (; x.boundary < x.stop; x.boundary += x.stride, x.row += 32) {
    const uint32_t end = load16(x.boundary), begin = min(load16(x.boundary - 2) + 1, end + 1);
    far |= begin > end;
    column.lengths[x.row] = 0;
    column.views[x.row] = view_in(tile.words, begin, end - begin, origin);
  }
  if (__ballot_sync(kAllLanes, far) != 0) return false;
  x.mark(column.valid);
  return true;
}

// As quick_texts, of a tile in which all is data but what ends fields, and of which all is UTF-8
// if the output asks for that: false if some text begins before the memory. Lengths tell where
// texts end: see kPartly.
__device__ __noinline__ bool quick_spans(const QuickColumn& column, uint32_t run, uint32_t origin, bool ascii) {
  if (!ascii && column.b != 0) return false;
  const QuickAddress tile;
  QuickRun x(tile, column.field, run);
  uint32_t* starts = static_cast<uint32_t*>(column.fixed);
  uint32_t* ends = reinterpret_cast<uint32_t*>(column.most);
  uint32_t* lengths = column.lengths;
  const bool maps = column.a != 0;
  bool far = false;
  // Bytes by unit: those of the first are the lower half of `apart`, those of the third the upper one.
  static_assert(kRun * 32 <= 2 * kUnit && kHead + kTile < 1u << 16, "a run has rows of three units, with less than 16 bits of bytes");
  const uint32_t unit = (x.first + (uint32_t)x.low) / kUnit, second = (unit + 1) * kUnit, third = second + kUnit;
  uint32_t all = 0, apart = 0;
#pragma unroll 1
  for (; x.boundary < x.stop; x.boundary += x.stride, x.row += 32) {
    const uint32_t begin = load16(x.boundary - 2) + 1, end = load16(x.boundary), n = end - begin;
    far |= begin > end;
    starts[x.row] = origin + begin;
    lengths[x.row] = n;
    all += n;
    apart += x.row < second ? n : x.row < third ? 0 : n << 16;
    if (maps) ends[x.row] = origin + end;
  }
  if (__ballot_sync(kAllLanes, far) != 0) return false;
  x.mark(column.valid);
  if (column.units == nullptr) return true;
  all = sum_warp(all), apart = sum_warp(apart);
  const uint32_t of_first = apart & 0xffff, of_third = apart >> 16;
  if (x.lane < 3) add_bytes(column.units, (unit + x.lane) * kUnit, x.lane == 0 ? of_first : x.lane == 1 ? all - of_first - of_third : of_third);
  return true;
}

// The ends of records: false if one is the end of a field alone.
__device__ __noinline__ bool quick_ends(const QuickColumn& column, uint32_t run, uint32_t origin) {
  const QuickAddress tile;
  QuickRun x(tile, column.field, run);
  uint32_t* to = static_cast<uint32_t*>(column.fixed) + x.row;
  uint32_t other = 0;
#pragma unroll 1
  for (; x.boundary < x.stop; x.boundary += x.stride, to += 32) {
    const uint32_t at = load16(x.boundary);
    other |= load_byte(tile.words + at) ^ column.a;
    *to = origin + at;
  }
  return __ballot_sync(kAllLanes, other != 0) == 0;
}

// Whether a run is done so: spans(column, run) does one of a text.
template <bool quoted, class Spans>
__device__ __forceinline__ bool convert_quickly(const QuickColumn& column, uint32_t run, uint32_t origin, const Spans& spans) {
  switch (column.form) {
  case kFormDouble: return quick_run<QuickDouble, 8, quoted>(column, run);
  case kFormInt32: return quick_run<QuickInteger<true>, 4, quoted>(column, run);
  case kFormInt64: return quick_run<QuickInteger<true>, 8, quoted>(column, run);
  case kFormUint32: return quick_run<QuickInteger<false>, 4, quoted>(column, run);
  case kFormUint64: return quick_run<QuickInteger<false>, 8, quoted>(column, run);
  case kFormDecimal: return quick_run<QuickDecimal, 16, quoted>(column, run);
  case kFormClock32: return quick_run<QuickDate, 4, quoted>(column, run);
  case kFormClock64: return quick_run<QuickStamp, 8, quoted>(column, run);
  case kFormSpans: return spans(column, run);
  case kFormEnds: return quick_ends(column, run, origin);
  default: return false;
  }
}

// The next unit of the tile, by a whole warp.
__device__ __forceinline__ uint32_t next_unit() {
  uint32_t unit = 0;
#ifdef DFAPARSE_HOST
  if (lane_id() == 0) unit = atomicAdd(&fused_tile().next, 1u);
#else // one instruction: of a sum the compiler first finds out which lanes add to it
  if (lane_id() == 0) asm volatile("atom.shared.inc.u32 %0, [%1], 0x7fffffff;" : "=r"(unit) : "r"(address_of(&fused_tile().next)) : "memory");
#endif
  return __shfl_sync(kAllLanes, unit, 0);
}

// Spans of a text, and, where nothing has to be looked at any more, the lengths of the
// strings, which are valid. right: all symbols of the memory are UTF-8. Rows of which
// not all is known are dfa_convert's: see kPartly there.
__device__ __noinline__ void quick_texts(const Job& job, const Delivery& delivery, const Fused* fused, uint32_t text, bool right, uint32_t block, uint32_t end) {
  const Rows& rows = fused_tile().rows;
  const uint32_t made = fused->text_output[text];
  if (made == kNoOutput) return take_spans(delivery, fused, rows, text, block, end);
  const Output& output = delivery.outputs[made];
  right |= (output.flags & kKeepUTF8) != 0;
  const uint64_t column = (uint64_t)fused->text_column[text] * delivery.capacity;
  uint4* const views = static_cast<uint4*>(output.views);
  for (Place place(rows, fused->text_field[text], block); block < end; block++, place.next(rows)) {
    const bool here = place.here(rows);
    bool done = right;
    uint32_t n = 0;
    if (here) {
      uint32_t start = place.start(rows), stop = place.end();
      if (!right && job.chunk_utf8 != nullptr) done = start >= stop || are_utf8_chunks(start, stop);
      Span span{rows.origin + start, rows.origin + stop};
      if (start > stop || (rows.control && stop - start > kChunk)) { // dfa_fused_trim does it
        *fused->untrimmed = 1;
        done = false;
      } else if (rows.control && start != stop) {
        span = bits_span(span.start, data_bits(start, stop - start));
        done = done && span.start < kScattered;
      }
      delivery.span_start[column + place.row] = span.start;
      delivery.span_end[column + place.row] = span.end;
      if (done) {
        n = span.end - span.start;
        output.offsets[place.row] = views != nullptr ? 0 : n;
      }
      if (views != nullptr) views[place.row] = done ? view_in(address_of(fused_tile().words), span.start - rows.origin, n, rows.origin) : make_uint4(0, 0, 0, 0);
    }
    if (place.row >= fused_tile().steps.records) n = 0;
    n = sum_warp(n);
    if (lane_id() == 0) add_bytes(unit_bytes(output), place.row, n);
    const uint32_t valid = __ballot_sync(kAllLanes, here && done), todo = __ballot_sync(kAllLanes, here && !done);
    if (lane_id() == 0) note_texts(job, output, place.row, valid, todo);
  }
}

} // namespace dfaparse
