// A pass parts every large bucket by a digit of its own, whatever their number: it counts,
// plans, and scatters.
#pragma once

#include "rank.cuh"

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

// That of a kind of sort.
template <class Key, class Value> using ShapeOf = SortShape<sizeof(Key), HasValue<Value>::value ? sizeof(Value) : 0>;

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
  constexpr uint32_t kTile = ShapeOf<Key, Value>::kTile;
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
      sort_copy(keys, keys_of<Key>(q, 0) + bucket.start, from, to);
      if constexpr (HasValue<Value>::value) sort_copy(values_of<Value>(q, 1) + bucket.start, values_of<Value>(q, 0) + bucket.start, from, to);
      tile = last;
      continue;
    }
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

enum SortPart : uint32_t { kPartNothing = 0, kPartLarge = 1, kPartLocal = 2 };

struct PlanShared {
  uint32_t count[kSortDigits], start[kSortDigits];
  uint32_t size[kSortDigits]; // of the part that begins with a digit
  uint32_t part[kSortDigits]; // SortPart
  uint32_t at[kSortDigits], tile[kSortDigits];
  uint32_t per_warp[kWarp];
  uint32_t most;
};

// Puts a bucket on the list of the next pass. For all threads of a block; where is its place and
// its first tile.
__device__ inline void sort_tiles(const Sort& q, uint64_t pass, uint32_t b, uint32_t tile, uint32_t count) {
  uint32_t* digits = digits_of(q, pass + 1, b);
  for (uint32_t d = threadIdx.x; d < kSortDigits; d += blockDim.x) digits[d] = 0;
  uint32_t* tiles = tiles_of(q, pass + 1) + tile;
  for (uint32_t i = threadIdx.x; i < sort_tiles_of(q, count); i += blockDim.x) tiles[i] = b;
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
  sort_tiles(q, pass, sh.at[0], sh.tile[0], bucket.count);
}
__device__ inline void sort_push_local(const Sort& q, uint32_t start, uint32_t count, uint32_t side) {
  uint32_t kind = count <= kSortSmall ? 0 : count <= kSortMedium ? 1 : 2;
  q.locals[kind * q.most_locals + atomicAdd(q.counts + kSortLocals + kind, 1u)] = SortLocal{start, count, side};
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
  if (next == ncuts && side == 0) return;
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
  digits[d] = start;
  if (d == 0) at->scatters = !scatters ? 0 : sh.most > bucket.count / 8 ? kSortSkewed : 1;
  if (scatters && mask == 0 && q.values == nullptr) {
    if (d == 0) at->scatters = kSortFills;
    return;
  }
  if (!scatters || mask == 0) { // all of it goes on, or is sorted
    if (mask == 0 && side == 0) return;
    if (d == 0) sort_push(q, pass, mask, bucket.start, bucket.count, side, sh.at, sh.tile);
    __syncthreads();
    sort_tiles(q, pass, sh.at[0], sh.tile[0], bucket.count);
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
  if (sh.part[d] == kPartLarge) sort_push(q, pass, mask, start, sh.size[d], side, sh.at + d, sh.tile + d);
  if (sh.part[d] == kPartLocal) sort_push_local(q, start, sh.size[d], side);
  __syncthreads();
  for (uint32_t i = 0; i < kSortDigits; i++)
    if (sh.part[i] == kPartLarge) sort_tiles(q, pass, sh.at[i], sh.tile[i], sh.size[i]);
}

// A tile that is to be scattered.
struct ScatterTask {
  SortBucket bucket;
  SortCut cut;
  uint32_t tile, b, end; // end: the bucket's tiles are those before
};

template <class Key, class Value> struct ScatterShared {
  using Shape = ShapeOf<Key, Value>;
  union {
    RankShared<Shape::kThreads> rank;
    uint32_t count[kSortDigits];
  };
  union {
    Key keys[Shape::kTile];
    uint64_t values[HasValue<Value>::value ? Shape::kTile * sizeof(Value) / 8 : 1];
  };
  uint32_t start[kSortDigits]; // of a digit in the tile
  uint32_t to[kSortDigits];    // where it goes, less start
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
  Key* out = keys_of<Key>(q, 0) + bucket.start;
  Key shared = keys_of<Key>(q, bucket.side)[bucket.start] & ~((Key)(kSortDigits - 1) << bucket.shift);
  for (uint32_t i = threadIdx.x; i < n; i += blockDim.x) {
    uint32_t digit = 0; // the last that begins there or before
    for (uint32_t step = kSortDigits / 2; step > 0; step /= 2)
      if (begin[digit + step] <= from + i) digit += step;
    out[from + i] = shared | (Key)digit << bucket.shift;
  }
}

// Parts buckets, tile by tile: keys are put in order of their digits in the block's memory, and from there
// written, runs of one digit together. Where they go is known of the digit's
// count in tiles before, by decoupled look-back.
template <class Key, class Value> __device__ __forceinline__ void sort_scatter(const Sort& q, uint64_t pass, ScatterShared<Key, Value>& sh) {
  using Shape = ShapeOf<Key, Value>;
  constexpr uint32_t kItems = Shape::kItems, kTile = Shape::kTile, kThreads = Shape::kThreads;
  static_assert(kThreads >= kSortDigits, "a digit has a thread");
  uint32_t ntiles = q.counts[kSortTiles + pass];
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
    if constexpr (!HasValue<Value>::value) {
      if (bucket.scatters == kSortFills) {
        scatter_fill<Key>(q, bucket, digits_of(q, pass, task.b), from, n, sh.to);
        __syncthreads();
        continue;
      }
    }
    const Key* keys = keys_of<Key>(q, bucket.side) + bucket.start + from;
    // What is not there comes last, in whatever digits.
    Key key[kItems];
    uint32_t rank[kItems];
#pragma unroll
    for (uint32_t i = 0; i < kItems; i++) {
      uint32_t at = rank_place<kItems>(i);
      key[i] = at < n ? keys[at] : ~(Key)0;
    }
    uint32_t d = threadIdx.x, total = 0, start, all;
    uint32_t* mine = q.before + (uint64_t)tile * kSortDigits + d;
    auto publish = [&] { *(volatile uint32_t*)mine = total | (tile == bucket.tile ? kBeforeAll : kBeforeOwn); };
    if (HasValue<Value>::value || bucket.backward) {
      sort_cut(key, task.cut, rank);
      rank_count<kThreads, kItems>(sh.rank, rank);
      __syncthreads();
      if (d < kSortDigits) {
        total = rank_total(sh.rank, d);
        publish();
      }
      start = scan_block_exclusive<kThreads>(total, Sum(), sh.per_warp, &all);
      if (d < kSortDigits) rank_start(sh.rank, d, start);
      __syncthreads();
      rank_items<kThreads, kItems>(sh.rank, rank, [&](uint32_t i) {
        if (rank_place<kItems>(i) < n) sh.keys[rank[i]] = key[i];
      });
    } else {
      const uint32_t shift = bucket.shift;
      auto digit_of = [&](uint32_t i) { return (uint32_t)(key[i] >> shift) & (kSortDigits - 1); };
      if (d < kSortDigits) sh.count[d] = 0;
      __syncthreads();
      rank_any<kItems>(sh.count, n, bucket.scatters == kSortSkewed, digit_of, rank);
      __syncthreads();
      if (d < kSortDigits) {
        total = sh.count[d];
        publish();
      }
      start = scan_block_exclusive<kThreads>(total, Sum(), sh.per_warp, &all);
      if (d < kSortDigits) sh.start[d] = start;
      __syncthreads();
#pragma unroll
      for (uint32_t i = 0; i < kItems; i++) {
        if (rank_place<kItems>(i) >= n) continue;
        rank[i] += sh.start[digit_of(i)];
        sh.keys[rank[i]] = key[i];
      }
    }
    if (d < kSortDigits) {
      uint32_t before = 0;
      if (tile != bucket.tile) {
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
      }
      sh.to[d] = (bucket.backward ? q.lows + (bucket.backward - kSortBackward) * kSortDigits : digits_of(q, pass, task.b))[d] + before - start;
    }
    __syncthreads();
    Key* out = keys_of<Key>(q, 1 - bucket.side);
    const SortCut cut = task.cut;
    constexpr uint32_t kStep = HasValue<Value>::value ? kItems : Shape::kStep; // at once; with values all places are needed again
    uint32_t to[kItems];
#pragma unroll
    for (uint32_t first = 0; first < kItems; first += kStep) {
      Key some[kStep];
      uint32_t place[kStep];
#pragma unroll
      for (uint32_t i = 0; i < kStep; i++) some[i] = sh.keys[(first + i) * kThreads + threadIdx.x];
      sort_cut(some, cut, place);
#pragma unroll
      for (uint32_t i = 0; i < kStep; i++) to[first + i] = sh.to[place[i]] + (first + i) * kThreads + threadIdx.x;
#pragma unroll
      for (uint32_t i = 0; i < kStep; i++)
        if ((first + i) * kThreads + threadIdx.x < n) out[to[first + i]] = some[i];
    }
    if constexpr (HasValue<Value>::value) {
      const Value* values = values_of<Value>(q, bucket.side) + bucket.start + from;
      Value* out = values_of<Value>(q, 1 - bucket.side);
      Value* staged = (Value*)sh.values;
      Value value[kItems];
#pragma unroll
      for (uint32_t i = 0; i < kItems; i++) {
        uint32_t at = rank_place<kItems>(i);
        value[i] = values[min(at, n - 1)];
      }
      __syncthreads();
#pragma unroll
      for (uint32_t i = 0; i < kItems; i++)
        if (rank_place<kItems>(i) < n) staged[rank[i]] = value[i];
      __syncthreads();
#pragma unroll
      for (uint32_t i = 0; i < kItems; i++) value[i] = staged[i * kThreads + threadIdx.x];
#pragma unroll
      for (uint32_t i = 0; i < kItems; i++)
        if (i * kThreads + threadIdx.x < n) out[to[i]] = value[i];
    }
    __syncthreads();
  }
}

} // namespace dfaparse
