// A pass writes the keys of buckets, and their values, in order of their digits.
#pragma once

#include "pass.cuh"
#include "rank.cuh"

namespace dfaparse {

// A tile that is to be scattered.
struct ScatterTask {
  SortBucket bucket;
  SortCut cut;
  uint32_t tile, b, end; // end: the bucket's tiles are those before
};

template <class Key, class Value, class Shape> struct ScatterShared {
  union {
    RankShared<Shape::kThreads> rank;
    uint32_t count[kSortDigits];
  };
  union {
    Key keys[Shape::kTile];
    uint64_t values[HasValue<Value>::value ? Shape::kTile * sizeof(Value) / 8 : 1];
  };
  uint32_t next[kSortDigits]; // where the next item with a digit goes in the tile
  uint32_t to[kSortDigits];   // where a digit goes, less where it begins in the tile
  uint32_t per_warp[kWarp];
  ScatterTask task;
};

// The next tile, for one thread. It is worked on at once, since those behind it wait for its counts. Mostly it is of
// the bucket that the one before was of.
__device__ __forceinline__ void scatter_take(const Sort& q, uint64_t pass, uint32_t ntiles, ScatterTask& task) {
  uint32_t tile = atomicAdd(q.counts + kSortTicket + pass, 1u);
  task.tile = tile;
  if (tile < task.end || tile >= ntiles) return;
  uint32_t b = tiles_of(q, pass)[tile];
  const SortBucket bucket = *bucket_of(q, pass, b);
  task.b = b;
  task.bucket = bucket;
  task.end = bucket.tile + sort_tiles_of(q, bucket.count);
  if (bucket.scatters) task.cut = bucket.backward ? q.cuts[bucket.backward - kSortBackward] : SortCut{bucket.shift, kSortDigits - 1, 1};
}

constexpr uint32_t kBeforeOwn = 1u << 30, kBeforeAll = 2u << 30, kBeforeCount = kBeforeOwn - 1;

// Writes the keys of a tile of a bucket that differ by one digit alone, of which digits begin where they say, into the first
// array. That may be where the bucket is: whoever reads what keys share reads it of an old key or a new one.
template <class Key> __device__ __forceinline__ void scatter_fill(const Sort& q, const SortBucket& bucket, const uint32_t* digits, uint32_t from, uint32_t n, uint32_t* begin) {
  for (uint32_t d = threadIdx.x; d < kSortDigits; d += blockDim.x) begin[d] = digits[d] - bucket.start;
  __syncthreads();
  const SortOut<Key> out(q, bucket.start);
  Key shared = keys_of<Key>(q, bucket.side)[bucket.start] & ~((Key)(kSortDigits - 1) << bucket.shift);
  for (uint32_t i = threadIdx.x; i < n; i += blockDim.x) {
    uint32_t digit = 0; // the last that begins there or before
    for (uint32_t step = kSortDigits / 2; step > 0; step /= 2)
      if (begin[digit + step] <= from + i) digit += step;
    out.put(from + i, shared | (Key)digit << bucket.shift);
  }
}

// Writes the keys that lie in order in the block's memory; and says where to.
template <class Key, class Value, class Shape, bool kFull, bool kRuns> __device__ __forceinline__ void scatter_write(ScatterShared<Key, Value, Shape>& sh, Key* out, uint32_t n, uint32_t (&to)[Shape::kItems]) {
  constexpr uint32_t kItems = Shape::kItems, kThreads = Shape::kThreads;
  const SortCut cut = sh.task.cut;
  const uint32_t shift = (uint32_t)cut.shifts & 63, mask = (uint32_t)cut.masks & 255;
  constexpr uint32_t kStep = HasValue<Value>::value ? kItems : Shape::kStep; // at once; with values all places are needed again
#pragma unroll
  for (uint32_t first = 0; first < kItems; first += kStep) {
    Key some[kStep];
    uint32_t place[kStep];
#pragma unroll
    for (uint32_t i = 0; i < kStep; i++) some[i] = sh.keys[(first + i) * kThreads + threadIdx.x];
    if constexpr (kRuns) {
      sort_cut(some, cut, place);
    } else {
#pragma unroll
      for (uint32_t i = 0; i < kStep; i++) place[i] = (uint32_t)(some[i] >> shift) & mask;
    }
#pragma unroll
    for (uint32_t i = 0; i < kStep; i++) to[first + i] = sh.to[place[i]] + (first + i) * kThreads + threadIdx.x;
#pragma unroll
    for (uint32_t i = 0; i < kStep; i++)
      if (kFull || (first + i) * kThreads + threadIdx.x < n) out[to[first + i]] = some[i];
  }
}

// Writes what lower digits keys have that lie in order in the block's memory, as numbers of 16 bits.
template <class Key, class Shape, bool kFull> __device__ __forceinline__ void scatter_brief(const ScatterShared<Key, NoValue, Shape>& sh, uint16_t* out, uint32_t n) {
  constexpr uint32_t kThreads = Shape::kThreads;
  const uint32_t shift = sh.task.bucket.shift, low = sort_brief_low(sh.task.bucket);
  const Key below = ((Key)1 << shift) - 1;
#pragma unroll
  for (uint32_t first = 0; first < Shape::kItems; first += Shape::kStep) {
    Key some[Shape::kStep];
    uint32_t to[Shape::kStep];
#pragma unroll
    for (uint32_t i = 0; i < Shape::kStep; i++) some[i] = sh.keys[(first + i) * kThreads + threadIdx.x];
#pragma unroll
    for (uint32_t i = 0; i < Shape::kStep; i++) to[i] = sh.to[(uint32_t)(some[i] >> shift) & (kSortDigits - 1)] + (first + i) * kThreads + threadIdx.x;
#pragma unroll
    for (uint32_t i = 0; i < Shape::kStep; i++)
      if (kFull || (first + i) * kThreads + threadIdx.x < n) out[to[i]] = (uint16_t)((some[i] & below) >> low);
  }
}

// Where the digits of a tile go, less where they begin in it: for one thread a digit, of which the tile has total. What
// mine has been told of is added up from the tiles before, back to one that has published all.
__device__ __forceinline__ uint32_t scatter_before(uint32_t* mine, bool first, uint32_t total) {
  uint32_t before = 0;
  if (first) return 0;
  for (const uint32_t* p = mine - kSortDigits;;) {
    uint32_t there = *(const volatile uint32_t*)p;
    if (there == 0) {
      __nanosleep(20);
      continue;
    }
    before += there & kBeforeCount;
    if (there & kBeforeAll) break;
    p -= kSortDigits;
  }
  *(volatile uint32_t*)mine = (before + total) | kBeforeAll;
  return before;
}

// A tile in order: keys with one digit stay as they were. kFull: it has all its keys. kRuns: digits are made of several runs
// of bits.
template <class Key, class Value, bool kFull, bool kRuns> __device__ __forceinline__ void scatter_ordered(const Sort& q, uint64_t pass, ScatterShared<Key, Value, OrderedOf<Key, Value>>& sh, uint32_t from, uint32_t n) {
  using Shape = OrderedOf<Key, Value>;
  constexpr uint32_t kItems = Shape::kItems, kThreads = Shape::kThreads;
  const ScatterTask& task = sh.task;
  const SortBucket& bucket = task.bucket;
  const uint32_t tile = task.tile, side = bucket.side;
  const Key* keys = keys_of<Key>(q, side) + bucket.start + from;
  // What is not there comes last, in whatever digits.
  Key key[kItems];
  uint32_t rank[kItems];
#pragma unroll
  for (uint32_t i = 0; i < kItems; i++) {
    uint32_t at = rank_place<kItems>(i);
    key[i] = kFull || at < n ? keys[at] : ~(Key)0;
  }
  const uint32_t mask = (uint32_t)task.cut.masks & 255;
  uint32_t shift = (uint32_t)task.cut.shifts & 63;
  uint32_t digit[kRuns ? kItems : 1];
  if constexpr (kRuns) sort_cut(key, task.cut, digit);
  auto digit_of = [&](uint32_t i) {
    if constexpr (kRuns) return digit[i];
    else return (uint32_t)(key[i] >> shift) & mask;
  };
  uint32_t d = threadIdx.x, total = 0, start, all;
  uint32_t* mine = q.before + (uint64_t)tile * kSortDigits + d;
  rank_count<kThreads, kItems>(sh.rank, digit_of);
  shift = anew(shift);
  __syncthreads();
  if (d < kSortDigits) {
    total = rank_total(sh.rank, d);
    *(volatile uint32_t*)mine = total | (tile == bucket.tile ? kBeforeAll : kBeforeOwn);
  }
  start = scan_block_exclusive<kThreads>(total, Sum(), sh.per_warp, &all);
  if (d < kSortDigits) rank_start(sh.rank, d, start);
  __syncthreads();
  rank_items<kThreads, kItems>(sh.rank, digit_of, [&](uint32_t i, uint32_t place) {
    if constexpr (HasValue<Value>::value) rank[i] = place;
    if (kFull || rank_place<kItems>(i) < n) sh.keys[place] = key[i];
  });
  if (d < kSortDigits) {
    uint32_t before = scatter_before(mine, tile == bucket.tile, total);
    sh.to[d] = (bucket.backward ? q.lows + (bucket.backward - kSortBackward) * kSortDigits : digits_of(q, pass, task.b))[d] + before - start;
  }
  __syncthreads();
  uint32_t to[kItems];
  scatter_write<Key, Value, Shape, kFull, kRuns>(sh, keys_of<Key>(q, 1 - side), n, to);
  if constexpr (HasValue<Value>::value) {
    const Value* values = values_of<Value>(q, side) + bucket.start + from;
    Value* out = values_of<Value>(q, 1 - side);
    Value* staged = (Value*)sh.values;
    Value value[kItems];
#pragma unroll
    for (uint32_t i = 0; i < kItems; i++) {
      uint32_t at = rank_place<kItems>(i);
      value[i] = values[kFull ? at : min(at, n - 1)];
    }
    __syncthreads();
#pragma unroll
    for (uint32_t i = 0; i < kItems; i++)
      if (kFull || rank_place<kItems>(i) < n) staged[rank[i]] = value[i];
    __syncthreads();
#pragma unroll
    for (uint32_t i = 0; i < kItems; i++) value[i] = staged[i * kThreads + threadIdx.x];
#pragma unroll
    for (uint32_t i = 0; i < kItems; i++)
      if (kFull || i * kThreads + threadIdx.x < n) out[to[i]] = value[i];
  }
}

// A tile of keys alone, of which those with one digit come in any order.
template <class Key, bool kFull> __device__ __forceinline__ void scatter_any(const Sort& q, uint64_t pass, ScatterShared<Key, NoValue, AnyOf<Key, NoValue>>& sh, uint32_t from, uint32_t n) {
  using Shape = AnyOf<Key, NoValue>;
  constexpr uint32_t kItems = Shape::kItems, kThreads = Shape::kThreads;
  const ScatterTask& task = sh.task;
  const SortBucket& bucket = task.bucket;
  uint32_t shift = bucket.shift;
  const uint32_t side = bucket.side;
  const Key* keys = keys_of<Key>(q, side) + bucket.start + from;
  Key key[kItems];
#pragma unroll
  for (uint32_t i = 0; i < kItems; i++) {
    uint32_t at = rank_place<kItems>(i);
    key[i] = kFull || at < n ? keys[at] : ~(Key)0;
  }
  auto digit_of = [&](uint32_t i) { return (uint32_t)(key[i] >> shift) & (kSortDigits - 1); };
  uint32_t d = threadIdx.x, total = 0, start, all, to = 0;
  if (d < kSortDigits) sh.count[d] = 0;
  __syncthreads();
#pragma unroll
  for (uint32_t i = 0; i < kItems; i++)
    if (kFull || rank_place<kItems>(i) < n) atomicAdd(sh.count + digit_of(i), 1u);
  shift = anew(shift);
  __syncthreads();
  if (d < kSortDigits) {
    total = sh.count[d];
    to = atomicAdd(digits_of(q, pass, task.b) + d, total);
  }
  start = scan_block_exclusive<kThreads>(total, Sum(), sh.per_warp, &all);
  if (d < kSortDigits) sh.next[d] = start;
  __syncthreads();
  const bool brief = bucket.scatters >= kSortBrief;
  rank_any<kItems, kFull>(sh.next, n, bucket.scatters == kSortSkewed || bucket.scatters == kSortBriefSkewed, digit_of, [&](uint32_t i, uint32_t place) { sh.keys[place] = key[i]; });
  if (d < kSortDigits) sh.to[d] = to - start;
  __syncthreads();
  if (brief) {
    scatter_brief<Key, Shape, kFull>(sh, (uint16_t*)keys_of<Key>(q, 1 - side), n);
    return;
  }
  uint32_t places[kItems];
  scatter_write<Key, NoValue, Shape, kFull, false>(sh, keys_of<Key>(q, 1 - side), n, places);
}

// Parts buckets, tile by tile: keys are put in order of their digits in the block's memory, and from there
// written, runs of one digit together. Where these go is known, if they have to stay in their order, of the digit's
// count in tiles before, by decoupled look-back; otherwise room is taken where there is some next.
template <class Key, class Value, class Shape, bool kOrdered> __device__ __forceinline__ void sort_scatter(const Sort& q, uint64_t pass, ScatterShared<Key, Value, Shape>& sh) {
  constexpr uint32_t kTile = Shape::kTile;
  static_assert(Shape::kThreads >= kSortDigits, "a digit has a thread");
  uint32_t ntiles = q.counts[kSortTiles + pass];
  if (ntiles == 0) return;
  const SortBucket& only = *bucket_of(q, pass, 0);
  if (q.counts[kSortBuckets + pass] == 1 && !only.scatters) return;
  // Keys alone are in their order where there is one bucket, which is sorted from its last digit on.
  if (!HasValue<Value>::value && (only.backward > 0) != kOrdered) return;
  const ScatterTask& task = sh.task;
  if (threadIdx.x == 0) sh.task.end = 0;
  for (;;) {
    if (threadIdx.x == 0) scatter_take(q, pass, ntiles, sh.task);
    __syncthreads();
    const uint32_t tile = task.tile;
    if (tile >= ntiles) return;
    const SortBucket& bucket = task.bucket;
    if (!bucket.scatters) {
      __syncthreads();
      continue;
    }
    uint32_t from = (tile - bucket.tile) * kTile, n = min(kTile, bucket.count - from);
    if constexpr (kOrdered) {
      if (task.cut.runs > 1) scatter_ordered<Key, Value, false, true>(q, pass, sh, from, n);
      else if (n < kTile) scatter_ordered<Key, Value, false, false>(q, pass, sh, from, n);
      else scatter_ordered<Key, Value, true, false>(q, pass, sh, from, n);
    } else {
      if (bucket.scatters == kSortFills) scatter_fill<Key>(q, bucket, digits_of(q, pass, task.b), from, n, sh.to);
      else if (n < kTile) scatter_any<Key, false>(q, pass, sh, from, n);
      else scatter_any<Key, true>(q, pass, sh, from, n);
    }
    __syncthreads();
  }
}

} // namespace dfaparse
