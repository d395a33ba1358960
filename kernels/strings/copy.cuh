// The strings of a set, copied into its heap. A warp takes kUnit neighbouring rows
// of one text, a row a lane at a time. Groups of strings that are short and lie
// side by side meet in shared memory (stage.cuh). Others are listed, and copied by
// cells of 16 symbols, a lane each: the warp has as many strings as that are, and
// all warps as much to do.
//
// The heap's 16 bytes around the ends of what a warp has belong to two: each
// writes its own bytes of them.
#pragma once

#include "cells.cuh"

namespace dfaparse {

// Where strings that lie side by side are read: in memory.
struct InMemory {
  __device__ __forceinline__ uint64_t load(const uint8_t* source, uint32_t at, uint32_t n) const { return load8(source + at, n); }
  __device__ __forceinline__ Bytes16 load_more(const uint8_t* source, uint32_t at, uint32_t n) const { return load16(source + at, n); }
};

// By a whole warp: whether a group's strings can be staged: they lie side by
// side, and each is short.
template <class Notes>
__device__ __forceinline__ bool is_short(const Text& text, const Group& x) {
  bool plain = x.n <= kShortString && (x.n <= Notes::kTail || x.start < kScattered);
  return text.encoding == kAsIs && x.to - x.from <= kStageBytes - 3 * kSlice && __ballot_sync(kAllLanes, !plain) == 0;
}

// Stages them; the stage begins at byte base of the text. Where all have few bytes,
// a lane puts 8 at a time, else 16.
template <class Source, class Notes>
__device__ __forceinline__ void stage_group(const Text& text, const Source& source, const Group& x, uint32_t row, uint32_t base, Stage& stage, Notes& notes) {
  uint32_t at = x.begin - base, symbols = x.n - Notes::kTail;
  if (__ballot_sync(kAllLanes, x.n > 8) == 0) {
    if (x.n == 0) return;
    uint64_t bytes = 0;
    if (symbols != 0) bytes = source.load(text.source, x.start, symbols) & ~uint64_t(0) >> (64 - 8 * symbols);
    if (Notes::kTail != 0) bytes |= uint64_t(notes.tail()) << 8 * symbols;
    stage.put(at, bytes);
    notes.put(at, x.n, row);
    notes.end(at + x.n - 1);
    return;
  }
  for (uint32_t i = 0; i < x.n; i += kSlice) {
    uint32_t n = min(symbols - i, kSlice);
    Bytes16 bytes = {0, 0};
    if (n != 0) bytes = masked(source.load_more(text.source, x.start + i, n), (1u << n) - 1);
    if (Notes::kTail != 0 && n < kSlice) (n < 8 ? bytes.low : bytes.high) |= uint64_t(notes.tail()) << 8 * (n & 7);
    stage.put(int32_t(at + i), bytes);
    notes.put(at + i, min(x.n - i, 8u), row);
    if (x.n - i > 8) notes.put(at + i + 8, min(x.n - i - 8, 8u), row);
  }
  if (x.n != 0) notes.end(at + x.n - 1);
}

// The groups that are not staged, in parts. The scratch memory is that of
// scan_texts, which is done with it: the second word of its header, zero before,
// counts the parts, which lie behind the header. If there is no room for some,
// the third word, zero before, is set.
struct LongParts {
  static constexpr uint32_t kHoles = 1u << 31;
  uint32_t* count;
  uint32_t* full;
  uint4* parts; // text, group, cells from, to; or, beside kHoles, text, group, which of its strings
  uint32_t capacity;

  __device__ explicit LongParts(const Job& job)
      : count(static_cast<uint32_t*>(job.scratch) + 1), full(count + 1),
        parts(reinterpret_cast<uint4*>(static_cast<uint8_t*>(job.scratch) + kOffsetsHeader)),
        capacity(uint32_t(min((job.scratch_size - kOffsetsHeader) / sizeof(uint4), uint64_t(0x7fffffffu)))) {}

  // By a whole warp: of a group only these strings.
  __device__ void add_holes(uint32_t text, uint32_t group, uint32_t which) const {
    if (lane_id() != 0) return;
    const uint32_t at = atomicAdd(count, 1u);
    if (at >= capacity) {
      *full = 1;
    } else {
      parts[at] = make_uint4(text | kHoles, group, which, 0);
    }
  }

