// The strings of a set, copied into its heap. A warp takes kUnit neighbouring rows
// of one text, a row a lane at a time. Groups of strings that are short and lie
// side by side meet in shared memory (stage.cuh). Others are listed, those with many
// bytes in parts, so that all warps have as much to do; of them, each lane makes 16
// bytes of the heap at a time (slice.cuh).
//
// The heap's 16 bytes around the ends of what a warp has belong to two: each
// writes its own bytes of them.
#pragma once

#include "stage.cuh"

namespace dfaparse {

constexpr uint32_t kGroup = kWarp;              // rows, one a lane
constexpr uint32_t kUnit = 128;                 // rows of a warp: strings.go has it too
constexpr uint32_t kCopyThreads = 256;
constexpr uint32_t kCopyWarps = kCopyThreads / kWarp;
constexpr uint32_t kLongPart = 4096;            // bytes of such a part, or less: strings.go has it too
constexpr uint32_t kLongGroup = 2 * kLongPart;  // bytes of a group that is copied in parts
constexpr uint32_t kShortString = 64;           // bytes that a lane puts alone

// The strings of a group, one a lane.
struct Group {
  uint32_t begin, n;     // bytes of the text
  uint32_t start, stop;  // the span
  uint32_t from, to;     // bytes of the text that all have
};

// What a warp has in shared memory: a stage, and where the strings of a group are.
struct WarpShared {
  Stage stage;
  uint32_t offset[kGroup + 1]; // in the text
  uint32_t start[kGroup], end[kGroup];
  uint32_t rank[kGroup]; // data symbols before the start, if they are scattered
};

__device__ __forceinline__ WarpShared& warp_shared() {
  __shared__ WarpShared shared[kCopyWarps];
  return shared[warp_id()];
}

// What is wanted of strings besides their bytes, and what stands behind each: of
// those of Arrow, nothing. Slices are noted in registers, what is staged in shared memory.
struct NoNotes {
  static constexpr uint32_t kTail = 0; // bytes behind each string, 0 or 1
  __device__ __forceinline__ uint32_t tail() const { return 0; }
  // Of a slice, n bytes from number `from` on are of row, and its last if `ends`.
  __device__ __forceinline__ void note(uint64_t place, uint32_t from, uint32_t n, uint32_t row, bool ends) {}
  // The slice is complete: bytes low to high-1 of it are the warp's.
  __device__ __forceinline__ void store(uint64_t place, Bytes16 bytes, uint32_t low, uint32_t high) {}
  // The same of up to 8 bytes that are put to byte `at` of the stage, of a string's
  // end, and of what is flushed.
  __device__ __forceinline__ void put(uint32_t at, uint32_t n, uint32_t row) {}
  __device__ __forceinline__ void end(uint32_t at) {}
  __device__ __forceinline__ void slice(Bytes16 bytes) {}
  __device__ __forceinline__ void flush(uint64_t place, const Staged& x, uint32_t first_row, uint32_t strings) {}
};

// Where strings that lie side by side are read: in memory.
struct InMemory {
  __device__ __forceinline__ uint64_t load(const uint8_t* source, uint32_t at, uint32_t n) const { return load8(source + at, n); }
};

// n bytes of a string that is written in an encoding, or is the default, from
// number `from` on, n <= 16.
__device__ __forceinline__ Bytes16 other_bytes(const Text& text, uint32_t start, uint32_t end, uint32_t from, uint32_t n) {
  if (start < kScattered) return decoded(text.encoding, Field{(const uint32_t*)text.source, start, end - start}, from, n);
  Slice slice = {{0, 0}, 0};
  for (uint32_t k = 0; k < n; k++) slice.add(Bytes16{text.default_bytes[from + k], 0}, 1);
  return slice.bytes;
}

__device__ __forceinline__ bool is_scattered(uint32_t start) { return start >= kScattered && start < kDefaultText; }

// Writes bytes from to to-1 of the 16 at `at` of the heap.
__device__ __forceinline__ void write_part(uint8_t* at, Bytes16 bytes, uint32_t from, uint32_t to) {
  for (uint32_t i = from; i < to; i++) at[i] = uint8_t((i < 8 ? bytes.low : bytes.high) >> 8 * (i & 7));
}

// By a whole warp: whether a group's strings can be staged: they lie side by
// side, and each is short.
template <class Notes>
__device__ __forceinline__ bool is_short(const Text& text, const Group& x) {
  bool plain = x.n <= kShortString && (x.n <= Notes::kTail || x.start < kScattered);
  return text.encoding == kAsIs && x.to - x.from <= kStageBytes - 2 * kSlice && __ballot_sync(kAllLanes, !plain) == 0;
}

// Stages them; the stage begins at byte base of the text.
template <class Source, class Notes>
__device__ __forceinline__ void stage_group(const Text& text, const Source& source, const Group& x, uint32_t row, uint32_t base, Stage& stage, Notes& notes) {
  if (x.n == 0) return;
  uint32_t at = x.begin - base, symbols = x.n - Notes::kTail;
  for (uint32_t i = 0; i < x.n; i += 8) {
    uint32_t n = min(symbols - i, 8u);
    uint64_t bytes = 0;
    if (n != 0) bytes = source.load(text.source, x.start + i, n) & ~uint64_t(0) >> (64 - 8 * n);
    if (Notes::kTail != 0 && n < 8) bytes |= uint64_t(notes.tail()) << 8 * n;
    stage.put(at + i, bytes);
    notes.put(at + i, min(x.n - i, 8u), row);
  }
  notes.end(at + x.n - 1);
}

// By a whole warp: bytes from to to-1 of the text, all of group x, whose first row
// is first_row. Each lane finds the string of its 16 bytes, and those that follow.
template <class Notes>
__device__ __forceinline__ void copy_slices(const Job& job, const Text& text, const Group& x, uint32_t first_row, uint32_t from, uint32_t to, const Notes& all) {
  uint32_t lane = lane_id();
  WarpShared& at_hand = warp_shared();
  __syncwarp(); // what is there has been read
  at_hand.offset[lane] = x.begin;
  at_hand.start[lane] = x.start;
  at_hand.end[lane] = x.stop;
  at_hand.rank[lane] = x.n != 0 && is_scattered(x.start) ? data_rank(job, x.start & ~kScattered) : 0;
  if (lane == 0) at_hand.offset[kGroup] = x.to;
  __syncwarp();

  uint32_t of = kGroup, gaps = 0; // so many symbols of string `of` are known to be no data
  for (uint32_t at = (from & ~(kSlice - 1)) + lane * kSlice; at < to; at += kWarp * kSlice) {
    uint32_t p = max(at, from), end = min(at + kSlice, to), low = p - at;
    uint32_t i = 0; // the last string that begins at p or before it
#pragma unroll
    for (uint32_t d = kGroup / 2; d != 0; d /= 2) {
      if (at_hand.offset[i + d] <= p) i += d;
    }
    Slice slice = {{0, 0}, low};
    Notes notes = all;
    for (; p < end; i++) {
      uint32_t begin = at_hand.offset[i], next = at_hand.offset[i + 1], n = min(next, end) - p;
      if (n == 0) continue;
      bool ends = p + n == next;
      notes.note(text.place + at, p - at, n, first_row + i, ends);
      uint32_t tail = ends ? Notes::kTail : 0, symbols = n - tail;
      if (symbols != 0) {
        uint32_t start = at_hand.start[i], stop = at_hand.end[i], skip = p - begin;
        if (text.encoding != kAsIs || start >= kDefaultText) {
          slice.add(other_bytes(text, start, stop, skip, symbols), symbols);
        } else {
          Located found = {start + skip, ~0u};
          uint32_t rank = at_hand.rank[i] + skip;
          if (start >= kScattered) {
            if (of != i) gaps = 0;
            of = i;
            start &= ~kScattered;
            found = locate(job, rank, start + skip + gaps, stop);
            gaps = found.p - start - skip;
          }
          add_located(job, text.source, found, stop, rank, symbols, &slice);
        }
      }
      if (tail != 0) slice.add(Bytes16{notes.tail(), 0}, 1);
      p += n;
    }
    if (end - at == kSlice && low == 0) {
      *reinterpret_cast<Bytes16*>(text.to + at) = slice.bytes;
    } else {
      write_part(text.to + at, slice.bytes, low, end - at);
    }
    notes.store(text.place + at, slice.bytes, low, end - at);
  }
}

// The groups that are not staged, in parts. The scratch memory is that of
// scan_texts, which is done with it: the second word of its header, zero before,
// counts the parts, which lie behind the header. If there is no room for some,
// the third word, zero before, is set.
struct LongParts {
  uint32_t* count;
  uint32_t* full;
  uint4* parts; // text, group, from, to
  uint32_t capacity;

