// Values from the fields of a tile: a warp takes 32 rows of one column at a time.
#pragma once

#include "../convert/value.cuh"
#include "tile.cuh"

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

// A kind holds the options of an output in registers and decides the usual
// notation; whatever it does not, settle does.
struct IntegerKind {
  uint64_t most, least;
  bool decimal;
  __device__ explicit IntegerKind(const Output& output) : most(output.options[0]), least(output.options[1]), decimal(output.options[3] == 0) {}
  __device__ __forceinline__ bool convert(const FieldIn<TileWords>& field, Value* value) const {
    uint64_t magnitude;
    bool negative;
    if (!decimal || !short_integer(field, &magnitude, &negative) || magnitude > (negative ? least : most)) return false;
    value->lo = negative ? 0 - magnitude : magnitude;
    return true;
  }
};

struct DoubleKind {
  const FloatTables* tables;
  uint32_t point;
  __device__ explicit DoubleKind(const Output& output) : tables(static_cast<const FloatTables*>(output.type)), point((uint32_t)output.options[0]) {}
  __device__ __forceinline__ bool convert(const FieldIn<TileWords>& field, Value* value) const {
    ShortNumber x{0, 0, false};
    if (!short_number(field, point, &x) || x.digits > kMostExactDigits) return false;
    value->lo = (uint64_t)__double_as_longlong(divide_exactly(tables, x.digits, x.places)) | (uint64_t)x.negative << 63;
    return true;
  }
};

struct ClockKind {
  Clock clock;
  Output own; // kind, type and options[3]
  __device__ explicit ClockKind(const Output& output) : clock(output) {
    own.kind = output.kind;
    own.type = output.type;
    own.options[3] = output.options[3];
    if (output.options[7] != 0) clock.form = kSteps;
  }
  __device__ __forceinline__ bool convert(const FieldIn<TileWords>& field, Value* value) const {
    Reading x;
    int64_t v;
    if (clock.form == kSteps || !read_usual(clock, field, &x) || !value_of(own, clock, x, &v)) return false;
    value->lo = (uint64_t)v;
    return true;
  }
};

// Settles 32 rows of which a kind has not decided all, by a whole warp: done
// says that the lane's row is stored and valid.
__device__ __noinline__ void settle(const Output& output, uint32_t column, uint32_t block, bool done) {
  const Rows& rows = fused_tile().rows;
  Place place(rows, column, block);
  bool here = place.here(rows), truth = false;
  Decision decision = done ? kValid : kNull;
  if (here && !done) {
    Value value{0, 0};
    TileField field{place.start(rows), place.end(), true};
    decision = kLeft;
    if (field.start <= field.end) { // else it began before the head
      if (rows.control) field = trim_field(field.start, field.end);
      if (field.whole) decision = decide(output, FieldIn<TileWords>{TileWords(), field.start, field.end - field.start}, &value);
    }
    store(output, place.row, value);
    truth = (value.lo & 1) != 0;
  }
  uint32_t all = __ballot_sync(kAllLanes, here), valid = __ballot_sync(kAllLanes, decision == kValid);
  uint32_t left = __ballot_sync(kAllLanes, decision == kLeft), bits = __ballot_sync(kAllLanes, truth);
  if (lane_id() != 0) return;
  uint32_t word = place.row / 32;
  if (output.width == 0) atomicOr(static_cast<uint32_t*>(output.fixed) + word, bits); // Bool
  if (valid != 0) atomicOr(&output.valid[word], valid);
  uint32_t nulls = (uint32_t)__popc(all & ~valid & ~left);
  if (nulls != 0) atomicAdd(&output.counters[0], nulls);
  if (left != 0) {
    atomicOr(&output.todo[word], left);
    atomicAdd(&output.counters[1], (uint32_t)__popc(left));
  }
}

// The same for what holds nothing in registers: every row is settled.
__device__ inline void convert_other(const Output& output, uint32_t column, uint32_t block, uint32_t end) {
  for (; block < end; block++) settle(output, column, block, false);
}

// Converts the fields of one column in blocks of 32 rows, from block to end-1,
// to values of so many bytes. It is called, so that no kind's registers are
// another's, and holds little itself: its loop must not spill.
template <class Kind, uint32_t width>
__device__ __noinline__ void convert_kind(const Output& output, uint32_t column, uint32_t block, uint32_t end) {
  if ((output.flags & kTrim) || output.ntokens != 0) return convert_other(output, column, block, end);
  const Rows& rows = fused_tile().rows;
  const uint16_t* ends = fused_tile().ends;
  Kind kind(output);
  Place place(rows, column, block);
  uint32_t total = rows.total, stride = 32 * rows.columns, k = (uint32_t)place.k;
  bool control = rows.control;
  uint8_t* to = static_cast<uint8_t*>(output.fixed) + (uint64_t)place.row * width;
  uint32_t* valid = output.valid + place.row / 32;
  for (; block < end; block++, k += stride, to += 32 * width, valid++) {
    bool done = false, here = k < total;
    if (here) {
      TileField field{k != 0 ? ends[(int32_t)k - 1] + 1u : rows.before, ends[k], true};
      if (control && field.start <= field.end) field = trim_field(field.start, field.end);
      Value value{0, 0};
      done = field.start < field.end && field.whole && kind.convert(FieldIn<TileWords>{TileWords(), field.start, field.end - field.start}, &value);
      if (done && width == 8) *reinterpret_cast<uint64_t*>(to) = value.lo;
      if (done && width == 4) *reinterpret_cast<uint32_t*>(to) = (uint32_t)value.lo;
    }
    if (!__all_sync(kAllLanes, done || !here)) {
      settle(output, column, block, done);
      continue;
    }
    uint32_t bits = __ballot_sync(kAllLanes, here);
    if (lane_id() != 0) continue;
    if (bits == kAllLanes) {
      *valid = kAllLanes;
    } else {
      atomicOr(valid, bits);
    }
  }
}

__device__ __forceinline__ void convert_blocks(const Output& output, uint32_t column, uint32_t block, uint32_t end) {
  uint32_t kind = output.kind, width = output.width;
  bool integer = kind >= kInt8 && kind <= kUint64, clock = kind == kDate || kind == kTime || kind == kTimestamp;
  if (kind == kFloat64) {
    convert_kind<DoubleKind, 8>(output, column, block, end);
  } else if (integer && width == 8) {
    convert_kind<IntegerKind, 8>(output, column, block, end);
  } else if (integer && width == 4) {
    convert_kind<IntegerKind, 4>(output, column, block, end);
  } else if (clock && width == 8) {
    convert_kind<ClockKind, 8>(output, column, block, end);
  } else if (clock && width == 4) {
    convert_kind<ClockKind, 4>(output, column, block, end);
  } else {
    convert_other(output, column, block, end);
  }
}

} // namespace dfaparse
