// Neighbouring strings of a text, one a lane of a warp, and what is wanted of them.
#pragma once

#include "../partly.cuh"
#include "stage.cuh"

namespace dfaparse {

constexpr uint32_t kGroup = kWarp;              // rows, one a lane
constexpr uint32_t kCopyThreads = 256;
constexpr uint32_t kCopyWarps = kCopyThreads / kWarp;
constexpr uint32_t kCell = 16;                 // symbols
constexpr uint32_t kPartCells = 512;           // of a group that a warp copies at once
constexpr uint32_t kShortString = 64;           // bytes that a lane puts alone

// The strings of a group, one a lane.
struct Group {
  uint32_t begin, n;     // bytes of the text
  uint32_t start, stop;  // the span
  uint32_t from, to;     // bytes of the text that all have
};

// What a warp has in shared memory: a stage, and of each string of a group how many
// cells those before have; the span of its symbols, with kScattered; and where it
// begins in the text. Of a string whose cells are not of its symbols, start and stop
// are from 0 to its bytes, and `other` is its span.
struct WarpShared {
  Stage stage;
  uint32_t before[kGroup + 1], start[kGroup], stop[kGroup], begin[kGroup];
  Span other[kGroup];
};

__device__ __forceinline__ WarpShared& warp_shared() {
  __shared__ WarpShared shared[kCopyWarps];
  return shared[warp_id()];
}

// What is wanted of strings besides their bytes, and what stands behind each: of
// those of Arrow, nothing.
struct NoNotes {
  static constexpr uint32_t kTail = 0; // bytes behind each string, 0 or 1
  __device__ __forceinline__ uint32_t tail() const { return 0; }
  // n bytes that are put to byte `at` of the stage are of row, 0 < n <= 8.
  __device__ __forceinline__ void put(uint32_t at, uint32_t n, uint32_t row) {}
  // A string's last is.
  __device__ __forceinline__ void end(uint32_t at) {}
  // 16 bytes are flushed, then all that is staged: so many strings' ends, of rows from first_row on.
  __device__ __forceinline__ void slice(Bytes16 bytes) {}
  __device__ __forceinline__ void flush(uint64_t place, const Staged& x, uint32_t first_row, uint32_t strings) {}
};

// A group but for its strings' ends, which mostly are not needed, and those.
__device__ __forceinline__ Group group_of(const Text& text, uint32_t number) {
  Group x;
  uint32_t row = number * kGroup + lane_id();
  bool in = row < text.rows;
  x.begin = in ? text.offsets[row] : text.bytes;
  x.start = in ? text.span_start[row] : 0;
  x.stop = 0;
  x.to = text.offsets[min(number * kGroup + kGroup, text.rows)];
  x.from = shuffle(x.begin, 0);
  uint32_t next = shuffle_down(x.begin, 1);
  x.n = (lane_id() == kWarp - 1 ? x.to : next) - x.begin;
  return x;
}

// The same of all groups of a unit, whose rows are asked for at once: of each lane where its
// strings begin, the last one being where the unit's end, and their spans. Where text has lengths,
// they become offsets.
constexpr uint32_t kUnitGroups = kUnit / kGroup;
struct UnitRows {
  uint32_t begin[kUnitGroups + 1], start[kUnitGroups];
};

// first: number of the first group.
__device__ __forceinline__ UnitRows unit_rows(const Text& text, uint32_t first) {
  UnitRows x;
#pragma unroll
  for (uint32_t k = 0; k < kUnitGroups; k++) {
    const uint32_t row = (first + k) * kGroup + lane_id();
    const bool in = row < text.rows;
    x.begin[k] = in ? text.offsets[row] : text.units != nullptr ? 0 : text.bytes;
    x.start[k] = in ? text.span_start[row] : 0;
  }
  if (text.units == nullptr) {
    x.begin[kUnitGroups] = text.offsets[min(first * kGroup + kUnit, text.rows)];
    return x;
  }
  uint32_t at = text.units[first / kUnitGroups], n;
#pragma unroll
  for (uint32_t k = 0; k < kUnitGroups; k++, at += n) {
    x.begin[k] = at + scan_warp_exclusive(x.begin[k], Sum(), &n);
    const uint32_t row = (first + k) * kGroup + lane_id();
    if (row < text.rows) text.offsets[row] = x.begin[k];
  }
  x.begin[kUnitGroups] = at;
  return x;
}

// The next group of a unit.
__device__ __forceinline__ Group next_group(UnitRows* rows) {
  Group x;
  x.begin = rows->begin[0];
  x.start = rows->start[0];
  x.stop = 0;
  x.from = shuffle(x.begin, 0);
  x.to = shuffle(rows->begin[1], 0);
  const uint32_t next = shuffle_down(x.begin, 1);
  x.n = (lane_id() == kWarp - 1 ? x.to : next) - x.begin;
#pragma unroll
  for (uint32_t k = 0; k < kUnitGroups; k++) rows->begin[k] = rows->begin[k + 1];
#pragma unroll
  for (uint32_t k = 0; k + 1 < kUnitGroups; k++) rows->start[k] = rows->start[k + 1];
  return x;
}

// Where symbols lie side by side and stand for themselves, the length tells, and no end need be there.
template <class Notes>
__device__ __forceinline__ void find_ends(const Text& text, uint32_t number, Group* x) {
  uint32_t row = number * kGroup + lane_id();
  if (row >= text.rows) return;
  x->stop = text.encoding == kAsIs && x->start < kScattered ? x->start + (x->n - Notes::kTail) : text.span_end[row];
}

// A byte of ones for each of four bits.
__device__ __forceinline__ uint32_t ones_of(uint32_t bits) { return ((bits & 0xf) * 0x00204081u & 0x01010101u) * 0xffu; }

__device__ __forceinline__ Bytes16 masked(Bytes16 x, uint32_t bits) {
  x.low &= uint64_t(ones_of(bits >> 4)) << 32 | ones_of(bits);
  x.high &= uint64_t(ones_of(bits >> 12)) << 32 | ones_of(bits >> 8);
  return x;
}

} // namespace dfaparse
