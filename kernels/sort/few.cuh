// Keys alone of few values: how often each is there says all. Each block counts in a table of its own, whose values are at
// first those of the sample, and then adds up what it has counted in one of all.
//
// A value is in the first place from that of its hash on that holds it; one that is in none belongs into the first that is empty, which
// holds the value that has a place behind all others.
#pragma once

#include "sample.cuh"
#include "tally.cuh"

namespace dfaparse {

template <class Key> struct FewShared {
  Key keys[kSortFewSlots];
  uint32_t counts[kSortFewSlots + 1];
  uint32_t more; // values than the sample has
  uint8_t steps[kSortFewBins];
};

template <class Key> __device__ __forceinline__ void few_count(const Sort& q, FewShared<Key>& sh) {
  if (q.counts[kSortBuckets] == 0 || q.buckets[0].scatters != kSortFew) return;
  SortFew& few = *q.few;
  const Key empty = (Key)few.empty;
  for (uint32_t i = threadIdx.x; i < kSortFewSlots; i += kSortThreads) sh.keys[i] = (Key)few.keys[i];
  for (uint32_t i = threadIdx.x; i <= kSortFewSlots; i += kSortThreads) sh.counts[i] = 0;
  for (uint32_t i = threadIdx.x; i < kSortFewBins; i += kSortThreads) sh.steps[i] = few.steps[i];
  if (threadIdx.x == 0) sh.more = 0;
  __syncthreads();
  constexpr uint32_t kAhead = 8, kStep = 4;
  const Key* keys = (const Key*)q.keys;
  for (uint64_t from = (uint64_t)blockIdx.x * kAhead * kSortThreads; from < q.n; from += (uint64_t)gridDim.x * kAhead * kSortThreads) {
    Key key[kAhead];
    uint32_t n = (uint32_t)min(q.n - from, (uint64_t)kAhead * kSortThreads), failed = *(volatile uint32_t*)&few.failed;
#pragma unroll
    for (uint32_t k = 0; k < kAhead; k++) key[k] = keys[from + min(k * kSortThreads + threadIdx.x, n - 1)];
#pragma unroll
    for (uint32_t first = 0; first < kAhead; first += kStep) {
      Key there[kStep];
      uint32_t slots[kStep];
#pragma unroll
      for (uint32_t k = 0; k < kStep; k++) slots[k] = few_place(sh.steps, key[first + k]);
#pragma unroll
      for (uint32_t k = 0; k < kStep; k++) there[k] = sh.keys[slots[k]];
#pragma unroll
      for (uint32_t k = 0; k < kStep; k++) {
        const Key x = key[first + k];
        if ((first + k) * kSortThreads + threadIdx.x >= n) continue;
        uint32_t slot = x == empty ? kSortFewSlots : slots[k];
        if (there[k] != x && x != empty) {
          bool added = false;
          slot = few_slot(sh.keys, x, empty, slot, &added);
          if (slot > kSortFewSlots || (added && atomicAdd(&sh.more, 1u) >= kSortFewMost)) {
            *(volatile uint32_t*)&few.failed = 1;
            continue;
          }
        }
        atomicAdd(sh.counts + slot, 1u);
      }
    }
    if (failed) break;
  }
  __syncthreads();
  for (uint32_t i = threadIdx.x; i <= kSortFewSlots; i += kSortThreads) {
    uint32_t count = sh.counts[i], slot = i;
    if (count == 0) continue;
    bool added = false;
    if (i < kSortFewSlots) slot = few_slot(few.keys, (uint64_t)sh.keys[i], few.empty, few_place(sh.steps, sh.keys[i]), &added);
    if (slot > kSortFewSlots) *(volatile uint32_t*)&few.failed = 1;
    else atomicAdd(few.counts + slot, count);
  }
}

struct FewPlanShared {
  uint64_t keys[kSortFewMost];
  uint32_t counts[kSortFewMost];
  uint32_t n;
};

// Puts the values in order; if there were too many, keys are sorted as they would have been. A block of kSortDigits threads.
__device__ inline void few_plan(const Sort& q, FewPlanShared& sh) {
  if (q.counts[kSortBuckets] == 0 || q.buckets[0].scatters != kSortFew) return;
  SortFew& few = *q.few;
  if (threadIdx.x == 0) sh.n = 0;
  __syncthreads();
  for (uint32_t i = threadIdx.x; i <= kSortFewSlots; i += kSortDigits) {
    uint32_t count = few.counts[i];
    if (count == 0) continue;
    uint32_t to = atomicAdd(&sh.n, 1u);
    if (to >= kSortFewMost) continue;
    sh.keys[to] = i < kSortFewSlots ? few.keys[i] : few.empty;
    sh.counts[to] = count;
  }
  __syncthreads();
  const uint32_t n = sh.n;
  if (threadIdx.x == 0) q.buckets[0].scatters = 0;
  if (few.failed || n > kSortFewMost) return;
  uint32_t size = 2;
  while (size < n) size *= 2;
  for (uint32_t i = n + threadIdx.x; i < size; i += kSortDigits) {
    sh.keys[i] = ~0ull;
    sh.counts[i] = 0;
  }
  __syncthreads();
  bitonic_sort<kSortDigits>(sh.keys, size, [&](uint32_t i, uint32_t j) {
    uint32_t c = sh.counts[i];
    sh.counts[i] = sh.counts[j];
    sh.counts[j] = c;
  });
  for (uint32_t i = threadIdx.x; i < size; i += kSortDigits) {
    ((uint32_t*)q.other_keys)[i] = sh.counts[i];
    if (q.key_bits == 64) few_values<uint64_t>(q)[i] = sh.keys[i];
    else few_values<uint32_t>(q)[i] = (uint32_t)sh.keys[i];
  }
  if (threadIdx.x > 0) return;
  q.counts[kSortBuckets] = q.counts[kSortTiles] = 0;
  sort_push_tally(q, SortTally{0, 0, (uint32_t)q.n, 0, 0, size, 1, 0, 0});
}

} // namespace dfaparse
