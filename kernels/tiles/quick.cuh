// Values of what is written in the most usual notation of its kind: numbers of up to
// eight symbols, dates of ten, time stamps of nineteen. A run of blocks in which all
// are is done here; any other is left to convert_run as a whole, so that nothing is
// decided field by field.
#pragma once

#include "marks.cuh"

namespace dfaparse {

// A quick kind makes the value of a field of kLeast to kMost symbols, or something if
// the field is not so.
template <bool negatives>
struct QuickInteger {
  static constexpr uint32_t kLeast = 1, kMost = 8;
  __device__ __forceinline__ explicit QuickInteger(const QuickColumn&) {}
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
  __device__ __forceinline__ explicit QuickDouble(const QuickColumn& column) : points(column.a) {}
  __device__ __forceinline__ bool convert(const TileAddress& tile, uint32_t at, uint32_t n, Value* value) const {
    ShortDecimal x;
    bool is = short_decimal(tile.words, tile.places, at, n, points, &x);
    value->lo = (uint64_t)__double_as_longlong(divide_exactly((double)x.digits, x.ten)) | (uint64_t)x.minus << 63;
    return is;
  }
};

struct QuickDecimal {
  static constexpr uint32_t kLeast = 1, kMost = 8;
  uint32_t points, scale;
  uint64_t most; // 10^precision - 1, or the largest of 64 bits
  __device__ __forceinline__ explicit QuickDecimal(const QuickColumn& column) : points(column.a), scale(column.b), most(column.most) {}
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
  __device__ __forceinline__ explicit QuickDate(const QuickColumn&) {}
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
  __device__ __forceinline__ explicit QuickStamp(const QuickColumn& column) : separator(column.a), per(column.b), offset((int32_t)(uint32_t)column.most) {}
  __device__ __forceinline__ bool convert(const TileAddress& tile, uint32_t at, uint32_t n, Value* value) const {
    int64_t seconds;
    bool there = short_stamp(tile.words, at, separator, &seconds);
    value->lo = (uint64_t)(seconds - offset) * per; // wraps around if there is no such date
    return there;
  }
};

// What quick_run has to know of an output that is made from a field in a form.
__device__ inline QuickColumn quick_column(const Output& output, uint32_t made) {
  QuickColumn x;
  x.fixed = output.fixed;
  x.valid = output.valid;
  x.form = made >> kFormShift;
  x.field = made & ((1u << kFormShift) - 1);
  x.a = x.b = x.failures = x.none = 0;
  x.most = 0;
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

// The rows from row on that a field has in the tile, a bit each.
__device__ __forceinline__ uint32_t rows_there(const Rows& rows, uint32_t field, uint32_t row) {
  int32_t from = max((int32_t)(rows.first + (field < rows.skipped) - row), 0), to = min((int32_t)(rows.first + rows.ended + (field < rows.more) - row), 32);
  return to <= from ? 0 : kAllLanes >> (32 - (to - from)) << from;
}

// As convert_run, but false if some field is not of the usual notation: then nothing
// counts.
template <class Quick, uint32_t width>
__device__ __noinline__ bool quick_run(const QuickColumn& column, uint32_t block, uint32_t end) {
  const TileAddress tile;
  const Rows& rows = fused_tile().rows;
  const Quick quick(column);
  const uint32_t total = rows.total, stride = 32 * rows.columns, lane = lane_id(), row = rows.low + block * 32, field = column.field;
  uint32_t k = (row + lane - rows.first) * rows.columns + field - rows.skipped;
  SharedAddress boundary = tile.ends + 2 * (int32_t)k;
  uint8_t* to = static_cast<uint8_t*>(column.fixed) + (uint64_t)(row + lane) * width;
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
  if (lane < end - block) add_bits(column.valid + row / 32 + lane, rows_there(rows, field, row + 32 * lane));
  return true;
}

// Whether the chunks that have the symbols from start to stop-1 of the memory are UTF-8.
__device__ __forceinline__ bool are_utf8_chunks(uint32_t start, uint32_t stop) {
  const uint32_t* wrong = fused_tile().not_utf8;
  const uint32_t last = (stop - 1) / kChunk;
  uint32_t w = start / kChunk / 32, mask = kAllLanes << start / kChunk % 32;
  for (; w < last / 32; w++, mask = kAllLanes) {
    if ((wrong[w] & mask) != 0) return false;
  }
  return (wrong[w] & mask & kAllLanes >> (31 - last % 32)) == 0;
}

// Spans of a text, and, where nothing has to be looked at any more, the lengths of the
// strings, which are valid. right: all symbols of the memory are UTF-8. Rows of which
// not all is known are dfa_convert's: see kPartly there.
__device__ __forceinline__ void quick_texts(const Job& job, const Delivery& delivery, const Fused* fused, const Rows& rows, uint32_t text, bool right, uint32_t block, uint32_t end) {
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
      if (done) output.offsets[place.row] = span.end - span.start;
    }
    const uint32_t valid = __ballot_sync(kAllLanes, here && done), todo = __ballot_sync(kAllLanes, here && !done);
    if (lane_id() != 0) continue;
    add_bits(output.valid + place.row / 32, valid);
    if (todo != 0) {
      atomicOr(output.todo + place.row / 32, todo);
      output.counters[kUndoneRows] = 1;
      job.counts->reserved[kUndone] = 1;
    }
  }
}

// Whether a run is done so.
__device__ __forceinline__ bool convert_quickly(const QuickColumn& column, uint32_t block, uint32_t end) {
  switch (column.form) {
  case kFormDouble: return quick_run<QuickDouble, 8>(column, block, end);
  case kFormInt32: return quick_run<QuickInteger<true>, 4>(column, block, end);
  case kFormInt64: return quick_run<QuickInteger<true>, 8>(column, block, end);
  case kFormUint32: return quick_run<QuickInteger<false>, 4>(column, block, end);
  case kFormUint64: return quick_run<QuickInteger<false>, 8>(column, block, end);
  case kFormDecimal: return quick_run<QuickDecimal, 16>(column, block, end);
  case kFormClock32: return quick_run<QuickDate, 4>(column, block, end);
  case kFormClock64: return quick_run<QuickStamp, 8>(column, block, end);
  default: return false;
  }
}

} // namespace dfaparse
