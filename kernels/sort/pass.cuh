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
  uint32_t count[kSortDigits];
  unsigned long long differ;
};

// Counts the digits of tiles next to one another, finds out by which bits keys differ, and has the
// tiles' rows of before be zero. Tiles of buckets that are sorted are copied.
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
      Key* out = keys_of<Key>(q, 0) + bucket.start;
      for (uint32_t i = from + threadIdx.x; i < to; i += kSortThreads) out[i] = keys[i];
      if constexpr (HasValue<Value>::value) {
        const Value* values = values_of<Value>(q, 1) + bucket.start;
        Value* out = values_of<Value>(q, 0) + bucket.start;
        for (uint32_t i = from + threadIdx.x; i < to; i += kSortThreads) out[i] = values[i];
      }
      tile = last;
      continue;
    }
    for (uint32_t i = threadIdx.x; i < kSortDigits; i += kSortThreads) sh.count[i] = 0;
    if (threadIdx.x == 0) sh.differ = 0;
    __syncthreads();
    Key first = keys[0], differ = 0;
    uint32_t i = from + threadIdx.x;
    constexpr uint32_t kAhead = 8;
    for (; i + (kAhead - 1) * kSortThreads < to; i += kAhead * kSortThreads) {
      Key key[kAhead];
#pragma unroll
      for (uint32_t k = 0; k < kAhead; k++) key[k] = keys[i + k * kSortThreads];
#pragma unroll
      for (uint32_t k = 0; k < kAhead; k++) {
        differ |= key[k] ^ first;
        atomicAdd(sh.count + ((uint32_t)(key[k] >> bucket.shift) & (kSortDigits - 1)), 1u);
      }
    }
    for (; i < to; i += kSortThreads) {
      Key key = keys[i];
      differ |= key ^ first;
      atomicAdd(sh.count + ((uint32_t)(key >> bucket.shift) & (kSortDigits - 1)), 1u);
    }
    for (uint32_t d = 16; d > 0; d /= 2) differ |= __shfl_xor_sync(kAllLanes, differ, (int)d);
    if (lane_id() == 0) atomicOr(&sh.differ, (unsigned long long)differ);
    for (uint64_t k = (uint64_t)tile * kSortDigits + threadIdx.x; k < (uint64_t)last * kSortDigits; k += kSortThreads) q.before[k] = 0;
    __syncthreads();
    uint32_t* digits = digits_of(q, pass, b);
    for (uint32_t d = threadIdx.x; d < kSortDigits; d += kSortThreads)
      if (sh.count[d]) atomicAdd(digits + d, sh.count[d]);
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
  *bucket_of(q, pass + 1, *b) = SortBucket{mask, 0, start, count, sort_shift(mask), side, *tile, 0};
}
__device__ inline void sort_push_local(const Sort& q, uint32_t start, uint32_t count, uint32_t side) {
  uint32_t kind = count <= kSortSmall ? 0 : count <= kSortMedium ? 1 : 2;
  q.locals[kind * q.most_locals + atomicAdd(q.counts + kSortLocals + kind, 1u)] = SortLocal{start, count, side};
}

