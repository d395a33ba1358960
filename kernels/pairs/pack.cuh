// The bytes of keys and values, and where each ends, out of marks: a lane takes 64 symbols, whichever
// map they are of, and what a warp has goes to memory side by side.
#pragma once

#include "marks.cuh"
#include "../strings/offsets.cuh"

namespace dfaparse {

constexpr uint32_t kPackThreads = 128;
constexpr uint32_t kPackEnds = 384;                    // of keys, and of values, that go to memory side by side
constexpr uint32_t kPackBytes = kWarp * kMarkBlock + 3 * 2 * 16; // of a warp; up to 15 are left free before each of three texts, and behind it

// What a warp has in shared memory.
struct alignas(16) PackShared {
  uint8_t bytes[kPackBytes];
  uint32_t ends[2][kPackEnds];
};

// The bytes of a text of a warp: n in shared memory, which go to heap+at.
struct PackedText {
  uint8_t* staged; // as many bytes behind a multiple of 16 as heap+at is
  uint8_t* to;
  uint32_t n;

  __device__ __forceinline__ void store() const {
    const uint32_t skip = uint32_t(uint64_t(to) & 15), end = skip + n, lane = lane_id();
    const uint8_t* const from = staged - skip;
    uint8_t* const base = to - skip;
    const uint32_t whole = (skip + 15) & ~15u, tail = end & ~15u; // slices of 16 bytes from whole up to tail are all of it
    for (uint32_t i = whole + lane * 16; i < tail; i += kWarp * 16) *reinterpret_cast<uint4*>(base + i) = *reinterpret_cast<const uint4*>(from + i);
    const uint32_t i = lane < 16 ? lane : max(tail, whole) + lane - 16;
    if (lane < 16 ? i >= skip && i < min(whole, end) : i < end) base[i] = from[i];
  }
};

// The ends of entries of a warp, in the order in which they come.
struct PackedEnds {
  uint32_t* staged; // [kPackEnds]
  uint32_t* to;     // where the first of the warp goes
  uint32_t at;      // which one this lane's first is
  bool side;        // they go by shared memory

  // The ends that are marked, where so many bytes come before those that data has.
  __device__ __forceinline__ void put_all(uint64_t marked, uint64_t data, uint32_t before) {
    put_half(uint32_t(marked), uint32_t(data), before);
    put_half(uint32_t(marked >> 32), uint32_t(data >> 32), before + uint32_t(__popc(int(uint32_t(data)))));
  }
  __device__ __forceinline__ void put_half(uint32_t marked, uint32_t data, uint32_t before) {
    if (side) {
      put_half_to(staged, marked, data, before);
    } else {
      put_half_to(to, marked, data, before);
    }
  }
  __device__ __forceinline__ void put_half_to(uint32_t* to, uint32_t marked, uint32_t data, uint32_t before) {
#pragma unroll 1
    while (marked != 0) {
      const uint32_t rest = marked - 1;
      to[at++] = before + uint32_t(__popc(int(data & rest & ~marked)));
      marked &= rest;
    }
  }
  __device__ __forceinline__ void store(uint32_t n) const {
    if (!side) return;
    for (uint32_t i = lane_id(); i < n; i += kWarp) to[i] = staged[i];
  }
};

// How far a text is.
struct PackedSoFar {
  uint32_t entries, bytes;
};

// Two counts of lanes of a warp, added up at once: of what is before a lane, and of all.
struct PackedCounts {
  uint32_t low, high, all_low, all_high;