  __device__ explicit LongParts(const Job& job)
      : count(static_cast<uint32_t*>(job.scratch) + 1), full(count + 1),
        parts(reinterpret_cast<uint4*>(static_cast<uint8_t*>(job.scratch) + kOffsetsHeader)),
        capacity(uint32_t(min((job.scratch_size - kOffsetsHeader) / sizeof(uint4), uint64_t(0x7fffffffu)))) {}

  // By a whole warp: the text's bytes from to to-1, which are not none.
  __device__ void add(uint32_t text, uint32_t group, uint32_t from, uint32_t to) const {
    uint32_t first = from & ~(kSlice - 1), n = to - from <= kLongGroup ? 1 : (to - first + kLongPart - 1) / kLongPart;
    uint32_t size = ((to - first + n - 1) / n + kSlice - 1) & ~(kSlice - 1);
    uint32_t at = lane_id() == 0 ? atomicAdd(count, n) : 0;
    at = shuffle(at, 0);
    if (at >= capacity || n > capacity - at) {
      *full = 1;
      return;
    }
    for (uint32_t i = lane_id(); i < n; i += kWarp) {
      uint32_t begin = min(first + i * size, to), end = to - begin < size ? to : begin + size;
      parts[at + i] = make_uint4(text, group, max(begin, from), end);
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

__device__ __forceinline__ Group group_of(const Text& text, uint32_t number) {
  Group x;
  uint32_t row = number * kGroup + lane_id();
  bool in = row < text.rows;
  x.begin = in ? text.offsets[row] : text.bytes;
  x.start = in ? text.span_start[row] : 0;
  x.stop = in ? text.span_end[row] : 0;
  x.to = text.offsets[min(number * kGroup + kGroup, text.rows)];
  x.from = shuffle(x.begin, 0);
  uint32_t next = shuffle_down(x.begin, 1);
  x.n = (lane_id() == kWarp - 1 ? x.to : next) - x.begin;
  return x;
}

// By a whole warp: the rows of a unit of text number i, but for groups that are
// listed. The stage is clear, and is left so.
template <class Source, class Notes>
__device__ __forceinline__ void copy_unit(const Job& job, const Text& text, uint32_t i, uint32_t unit, const Source& source, Notes& notes) {
  Stage& stage = warp_shared().stage;
  uint32_t groups = (text.rows + kGroup - 1) / kGroup, first = unit * (kUnit / kGroup), end = min(first + kUnit / kGroup, groups);
  Group next = group_of(text, first);
  Staged staged = {0, 0, 0};
  uint32_t strings = 0; // that are staged
  auto flush = [&] {
    if (staged.left == 0) return;
    stage.flush(text.to, staged, [&](Bytes16 bytes) { notes.slice(bytes); });
    notes.flush(text.place, staged, unit * kUnit, strings);
    staged.left = strings = 0;
  };
  for (uint32_t g = first; g < end; g++) {
    Group x = next;
    if (g + 1 < end) next = group_of(text, g + 1);
    if (g == groups - 1) { // what is behind the last string is 0
      for (uint32_t at = x.to + lane_id(); at < heap_size_of(x.to); at += kWarp) text.to[at] = 0;
    }
    if (x.from == x.to) continue;
    bool fits = is_short<Notes>(text, x);
    if (!fits || x.to - staged.base > kStageBytes - 8) flush();
    if (!fits) {
      LongParts(job).add(i, g, x.from, x.to);
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
}

// Fills the heap of a set, but for groups that are listed. Grid: x over units, y
// over texts.
template <class Set>
__device__ inline void copy_texts(const Job& job, const Set& set, uint32_t rows) {
  uint32_t units = (rows + kUnit - 1) / kUnit, warps = gridDim.x * kCopyWarps, warp = blockIdx.x * kCopyWarps + warp_id();
  if (warp >= units) return;
  warp_shared().stage.clear();
  for (uint32_t i = blockIdx.y; i < set.count(); i += gridDim.y) {
    if (set.offsets(i) == nullptr || set.counters(i)[5] != 0) continue;
    Text text = placed_text(set, i, rows);
    NoNotes notes;
    for (uint32_t u = warp; u < units; u += warps) copy_unit(job, text, i, u, InMemory(), notes);
  }
}

// Copies what is listed; if the list has no room for some, all that would be.
template <class Set, class Notes>
__device__ inline void copy_long(const Job& job, const Set& set, uint32_t rows, const Notes& notes) {
  LongParts list(job);
  bool full = *list.full != 0;
  uint32_t groups = (rows + kGroup - 1) / kGroup, warps = gridDim.x * kCopyWarps, warp = blockIdx.x * kCopyWarps + warp_id();
  uint64_t n = full ? uint64_t(groups) * set.count() : *list.count;
  for (uint64_t k = warp; k < n; k += warps) {
    uint4 part = full ? make_uint4(uint32_t(k / groups), uint32_t(k % groups), 0, 0) : list.parts[k];
    if (full && (set.offsets(part.x) == nullptr || set.counters(part.x)[5] != 0)) continue;
    Text text = placed_text(set, part.x, rows);
    Group x = group_of(text, part.y);
    if (full) {
      if (x.from == x.to || is_short<Notes>(text, x)) continue;
      part.z = x.from;
      part.w = x.to;
    }
    copy_slices(job, text, x, part.y * kGroup, part.z, part.w, notes);
  }
}

} // namespace dfaparse