  // By a whole warp: groups from `first` on, a lane each, that have so many cells.
  __device__ void add(uint32_t text, uint32_t first, uint32_t cells) const {
    uint32_t parts_of = (cells + kPartCells - 1) / kPartCells, total, before = scan_warp_exclusive(parts_of, Sum(), &total);
    uint32_t at = lane_id() == 0 ? atomicAdd(count, total) : 0;
    at = shuffle(at, 0);
    if (at >= capacity || total > capacity - at) {
      *full = 1;
      return;
    }
    for (uint32_t left = __ballot_sync(kAllLanes, cells != 0); left != 0; left &= left - 1) {
      uint32_t k = uint32_t(__ffs(int(left))) - 1, n = shuffle(parts_of, k), size = (shuffle(cells, k) + n - 1) / n, to = at + shuffle(before, k);
      for (uint32_t i = lane_id(); i < n; i += kWarp) parts[to + i] = make_uint4(text, first + k, i * size, (i + 1) * size);
    }
  }
};

template <class Set>
__device__ __forceinline__ Text placed_text(const Set& set, uint32_t i, uint32_t rows) {
  const uint32_t* counters = set.counters(i);
  Text text = set.text(i);
  text.bytes = counters[5] != 0 ? 0 : counters[2];
  text.rows = rows;
  text.place = heap_offset(counters);
  text.to = set.heap() + text.place;
  return text;
}

// By a whole warp: the rows of a unit of text number i, but for groups that are
// listed. The stage is clear, and is left so.
template <class Source, class Notes>
__device__ __forceinline__ void copy_unit(const Job& job, const Text& text, uint32_t i, uint32_t unit, const Source& source, Notes& notes) {
  Stage& stage = warp_shared().stage;
  uint32_t groups = (text.rows + kGroup - 1) / kGroup, first = unit * (kUnit / kGroup), end = min(first + kUnit / kGroup, groups);
  UnitRows rows = unit_rows(text, first);
  Staged staged = {0, 0, 0};
  uint32_t strings = 0; // that are staged
  uint32_t listed = 0;  // cells of the group that the lane has
  auto flush = [&] {
    if (staged.left == 0) return;
    stage.flush(text.to, staged, [&](Bytes16 bytes) { notes.slice(bytes); });
    notes.flush(text.place, staged, unit * kUnit, strings);
    staged.left = strings = 0;
  };
#pragma unroll 1
  for (uint32_t g = first; g < end; g++) {
    Group x = next_group(&rows);
    if (g == groups - 1) { // what is behind the last string is 0
      for (uint32_t at = x.to + lane_id(); at < heap_size_of(x.to); at += kWarp) text.to[at] = 0;
    }
    if (x.from == x.to) continue;
    bool fits = is_short<Notes>(text, x);
    if (!fits || x.to - staged.base > kStageBytes - 2 * kSlice) flush();
    if (!fits) {
      uint32_t cells;
      find_ends<Notes>(text, g, &x);
      scan_warp_exclusive(cells_of<Notes>(text, x), Sum(), &cells);
      if (lane_id() == g - first) listed = cells;
      continue;
    }
    if (staged.left == 0) {
      staged.base = x.from & ~(kSlice - 1);
      staged.skip = x.from - staged.base;
    }
    staged.left = x.to - staged.base;
    strings += min(kGroup, text.rows - g * kGroup);
    stage_group(text, source, x, g * kGroup + lane_id(), staged.base, stage, notes);
  }
  flush();
  if (__ballot_sync(kAllLanes, listed != 0) != 0) LongParts(job).add(i, first, listed);
}

// Whether a text of a set has bytes that are copied.
template <class Set>
__device__ __forceinline__ bool has_bytes(const Set& set, uint32_t i) { return set.offsets(i) != nullptr && set.counters(i)[5] == 0; }

// The texts of a set that `is` says there is something to do of, by a whole block; none if they are too many to be listed.
constexpr uint32_t kMostTexts = 256;
struct TextList {
  uint32_t n;
  uint16_t of[kMostTexts];
};
template <class Is>
__device__ __forceinline__ void list_texts(uint32_t count, const Is& is_one, TextList* list) {
  if (warp_id() == 0) {
    uint32_t n = 0;
    for (uint32_t first = 0; first < count; first += kWarp) {
      const uint32_t i = first + lane_id();
      const bool is = i < count && is_one(i);
      const uint32_t some = __ballot_sync(kAllLanes, is), at = n + uint32_t(__popc(int(some & ((1u << lane_id()) - 1))));
      if (is && at < kMostTexts) list->of[at] = uint16_t(i);
      n += uint32_t(__popc(int(some)));
    }
    if (lane_id() == 0) list->n = n;
  }
  __syncthreads();
}

// Calls f(i, unit) for units of kRows rows of the texts of a set that `is` says there is something to do of, by warps.
// Neighbouring ones take the texts of the same rows, whose symbols lie side by side. Some texts have more bytes than
// others, so a warp takes one text after the other.
template <uint32_t kRows, class Is, class F>
__device__ __forceinline__ void each_unit(uint32_t count, uint32_t rows, const Is& is, const F& f) {
  __shared__ TextList list;
  list_texts(count, is, &list);
  const bool listed = list.n <= kMostTexts;
  const uint32_t units = (rows + kRows - 1) / kRows, texts = listed ? list.n : count, warp = blockIdx.x * kCopyWarps + warp_id();
  if (units == 0 || texts == 0) return;
  const uint32_t all = gridDim.x * kCopyWarps, warps = all > texts ? all - (all - 1) % texts : all; // one more than a multiple of texts
  if (warp >= warps) return;
  uint32_t unit = warp / texts, k = warp % texts;
  while (unit < units) {
    const uint32_t i = listed ? list.of[k] : k;
    if (listed || is(i)) f(i, unit);
    unit += warps / texts;
    k += warps % texts;
    if (k >= texts) {
      k -= texts;
      unit++;
    }
  }
}

// Fills the heap of a set, but for groups that are listed. Any grid.
template <class Set>
__device__ inline void copy_texts(const Job& job, const Set& set, uint32_t rows) {
  warp_shared().stage.clear();
  NoNotes notes;
  each_unit<kUnit>(set.count(), rows, [&](uint32_t i) { return has_bytes(set, i); }, [&](uint32_t i, uint32_t unit) { copy_unit(job, placed_text(set, i, rows), i, unit, InMemory(), notes); });
}

// Copies what is listed; if the list has no room for some, all that would be. has_holes: some
// parts may be holes.
template <bool has_holes, class Set, class Notes>
__device__ inline void copy_long(const Job& job, const Set& set, uint32_t rows, const Notes& notes) {
  fill_cell_tables();
  LongParts list(job);
  bool full = *list.full != 0;
  uint32_t groups = (rows + kGroup - 1) / kGroup, warps = gridDim.x * kCopyWarps, warp = blockIdx.x * kCopyWarps + warp_id();
  uint64_t n = full ? uint64_t(groups) * set.count() : *list.count;
  if (warp >= n) return;
  warp_shared().stage.clear();
  for (uint64_t k = warp; k < n; k += warps) {
    uint4 part = full ? make_uint4(uint32_t(k / groups), uint32_t(k % groups), 0, 0xffffffffu) : list.parts[k];
    if (full && !has_bytes(set, part.x)) continue;
    uint32_t holes = has_holes && (part.x & LongParts::kHoles) ? part.z : 0;
    Text text = placed_text(set, has_holes ? part.x & ~LongParts::kHoles : part.x, rows);
    Group x = group_of(text, part.y);
    if (full && (x.from == x.to || is_short<Notes>(text, x))) continue;
    find_ends<Notes>(text, part.y, &x);
    if (holes == 0) CellCopier<Notes>(job, text, x, part.y * kGroup, notes).copy(part.z, part.w);
    for (; holes != 0; holes &= holes - 1) {
      Group one = x;
      if (lane_id() != uint32_t(__ffs(int(holes))) - 1) one.n = 0;
      CellCopier<Notes>(job, text, one, part.y * kGroup, notes).copy(0, 0xffffffffu);
    }
  }
}

} // namespace dfaparse
