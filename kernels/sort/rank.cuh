// The ranks of a tile's keys among those with the same digit.
//
// A thread has items at rank_place: 32 next to one another are a warp's, so that loads are whole
// and the order of items is that of warps, of their items, and of lanes.
#pragma once

#include "../scan.cuh"
#include "job.cuh"

namespace dfaparse {

template <uint32_t kItems> __device__ __forceinline__ uint32_t rank_place(uint32_t item) { return (warp_id() * kItems + item) * kWarp + lane_id(); }

// What ranking needs of a block's memory.
template <uint32_t kThreads, bool kStable> struct RankShared {
  static constexpr uint32_t kWarps = kThreads / kWarp;
  static constexpr uint32_t kRows = kStable ? kWarps : 1;
  uint32_t count[kRows][kSortDigits]; // of each warp, then of those before it
  uint32_t lanes[kStable ? kWarps : 1][kStable ? kSortDigits : 1]; // that have a digit now
};

// The ranks among the items of a warp, or if nobody asks for their order, among those of the block in any.
// All threads meet before count is whole. skewed: lanes with one digit add together.
template <uint32_t kThreads, uint32_t kItems, bool kStable, class F>
__device__ __forceinline__ void rank_items(RankShared<kThreads, kStable>& sh, uint32_t n, bool skewed, F digit_of, uint32_t (&rank)[kItems]) {
  if constexpr (kStable) {
    for (uint32_t i = threadIdx.x; i < sh.kRows * kSortDigits; i += kThreads) {
      (&sh.count[0][0])[i] = 0;
      (&sh.lanes[0][0])[i] = 0;
    }
    __syncthreads();
    uint32_t* count = sh.count[warp_id()];
    uint32_t* lanes = sh.lanes[warp_id()];
#pragma unroll
    for (uint32_t i = 0; i < kItems; i++) {
      bool there = rank_place<kItems>(i) < n;
      uint32_t d = digit_of(i);
      if (there) atomicOr(lanes + d, 1u << lane_id());
      __syncwarp();
      uint32_t same = there ? *(volatile uint32_t*)(lanes + d) : 1u << lane_id();
      uint32_t leader = (uint32_t)__ffs((int)same) - 1, first = 0;
      bool leads = there && leader == lane_id();
      if (leads) {
        first = count[d];
        count[d] = first + (uint32_t)__popc(same);
      }
      first = __shfl_sync(kAllLanes, first, (int)leader);
      __syncwarp(); // all lanes have read it
      if (leads) *(volatile uint32_t*)(lanes + d) = 0;
      __syncwarp();
      rank[i] = first + (uint32_t)__popc(same & ((1u << lane_id()) - 1));
    }
  } else {
    uint32_t* count = sh.count[0];
    for (uint32_t i = threadIdx.x; i < kSortDigits; i += kThreads) count[i] = 0;
    __syncthreads();
    if (!skewed) {
#pragma unroll
      for (uint32_t i = 0; i < kItems; i++)
        if (rank_place<kItems>(i) < n) rank[i] = atomicAdd(count + digit_of(i), 1u);
    } else {
#pragma unroll
      for (uint32_t i = 0; i < kItems; i++) {
        bool there = rank_place<kItems>(i) < n;
        uint32_t d = digit_of(i), that = __shfl_sync(kAllLanes, d, 0);
        uint32_t same = __ballot_sync(kAllLanes, there && d == that);
        uint32_t first = 0;
        bool mine = same >> lane_id() & 1;
        if (same != 0 && lane_id() == 0) first = atomicAdd(count + d, (uint32_t)__popc(same)); // if any is there lane 0 is
        first = __shfl_sync(kAllLanes, first, 0);
        if (mine) rank[i] = first + (uint32_t)__popc(same & ((1u << lane_id()) - 1));
        else if (there) rank[i] = atomicAdd(count + d, 1u);
      }
    }
  }
}

// Makes the counts of warps those of the warps before, and gives how many items have the digit;
// of thread d that of digit d.
template <uint32_t kThreads, bool kStable> __device__ __forceinline__ uint32_t rank_total(RankShared<kThreads, kStable>& sh, uint32_t d) {
  uint32_t total = 0;
#pragma unroll
  for (uint32_t w = 0; w < sh.kRows; w++) {
    uint32_t c = sh.count[w][d];
    sh.count[w][d] = total;
    total += c;
  }
  return total;
}

} // namespace dfaparse
