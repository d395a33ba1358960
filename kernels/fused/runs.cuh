// Values from the fields of a tile: a warp takes 32 rows of one column at a time.
#pragma once

#include "kinds.cuh"

namespace dfaparse {

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
// at most kRun of them, to values of so many bytes. Nothing is called before all
// is converted, so that no register is spilled in between; what a kind has not
// decided is settled then. control: fields have to be trimmed.
template <class Kind, uint32_t width, bool control>
__device__ __noinline__ void convert_run(const Output& output, uint32_t column, uint32_t block, uint32_t end) {
  static_assert(kRun <= 32, "a bit a block");
  uint32_t pending = 0, decided = 0; // bit i: of block+i a row is to be settled; the lane's is not
  {
    TileAddress tile;
    const Rows& rows = fused_tile().rows;
    Kind kind(output);
    Place place(rows, column, block);
    uint32_t total = rows.total, stride = 32 * rows.columns, k = (uint32_t)place.k, lane = lane_id(), nulls = 0;
    bool empty_is_null = (output.flags & (kEmptyIsNull | kRequired | kHasDefault)) == kEmptyIsNull;
    SharedAddress boundary = tile.ends + 2 * (int32_t)k;
    uint8_t* to = static_cast<uint8_t*>(output.fixed) + (uint64_t)place.row * width;
    uint32_t* valid = output.valid + place.row / 32;
    for (uint32_t i = 0; i < end - block; i++, k += stride, boundary += 2 * stride, to += 32 * width, valid++) {
      bool done = false, here = k < total, empty = false;
      if (here) {
        uint32_t at = load16(boundary - 2) + 1, stop = load16(boundary), n = stop - at;
        if (control && at <= stop) {
          TileField field = trim_field(at, stop);
          at = field.start;
          n = field.whole ? field.end - at : ~0u;
        }
        empty = n == 0;
        Value value{0, 0};
        done = n - 1 < kHead && kind.convert(tile, at, n, &value);
        store_value<width>(to, value);
      }
      uint32_t is = __ballot_sync(kAllLanes, done);
      if (is == kAllLanes) {
        if (lane == 0) *valid = is;
        continue;
      }
      uint32_t all = __ballot_sync(kAllLanes, here), is_null = __ballot_sync(kAllLanes, empty && empty_is_null); // of which 0 is stored
      if ((is | is_null) != all) {
        pending |= 1u << i;
        decided |= (uint32_t)done << i;
      } else {
        nulls += (uint32_t)__popc(is_null);
        if (lane == 0 && is != 0) atomicOr(valid, is);
      }
    }
    if (nulls != 0 && lane == 0) atomicAdd(&output.counters[0], nulls);
  }
  for (; pending != 0; pending &= pending - 1) {
    uint32_t i = (uint32_t)__ffs((int)pending) - 1;
    settle(output, column, block + i, decided >> i & 1);
  }
}

template <class Kind, uint32_t width>
__device__ __forceinline__ void convert_kind(bool control, const Output& output, uint32_t column, uint32_t block, uint32_t end) {
  if (control) {
    convert_run<Kind, width, true>(output, column, block, end);
  } else {
    convert_run<Kind, width, false>(output, column, block, end);
  }
}

__device__ __forceinline__ void convert_blocks(const Output& output, uint32_t form, bool control, uint32_t column, uint32_t block, uint32_t end) {
  switch (form) {
  case kFormDouble: return convert_kind<DoubleKind, 8>(control, output, column, block, end);
  case kFormInt32: return convert_kind<IntegerKind<true>, 4>(control, output, column, block, end);
  case kFormInt64: return convert_kind<IntegerKind<true>, 8>(control, output, column, block, end);
  case kFormUint32: return convert_kind<IntegerKind<false>, 4>(control, output, column, block, end);
  case kFormUint64: return convert_kind<IntegerKind<false>, 8>(control, output, column, block, end);
  case kFormDecimal: return convert_kind<DecimalKind, 16>(control, output, column, block, end);
  case kFormClock32: return convert_kind<ClockKind, 4>(control, output, column, block, end);
  case kFormClock64: return convert_kind<ClockKind, 8>(control, output, column, block, end);
  case kFormLayout64: return convert_kind<LayoutKind, 8>(control, output, column, block, end);
  default: return convert_other(output, column, block, end);
  }
}

} // namespace dfaparse
