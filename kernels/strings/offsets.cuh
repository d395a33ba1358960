// Where the texts of a set begin: of each its strings' lengths, one a row, are
// scanned, and the texts are laid side by side in a heap.
//
// A set of texts is a type with
//
//   uint32_t count() const
//   Lengths lengths(uint32_t text) const     of its strings, see below
//   uint32_t* offsets(uint32_t text) const   [rows+1], 16-byte aligned; nullptr: there are none
//   uint32_t* scanned(uint32_t text) const   what lengths are scanned to: mostly the offsets
//   uint32_t entries(uint32_t text, uint32_t rows) const  how many these are, but for the last
//   uint32_t* counters(uint32_t text) const  [8], as Output.counters from the third on
//   uint64_t heap_begin() const, heap_end(uint32_t text)   where in the heap the texts lie, and this one ends at the latest
//
// and its Lengths one with
//
//   uint32_t one(uint32_t row)   the length of row's string
//   Four four(uint32_t row)      of four rows, the first a multiple of 4
//   void done()                  what it asked for is used, by a whole warp
#pragma once

#include "../scan.cuh"
#include "../span.cuh"

namespace dfaparse {

constexpr uint32_t kOffsetsThreads = 256;
constexpr uint32_t kOffsetsTile = 4096; // rows that a block takes at once

// Adds up to 0xffffffff and stays there.
struct SaturatingSum {
  __device__ __forceinline__ uint32_t operator()(uint32_t earlier, uint32_t later) const {
    uint32_t sum = earlier + later;
    return sum < earlier ? 0xffffffffu : sum;
  }
  __device__ __forceinline__ uint32_t identity() const { return 0; }
};

// Four neighbouring rows.
struct alignas(16) Four {
  uint32_t of[4];
};

// The scratch memory, all zero before: how many texts are done, then a LookBack
// for each.
constexpr uint64_t kOffsetsHeader = 64;

__device__ __forceinline__ uint64_t look_back_size(uint32_t capacity) {
  uint64_t tiles = (uint64_t(capacity) + kOffsetsTile - 1) / kOffsetsTile;
  return 64 + ((tiles * 8 + 63) & ~uint64_t(63));
}

// Scans one tile of one text's lengths. Each warp has 512 neighbouring rows,
// 128 at a time, four a lane.
template <class Lengths>
__device__ inline void scan_tile(Lengths lengths, uint32_t* offsets, uint32_t rows, uint32_t tile, LookBack<uint32_t, SaturatingSum>& tiles,
    uint32_t* per_warp, uint32_t* before_next) {
  constexpr uint32_t kParts = kOffsetsTile / kOffsetsThreads / 4;
  SaturatingSum sum;
  Four rows_of[kParts];
  uint32_t before[kParts], warp_sum = 0;
  uint32_t first = tile * kOffsetsTile + warp_id() * kParts * kWarp * 4 + lane_id() * 4;
#pragma unroll
  for (uint32_t part = 0; part < kParts; part++) {
    uint32_t row = first + part * kWarp * 4;
    Four x = {{0, 0, 0, 0}};
    if (row + 4 <= rows) {
      x = lengths.four(row);
    } else {
      for (uint32_t i = 0; i < 4; i++) {
        if (row + i < rows) x.of[i] = lengths.one(row + i);
      }
    }
    uint32_t total, mine = sum(sum(x.of[0], x.of[1]), sum(x.of[2], x.of[3]));
    before[part] = sum(warp_sum, scan_warp_exclusive(mine, sum, &total));
    warp_sum = sum(warp_sum, total);
    rows_of[part] = x;
  }
  lengths.done();

  // Lanes of the first warp stand for the block's warps.
  if (lane_id() == 0) per_warp[warp_id()] = warp_sum;
  __syncthreads();
  if (warp_id() == 0) {
    constexpr uint32_t kWarps = kOffsetsThreads / kWarp;
    uint32_t total, mine = lane_id() < kWarps ? per_warp[lane_id()] : 0;
    mine = scan_warp_exclusive(mine, sum, &total);
    uint32_t seed = tiles.prefix(tile, total, 0);
    if (lane_id() < kWarps) per_warp[lane_id()] = sum(seed, mine);
    if (lane_id() == 0) *before_next = sum(seed, total);
  }
  __syncthreads();

  uint32_t of_warp = per_warp[warp_id()];
#pragma unroll
  for (uint32_t part = 0; part < kParts; part++) {
    uint32_t row = first + part * kWarp * 4;
    Four x = rows_of[part], at;
    at.of[0] = sum(of_warp, before[part]);
    for (uint32_t i = 1; i < 4; i++) at.of[i] = sum(at.of[i - 1], x.of[i - 1]);
    if (row + 4 <= rows) {
      *reinterpret_cast<Four*>(offsets + row) = at;
    } else {
      for (uint32_t i = 0; i < 4; i++) {
        if (row + i < rows) offsets[row + i] = at.of[i];
      }
    }
  }
}

// Lengths that lie where the offsets come.
struct StoredLengths {
  const uint32_t* lengths;
  __device__ uint32_t one(uint32_t row) const { return lengths[row]; }
  __device__ Four four(uint32_t row) const { return *reinterpret_cast<const Four*>(lengths + row); }
  __device__ void done() const {}
};

constexpr uint64_t kHeapAlign = 64;
constexpr uint32_t kMostText = 0x7fffffffu; // bytes of a text that int32 offsets reach

__device__ __forceinline__ uint64_t heap_size_of(uint32_t bytes) { return (uint64_t(bytes) + kHeapAlign - 1) & ~(kHeapAlign - 1); }

__device__ __forceinline__ uint64_t heap_offset(const uint32_t* counters) { return uint64_t(counters[4]) << 32 | counters[3]; }

// Gives each text its place in the heap, by a whole warp, once all know their
// bytes.
template <class Set>
__device__ inline void lay_heap(const Set& set) {
  uint64_t at = set.heap_begin();
  for (uint32_t first = 0; first < set.count(); first += kWarp) {
    uint32_t text = first + lane_id(), bytes = 0;
    volatile uint32_t* counters = nullptr;
    if (text < set.count()) {
      counters = set.counters(text);
      if (set.offsets(text) != nullptr) bytes = counters[2];
    }
    uint64_t total, mine = at + scan_warp_exclusive(heap_size_of(bytes), Sum(), &total);
    if (text < set.count()) {
      counters[3] = uint32_t(mine);
      counters[4] = uint32_t(mine >> 32);
      counters[5] = bytes > kMostText || mine + heap_size_of(bytes) > set.heap_end(text);
    }
    at += total;
  }
}

// By a whole warp: a text is done. The last lays the heap.
template <class Set>
__device__ inline void finish_text(const Set& set, void* scratch) {
  uint32_t done = 0;
  if (lane_id() == 0) {
    __threadfence();
    done = atomicAdd(static_cast<uint32_t*>(scratch), 1u);
  }
  if (__shfl_sync(kAllLanes, done, 0) + 1 != set.count()) return;
  __threadfence();
  lay_heap(set);
}

// Scans all texts of a set. Grid: x over tiles of rows, by ticket, y over texts.
template <class Set>
__device__ inline void scan_texts(const Set& set, uint32_t rows, uint32_t capacity, void* scratch) {
  __shared__ uint32_t slot, per_warp[kOffsetsThreads / kWarp], before_next;
  for (uint32_t text = blockIdx.y; text < set.count(); text += gridDim.y) {
    const uint32_t entries = set.entries(text, rows), tiles = (entries + kOffsetsTile - 1) / kOffsetsTile;
    if (set.offsets(text) == nullptr || tiles == 0) {
      if (blockIdx.x == 0 && warp_id() == 0) {
        if (set.offsets(text) != nullptr && lane_id() == 0) set.offsets(text)[0] = 0;
        finish_text(set, scratch);
      }
      continue;
    }
    LookBack<uint32_t, SaturatingSum> look_back(
        static_cast<uint8_t*>(scratch) + kOffsetsHeader + text * look_back_size(capacity), tiles, SaturatingSum());
    for (;;) {
      uint32_t tile = look_back.take(&slot);
      if (tile >= tiles) break;
      scan_tile(set.lengths(text), set.scanned(text), entries, tile, look_back, per_warp, &before_next);
      if (tile == tiles - 1 && warp_id() == 0) {
        if (lane_id() == 0) set.offsets(text)[rows] = set.counters(text)[2] = before_next;
        finish_text(set, scratch);
      }
      __syncthreads(); // what is shared is used again
    }
    __syncthreads();
  }
}

} // namespace dfaparse
