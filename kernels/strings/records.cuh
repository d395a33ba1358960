// The strings of records that lie side by side, copied into a heap. A block takes kUnit
// neighbouring rows of all texts. Their symbols lie in its shared memory, so that each is read
// once, and by whole lines, however many texts there are; its warps take one text after the
// other. A lane makes 16 bytes of the heap at a time, of as many strings as have some of them;
// where all strings have few bytes, it puts those of one string to a stage.
//
// A string that is scattered, a default or written in an encoding leaves a hole, which is listed
// and filled by copy_long.
#pragma once

#include "copy.cuh"

namespace dfaparse {

constexpr uint32_t kHole = 0xffffffffu; // in place of a string's symbols
constexpr uint32_t kFewBytes = 8;       // of each string, so that they are staged
constexpr uint32_t kWindowBefore = 16, kWindowBehind = 32; // bytes around a window that are looked at, and of no use

// What a warp has in shared memory: a stage, or of the strings of a unit that have bytes where they
// begin in the text, and what their symbols' places in the window are beyond that.
struct RecordsWarp {
  union {
    Stage stage;
    struct {
      uint32_t begin[kUnit + 1], beyond[kUnit];
    } strings;
  };
};
struct RecordsBlock {
  TextList list;
  uint32_t next; // the text that a warp takes
  RecordsWarp warps[kCopyWarps];
};

__device__ __forceinline__ RecordsBlock& records_block() {
  __shared__ RecordsBlock block;
  return block;
}

extern __shared__ uint4 records_shared[]; // kWindowBefore, the symbols, kWindowBehind
__device__ __forceinline__ const uint32_t* window_words() { return reinterpret_cast<const uint32_t*>(records_shared) + kWindowBefore / 4; }

// The symbols of a unit in shared memory. Places are counted from its first symbol.
struct InRecordsWindow {
  __device__ __forceinline__ uint32_t operator[](int32_t word) const { return window_words()[word]; }
};

// Or where they are, if there is no room. What lies before or behind the partition is not read.
struct InRecordsMemory {
  const uint32_t* words; // of the window's first symbol
  int32_t low, high;     // words from low to high-1 may be read
  __device__ __forceinline__ uint32_t operator[](int32_t word) const { return word >= low && word < high ? words[word] : 0; }
};

// 16 symbols from place p on, which may be a little below 0.
template <class Words>
__device__ __forceinline__ uint4 symbols_from(const Words& words, int32_t p) {
  const int32_t i = p >> 2;
  const uint32_t shift = 8 * (p & 3);
  const uint32_t a = words[i], b = words[i + 1], c = words[i + 2], d = words[i + 3], e = words[i + 4];
  return make_uint4(__funnelshift_r(a, b, shift), __funnelshift_r(b, c, shift), __funnelshift_r(c, d, shift), __funnelshift_r(d, e, shift));
}

// The first n bytes of a word are a's, the others b's; n may be less than 0, and more than 4.
__device__ __forceinline__ uint32_t parted(int32_t n, uint32_t a, uint32_t b) {
  const uint32_t firsts = __funnelshift_lc(~0u, 0, 8 * uint32_t(max(n, 0)));
  return (a & firsts) | (b & ~firsts);
}

// The strings of a unit, four a lane: of row number k*32+lane.
struct UnitStrings {
  uint32_t begin[kUnit / kWarp], n[kUnit / kWarp], start[kUnit / kWarp];
  uint32_t from, to; // bytes of the text that all have
};

__device__ __forceinline__ UnitStrings unit_strings(const Text& text, uint32_t first) {
  UnitStrings x;
  uint32_t end = 0;
#pragma unroll
  for (uint32_t k = 0; k < kUnit / kWarp; k++) {
    const uint32_t row = first + k * kWarp + lane_id();
    const bool in = row < text.rows;
    x.begin[k] = in ? text.offsets[row] : text.bytes;
    end = in ? text.offsets[row + 1] : text.bytes;
    x.start[k] = in ? text.span_start[row] : 0;
    x.n[k] = end - x.begin[k];
  }
  x.from = shuffle(x.begin[0], 0);
  x.to = shuffle(end, kWarp - 1);
  return x;
}

// Writes those bytes of the slice at s that are from to to-1 of the text, by a whole warp: one
// whose slice is `mine` has bytes x there.
__device__ __forceinline__ void put_slices(const Text& text, uint32_t s, uint4 x, bool mine, uint32_t from, uint32_t to) {
  const bool whole = s >= from && s + kSlice <= to;
  if (mine && whole) *reinterpret_cast<uint4*>(text.to + s) = x;
  for (uint32_t parts = __ballot_sync(kAllLanes, mine && !whole); parts != 0; parts &= parts - 1) {
    const uint32_t of = uint32_t(__ffs(int(parts))) - 1, lane = lane_id(), at = shuffle(s, of) + lane;
    const uint32_t words[4] = {shuffle(x.x, of), shuffle(x.y, of), shuffle(x.z, of), shuffle(x.w, of)};
    const uint32_t word = lane & 8 ? lane & 4 ? words[3] : words[2] : lane & 4 ? words[1] : words[0];
    if (lane < kSlice && at >= from && at < to) text.to[at] = uint8_t(word >> 8 * (lane & 3));
  }
}

// Copies the strings of a unit: `there` says of the lane's which are no holes. origin: the
// window's first symbol. By a whole warp.
template <class Words>
__device__ __forceinline__ void copy_strings(const Text& text, const UnitStrings& x, uint32_t there, uint32_t origin, const Words& words, RecordsWarp& warp) {
  const uint32_t lane = lane_id(), before = (1u << lane) - 1;
  uint32_t n = 0;
  __syncwarp(); // what is there has been read
#pragma unroll
  for (uint32_t k = 0; k < kUnit / kWarp; k++) {
    const uint32_t some = __ballot_sync(kAllLanes, x.n[k] != 0), at = n + uint32_t(__popc(int(some & before)));
    if (x.n[k] != 0) {
      warp.strings.begin[at] = x.begin[k];
      warp.strings.beyond[at] = there >> k & 1 ? x.start[k] - origin - x.begin[k] : kHole;
    }
    n += uint32_t(__popc(int(some)));
  }
  for (uint32_t i = n + lane; i <= kUnit; i += kWarp) warp.strings.begin[i] = x.to;
  __syncwarp();
  for (uint32_t base = x.from & ~(kSlice - 1); base < x.to; base += kWarp * kSlice) {
    const uint32_t s = base + lane * kSlice, stop = min(s + kSlice, x.to);
    uint32_t at = max(s, x.from), i = 0;
    uint4 bytes = make_uint4(0, 0, 0, 0);
    if (at < stop) {
#pragma unroll
      for (uint32_t d = kUnit / 2; d != 0; d /= 2) { // the last that begins there or before
        if (warp.strings.begin[i + d] <= at) i += d;
      }
    }
    while (at < stop) {
      const uint32_t beyond = warp.strings.beyond[i], end = warp.strings.begin[i + 1];
      const uint4 y = beyond != kHole ? symbols_from(words, int32_t(s + beyond)) : make_uint4(0, 0, 0, 0);
      const int32_t has = int32_t(at - s);
      bytes = make_uint4(parted(has, bytes.x, y.x), parted(has - 4, bytes.y, y.y), parted(has - 8, bytes.z, y.z), parted(has - 12, bytes.w, y.w));
      at = end;
      i++;
    }
    put_slices(text, s, bytes, s < x.to, x.from, x.to);
  }
}

// The same of strings of up to kFewBytes each.
template <class Words>
__device__ __forceinline__ void stage_strings(const Text& text, const UnitStrings& x, uint32_t there, uint32_t origin, const Words& words, RecordsWarp& warp) {
  static_assert(kUnit * kFewBytes + 2 * kSlice <= kStageBytes, "a unit has room");
  const uint32_t base = x.from & ~(kSlice - 1);
  __syncwarp();
  for (uint32_t i = lane_id(); i < kStagePad + ((x.to - base + kSlice - 1) & ~(kSlice - 1)) / 4; i += kWarp) warp.stage.padded[i] = 0;
  __syncwarp();
#pragma unroll
  for (uint32_t k = 0; k < kUnit / kWarp; k++) {
    if (x.n[k] == 0 || !(there >> k & 1)) continue;
    const int32_t p = int32_t(x.start[k] - origin), i = p >> 2;
    const uint64_t bytes = shifted8(words[i], words[i + 1], words[i + 2], 8 * (p & 3));
    warp.stage.put(x.begin[k] - base, bytes & ~uint64_t(0) >> (64 - 8 * x.n[k]));
  }
  warp.stage.flush(text.to, Staged{base, x.from - base, x.to - base}, [](Bytes16) {});
}

// Lists the holes of a group, or all of it if they are many or long. By a whole warp.
template <class Set>
__device__ __noinline__ void list_holes(const Job& job, Set set, uint32_t rows, uint32_t i, uint32_t group) {
  constexpr uint32_t kMostHoles = 8, kMostBytes = 2048;
  const Text text = placed_text(set, i, rows);
  Group x = group_of(text, group);
  const bool is = x.n != 0 && (text.encoding != kAsIs || x.start >= kScattered);
  const uint32_t holes = __ballot_sync(kAllLanes, is);
  if (holes == 0) return;
  if (uint32_t(__popc(int(holes))) <= kMostHoles && __ballot_sync(kAllLanes, is && x.n > kMostBytes) == 0) {
    LongParts(job).add_holes(i, group, holes);
    return;
  }
  find_ends(text, group, &x);
  uint32_t cells;
  scan_warp_exclusive(cells_of<NoNotes>(text, x), Sum(), &cells);
  LongParts(job).add(i, group, lane_id() == 0 ? cells : 0);
}

// The rows of a unit from `first` on of text number i, but for holes, which are listed. By a whole warp.
template <class Set, class Words>
__device__ __forceinline__ void copy_records(const Job& job, const Set& set, uint32_t rows, uint32_t i, uint32_t first, uint32_t origin, const Words& words, RecordsWarp& warp) {
  const Text text = placed_text(set, i, rows);
  const UnitStrings x = unit_strings(text, first);
  if (first + kUnit >= text.rows) { // what is behind the last string is 0
    for (uint32_t at = text.bytes + lane_id(); at < heap_size_of(text.bytes); at += kWarp) text.to[at] = 0;
  }
  if (x.from == x.to) return;
  uint32_t there = 0;
  bool few = true, whole = true;
#pragma unroll
  for (uint32_t k = 0; k < kUnit / kWarp; k++) {
    const bool is = text.encoding == kAsIs && x.start[k] < kScattered;
    there |= uint32_t(is) << k;
    few = few && x.n[k] <= kFewBytes;
    whole = whole && (is || x.n[k] == 0);
  }
  if (__ballot_sync(kAllLanes, few) == kAllLanes) {
    stage_strings(text, x, there, origin, words, warp);
  } else {
    copy_strings(text, x, there, origin, words, warp);
  }
  if (__ballot_sync(kAllLanes, whole) != kAllLanes) {
    for (uint32_t group = first / kGroup; group * kGroup < min(first + kUnit, rows); group++) list_holes(job, set, rows, i, group);
  }
}

// The same where the symbols have no room, which few units have not.
template <class Set>
__device__ __noinline__ void copy_long_records(const Job& job, Set set, uint32_t rows, uint32_t i, uint32_t first, uint32_t origin, RecordsWarp& warp) {
  const int32_t low = -int32_t(origin / 4), high = int32_t((job.size + 3) / 4) + low;
  copy_records(job, set, rows, i, first, origin, InRecordsMemory{reinterpret_cast<const uint32_t*>(job.data + origin), low, high}, warp);
}

// Fills the heap of a set, but for what is listed. Any grid. Row r's symbols lie before
// record_end[r]; the block has room for so many, a multiple of 16.
template <class Set>
__device__ inline void copy_all_records(const Job& job, const Set& set, uint32_t rows, const uint32_t* record_end, uint32_t room) {
  RecordsBlock& block = records_block();
  RecordsWarp& warp = block.warps[warp_id()];
  list_texts(set, &block.list);
  const bool listed = block.list.n <= kMostTexts;
  const uint32_t units = (rows + kUnit - 1) / kUnit, texts = listed ? block.list.n : set.count();
  if (texts == 0) return;
  for (uint32_t unit = blockIdx.x; unit < units; unit += gridDim.x) {
    const uint32_t first = unit * kUnit, end = min(first + kUnit, rows);
    const uint32_t origin = (first == 0 ? 0 : record_end[first - 1] + 1) & ~15u, size = record_end[end - 1] + 1 - origin;
    const bool fits = size <= room;
    if (threadIdx.x == 0) block.next = 0;
    if (fits) {
      const uint4* source = reinterpret_cast<const uint4*>(job.data + origin);
#pragma unroll 4
      for (uint32_t i = threadIdx.x; i < (size + 15) / 16; i += kCopyThreads) records_shared[kWindowBefore / 16 + i] = __ldg(source + i);
    }
    __syncthreads();
    for (;;) {
      uint32_t k = lane_id() == 0 ? atomicAdd(&block.next, 1u) : 0;
      k = shuffle(k, 0);
      if (k >= texts) break;
      const uint32_t i = listed ? block.list.of[k] : k;
      if (!listed && (set.offsets(i) == nullptr || set.counters(i)[5] != 0)) continue;
      if (fits) {
        copy_records(job, set, rows, i, first, origin, InRecordsWindow(), warp);
      } else {
        copy_long_records(job, set, rows, i, first, origin, warp);
      }
    }
    __syncthreads();
  }
}

} // namespace dfaparse