// Says what becomes of a bucket whose digits are counted, and of its parts. A block of
// kSortDigits threads.
__device__ inline void sort_plan(const Sort& q, uint64_t pass, uint32_t b) {
  __shared__ PlanShared sh;
  uint32_t d = threadIdx.x;
  SortBucket* at = bucket_of(q, pass, b);
  const SortBucket bucket = *at;
  if (bucket.mask == 0) return;
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

template <class Key, class Value> struct ScatterShared {
  using Shape = ShapeOf<Key, Value>;
  static constexpr bool kStable = HasValue<Value>::value;
  union {
    RankShared<Shape::kThreads, kStable> rank;
    Key keys[Shape::kTile];
    uint64_t values[HasValue<Value>::value ? Shape::kTile * sizeof(Value) / 8 : 1];
  };
  uint32_t start[kSortDigits]; // of a digit in the tile
  uint32_t to[kSortDigits];    // where it goes, less start
  uint32_t per_warp[kWarp];
  uint32_t tile;
};

constexpr uint32_t kBeforeOwn = 1u << 30, kBeforeAll = 2u << 30, kBeforeCount = kBeforeOwn - 1;

// Parts buckets, tile by tile: keys are put in order of their digits in the block's memory, and from there
// written, runs of one digit together. Where they go is known of the digit's
// count in tiles before, by decoupled look-back.
template <class Key, class Value> __device__ __forceinline__ void sort_scatter(const Sort& q, uint64_t pass, ScatterShared<Key, Value>& sh) {
  using Shape = ShapeOf<Key, Value>;
  constexpr uint32_t kItems = Shape::kItems, kTile = Shape::kTile, kThreads = Shape::kThreads;
  static_assert(kThreads >= kSortDigits, "a digit has a thread");
  constexpr bool kStable = ScatterShared<Key, Value>::kStable;
  uint32_t ntiles = q.counts[kSortTiles + pass];
  const uint32_t* tiles = tiles_of(q, pass);
  for (;;) {
    if (threadIdx.x == 0) sh.tile = atomicAdd(q.counts + kSortTicket + pass, 1u);
    __syncthreads();
    uint32_t tile = sh.tile;
    if (tile >= ntiles) return;
    uint32_t b = tiles[tile];
    const SortBucket bucket = *bucket_of(q, pass, b);
    if (!bucket.scatters) {
      __syncthreads();
      continue;
    }
    uint32_t from = (tile - bucket.tile) * kTile, n = min(kTile, bucket.count - from);
    const Key* keys = keys_of<Key>(q, bucket.side) + bucket.start + from;
    Key key[kItems];
    uint32_t rank[kItems];
#pragma unroll
    for (uint32_t i = 0; i < kItems; i++) {
      uint32_t at = rank_place<kItems>(i);
      key[i] = at < n ? keys[at] : 0;
    }
    uint32_t shift = bucket.shift;
    auto digit_of = [&](uint32_t i) { return (uint32_t)(key[i] >> shift) & (kSortDigits - 1); };
    rank_items<kThreads, kItems, kStable>(sh.rank, n, bucket.scatters == kSortSkewed, digit_of, rank);
    __syncthreads();
    uint32_t d = threadIdx.x, total = 0, all;
    uint32_t* mine = q.before + (uint64_t)tile * kSortDigits + d;
    if (d < kSortDigits) {
      total = rank_total(sh.rank, d);
      *(volatile uint32_t*)mine = total | (tile == bucket.tile ? kBeforeAll : kBeforeOwn);
    }
    uint32_t start = scan_block_exclusive<kThreads>(total, Sum(), sh.per_warp, &all);
    if (d < kSortDigits) sh.start[d] = start;
    __syncthreads();
#pragma unroll
    for (uint32_t i = 0; i < kItems; i++)
      if (rank_place<kItems>(i) < n) rank[i] += sh.start[digit_of(i)] + (kStable ? sh.rank.count[kStable ? warp_id() : 0][digit_of(i)] : 0);
    __syncthreads(); // the keys go where counts were
#pragma unroll
    for (uint32_t i = 0; i < kItems; i++)
      if (rank_place<kItems>(i) < n) sh.keys[rank[i]] = key[i];
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
      sh.to[d] = digits_of(q, pass, b)[d] + before - start;
    }
    __syncthreads();
    Key* out = keys_of<Key>(q, 1 - bucket.side);
    uint32_t to[kItems];
#pragma unroll
    for (uint32_t i = 0; i < kItems; i++) {
      uint32_t at = i * kThreads + threadIdx.x;
      if (at >= n) continue;
      Key k = sh.keys[at];
      to[i] = sh.to[(uint32_t)(k >> shift) & (kSortDigits - 1)] + at;
      out[to[i]] = k;
    }
    if constexpr (HasValue<Value>::value) {
      const Value* values = values_of<Value>(q, bucket.side) + bucket.start + from;
      Value* out = values_of<Value>(q, 1 - bucket.side);
      Value* staged = (Value*)sh.values;
      __syncthreads();
#pragma unroll
      for (uint32_t i = 0; i < kItems; i++) {
        uint32_t at = rank_place<kItems>(i);
        if (at < n) staged[rank[i]] = values[at];
      }
      __syncthreads();
#pragma unroll
      for (uint32_t i = 0; i < kItems; i++) {
        uint32_t at = i * kThreads + threadIdx.x;
        if (at < n) out[to[i]] = staged[at];
      }
    }
    __syncthreads();
  }
}

} // namespace dfaparse
