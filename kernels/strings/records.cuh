// The strings of records that lie side by side, copied into a heap. A block takes kUnit
// neighbouring rows of all texts. Their symbols lie in its shared memory, so that each is read
// once, and by whole lines, however many texts there are. First each warp finds where strings of a
// text begin; then the warps share what there is to copy, whatever text it is of: a lane makes 16
// bytes of the heap, of as many strings as have some of them.
//
// A string that is scattered, a default or written in an encoding leaves a hole, which is listed
// and filled by copy_long.
#pragma once

#include "../async.cuh"
#include "copy.cuh"

namespace dfaparse {

constexpr uint32_t kHole = 1u << 31; // in place of where a string's symbols are: a text has fewer bytes
constexpr uint32_t kTextsAtOnce = 16;   // by a block
constexpr uint32_t kWindowBefore = 16, kWindowBehind = 32; // bytes around a window that are looked at, and of no use

// Of the strings of a unit that have bytes, where they begin in the text, and what their symbols'
// places in the window are beyond that.
struct StringPlaces {
  uint32_t begin[kUnit + 1], beyond[kUnit];
};
struct RecordsBlock {
  TextList list;
  uint8_t* to[kTextsAtOnce]; // where the texts are in the heap
  uint32_t from[kTextsAtOnce], end[kTextsAtOnce]; // their bytes that the unit has
  StringPlaces places[kTextsAtOnce];
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

// Writes those bytes of the slice at s that are from to end-1 of the text, by a whole warp: a lane
// with `mine` has one.
__device__ __forceinline__ void put_slices(uint8_t* to, uint32_t s, uint4 x, bool mine, uint32_t from, uint32_t end) {
  const bool whole = s >= from && s + kSlice <= end;
  if (mine && whole) *reinterpret_cast<uint4*>(to + s) = x;
  for (uint32_t parts = __ballot_sync(kAllLanes, mine && !whole); parts != 0; parts &= parts - 1) {
    const uint32_t of = uint32_t(__ffs(int(parts))) - 1, lane = lane_id(), at = shuffle(s, of) + lane;
    const uint32_t words[4] = {shuffle(x.x, of), shuffle(x.y, of), shuffle(x.z, of), shuffle(x.w, of)};
    const uint32_t word = lane & 8 ? lane & 4 ? words[3] : words[2] : lane & 4 ? words[1] : words[0];
    if (lane < kSlice && at >= from && at < end) to[at] = uint8_t(word >> 8 * (lane & 3));
  }
}

// Copies the strings of a unit, of n texts, by a whole block.
template <class Words>
__device__ __forceinline__ void copy_strings(uint32_t n, const Words& words) {
  const RecordsBlock& block = records_block();
  // A warp has 32 slices of a text at once. Lanes stand for texts.
  const uint32_t lane = lane_id(), has = lane < n ? block.end[lane] - (block.from[lane] & ~(kSlice - 1)) : 0;
  const bool some = lane < n && block.end[lane] != block.from[lane];
  uint32_t total;
  const uint32_t before = scan_warp_exclusive(some ? (has + kWarp * kSlice - 1) / (kWarp * kSlice) : 0, Sum(), &total);
#pragma unroll 1
  for (uint32_t step = warp_id(); step < total; step += kCopyWarps) {
    const uint32_t k = uint32_t(__popc(int(__ballot_sync(kAllLanes, lane < n && before <= step)))) - 1;
    const StringPlaces& places = block.places[k];
    const uint32_t from = block.from[k], all = block.end[k], s = (from & ~(kSlice - 1)) + (step - shuffle(before, k)) * (kWarp * kSlice) + lane * kSlice;
    const uint32_t end = min(s + kSlice, all);
    uint32_t at = max(s, from), i = 0;
    uint4 bytes = make_uint4(0, 0, 0, 0);
    if (at < end) {
#pragma unroll
      for (uint32_t d = kUnit / 2; d != 0; d /= 2) { // the last that begins there or before
        if (places.begin[i + d] <= at) i += d;
      }
    }
    while (at < end) {
      const uint32_t beyond = places.beyond[i], next = places.begin[i + 1];
      const uint4 y = beyond != kHole ? symbols_from(words, int32_t(s + beyond)) : make_uint4(0, 0, 0, 0);
      const int32_t there = int32_t(at - s);
      bytes = make_uint4(parted(there, bytes.x, y.x), parted(there - 4, bytes.y, y.y), parted(there - 8, bytes.z, y.z), parted(there - 12, bytes.w, y.w));
      at = next;
      i++;
    }
    put_slices(block.to[k], s, bytes, s < all, from, all);
  }
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
  find_ends<NoNotes>(text, group, &x);
  uint32_t cells;
  scan_warp_exclusive(cells_of<NoNotes>(text, x), Sum(), &cells);
  LongParts(job).add(i, group, lane_id() == 0 ? cells : 0);
}

// Finds the strings of a unit, from row `first` on, of text number i, which is the k-th of those at
// once. Holes are listed. By a whole warp.
template <class Set>
__device__ __forceinline__ void place_strings(const Job& job, const Set& set, uint32_t rows, uint32_t i, uint32_t first, uint32_t origin, uint32_t k) {
  RecordsBlock& block = records_block();
  StringPlaces& places = block.places[k];
  const Text text = placed_text(set, i, rows);
  const UnitStrings x = unit_strings(text, first);
  const uint32_t lane = lane_id(), before = (1u << lane) - 1;
  if (lane == 0) {
    block.to[k] = text.to;
    block.from[k] = x.from;
    block.end[k] = x.to;
  }
  if (first + kUnit >= rows) { // what is behind the last string is 0
    for (uint32_t at = text.bytes + lane; at < heap_size_of(text.bytes); at += kWarp) text.to[at] = 0;
  }
  if (x.from == x.to) return;
  bool whole = true;
  uint32_t n = 0;
#pragma unroll
  for (uint32_t part = 0; part < kUnit / kWarp; part++) {
    const bool has = x.n[part] != 0, there = text.encoding == kAsIs && x.start[part] < kScattered;
    const uint32_t some = __ballot_sync(kAllLanes, has), at = n + uint32_t(__popc(int(some & before)));
    if (has) {
      places.begin[at] = x.begin[part];
      places.beyond[at] = there ? x.start[part] - origin - x.begin[part] : kHole;
    }
    whole = whole && (there || !has);
    n += uint32_t(__popc(int(some)));
  }
  for (uint32_t at = n + lane; at <= kUnit; at += kWarp) places.begin[at] = x.to;
  if (__ballot_sync(kAllLanes, whole) != kAllLanes) {
#pragma unroll 1
    for (uint32_t group = first / kGroup; group * kGroup < min(first + kUnit, rows); group++) list_holes(job, set, rows, i, group);
  }
}

// As copy_strings, where the symbols have no room, which those of few units have not.
__device__ __noinline__ void copy_long_strings(const Job& job, uint32_t n, uint32_t origin) {
  const int32_t low = -int32_t(origin / 4), high = int32_t((job.size + 3) / 4) + low;
  copy_strings(n, InRecordsMemory{reinterpret_cast<const uint32_t*>(job.data + origin), low, high});
}

// Fills the heap of a set, but for what is listed. Any grid. Row r's symbols lie before
// record_end[r]; the block has room for so many, a multiple of 16.
template <class Set>
__device__ inline void copy_all_records(const Job& job, const Set& set, uint32_t rows, const uint32_t* record_end, uint32_t room) {
  RecordsBlock& block = records_block();
  list_texts(set.count(), [&](uint32_t i) { return has_bytes(set, i); }, &block.list);
  const bool listed = block.list.n <= kMostTexts;
  const uint32_t units = (rows + kUnit - 1) / kUnit, texts = listed ? block.list.n : set.count();
  if (texts == 0) return;
  for (uint32_t unit = blockIdx.x; unit < units; unit += gridDim.x) {
    const uint32_t first = unit * kUnit, end = min(first + kUnit, rows);
    const uint32_t origin = (first == 0 ? 0 : record_end[first - 1] + 1) & ~15u, size = record_end[end - 1] + 1 - origin;
    const bool fits = size <= room;
    if (fits) {
      const uint4* source = reinterpret_cast<const uint4*>(job.data + origin);
      for (uint32_t i = threadIdx.x; i < (size + 15) / 16; i += kCopyThreads) copy_async(records_shared + kWindowBefore / 16 + i, source + i);
      commit_copies();
    }
#pragma unroll 1
    for (uint32_t done = 0; done < texts; done += kTextsAtOnce) {
      const uint32_t n = min(texts - done, kTextsAtOnce);
#pragma unroll 1
      for (uint32_t k = warp_id(); k < n; k += kCopyWarps) {
        const uint32_t i = listed ? block.list.of[done + k] : done + k;
        if (listed || (set.offsets(i) != nullptr && set.counters(i)[5] == 0)) {
          place_strings(job, set, rows, i, first, origin, k);
        } else if (lane_id() == 0) {
          block.from[k] = block.end[k] = 0;
        }
      }
      wait_for_copies<0>(); // of the window, which come while strings are placed
      __syncthreads();
      if (fits) {
        copy_strings(n, InRecordsWindow());
      } else {
        copy_long_strings(job, n, origin);
      }
      __syncthreads(); // what is shared is used again
    }
  }
}

} // namespace dfaparse
