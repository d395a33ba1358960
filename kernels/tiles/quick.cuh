// Values of what is written in the most usual notation of its kind: numbers of up to
// eight symbols, dates of ten, time stamps of nineteen. A run of blocks in which all
// are is done here; any other is left to convert_run as a whole, so that nothing is
// decided field by field.
#pragma once

#include "marks.cuh"

namespace dfaparse {

// A quick kind says whether there is one for an output, of how many symbols a field
// is, and makes its value, or something if the field is not so.
template <bool negatives>
struct QuickInteger {
  static constexpr uint32_t kLeast = 1, kMost = 8;
  __device__ explicit QuickInteger(const Output&) {}
  __device__ __forceinline__ bool possible() const { return true; }
  __device__ __forceinline__ bool convert(const TileAddress& tile, uint32_t at, uint32_t n, Value* value) const {
    ShortDigits x = short_digits(tile.words, at, n);
    uint32_t digits = value_of_digits(x.low, x.high);
    value->lo = x.minus ? 0 - (uint64_t)digits : digits;
    return x.odd == 0 && (negatives || !x.minus || digits == 0) && n > (uint32_t)x.minus;
  }
};

struct QuickDouble {
  static constexpr uint32_t kLeast = 1, kMost = 8;
  uint32_t points;
  __device__ explicit QuickDouble(const Output& output) : points(((uint32_t)output.options[0] ^ '0') * 0x01010101) {}
  __device__ __forceinline__ bool possible() const { return true; }
  __device__ __forceinline__ bool convert(const TileAddress& tile, uint32_t at, uint32_t n, Value* value) const {
    ShortDecimal x;
    bool is = short_decimal(tile.words, tile.places, at, n, points, &x);
    value->lo = (uint64_t)__double_as_longlong(divide_exactly((double)x.digits, x.ten)) | (uint64_t)x.minus << 63;
    return is;
  }
};

struct QuickDecimal {
  static constexpr uint32_t kLeast = 1, kMost = 8;
  const Int128* tens;
  uint32_t points, scale;
  uint64_t most; // 10^precision - 1, or the largest of 64 bits
  __device__ explicit QuickDecimal(const Output& output) {
    DecimalForm form = decimal_form(output);
    tens = form.tens;
    points = (form.number.point ^ '0') * 0x01010101;
    scale = (uint32_t)form.scale;
    Int128 end = tens[form.precision];
    most = end.hi != 0 ? ~(uint64_t)0 : end.lo - 1;
  }
  __device__ __forceinline__ bool possible() const { return true; }
  __device__ __forceinline__ bool convert(const TileAddress& tile, uint32_t at, uint32_t n, Value* value) const {
    ShortDecimal x;
    bool is = short_decimal(tile.words, tile.places, at, n, points, &x);
    uint32_t shift = scale - x.places;
    is = is && shift <= 9; // the product fits
    uint64_t v = (uint64_t)x.digits * ten_to(is ? shift : 0);
    value->lo = x.minus ? 0 - v : v;
    value->hi = x.minus && v != 0 ? ~(uint64_t)0 : 0;
    return is && v <= most;
  }
};

struct QuickDate {
  static constexpr uint32_t kLeast = 10, kMost = 10;
  bool is;
  __device__ explicit QuickDate(const Output& output) : is(output.kind == kDate && output.options[7] == 0 && Clock(output).form == kISODate) {}
  __device__ __forceinline__ bool possible() const { return is; }
  __device__ __forceinline__ bool convert(const TileAddress& tile, uint32_t at, uint32_t n, Value* value) const {
    uint32_t w[3], bad = 0;
    symbols_at(tile.words, at, w);
    CalendarDay d = iso_day(w[0], w[1], w[2], &bad);
    int32_t days = 0;
    bool there = day_number(d.year, d.month, d.day, &days);
    value->lo = (uint64_t)(int64_t)days;
    return there && (bad & kHighBit4) == 0;
  }
};

struct QuickStamp {
  static constexpr uint32_t kLeast = 19, kMost = 19;
  uint32_t separator, per;
  int32_t offset;
  bool is;
  __device__ explicit QuickStamp(const Output& output) : offset((int32_t)(uint32_t)output.options[3]) {
    Clock clock(output);
    separator = clock.separator;
    per = (uint32_t)clock.per;
    is = output.options[7] == 0 && clock.form == kISOStamp && clock.plain && output.kind == kTimestamp && output.options[3] >> 32 == 0 && clock.places != 9;
  }
  __device__ __forceinline__ bool possible() const { return is; }
  __device__ __forceinline__ bool convert(const TileAddress& tile, uint32_t at, uint32_t n, Value* value) const {
    int64_t seconds;
    bool there = short_stamp(tile.words, at, separator, &seconds);
    value->lo = (uint64_t)(seconds - offset) * per; // wraps around if there is no such date
    return there;
  }
};

// As convert_run, but false if some field is not of the usual notation: then nothing
// counts.
template <class Quick, uint32_t width>
__device__ __noinline__ bool quick_run(const Output& output, uint32_t column, uint32_t block, uint32_t end) {
  const TileAddress tile;
  const Rows& rows = fused_tile().rows;
  const Quick quick(output);
  if (!quick.possible()) return false;
  const Place place(rows, column, block);
  const uint32_t total = rows.total, stride = 32 * rows.columns, lane = lane_id();
  uint32_t k = (uint32_t)place.k;
  SharedAddress boundary = tile.ends + 2 * (int32_t)k;
  uint8_t* to = static_cast<uint8_t*>(output.fixed) + (uint64_t)place.row * width;
  bool right = true;
  for (uint32_t i = block; i < end; i++, k += stride, boundary += 2 * stride, to += 32 * width) {
    if (k >= total) continue;
    uint32_t at = load16(boundary - 2) + 1, n = load16(boundary) - at;
    bool is = n - Quick::kLeast <= Quick::kMost - Quick::kLeast;
    Value value{0, 0};
    is &= quick.convert(tile, is ? at : 0, is ? n : Quick::kLeast, &value);
    right &= is;
    if (width == 16) {
      *reinterpret_cast<ulonglong2*>(to) = make_ulonglong2(value.lo, value.hi);
    } else if (width == 8) {
      *reinterpret_cast<uint64_t*>(to) = value.lo;
    } else {
      *reinterpret_cast<uint32_t*>(to) = (uint32_t)value.lo;
    }
  }
  if (__ballot_sync(kAllLanes, !right) != 0) return false;
  // All of these rows are valid: a lane has a block's word.
  if (lane < end - block) {
    // Which of its rows are here: the field of row i is number first+i*columns of the tile.
    const uint32_t columns = rows.columns;
    const uint32_t row = rows.low + (block + lane) * 32;
    const int32_t first = (int32_t)((row - rows.first) * columns + column) - (int32_t)rows.skipped;
    uint32_t skip = first >= 0 ? 0 : ((uint32_t)-first + columns - 1) / columns;
    uint32_t stop = (int32_t)total <= first ? 0 : (uint32_t)((int32_t)total - first + (int32_t)columns - 1) / columns;
    uint32_t bits = stop >= 32 ? kAllLanes : (1u << stop) - 1;
    bits = skip >= 32 ? 0 : bits & ~0u << skip;
    uint32_t* valid = output.valid + row / 32;
    if (bits == kAllLanes) {
      *valid = bits;
    } else if (bits != 0) {
      atomicOr(valid, bits);
    }
  }
  return true;
}

// Spans of a text, and, where nothing has to be looked at any more, the lengths of the
// strings, which are valid. right: what is not looked at is UTF-8. Blocks of which
// not all is known are dfa_convert's: see kPartly there.
__device__ __forceinline__ void quick_texts(const Delivery& delivery, const Fused* fused, const Rows& rows, uint32_t text, bool right, uint32_t block, uint32_t end) {
  const uint32_t made = fused->text_output[text];
  if (made == kNoOutput) return take_spans(delivery, fused, rows, text, block, end);
  const Output& output = delivery.outputs[made];
  right |= (output.flags & kKeepUTF8) != 0;
  const uint64_t column = (uint64_t)fused->text_column[text] * delivery.capacity;
  for (Place place(rows, fused->text_field[text], block); block < end; block++, place.next(rows)) {
    const bool here = place.here(rows);
    bool done = right;
    if (here) {
      uint32_t start = place.start(rows), stop = place.end();
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
      if (done) output.offsets[place.row] = span.end - span.start;
    }
    const uint32_t all = __ballot_sync(kAllLanes, here), is = __ballot_sync(kAllLanes, here && done);
    if (lane_id() != 0 || all == 0) continue;
    const uint32_t word = place.row / 32;
    if (is != all) {
      output.todo[word] = kAllLanes;
    } else if (all == kAllLanes) {
      output.valid[word] = kAllLanes;
    } else {
      atomicOr(&output.valid[word], all);
    }
  }
}

// Whether a run is done so.
__device__ __forceinline__ bool convert_quickly(const Output& output, uint32_t form, uint32_t column, uint32_t block, uint32_t end) {
  switch (form) {
  case kFormDouble: return quick_run<QuickDouble, 8>(output, column, block, end);
  case kFormInt32: return quick_run<QuickInteger<true>, 4>(output, column, block, end);
  case kFormInt64: return quick_run<QuickInteger<true>, 8>(output, column, block, end);
  case kFormUint32: return quick_run<QuickInteger<false>, 4>(output, column, block, end);
  case kFormUint64: return quick_run<QuickInteger<false>, 8>(output, column, block, end);
  case kFormDecimal: return quick_run<QuickDecimal, 16>(output, column, block, end);
  case kFormClock32: return quick_run<QuickDate, 4>(output, column, block, end);
  case kFormClock64: return quick_run<QuickStamp, 8>(output, column, block, end);
  default: return false;
  }
}

} // namespace dfaparse
