// A pass parts every large bucket by a digit of its own, whatever their number: it counts,
// plans, and scatters (scatter.cuh).
#pragma once

#include "../scan.cuh"
#include "job.cuh"

namespace dfaparse {

__device__ __forceinline__ uint32_t sort_tiles_of(const Sort& q, uint32_t count) { return (count + (uint32_t)q.tile - 1) / (uint32_t)q.tile; }

// The digit begins with the highest of the bits that may differ.
__device__ __forceinline__ uint32_t sort_shift(uint64_t mask) {
  int top = 64 - __clzll((long long)mask);
  return top > 8 ? (uint32_t)top - 8 : 0;
}

template <class Key> __device__ __forceinline__ Key* keys_of(const Sort& q, uint32_t side) { return (Key*)(side ? q.other_keys : q.keys); }
template <class Value> __device__ __forceinline__ Value* values_of(const Sort& q, uint32_t side) { return (Value*)(side ? q.other_values : q.values); }
__device__ __forceinline__ SortBucket* bucket_of(const Sort& q, uint64_t pass, uint32_t b) { return q.buckets + (pass & 1) * q.most_buckets + b; }
__device__ __forceinline__ uint32_t* digits_of(const Sort& q, uint64_t pass, uint32_t b) { return q.digits + ((pass & 1) * q.most_buckets + b) * kSortDigits; }
__device__ __forceinline__ uint32_t* tiles_of(const Sort& q, uint64_t pass) { return q.tiles + (pass & 1) * q.most_tiles; }

struct NoValue {};
template <class T> struct HasValue { static constexpr bool value = true; };
template <> struct HasValue<NoValue> { static constexpr bool value = false; };

// Those of a kind of sort.
template <class Key, class Value> using ShapesOf = SortShapes<sizeof(Key), HasValue<Value>::value ? sizeof(Value) : 0>;
template <class Key, class Value> using OrderedOf = typename ShapesOf<Key, Value>::Ordered;
template <class Key, class Value> using AnyOf = typename ShapesOf<Key, Value>::Any;

// Where keys are in the end.
template <class Key> struct SortOut {
  Key* keys;
  uint64_t* wide;
  uint64_t share;
  uint32_t low;

  __device__ __forceinline__ SortOut(const Sort& q, uint64_t start) : keys(keys_of<Key>(q, 0) + start), wide(nullptr), share(0), low(0) {
    if (sizeof(Key) == 8 || q.wide == nullptr) return;
    wide = (uint64_t*)q.wide + start;
    share = q.narrow->share, low = q.narrow->low;
  }
  __device__ __forceinline__ void put(uint64_t i, Key key) const {
    if (sizeof(Key) == 4 && wide != nullptr) wide[i] = share | (uint64_t)key << low;
    else keys[i] = key;
  }
};

struct CountShared {
  uint32_t count[kSortCuts][kSortDigits];
  SortCut cuts[kSortCuts];
  unsigned long long differ;
};

template <class Key, uint32_t kKeys> __device__ __forceinline__ void sort_cut(const Key (&key)[kKeys], const SortCut& cut, uint32_t (&digit)[kKeys]) {
  uint32_t shift = (uint32_t)cut.shifts & 63, mask = (uint32_t)cut.masks & 255;
#pragma unroll
  for (uint32_t k = 0; k < kKeys; k++) digit[k] = (uint32_t)(key[k] >> shift) & mask;
  for (uint32_t r = 8; r < 8 * (uint32_t)cut.runs; r += 8) {
    shift = (uint32_t)(cut.shifts >> r) & 63, mask = (uint32_t)(cut.masks >> r) & 255;
#pragma unroll
    for (uint32_t k = 0; k < kKeys; k++) digit[k] |= (uint32_t)(key[k] >> shift) & mask;
  }
}

// Digits of 8 of the bits of mask, from the lowest on, for the first threads of a block.
__device__ inline void sort_cuts(const Sort& q, uint64_t mask) {
  uint32_t c = threadIdx.x;
  if (c >= kSortCuts) return;
  SortCut cut{0, 0, 0};
  uint32_t nth = 0;
  for (uint32_t at = 0; at < 64; at++) {
    if (!(mask >> at & 1)) continue;
    uint32_t to = nth++ - 8 * c;
    if (to >= 8) continue;
    if (to == 0 || !(mask >> (at - 1) & 1)) cut.shifts |= (uint64_t)(at - to) << 8 * cut.runs++; // a run begins
    cut.masks |= 1ull << to << 8 * (cut.runs - 1);
  }
  q.cuts[c] = cut;
}
__device__ __forceinline__ uint32_t sort_ncuts(uint64_t mask) { return ((uint32_t)__popcll((unsigned long long)mask) + 7) / 8; }

// Copies what is between two places. Here and elsewhere all is loaded before anything is stored, since the compiler cannot
// know that the one is not what the other is.
template <class T> __device__ __forceinline__ void sort_copy(const T* from, T* to, uint32_t begin, uint32_t end) {
  constexpr uint32_t kAhead = 8;
  uint32_t i = begin + threadIdx.x;
  for (; i + (kAhead - 1) * kSortThreads < end; i += kAhead * kSortThreads) {
    T x[kAhead];
#pragma unroll
    for (uint32_t k = 0; k < kAhead; k++) x[k] = from[i + k * kSortThreads];
#pragma unroll
    for (uint32_t k = 0; k < kAhead; k++) to[i + k * kSortThreads] = x[k];
  }
  for (; i < end; i += kSortThreads) to[i] = from[i];
}

// Counts the digits of tiles next to one another, finds out by which bits keys differ, and has the
// tiles' rows of before be zero. Of a bucket that is sorted from its last digit all digits are counted at once. Tiles of
// buckets that are sorted are copied.
template <class Key, class Value> __device__ __forceinline__ void sort_count(const Sort& q, uint64_t pass) {
  constexpr uint32_t kTile = OrderedOf<Key, Value>::kTile;
  static_assert(kTile == AnyOf<Key, Value>::kTile);
  __shared__ CountShared sh;
  uint32_t ntiles = q.counts[kSortTiles + pass], per = (ntiles + gridDim.x - 1) / gridDim.x;
  uint32_t tile = blockIdx.x * per, end = min(tile + per, ntiles);
  if (tile >= end) return;
  const uint32_t* tiles = tiles_of(q, pass);
  while (tile < end) {
    uint32_t b = tiles[tile];
    const SortBucket bucket = *bucket_of(q, pass, b);
    uint32_t last = min(end, bucket.tile + sort_tiles_of(q, bucket.count));
    uint32_t from = (tile - bucket.tile) * kTile, to = min((last - bucket.tile) * kTile, bucket.count);
    const Key* keys = keys_of<Key>(q, bucket.side) + bucket.start;
    if (bucket.mask == 0) {
      if (q.wide == nullptr) {
        sort_copy(keys, keys_of<Key>(q, 0) + bucket.start, from, to);
      } else {
        const SortOut<Key> out(q, bucket.start);
        for (uint32_t i = from + threadIdx.x; i < to; i += kSortThreads) out.put(i, keys[i]);
      }
      if constexpr (HasValue<Value>::value) sort_copy(values_of<Value>(q, 1) + bucket.start, values_of<Value>(q, 0) + bucket.start, from, to);
      tile = last;
      continue;
    }
    if (HasValue<Value>::value || bucket.backward)
      for (uint64_t k = (uint64_t)tile * kSortDigits + threadIdx.x; k < (uint64_t)last * kSortDigits; k += kSortThreads) q.before[k] = 0;
    if (bucket.backward >= kSortBackward) { // all its digits are counted
      tile = last;
      continue;
    }
    uint32_t ncuts = bucket.backward ? sort_ncuts(bucket.mask) : 0, nrows = max(ncuts, 1u);
    for (uint32_t i = threadIdx.x; i < nrows * kSortDigits; i += kSortThreads) (&sh.count[0][0])[i] = 0;
    if (threadIdx.x < ncuts) sh.cuts[threadIdx.x] = q.cuts[threadIdx.x];
    if (threadIdx.x == 0) sh.differ = 0;
    __syncthreads();
    Key first = keys[0], differ = 0;
    auto counts = [&](Key key) {
      differ |= key ^ first;
      if (!bucket.backward) atomicAdd(sh.count[0] + ((uint32_t)(key >> bucket.shift) & (kSortDigits - 1)), 1u);
    };
    uint32_t i = from + threadIdx.x;
    constexpr uint32_t kAhead = 8;
    for (; i + (kAhead - 1) * kSortThreads < to; i += kAhead * kSortThreads) {
      Key key[kAhead];
#pragma unroll
      for (uint32_t k = 0; k < kAhead; k++) key[k] = keys[i + k * kSortThreads];
#pragma unroll
      for (uint32_t k = 0; k < kAhead; k++) counts(key[k]);
      for (uint32_t c = 0; c < ncuts; c++) {
        uint32_t digit[kAhead];
        sort_cut(key, sh.cuts[c], digit);
#pragma unroll
        for (uint32_t k = 0; k < kAhead; k++) atomicAdd(sh.count[c] + digit[k], 1u);
      }
      if (bucket.copies) {
#pragma unroll
        for (uint32_t k = 0; k < kAhead; k++) keys_of<Key>(q, 1)[bucket.start + i + k * kSortThreads] = key[k];
      }
    }
    for (; i < to; i += kSortThreads) {
      Key key[1] = {keys[i]};
      counts(key[0]);
      for (uint32_t c = 0; c < ncuts; c++) {
        uint32_t digit[1];
        sort_cut(key, sh.cuts[c], digit);
        atomicAdd(sh.count[c] + digit[0], 1u);
      }
      if (bucket.copies) keys_of<Key>(q, 1)[bucket.start + i] = key[0];
    }
    if constexpr (HasValue<Value>::value)
      if (bucket.copies) sort_copy(values_of<Value>(q, 0) + bucket.start, values_of<Value>(q, 1) + bucket.start, from, to);
    for (uint32_t d = 16; d > 0; d /= 2) differ |= __shfl_xor_sync(kAllLanes, differ, (int)d);
    if (lane_id() == 0) atomicOr(&sh.differ, (unsigned long long)differ);
    __syncthreads();
    uint32_t* digits = bucket.backward ? q.lows : digits_of(q, pass, b);
    for (uint32_t d = threadIdx.x; d < nrows * kSortDigits; d += kSortThreads)
      if ((&sh.count[0][0])[d]) atomicAdd(digits + d, (&sh.count[0][0])[d]);
    if (threadIdx.x == 0) atomicOr((unsigned long long*)&bucket_of(q, pass, b)->differ, sh.differ);
    __syncthreads();
    tile = last;
  }
}

enum SortPart : uint32_t { kPartNothing = 0, kPartLarge = 1, kPartLocal = 2, kPartTally = 3 };

struct PlanShared {
  uint32_t count[kSortDigits], start[kSortDigits];
  uint32_t size[kSortDigits]; // of the part that begins with a digit
  uint32_t part[kSortDigits]; // SortPart
  uint32_t at[kSortDigits], tile[kSortDigits];
  uint32_t per_warp[kWarp];
  uint32_t most;
};

// Puts a bucket on the list of the next pass: its place there, and its first tile. For so many threads, of which this is one.
__device__ inline void sort_tiles(const Sort& q, uint64_t pass, uint32_t b, uint32_t tile, uint32_t count, uint32_t thread, uint32_t threads) {
  uint32_t* digits = digits_of(q, pass + 1, b);
  for (uint32_t d = thread; d < kSortDigits; d += threads) digits[d] = 0;
  uint32_t* tiles = tiles_of(q, pass + 1) + tile;
  for (uint32_t i = thread; i < sort_tiles_of(q, count); i += threads) tiles[i] = b;
}
__device__ inline void sort_push(const Sort& q, uint64_t pass, uint64_t mask, uint32_t start, uint32_t count, uint32_t side, uint32_t* b, uint32_t* tile) {
  *b = atomicAdd(q.counts + kSortBuckets + pass + 1, 1u);
  *tile = atomicAdd(q.counts + kSortTiles + pass + 1, sort_tiles_of(q, count));
  *bucket_of(q, pass + 1, *b) = SortBucket{mask, 0, start, count, sort_shift(mask), side, *tile, 0, 0, 0};
}
// Puts a bucket of all keys there, its only one. For all threads of a block.
__device__ inline void sort_start(const Sort& q, uint64_t pass, const SortBucket& bucket, PlanShared& sh) {
  if (threadIdx.x == 0) {
    sort_push(q, pass, bucket.mask, 0, bucket.count, bucket.side, sh.at, sh.tile);
    bucket_of(q, pass + 1, 0)->backward = bucket.backward;
    bucket_of(q, pass + 1, 0)->copies = bucket.copies;
  }
  if (bucket.backward == kSortCounting) sort_cuts(q, bucket.mask);
  __syncthreads();
  sort_tiles(q, pass, sh.at[0], sh.tile[0], bucket.count, threadIdx.x, kSortDigits);
}
__device__ inline void sort_push_local(const Sort& q, uint32_t start, uint32_t count, uint32_t side) {
  uint32_t kind = count <= kSortSmall ? 0 : count <= kSortMedium ? 1 : 2;
  q.locals[kind * q.most_locals + atomicAdd(q.counts + kSortLocals + kind, 1u)] = SortLocal{start, count, side};
}

__device__ __forceinline__ uint64_t sort_key(const Sort& q, uint32_t side, uint64_t i) {
  const void* keys = side ? q.other_keys : q.keys;
  return q.key_bits == 64 ? ((const uint64_t*)keys)[i] : ((const uint32_t*)keys)[i];
}

// Whether of keys alone that differ by these bits it is counted how often each is there: if there are so many times as many
// as these may have values.
__device__ __forceinline__ bool sort_tallies(const Sort& q, uint64_t mask, uint32_t count, uint32_t times) {
  if (mask == 0 || q.values != nullptr) return false;
  uint32_t bits = 65 - (uint32_t)__clzll((long long)mask) - (uint32_t)__ffsll((long long)mask);
  return bits <= kSortTallyBits && count >> bits >= times;
}
__device__ inline void sort_push_tally(const Sort& q, SortTally tally) {
  uint32_t ntiles = (tally.count + kSortTallyTile - 1) / kSortTallyTile;
  uint64_t at = atomicAdd((unsigned long long*)(q.counts + kSortTallies), 1ull << 32 | ntiles);
  tally.tile = (uint32_t)at;
  q.tallies[at >> 32] = tally;
  atomicMax(q.counts + kSortTallies + 2, tally.few ? ~0u : ntiles);
}
// Of what a bucket's digit leaves: the lowest bit by which keys differ.
__device__ __forceinline__ uint32_t sort_brief_low(const SortBucket& bucket) { return (uint32_t)__ffsll((long long)bucket.differ) - 1; }
// Of keys that differ by these bits, of which one is key.
__device__ inline void sort_push_tally(const Sort& q, uint64_t key, uint64_t mask, uint32_t start, uint32_t count, uint32_t side, bool brief) {
  uint32_t low = (uint32_t)__ffsll((long long)mask) - 1, bits = 64 - (uint32_t)__clzll((long long)mask) - low;
  sort_push_tally(q, SortTally{key & ~(((1ull << bits) - 1) << low), start, count, side, low, 1u << bits, 0, 0, brief});
}

// A bucket of all keys that is sorted from its last digit on: of bits that are a few more than differ, where that costs no pass.
// Where the number of passes is odd it begins in the other array, so that it ends in the first.
__device__ inline SortBucket sort_backward(const Sort& q, uint64_t differ, uint32_t n, bool copied) {
  uint32_t low = (uint32_t)__ffsll((long long)differ) - 1, top = 64 - (uint32_t)__clzll((long long)differ);
  uint64_t all = ~0ull >> (64 - (top - low)) << low, mask = sort_ncuts(all) == sort_ncuts(differ) ? all : differ;
  bool odd = sort_ncuts(mask) & 1;
  return SortBucket{mask, 0, 0, n, 0, odd && copied ? 1u : 0u, 0, 0, kSortCounting, odd && !copied ? 1u : 0u};
}

// Says by which digit such a bucket is sorted now, and by which in the next pass.
__device__ inline void sort_plan_backward(const Sort& q, uint64_t pass, uint32_t b, const SortBucket& bucket, PlanShared& sh) {
  uint32_t d = threadIdx.x, ncuts = sort_ncuts(bucket.mask), side = bucket.side, digit = bucket.backward - kSortBackward, next = ncuts;
  SortBucket* at = bucket_of(q, pass, b);
  if (bucket.backward == kSortCounting) {
    if (bucket.copies) side = 1;
    if (bucket.differ & ~bucket.mask) { // the sample did not show them all
      for (uint32_t c = 0; c < kSortCuts; c++) q.lows[c * kSortDigits + d] = 0;
      sort_start(q, pass, sort_backward(q, bucket.differ, bucket.count, bucket.copies), sh);
      return;
    }
    digit = ncuts;
    for (uint32_t c = ncuts; c-- > 0;) {
      uint32_t n, count = q.lows[c * kSortDigits + d];
      q.lows[c * kSortDigits + d] = scan_block_exclusive<kSortDigits>(count, Sum(), sh.per_warp, &n);
      if (__syncthreads_or(count == bucket.count)) {
        if (d == 0) q.cuts[c].runs = 0; // all keys share it
      } else {
        digit = c;
      }
    }
    __syncthreads();
  }
  for (uint32_t c = ncuts; c-- > digit + 1;)
    if (q.cuts[c].runs != 0) next = c;
  __syncthreads();
  if (d == 0) {
    at->side = side;
    at->scatters = digit < ncuts;
    at->backward = kSortBackward + digit;
  }
  if (digit < ncuts) side = 1 - side;
  if (next == ncuts && side == 0 && q.wide == nullptr) return;
  SortBucket then = bucket;
  then.mask = next < ncuts ? bucket.mask : 0;
  then.side = side;
  then.backward = kSortBackward + next;
  then.copies = 0;
  sort_start(q, pass, then, sh);
}

// Says what becomes of a bucket whose digits are counted, and of its parts. A block of
// kSortDigits threads.
__device__ inline void sort_plan(const Sort& q, uint64_t pass, uint32_t b) {
  __shared__ PlanShared sh;
  uint32_t d = threadIdx.x;
  SortBucket* at = bucket_of(q, pass, b);
  const SortBucket bucket = *at;
  if (bucket.mask == 0) return;
  if (bucket.backward) {
    sort_plan_backward(q, pass, b, bucket, sh);
    return;
  }
  if (bucket.differ & ~bucket.mask) { // the sample did not show them all
    sort_start(q, pass, sort_backward(q, bucket.differ, bucket.count, false), sh);
    return;
  }
  uint32_t* digits = digits_of(q, pass, b);
  uint32_t count = digits[d], n;
  __syncthreads(); // who has been here before
  uint32_t start = bucket.start + scan_block_exclusive<kSortDigits>(count, Sum(), sh.per_warp, &n);
  sh.count[d] = count;
  sh.start[d] = start;
  sh.part[d] = kPartNothing;
  if (d == 0) sh.most = 0;
  __syncthreads();
  atomicMax(&sh.most, count);
  __syncthreads();
  bool scatters = sh.most < bucket.count;
  uint32_t side = scatters ? 1 - bucket.side : bucket.side;
  uint64_t mask = scatters ? bucket.differ & ((1ull << bucket.shift) - 1) : bucket.differ;
  if (sort_tallies(q, bucket.differ, bucket.count, 2) && !(scatters && mask == 0)) {
    if (d > 0) return;
    at->scatters = 0;
    sort_push_tally(q, sort_key(q, bucket.side, bucket.start), bucket.differ, bucket.start, bucket.count, bucket.side, false);
    return;
  }
  // Of keys alone it may be that values of every part are counted.
  auto tallied = [&](uint32_t size) { return size > kSortLarge && sort_tallies(q, mask, size, 8); }; // it may differ by fewer: of fewer keys the next pass finds that out
  const bool brief = scatters && mask != 0 && __syncthreads_and(count == 0 || tallied(count));
  digits[d] = brief ? start * (uint32_t)(q.key_bits / 16) : start;
  if (d == 0) {
    bool skewed = sh.most > bucket.count / 8;
    at->scatters = !scatters ? 0 : brief ? (skewed ? kSortBriefSkewed : kSortBrief) : skewed ? kSortSkewed : 1;
  }
  if (scatters && mask == 0 && q.values == nullptr) {
    if (d == 0) at->scatters = kSortFills;
    return;
  }
  if (!scatters || mask == 0) { // all of it goes on, or is sorted
    if (mask == 0 && side == 0 && q.wide == nullptr) return;
    if (d == 0) sort_push(q, pass, mask, bucket.start, bucket.count, side, sh.at, sh.tile);
    __syncthreads();
    sort_tiles(q, pass, sh.at[0], sh.tile[0], bucket.count, threadIdx.x, kSortDigits);
    return;
  }
  if (d == 0) {
    uint32_t begin = 0, size = 0;
    for (uint32_t i = 0; i < kSortDigits; i++) {
      uint32_t c = sh.count[i];
      bool large = c > kSortLarge;
      if (size > 0 && (large || size + c > kSortMedium)) {
        sh.part[begin] = kPartLocal;
        sh.size[begin] = size;
        size = 0;
      }
      if (large) {
        sh.part[i] = kPartLarge;
        sh.size[i] = c;
        continue;
      }
      if (size == 0) begin = i;
      size += c;
    }
    if (size > 0) {
      sh.part[begin] = kPartLocal;
      sh.size[begin] = size;
    }
  }
  __syncthreads();
  if (sh.part[d] == kPartLarge) {
    if (tallied(sh.size[d])) {
      sh.part[d] = kPartTally;
      uint64_t others = (uint64_t)(kSortDigits - 1) << bucket.shift;
      sort_push_tally(q, (sort_key(q, bucket.side, bucket.start) & ~others) | (uint64_t)d << bucket.shift, mask, start, sh.size[d], side, brief);
    } else {
      sort_push(q, pass, mask, start, sh.size[d], side, sh.at + d, sh.tile + d);
    }
  }
  if (sh.part[d] == kPartLocal) sort_push_local(q, start, sh.size[d], side);
  __syncthreads();
  for (uint32_t i = warp_id(); i < kSortDigits; i += kSortDigits / kWarp)
    if (sh.part[i] == kPartLarge) sort_tiles(q, pass, sh.at[i], sh.tile[i], sh.size[i], lane_id(), kWarp);
}

} // namespace dfaparse
