// The ranks of a tile's keys among those with the same digit.
//
// A thread has items at rank_place: 32 next to one another are a warp's, so that loads are whole
// and the order of items is that of warps, of their items, and of lanes.
#pragma once

#include "../scan.cuh"
#include "job.cuh"

namespace dfaparse {

template <uint32_t kItems> __device__ __forceinline__ uint32_t rank_place(uint32_t item) { return (warp_id() * kItems + item) * kWarp + lane_id(); }

// The same number, of which the compiler knows nothing: what is made of it is made again, and does not wait in registers.
__device__ __forceinline__ uint32_t anew(uint32_t x) {
#ifndef DFAPARSE_HOST
  asm volatile("" : "+r"(x));
#endif
  return x;
}

// What ranks that keep the order need of a block's memory: how often each warp has a digit, and then where
// the next of its items with it goes.
template <uint32_t kThreads> struct RankShared {
  static constexpr uint32_t kWarps = kThreads / kWarp;
  uint32_t count[kWarps][kSortDigits];
};

// Counts the digits of each warp's items. All threads meet before the counts are whole.
template <uint32_t kThreads, uint32_t kItems, class F> __device__ __forceinline__ void rank_count(RankShared<kThreads>& sh, F digit_of) {
  uint32_t* count = sh.count[warp_id()];
#pragma unroll
  for (uint32_t d = 0; d < kSortDigits; d += kWarp) count[d + lane_id()] = 0;
  __syncwarp();
#pragma unroll
  for (uint32_t i = 0; i < kItems; i++) atomicAdd(count + digit_of(i), 1u);
}

// How many items have digit d.
template <uint32_t kThreads> __device__ __forceinline__ uint32_t rank_total(const RankShared<kThreads>& sh, uint32_t d) {
  uint32_t total = 0;
#pragma unroll
  for (uint32_t w = 0; w < kThreads / kWarp; w++) total += sh.count[w][d];
  return total;
}

// Those of digit d begin at start. All threads meet before and after.
template <uint32_t kThreads> __device__ __forceinline__ void rank_start(RankShared<kThreads>& sh, uint32_t d, uint32_t start) {
#pragma unroll
  for (uint32_t w = 0; w < kThreads / kWarp; w++) {
    uint32_t c = sh.count[w][d];
    sh.count[w][d] = start;
    start += c;
  }
}

// The lanes of the warp whose digit has a bit as this one has it.
template <uint32_t kBit> __device__ __forceinline__ uint32_t lanes_like(uint32_t digit) {
#ifdef DFAPARSE_HOST
  bool set = (digit & kBit) != 0;
  uint32_t lanes = __ballot_sync(kAllLanes, set);
  return set ? lanes : ~lanes;
#else // of the same in C++ the compiler makes two tests of the bit, and seven instructions in place of four
  uint32_t lanes;
  asm volatile(
      "{ .reg .pred p; and.b32 %0, %1, %2; setp.ne.u32 p, %0, 0; vote.sync.ballot.b32 %0, p, 0xffffffff; @!p not.b32 %0, %0; }"
      : "=r"(lanes)
      : "r"(digit), "n"(kBit));
  return lanes;
#endif
}

// The lanes of the warp that have the same digit.
__device__ __forceinline__ uint32_t lanes_with(uint32_t digit) {
  return lanes_like<1>(digit) & lanes_like<2>(digit) & lanes_like<4>(digit) & lanes_like<8>(digit) & lanes_like<16>(digit) & lanes_like<32>(digit) & lanes_like<64>(digit) & lanes_like<128>(digit);
}

// Where the items go, in order of their digits, and of equal ones in their own: put is called with each item and its
// place. Nothing waits for the item before: a warp's additions are done in their order.
template <uint32_t kThreads, uint32_t kItems, class F, class G> __device__ __forceinline__ void rank_items(RankShared<kThreads>& sh, F digit_of, G put) {
  uint32_t* next = sh.count[warp_id()];
#pragma unroll
  for (uint32_t i = 0; i < kItems; i++) {
    uint32_t d = digit_of(i), same = lanes_with(d), last = 31 - (uint32_t)__clz((int)same), first = 0;
    if (lane_id() == last) first = atomicAdd(next + d, (uint32_t)__popc(same));
    put(i, __shfl_sync(kAllLanes, first, (int)last) + (uint32_t)__popc(same & ((1u << lane_id()) - 1)));
  }
}

// Where items go, each digit's from next on, in any order: put is called with each and its place. All threads meet before.
// skewed: lanes with one digit add together.
template <uint32_t kItems, bool kFull, class F, class G> __device__ __forceinline__ void rank_any(uint32_t* next, uint32_t n, bool skewed, F digit_of, G put) {
  if (!skewed) {
#pragma unroll
    for (uint32_t i = 0; i < kItems; i++)
      if (kFull || rank_place<kItems>(i) < n) put(i, atomicAdd(next + digit_of(i), 1u));
    return;
  }
#pragma unroll
  for (uint32_t i = 0; i < kItems; i++) {
    bool there = kFull || rank_place<kItems>(i) < n;
    uint32_t d = digit_of(i), that = __shfl_sync(kAllLanes, d, 0);
    uint32_t same = __ballot_sync(kAllLanes, there && d == that);
    uint32_t first = 0;
    bool mine = same >> lane_id() & 1;
    if (same != 0 && lane_id() == 0) first = atomicAdd(next + d, (uint32_t)__popc(same)); // if any is there lane 0 is
    first = __shfl_sync(kAllLanes, first, 0);
    if (mine) put(i, first + (uint32_t)__popc(same & ((1u << lane_id()) - 1)));
    else if (there) put(i, atomicAdd(next + d, 1u));
  }
}

} // namespace dfaparse