  // each below 2^16, and so are all
  __device__ PackedCounts(uint32_t l, uint32_t h) {
    const uint32_t both = l | h << 16, through = scan_warp(both, Sum()), before = through - both, all = __shfl_sync(kAllLanes, through, kWarp - 1);
    low = before & 0xffff;
    high = before >> 16;
    all_low = all & 0xffff;
    all_high = all >> 16;
  }
};

// Packs the maps of the rows of a grid.
template <bool nested>
__device__ __forceinline__ void pack_maps(const Pairs& pairs, uint32_t rows, PackShared& shared) {
  constexpr uint32_t words = nested ? kNestedMarkWords : kMarkWords;
  const PairLevel outer = pairs.level[0], inner = pairs.level[nested ? 1 : 0];
  const PairTexts keys = pairs.texts[kPairKeys], values = pairs.texts[kPairValues], outers = pairs.texts[nested ? kPairOuterKeys : kPairKeys];
  const uint64_t values_at = heap_size_of(keys.counters[2]);
  const uint32_t lane = lane_id();
  const uint64_t stride = uint64_t(gridDim.x) * blockDim.x;
  uint32_t nulls = 0;
  for (uint64_t at = uint64_t(blockIdx.x) * blockDim.x + threadIdx.x; at - lane < rows; at += stride) {
    const uint32_t before = uint32_t(at) - lane, row = min(uint32_t(at), rows - 1);
    bool some = inner.begins[row + 1] != inner.begins[row];
    if (nested) some = some || outer.begins[row + 1] != outer.begins[row];
    some = some && at < rows;
    const uint32_t start = some ? pairs.start[row] : 0, n = some ? pairs.end[row] - start : 0, first = start / kMarkBlock;
    const RowEntries cells(some ? mark_blocks(start, n) : 0);
    if (cells.count() == 0) continue;
    PackedSoFar key = {inner.begins[before], keys.bytes[before]}, value = {key.entries, values.bytes[before]}, around = {0, 0};
    if (nested) around = {outer.begins[before], outers.bytes[before]};
    for (uint32_t from = 0; from < cells.count(); from += kWarp) {
      const uint32_t i = from + lane, owner = cells.lane_of(min(i, cells.count() - 1));
      const uint32_t b = __shfl_sync(kAllLanes, first, owner) + cells.within(i, owner);
      uint64_t mark[kNestedMarkWords];
      uint32_t symbols[kMarkBlock / 4];
#pragma unroll
      for (uint32_t k = 0; k < kNestedMarkWords; k++) mark[k] = 0;
#pragma unroll
      for (uint32_t k = 0; k < kMarkBlock / 4; k++) symbols[k] = 0;
      if (i < cells.count()) {
        const uint64_t* const slot = mark_slot(pairs, b, before + owner, words);
#pragma unroll
        for (uint32_t k = 0; k < words; k += 2) {
          const ulonglong2 two = *reinterpret_cast<const ulonglong2*>(slot + k);
          mark[k] = two.x;
          mark[k + 1] = two.y;
        }
        const uint4* const quads = reinterpret_cast<const uint4*>(pairs.source + uint64_t(b) * kMarkBlock);
#pragma unroll
        for (uint32_t k = 0; k < kMarkBlock / 16; k++) {
          const uint4 x = quads[k];
          symbols[4 * k] = x.x, symbols[4 * k + 1] = x.y, symbols[4 * k + 2] = x.z, symbols[4 * k + 3] = x.w;
        }
      }
      const uint64_t key_data = mark[kMarkKey] & ~mark[kMarkValue], value_data = mark[kMarkValue] & ~mark[kMarkKey];
      const uint64_t outer_data = mark[kMarkOuter];
      const PackedCounts data(count_bits(key_data), count_bits(value_data)), ends(count_bits(mark[kMarkKeyEnd]), count_bits(mark[kMarkValueEnd]));
      PackedCounts outer_counts(0, 0);
      if (nested) outer_counts = PackedCounts(count_bits(outer_data), count_bits(mark[kMarkOuterEnd]));
      // Where the three texts lie in shared memory.
      PackedText text[3];
      uint32_t behind = 0;
      auto lay = [&](PackedText& x, uint8_t* to, uint32_t n) {
        x.to = to;
        x.n = n;
        x.staged = shared.bytes + behind + (uint64_t(to) & 15);
        behind = (behind + (uint32_t(uint64_t(to)) & 15) + n + 15) & ~15u;
      };
      lay(text[0], keys.heap + key.bytes, data.all_low);
      lay(text[1], values.heap + values_at + value.bytes, data.all_high);
      if (nested) lay(text[2], outers.heap + around.bytes, outer_counts.all_low);
      uint8_t *to_key = text[0].staged + data.low, *to_value = text[1].staged + data.high, *to_outer = nested ? text[2].staged + outer_counts.low : nullptr;
#pragma unroll
      for (uint32_t half = 0; half < 2; half++) {
        const uint32_t of_key = uint32_t(key_data >> 32 * half), of_value = uint32_t(value_data >> 32 * half), of_outer = uint32_t(outer_data >> 32 * half);
#pragma unroll
        for (uint32_t k = 0; k < 32; k++) {
          const uint8_t symbol = uint8_t(symbols[8 * half + k / 4] >> k % 4 * 8);
          if (of_key & 1u << k) *to_key++ = symbol;
          if (of_value & 1u << k) *to_value++ = symbol;
          if (nested && (of_outer & 1u << k)) *to_outer++ = symbol;
        }
      }
      PackedEnds key_ends = {shared.ends[0], keys.offsets + 1 + key.entries, ends.low, ends.all_low <= kPackEnds};
      PackedEnds value_ends = {shared.ends[1], values.offsets + 1 + value.entries, ends.high, ends.all_high <= kPackEnds};
      key_ends.put_all(mark[kMarkKeyEnd], key_data, key.bytes + data.low);
      value_ends.put_all(mark[kMarkValueEnd], value_data, value.bytes + data.high);
      for (uint64_t lone = mark[kMarkKeyEnd] & mark[kMarkValueEnd]; lone != 0; lone &= lone - 1) {
        const uint32_t entry = value.entries + ends.high + count_bits(mark[kMarkValueEnd] & ((lone & -lone) - 1));
        atomicAnd(&pairs.value_valid[entry >> 5], ~(1u << (entry & 31)));
        nulls++;
      }
      if (nested) {
        uint32_t entry = around.entries + outer_counts.high;
        for (uint64_t o = mark[kMarkOuterEnd]; o != 0; o &= o - 1) {
          const uint64_t below = (o & -o) - 1;
          outers.offsets[1 + entry] = around.bytes + outer_counts.low + count_bits(outer_data & below);
          outer.inner[entry] = key.entries + ends.low + count_bits(mark[kMarkKeyEnd] & below);
          entry++;
        }
      }
      __syncwarp();
      text[0].store();
      text[1].store();
      if (nested) text[2].store();
      key_ends.store(ends.all_low);
      value_ends.store(ends.all_high);
      __syncwarp();
      key = {key.entries + ends.all_low, key.bytes + data.all_low};
      value = {value.entries + ends.all_high, value.bytes + data.all_high};
      around = {around.entries + outer_counts.all_high, around.bytes + outer_counts.all_low};
    }
  }
  if (nulls != 0) atomicAdd(&values.counters[0], nulls);
}

// Whether all entries have room.
__device__ __forceinline__ bool pairs_fit(const Pairs& pairs) {
  for (uint32_t level = 0; level < pairs.levels; level++) {
    if (pairs.level[level].counters[2] > pairs.level[level].capacity) return false;
  }
  return true;
}

// By one thread of a grid: what is known of texts as a whole.
__device__ __forceinline__ void pack_totals(const Pairs& pairs) {
  const uint32_t levels = uint32_t(pairs.levels);
  for (uint32_t level = 0; level < levels; level++) pairs.level[level].counts->rows = pairs.level[level].counters[2];
  if (levels > 1) pairs.level[0].inner[pairs.level[0].counters[2]] = pairs.level[1].counters[2];
  for (uint32_t t = 0; t <= levels; t++) {
    const uint64_t at = t == kPairValues ? heap_size_of(pairs.texts[kPairKeys].counters[2]) : 0;
    pairs.texts[t].offsets[0] = 0;
    pairs.texts[t].counters[3] = uint32_t(at);
    pairs.texts[t].counters[4] = uint32_t(at >> 32);
  }
}

} // namespace dfaparse
