// What a sample of the keys says of how to sort them: from the highest digit on, where buckets soon are small, or from
// the last to the first, where they would stay large.
#pragma once

#include "pass.cuh"

namespace dfaparse {

struct SampleShared {
  uint64_t keys[kSortSample];
  unsigned long long differ;
  uint32_t shared, rising;
};

__device__ __forceinline__ uint64_t sort_key(const Sort& q, uint64_t i) { return q.key_bits == 64 ? ((const uint64_t*)q.keys)[i] : ((const uint32_t*)q.keys)[i]; }

// The bucket of all keys. A block of kSortDigits threads.
//
// Of keys of the sorted sample it is seen by how many bits they begin like another one that is not the same. A sample of
// equally spread keys has a bit more than it needs to tell all apart; by how much more these have, more passes than
// so many will be needed until buckets fit into a block's memory.
__device__ inline SortBucket sort_sample(const Sort& q, SampleShared& sh) {
  const uint32_t few = q.n >= 1 << 20 ? kSortSample : kSortSampleFew;
  const uint64_t part = q.n / few, first = sort_key(q, 0);
  if (threadIdx.x == 0) sh.differ = sh.shared = sh.rising = 0;
  __syncthreads();
  uint64_t differ = 0;
  for (uint32_t i = threadIdx.x; i < few; i += kSortDigits) {
    uint64_t key = sort_key(q, i * part + (i * 0x9e3779b9u >> 8) % part);
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
  for (uint32_t i = threadIdx.x; i + 1 < few; i += kSortDigits) rising += sh.keys[i] <= sh.keys[i + 1];
  atomicAdd(&sh.rising, rising);
  __syncthreads();
  for (uint32_t size = 2; size <= few; size *= 2) { // Batcher's bitonic sort
    for (uint32_t d = size / 2; d > 0; d /= 2) {
      for (uint32_t k = threadIdx.x; k < few / 2; k += kSortDigits) {
        uint32_t i = 2 * k - (k & (d - 1)), j = i + d;
        uint64_t a = sh.keys[i], b = sh.keys[j];
        if ((a > b) == ((i & size) == 0)) {
          sh.keys[i] = b;
          sh.keys[j] = a;
        }
      }
      __syncthreads();
    }
  }
  uint32_t top = 64 - (uint32_t)__clzll((long long)differ), at = threadIdx.x * (few / kSortDigits);
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
  atomicAdd(&sh.shared, most);
  __syncthreads();
  uint32_t sample_bits = 32 - (uint32_t)__clz((int)few), wanted = 32 - (uint32_t)__clz((int)(n / kSortMedium));
  uint32_t need = sh.shared * wanted / sample_bits / kSortDigits; // bits until buckets are small
  // In eighths of what a pass from the last digit takes: counting, passes, local sorts; these take longer where keys are
  // skewed, and atomic operations do where neighbours have one digit.
  uint32_t forward = 10 + 5 * need / 4 + 12 * (max(need, wanted) - wanted) + (sh.rising > few - few / 8 ? 6 : 0);
  SortBucket backward = sort_backward(q, differ, n, false);
  uint32_t span = top - ((uint32_t)__ffsll((long long)differ) - 1);
  // Keys alone: the last 8 of 16 bits need not be sorted by; and of 32 bits passes from the first digit on take less time,
  // unless bits that differ are so far apart that there are more of them.
  bool stays = q.values == nullptr && (span <= 16 || (q.key_bits == 32 && sort_ncuts(differ) == (span + 7) / 8));
  if (!stays && forward > 8 * sort_ncuts(backward.mask)) {
    sort_cuts(q, backward.mask);
    return backward;
  }
  uint64_t mask = ~0ull >> (64 - top);
  return SortBucket{mask, 0, 0, n, sort_shift(mask), 0, 0, 0, 0, 0};
}

} // namespace dfaparse
