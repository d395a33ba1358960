// What a sample of the keys says of how to sort them: from the highest digit on, where buckets soon are small, or from
// the last to the first, where they would stay large.
#pragma once

#include "pass.cuh"

namespace dfaparse {

struct SampleShared {
  uint64_t keys[kSortSample];
  unsigned long long differ;
  uint32_t shared, rising;
  uint32_t distinct, once, twice; // values: all, and those of which there is one key, or two
  uint32_t first[kSortFewBins];   // of a bin: the last of its values that came, and of each the one before
  uint16_t before[kSortSample];
};

// Batcher's sort of keys, of which there are a power of two, by a block of so many threads; swapped is called for what
// changes places.
template <uint32_t kThreads, class F> __device__ __forceinline__ void bitonic_sort(uint64_t* keys, uint32_t n, F swapped) {
  for (uint32_t size = 2; size <= n; size *= 2) {
    for (uint32_t d = size / 2; d > 0; d /= 2) {
      for (uint32_t k = threadIdx.x; k < n / 2; k += kThreads) {
        uint32_t i = 2 * k - (k & (d - 1)), j = i + d;
        uint64_t a = keys[i], b = keys[j];
        if ((a > b) == ((i & size) == 0)) {
          keys[i] = b;
          keys[j] = a;
          swapped(i, j);
        }
      }
      __syncthreads();
    }
  }
}

// The table of values is hashed twice ("hash, displace"; Belazzougui, Botelho, Dietzfelbinger, 2009): a bin says how many steps
// its values are moved on, so that each of the sample is in the first place that is looked at, and warps do not part.
__device__ __forceinline__ uint32_t few_mixed(uint32_t key) {
  key *= 0x9e3779b1u;
  return (key ^ key >> 15) * 0x85ebca77u;
}
__device__ __forceinline__ uint32_t few_mixed(uint64_t key) {
  uint32_t high = (uint32_t)(key * 0x9e3779b97f4a7c15ull >> 32);
  return (high ^ high >> 15) * 0x85ebca77u;
}
__device__ __forceinline__ uint32_t few_bin(uint32_t mixed) { return mixed >> 22; }
__device__ __forceinline__ uint32_t few_moved(uint32_t mixed, uint32_t steps) { return ((mixed >> 10) + steps * (mixed << 1 | 1)) % kSortFewSlots; }
template <class Key> __device__ __forceinline__ uint32_t few_place(const uint8_t* steps, Key key) {
  uint32_t mixed = few_mixed(key);
  return few_moved(mixed, steps[few_bin(mixed)]);
}
static_assert(kSortFewSlots == 1 << 12 && kSortFewBins == 1 << 10, "a hash has a bin and a slot");

// The slot of a key from a slot on, and whether it is new there; kSortFewSlots + 1: there is none.
template <class Key> __device__ __forceinline__ uint32_t few_slot(Key* keys, Key key, Key empty, uint32_t slot, bool* added) {
  for (uint32_t probe = 0; probe < kSortFewSlots; probe++) {
    Key there = *(volatile Key*)(keys + slot);
    if (there == key) return slot;
    if (there == empty) {
      there = atomicCAS(keys + slot, empty, key);
      if (there == empty) *added = true;
      if (there == empty || there == key) return slot;
    }
    slot = (slot + 1) % kSortFewSlots;
  }
  return kSortFewSlots + 1;
}

// How many values the sorted sample has, and of how many of them it has one key, or two.
__device__ inline void sample_values(SampleShared& sh, uint32_t n) {
  if (threadIdx.x == 0) sh.distinct = sh.once = sh.twice = 0;
  __syncthreads();
  for (uint32_t i = threadIdx.x; i < n; i += kSortBeginThreads) {
    uint64_t key = sh.keys[i];
    if (i > 0 && sh.keys[i - 1] == key) continue; // it is not the first
    uint32_t times = 1;
    while (times < 3 && i + times < n && sh.keys[i + times] == key) times++;
    atomicAdd(&sh.distinct, 1u);
    if (times < 3) atomicAdd(times == 1 ? &sh.once : &sh.twice, 1u);
  }
  __syncthreads();
}

// Puts the values of the sorted sample, but the first one, into the table. A thread has a bin, and seeks by how many steps all of
// its values come to free slots; those of a bin for which there is no such number are put where there is room.
__device__ inline void few_settle(const Sort& q, SampleShared& sh, uint32_t n) {
  SortFew& few = *q.few;
  const bool wide = q.key_bits == 64;
  constexpr uint32_t kNone = kSortSample, kMostSteps = 255;
  auto mixed = [&](uint32_t i) { return wide ? few_mixed(sh.keys[i]) : few_mixed((uint32_t)sh.keys[i]); };
  auto is_first = [&](uint32_t i) { return i > 0 && sh.keys[i - 1] != sh.keys[i]; };
  for (uint32_t i = threadIdx.x; i < kSortFewBins; i += kSortBeginThreads) sh.first[i] = kNone;
  __syncthreads();
  for (uint32_t i = threadIdx.x; i < n; i += kSortBeginThreads)
    if (is_first(i)) sh.before[i] = (uint16_t)atomicExch(sh.first + few_bin(mixed(i)), i);
  __syncthreads();
  for (uint32_t bin = threadIdx.x; bin < kSortFewBins; bin += kSortBeginThreads) {
    const uint32_t first = sh.first[bin];
    uint32_t steps = 0;
    for (;; steps++) {
      uint32_t i = first;
      while (i != kNone && atomicCAS(few.keys + few_moved(mixed(i), steps), few.empty, sh.keys[i]) == few.empty) i = sh.before[i];
      if (i == kNone) break;
      for (uint32_t back = first; back != i; back = sh.before[back]) atomicExch(few.keys + few_moved(mixed(back), steps), few.empty);
      if (steps == kMostSteps) break;
    }
    few.steps[bin] = (uint8_t)steps;
  }
  __syncthreads();
  for (uint32_t i = threadIdx.x; i < n; i += kSortBeginThreads) {
    bool added;
    if (is_first(i)) few_slot(few.keys, sh.keys[i], few.empty, few_moved(mixed(i), few.steps[few_bin(mixed(i))]), &added);
  }
}

// Whether keys have few values: by those of which the sample has one or two keys it is known about how many it has none of
// (Chao, "Nonparametric estimation of the number of classes in a population", 1984). If so a table is made of those that it has.
__device__ inline bool sample_few(const Sort& q, SampleShared& sh, uint32_t n) {
  if (sh.distinct > kSortFewSample || sh.once * sh.once / (2 * (sh.twice + 1)) > sh.distinct / 4 + 8) return false;
  SortFew& few = *q.few;
  const uint64_t empty = sh.keys[0];
  for (uint32_t i = threadIdx.x; i < kSortFewSlots; i += kSortBeginThreads) few.keys[i] = empty;
  for (uint32_t i = threadIdx.x; i <= kSortFewSlots; i += kSortBeginThreads) few.counts[i] = 0;
  if (threadIdx.x == 0) {
    few.empty = empty;
    few.failed = 0;
  }
  __syncthreads();
  few_settle(q, sh, n);
  return true;
}

// The bucket of all keys. A block of kSortBeginThreads threads.
//
// Of keys of the sorted sample it is seen by how many bits they begin like another one that is not the same. A sample of
// equally spread keys has a bit more than it needs to tell all apart; by how much more these have, more passes than
// so many will be needed until buckets fit into a block's memory.
__device__ inline SortBucket sort_sample(const Sort& q, SampleShared& sh) {
  const uint32_t few = q.n >= kSortSampled ? kSortSample : kSortSampleFew;
  const uint64_t part = q.n / few, first = sort_key(q, 0, 0);
  if (threadIdx.x == 0) sh.differ = sh.shared = sh.rising = 0;
  __syncthreads();
  uint64_t differ = 0;
  for (uint32_t i = threadIdx.x; i < few; i += kSortBeginThreads) {
    uint64_t key = sort_key(q, 0, i * part + (i * 0x9e3779b9u >> 8) % part);
    sh.keys[i] = key;
    differ |= key ^ first;
  }
  atomicOr(&sh.differ, (unsigned long long)differ);
  __syncthreads();
  differ = sh.differ;
  const uint64_t bits = q.key_bits == 64 ? ~0ull : (1ull << q.key_bits) - 1;
  const uint32_t n = (uint32_t)q.n;
  if (differ == 0) return SortBucket{bits, 0, 0, n, (uint32_t)q.key_bits - 8, 0, 0, 0, 0, 0};
  uint32_t rising = 0;
  for (uint32_t i = threadIdx.x; i + 1 < few; i += kSortBeginThreads) rising += sh.keys[i] <= sh.keys[i + 1];
  atomicAdd(&sh.rising, rising);
  __syncthreads();
  bitonic_sort<kSortBeginThreads>(sh.keys, few, [](uint32_t, uint32_t) {});
  uint32_t top = 64 - (uint32_t)__clzll((long long)differ), at = threadIdx.x % kSortDigits * (few / kSortDigits);
  uint64_t key = sh.keys[at];
  auto bound = [&](bool after) { // of the keys that are the same
    uint32_t low = 0, high = few;
    while (low < high) {
      uint32_t middle = (low + high) / 2;
      if (sh.keys[middle] < key || (after && sh.keys[middle] == key)) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  uint32_t from = bound(false), to = bound(true), most = 0;
  auto alike = [&](uint64_t other) { return top - (64 - (uint32_t)__clzll((long long)(key ^ other))); };
  if (from > 0) most = alike(sh.keys[from - 1]);
  if (to < few) most = max(most, alike(sh.keys[to]));
  if (threadIdx.x < kSortDigits) atomicAdd(&sh.shared, most);
  __syncthreads();
  uint32_t sample_bits = 32 - (uint32_t)__clz((int)few), wanted = 32 - (uint32_t)__clz((int)(n / kSortMedium));
  uint32_t need = sh.shared * wanted / sample_bits / kSortDigits; // bits until buckets are small
  // In eighths of what a pass from the last digit takes: counting, passes, local sorts; these take longer where keys are
  // skewed, and atomic operations do where neighbours have one digit.
  uint32_t forward = 10 + 5 * need / 4 + 12 * (max(need, wanted) - wanted) + (sh.rising > few - few / 8 ? 6 : 0);
  SortBucket backward = sort_backward(q, differ, n, false);
  uint32_t span = top - ((uint32_t)__ffsll((long long)differ) - 1);
  // Keys alone: of 24 bits, or of many that are the same, values are counted after a pass or two; and of 32 bits passes from
  // the first digit on take less time, unless buckets stay large, or bits that differ are so far apart that there are more digits.
  sample_values(sh, few);
  bool narrow = q.key_bits == 32 && sort_ncuts(differ) == (span + 7) / 8 && (need <= wanted + 1 || sh.distinct < few / 2);
  bool stays = q.values == nullptr && (span <= 8 + kSortTallyBits || narrow);
  SortBucket bucket = SortBucket{~0ull >> (64 - top), 0, 0, n, sort_shift(~0ull >> (64 - top)), 0, 0, 0, 0, 0};
  if (!stays && forward > 8 * sort_ncuts(backward.mask)) {
    sort_cuts(q, backward.mask);
    bucket = backward;
  }
  if (q.values != nullptr || few < kSortSample || q.wide != nullptr) return bucket;
  if (span > 8 && sample_few(q, sh, few)) {
    bucket.scatters = kSortFew;
  } else if (q.key_bits == 64 && span >= kSortNarrowLeast && span <= 32 && threadIdx.x == 0) {
    uint32_t low = max(top, 32u) - 32;
    *q.narrow = SortNarrow{first & ~(0xffffffffull << low), low, 1, 0};
  }
  return bucket;
}

// Keys become their 32 bits, in the other array, unless one differs in others too. Any grid.
__device__ __forceinline__ void narrow_keys(const Sort& q) {
  SortNarrow& narrow = *q.narrow;
  if (!narrow.wanted) return;
  constexpr uint32_t kAhead = 8;
  const uint32_t low = narrow.low;
  const uint64_t share = narrow.share, others = ~(0xffffffffull << low);
  const uint64_t* keys = (const uint64_t*)q.keys;
  uint32_t* out = (uint32_t*)q.other_keys;
  bool wrong = false;
  for (uint64_t from = (uint64_t)blockIdx.x * kAhead * kSortThreads; from < q.n; from += (uint64_t)gridDim.x * kAhead * kSortThreads) {
    uint64_t key[kAhead];
    uint32_t n = (uint32_t)min(q.n - from, (uint64_t)kAhead * kSortThreads);
#pragma unroll
    for (uint32_t k = 0; k < kAhead; k++) key[k] = keys[from + min(k * kSortThreads + threadIdx.x, n - 1)];
#pragma unroll
    for (uint32_t k = 0; k < kAhead; k++) {
      uint32_t i = k * kSortThreads + threadIdx.x;
      wrong |= (key[k] & others) != share;
      if (i < n) out[from + i] = (uint32_t)(key[k] >> low);
    }
  }
  if (wrong) *(volatile uint32_t*)&narrow.failed = 1;
}

} // namespace dfaparse
