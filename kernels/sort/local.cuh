// Buckets that fit into a block's memory. Keys are counted by as many of the bits that differ
// as there are bins, about one a key; where no bin has many, a key's place among its
// bin's is found by comparing it with each. Otherwise digits are sorted by, from the last to the
// first, those alone in which keys differ.
#pragma once

#include "scatter.cuh"

namespace dfaparse {

constexpr uint32_t kSortFewInBin = 24, kSortFewAlone = 16; // the latter of keys alone

// Sorts the keys of a bin, for one thread.
template <class Key> __device__ __forceinline__ void sort_bin(Key* keys, uint32_t n) {
  if (n < 2) return;
  Key a = keys[0], b = keys[1], c = n > 2 ? keys[2] : ~(Key)0, d = n > 3 ? keys[3] : ~(Key)0;
  auto order = [](Key& x, Key& y) {
    Key less = min(x, y);
    y = max(x, y);
    x = less;
  };
  order(a, b);
  order(c, d);
  order(a, c);
  order(b, d);
  order(b, c);
  keys[0] = a;
  keys[1] = b;
  if (n > 2) keys[2] = c;
  if (n > 3) keys[3] = d;
  for (uint32_t i = 4; i < n; i++) {
    Key x = keys[i];
    uint32_t to = i;
    for (; to > 0 && keys[to - 1] > x; to--) keys[to] = keys[to - 1];
    keys[to] = x;
  }
}

template <class Key, class Value, uint32_t kThreads, uint32_t kMost> struct LocalShared {
  static constexpr uint32_t kBinBits = kMost > 4608 ? 13 : kMost > 1024 ? 12 : 10;
  static constexpr uint32_t kBins = 1u << kBinBits;
  union {
    RankShared<kThreads> rank;
    Key keys[kMost];
    uint64_t values[HasValue<Value>::value ? (kMost * sizeof(Value) + 7) / 8 : 1];
  };
  uint32_t bins[kBins / 2];                           // two counters of 16 bits a word
  uint16_t from[HasValue<Value>::value ? kMost : 2];  // where a key was
  uint32_t start[kSortDigits];
  uint32_t per_warp[kWarp];
  unsigned long long differ;
};

template <class Key, class Value, uint32_t kThreads, uint32_t kMost> __device__ __forceinline__ void sort_local(const Sort& q, uint32_t kind, LocalShared<Key, Value, kThreads, kMost>& sh) {
  using Shared = LocalShared<Key, Value, kThreads, kMost>;
  constexpr uint32_t kItems = kMost / kThreads, kWords = Shared::kBins / 2 / kThreads;
  constexpr bool kValues = HasValue<Value>::value;
  static_assert(kItems * kThreads == kMost && kWords * kThreads * 2 == Shared::kBins, "threads have whole shares");
  const SortLocal* locals = q.locals + kind * q.most_locals;
  uint32_t nlocals = q.counts[kSortLocals + kind];
  const uint16_t* bin = (const uint16_t*)sh.bins;
  for (uint32_t b = blockIdx.x; b < nlocals; b += gridDim.x) {
    const SortLocal local = locals[b];
    uint32_t n = local.count;
    const Key* keys = keys_of<Key>(q, local.side) + local.start;
    Key key[kItems], first = keys[0], differ = 0;
#pragma unroll
    for (uint32_t i = 0; i < kItems; i++) {
      uint32_t at = rank_place<kItems>(i);
      key[i] = at < n ? keys[at] : first;
    }
    for (uint32_t i = threadIdx.x; i < Shared::kBins / 2; i += kThreads) sh.bins[i] = 0;
    if (threadIdx.x == 0) sh.differ = 0;
    __syncthreads();
#pragma unroll
    for (uint32_t i = 0; i < kItems; i++) differ |= key[i] ^ first;
    for (uint32_t d = 16; d > 0; d /= 2) differ |= __shfl_xor_sync(kAllLanes, differ, (int)d);
    if (lane_id() == 0 && differ != 0) atomicOr(&sh.differ, (unsigned long long)differ);
    __syncthreads();
    uint64_t all = sh.differ;
    if (all == 0) {
      if (local.side == 1 || q.wide != nullptr) {
        const SortOut<Key> out(q, local.start);
#pragma unroll
        for (uint32_t i = 0; i < kItems; i++) {
          uint32_t at = rank_place<kItems>(i);
          if (at < n) out.put(at, key[i]);
        }
        if constexpr (kValues)
          for (uint32_t i = threadIdx.x; i < n; i += kThreads) values_of<Value>(q, 0)[local.start + i] = values_of<Value>(q, 1)[local.start + i];
      }
      __syncthreads();
      continue;
    }
    uint32_t top = 64 - (uint32_t)__clzll((long long)all), shift = top > Shared::kBinBits ? top - Shared::kBinBits : 0;
    auto bin_of = [&](uint32_t i) { return (uint32_t)(key[i] >> shift) & (Shared::kBins - 1); };
    uint32_t rank[kItems];
#pragma unroll
    for (uint32_t i = 0; i < kItems; i++) {
      if (rank_place<kItems>(i) >= n) continue;
      uint32_t k = bin_of(i), half = (k & 1) * 16;
      rank[i] = atomicAdd(sh.bins + (k >> 1), 1u << half) >> half & 0xffff;
    }
    __syncthreads();
    constexpr uint32_t kFew = kValues ? kSortFewInBin : kSortFewAlone;
    uint32_t word[kWords], counts[kValues ? 1 : kWords], sum = 0, total;
    bool many = false;
#pragma unroll
    for (uint32_t i = 0; i < kWords; i++) {
      word[i] = sh.bins[threadIdx.x * kWords + i];
      uint32_t low = word[i] & 0xffff, high = word[i] >> 16;
      many |= low > kFew || high > kFew;
      if constexpr (!kValues) counts[i] = word[i];
      word[i] = sum | (sum + low) << 16;
      sum += low + high;
    }
    uint32_t before = scan_block_exclusive<kThreads>(sum, Sum(), sh.per_warp, &total);
#pragma unroll
    for (uint32_t i = 0; i < kWords; i++) sh.bins[threadIdx.x * kWords + i] = word[i] + before * 0x10001u;
    if (!__syncthreads_or(many)) {
#pragma unroll
      for (uint32_t i = 0; i < kItems; i++) {
        uint32_t at = rank_place<kItems>(i);
        if (at >= n) continue;
        rank[i] += bin[bin_of(i)];
        sh.keys[rank[i]] = key[i];
        if constexpr (kValues) sh.from[rank[i]] = (uint16_t)at;
      }
      __syncthreads();
      if constexpr (!kValues) { // a thread has the bins that it has counted
#pragma unroll
        for (uint32_t i = 0; i < kWords; i++) {
          sort_bin(sh.keys + before, counts[i] & 0xffff);
          before += counts[i] & 0xffff;
          sort_bin(sh.keys + before, counts[i] >> 16);
          before += counts[i] >> 16;
        }
      } else {
#pragma unroll
        for (uint32_t i = 0; i < kItems; i++) {
          uint32_t at = rank_place<kItems>(i);
          if (at >= n) continue;
          uint32_t k = bin_of(i), begin = bin[k], end = k + 1 < Shared::kBins ? bin[k + 1] : n, to = begin;
          for (uint32_t other = begin; other < end; other++) {
            Key x = sh.keys[other];
            to += x < key[i] || (x == key[i] && sh.from[other] < at);
          }
          rank[i] = to;
        }
        __syncthreads();
#pragma unroll
        for (uint32_t i = 0; i < kItems; i++) {
          uint32_t at = rank_place<kItems>(i);
          if (at >= n) continue;
          sh.keys[rank[i]] = key[i];
          sh.from[rank[i]] = (uint16_t)at;
        }
      }
      __syncthreads();
    } else {
      uint32_t from[kItems];
#pragma unroll
      for (uint32_t i = 0; i < kItems; i++) from[i] = rank_place<kItems>(i);
      for (uint32_t at = (uint32_t)__ffsll((long long)all) - 1; at < 64 && all >> at != 0;) {
#pragma unroll
        for (uint32_t i = 0; i < kItems; i++) // what is not there comes last
          rank[i] = rank_place<kItems>(i) < n ? (uint32_t)(key[i] >> at) & (kSortDigits - 1) : kSortDigits - 1;
        rank_count<kThreads, kItems>(sh.rank, [&](uint32_t i) { return rank[i]; });
        __syncthreads();
        for (uint32_t d = threadIdx.x; d < kSortDigits; d += kThreads) sh.start[d] = rank_total(sh.rank, d);
        __syncthreads();
        if (warp_id() == 0) {
          uint32_t sum = 0;
          for (uint32_t d = 0; d < kSortDigits; d += kWarp) {
            uint32_t all_of, c = scan_warp_exclusive(sh.start[d + lane_id()], Sum(), &all_of);
            sh.start[d + lane_id()] = sum + c;
            sum += all_of;
          }
        }
        __syncthreads();
        for (uint32_t d = threadIdx.x; d < kSortDigits; d += kThreads) rank_start(sh.rank, d, sh.start[d]);
        __syncthreads();
        rank_items<kThreads, kItems>(sh.rank, [&](uint32_t i) { return rank[i]; }, [&](uint32_t i, uint32_t place) { rank[i] = place; });
        __syncthreads();
#pragma unroll
        for (uint32_t i = 0; i < kItems; i++) {
          if (rank_place<kItems>(i) >= n) continue;
          sh.keys[rank[i]] = key[i];
          if constexpr (kValues) sh.from[rank[i]] = (uint16_t)from[i];
        }
        at += 8;
        if (at < 64 && all >> at != 0) at += (uint32_t)__ffsll((long long)(all >> at)) - 1;
        __syncthreads();
        if (at < 64 && all >> at != 0) { // there is another digit
#pragma unroll
          for (uint32_t i = 0; i < kItems; i++) {
            uint32_t place = rank_place<kItems>(i);
            if (place >= n) continue;
            key[i] = sh.keys[place];
            if constexpr (kValues) from[i] = sh.from[place];
          }
          __syncthreads();
        }
      }
    }
    // All is loaded before anything is stored, as in sort_copy.
    uint32_t from[kItems];
#pragma unroll
    for (uint32_t i = 0; i < kItems; i++) {
      uint32_t at = i * kThreads + threadIdx.x;
      if (at >= n) continue;
      key[i] = sh.keys[at];
      if constexpr (kValues) from[i] = sh.from[at];
    }
    const SortOut<Key> out(q, local.start);
#pragma unroll
    for (uint32_t i = 0; i < kItems; i++) {
      uint32_t at = i * kThreads + threadIdx.x;
      if (at < n) out.put(at, key[i]);
    }
    if constexpr (kValues) {
      const Value* values = values_of<Value>(q, local.side) + local.start;
      Value* to = values_of<Value>(q, 0) + local.start;
      Value* staged = (Value*)sh.values;
      Value value[kItems];
#pragma unroll
      for (uint32_t i = 0; i < kItems; i++) value[i] = values[min(i * kThreads + threadIdx.x, n - 1)];
      __syncthreads();
#pragma unroll
      for (uint32_t i = 0; i < kItems; i++) {
        uint32_t at = i * kThreads + threadIdx.x;
        if (at < n) staged[at] = value[i];
      }
      __syncthreads();
#pragma unroll
      for (uint32_t i = 0; i < kItems; i++) {
        uint32_t at = i * kThreads + threadIdx.x;
        if (at < n) value[i] = staged[from[i]];
      }
#pragma unroll
      for (uint32_t i = 0; i < kItems; i++) {
        uint32_t at = i * kThreads + threadIdx.x;
        if (at < n) to[at] = value[i];
      }
    }
    __syncthreads();
  }
}

} // namespace dfaparse
