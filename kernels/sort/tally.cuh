// Buckets of keys alone, of which there are more than values that they may have: how often each value is there says all, and
// keys are written anew. Counts lie in the array that the bucket is not in, and where values begin in the other array.
#pragma once

#include "pass.cuh"

namespace dfaparse {

constexpr uint32_t kTallyKeys = kSortTallyTile / kSortTallyThreads; // of a tile, that a thread has

// Where one block says where values begin, a warp takes so many bins at once.
constexpr uint32_t kTallyEach = 4, kTallyRound = kTallyEach * kWarp;

struct TallyShared {
  alignas(16) uint32_t bins[1u << (kSortTallyBits - 1)]; // of 32 bits each, or two of 16
  alignas(16) uint32_t staged[kSortTallyThreads / kWarp][kTallyRound]; // where bins of a warp begin
  uint16_t given[kSortTallyWhole / 2]; // values that were there 0x8000 times more
  uint32_t ngiven;
  uint32_t per_warp[kWarp];
};
struct FillShared {
  uint32_t begins[kSortTallyTile / kWarp]; // bits: where a value begins
  uint32_t before[kSortTallyTile / kWarp]; // how many do in words before
  uint16_t values[kSortTallyTile];         // that begin, in order
  uint32_t per_warp[kWarp];
};
static_assert(kSortTallyTile / kWarp == kSortFillThreads, "a word has a thread");

__device__ __forceinline__ uint32_t tally_tiles_of(uint32_t count) { return (count + kSortTallyTile - 1) / kSortTallyTile; }
template <class Key> __device__ __forceinline__ uint32_t* tally_counts(const Sort& q, const SortTally& t) { return (uint32_t*)(keys_of<Key>(q, 1 - t.side) + t.start); }
template <class Key> __device__ __forceinline__ uint32_t* tally_starts(const Sort& q, const SortTally& t) { return (uint32_t*)(keys_of<Key>(q, 1) + t.start); }

// Those of a table, in order, of all keys.
template <class Key> __device__ __forceinline__ Key* few_values(const Sort& q) { return (Key*)q.other_keys + kSortFewMost; }

// Whether each is counted by one block, of so many: if none of these has more than an eighth more to do than where tiles are
// shared out. Then no counts are added up. For keys of 64 bits there are no registers; large jobs of such keys become narrow.
template <class Key> __device__ __forceinline__ bool tally_whole(const Sort& q, uint32_t blocks) {
  uint64_t ntiles = q.counts[kSortTallies], ntallies = q.counts[kSortTallies + 1], most = q.counts[kSortTallies + 2];
  return sizeof(Key) == 4 && most <= kSortTallyWhole && (ntallies + blocks - 1) / blocks * most * 8 <= (ntiles + blocks - 1) / blocks * 9;
}

// Counts are zero.
template <class Key> __device__ __forceinline__ void tally_begin(const Sort& q, uint32_t blocks) {
  uint32_t ntallies = q.counts[kSortTallies + 1];
  if (ntallies == 0 || tally_whole<Key>(q, blocks)) return;
  uint32_t parts = max(1u, gridDim.x / ntallies);
  for (uint32_t u = blockIdx.x; u < ntallies * parts; u += gridDim.x) {
    const SortTally t = q.tallies[u % ntallies];
    if (t.few) return;
    uint32_t* counts = tally_counts<Key>(q, t);
    for (uint32_t i = u / ntallies * blockDim.x + threadIdx.x; i < t.nvalues; i += parts * blockDim.x) counts[i] = 0;
  }
}

// Counts the values of keys from up to to, tiles of them, which come while those of the tile before are counted. kPer: how many
// of them a number that is read has. Where there are two counters a word, one that comes to half of what it may be
// gives this away, to counts or, kWhole, to a list; all threads meet after each tile, which has fewer keys than
// the other half. The first keys say whether many have one value; if not, no addition waits for the one before.
template <class Raw, uint32_t kPer, bool kWhole> __device__ __forceinline__ void tally_values(TallyShared& sh, const Raw* raw, uint32_t from, uint32_t to, uint32_t low, uint32_t nbins, uint32_t* counts) {
  static_assert(kSortTallyTile < 0x8000, "counters of 16 bits do not overflow");
  constexpr uint32_t kRaws = kTallyKeys / kPer, kEach = sizeof(Raw) * 8 / kPer, kLooked = 4;
  const bool halves = nbins == 1u << kSortTallyBits;
  auto give = [&](uint32_t value) {
    if (kWhole) sh.given[atomicAdd(&sh.ngiven, 1u)] = (uint16_t)value;
    else atomicAdd(counts + value, 0x8000u);
  };
  Raw ahead[kRaws];
  auto load = [&](uint32_t at) {
    const Raw* base = raw + at / kPer;
    uint32_t last = (min(kSortTallyTile, to - at) - 1) / kPer;
#pragma unroll
    for (uint32_t k = 0; k < kRaws; k++) ahead[k] = base[min(k * kSortTallyThreads + threadIdx.x, last)];
  };
  load(from);
  bool skewed = true;
  if (sizeof(Raw) == 4 && halves) { // for others there are no registers
    uint32_t most = 0;              // lanes that have one value
#pragma unroll
    for (uint32_t k = 0; k < kLooked; k++) {
      uint32_t value = (uint32_t)(ahead[k] >> low) & (nbins - 1);
      most = max(most, (uint32_t)__popc(__ballot_sync(kAllLanes, value == __shfl_sync(kAllLanes, value, 0))));
    }
    skewed = __syncthreads_or(most > kWarp / 8);
  }
  for (uint32_t at = from; at < to; at += kSortTallyTile) {
    const uint32_t n = min(kSortTallyTile, to - at);
    uint32_t value[kTallyKeys];
#pragma unroll
    for (uint32_t k = 0; k < kTallyKeys; k++) value[k] = (uint32_t)(ahead[k / kPer] >> (low + k % kPer * kEach)) & (nbins - 1);
    if (n < to - at) load(at + kSortTallyTile);
    auto there = [&](uint32_t k) { return (k / kPer * kSortTallyThreads + threadIdx.x) * kPer + k % kPer < n; };
    if (!halves) {
#pragma unroll
      for (uint32_t k = 0; k < kTallyKeys; k++)
        if (there(k)) atomicAdd(sh.bins + value[k], 1u);
      continue;
    }
    if (sizeof(Raw) == 4 && !skewed) {
      uint32_t seen = 0;
#pragma unroll
      for (uint32_t k = 0; k < kTallyKeys; k++)
        if (there(k)) seen |= (atomicAdd(sh.bins + (value[k] >> 1), 1u << (value[k] & 1) * 16) >> (value[k] & 1) * 16 & 0xffff) + 1;
      if (seen & 0x8000) {
#pragma unroll
        for (uint32_t k = 0; k < kTallyKeys; k++) {
          uint32_t bit = 0x8000u << (value[k] & 1) * 16;
          if (there(k) && (atomicAnd(sh.bins + (value[k] >> 1), ~bit) & bit)) give(value[k]);
        }
      }
      __syncthreads();
      continue;
    }
#pragma unroll
    for (uint32_t k = 0; k < kTallyKeys; k++) { // those of a warp that have the first one's value are added together
      bool first = value[k] == __shfl_sync(kAllLanes, value[k], 0);
      uint32_t same = __ballot_sync(kAllLanes, there(k) && first), more = first ? (uint32_t)__popc(same) : 1, half = (value[k] & 1) * 16;
      if (!there(k) || (first && lane_id() > 0)) continue;
      uint32_t* word = sh.bins + (value[k] >> 1);
      uint32_t count = atomicAdd(word, more << half) >> half & 0xffff;
      if (count < 0x8000 && count + more >= 0x8000) {
        atomicAdd(word, 0u - (0x8000u << half));
        give(value[k]);
      }
    }
    __syncthreads();
  }
}

// Calls f, by a warp, with values of which a counter has given away what half of it holds, each time it did: those of so many bins.
template <class F> __device__ __forceinline__ void tally_given(const TallyShared& sh, uint32_t from, uint32_t to, F f) {
  for (uint32_t k = lane_id(); k < sh.ngiven; k += kWarp)
    if (sh.given[k] >= from && sh.given[k] < to) f(sh.given[k]);
}

// Says where the values of a bucket begin that the block has counted, and by which one each tile does. A warp has bins next to
// one another.
template <class Key> __device__ __forceinline__ void tally_starts_whole(const Sort& q, TallyShared& sh, uint32_t which, const SortTally& t) {
  const uint32_t nbins = t.nvalues, per = max(nbins / (kSortTallyThreads / kWarp), kTallyRound), first = warp_id() * per, end = first < nbins ? first + per : first;
  auto load = [&](uint32_t i, uint32_t (&count)[kTallyEach]) {
    if (nbins == 1u << kSortTallyBits) {
      uint2 two = *(const uint2*)(sh.bins + i / 2);
      count[0] = two.x & 0xffff, count[1] = two.x >> 16, count[2] = two.y & 0xffff, count[3] = two.y >> 16;
    } else {
      uint4 four = *(const uint4*)(sh.bins + i);
      count[0] = four.x, count[1] = four.y, count[2] = four.z, count[3] = four.w;
    }
  };
  static_assert(kTallyEach == 4, "bins are loaded so");
  uint32_t sum = 0, count[kTallyEach], all;
  for (uint32_t i = first + lane_id() * kTallyEach; i < end; i += kTallyRound) {
    load(i, count);
    sum += count[0] + count[1] + count[2] + count[3];
  }
  tally_given(sh, first, end, [&](uint32_t) { sum += 0x8000; });
  uint32_t start = shuffle(scan_block_exclusive<kSortTallyThreads>(sum, Sum(), sh.per_warp, &all), 0);
  uint32_t *starts = tally_starts<Key>(q, t), *staged = sh.staged[warp_id()], *own = staged + lane_id() * kTallyEach;
  for (uint32_t from = first; from < end; from += kTallyRound) {
    const uint32_t i = from + lane_id() * kTallyEach;
    load(i, count);
    if (sh.ngiven > 0) {
#pragma unroll
      for (uint32_t e = 0; e < kTallyEach; e++) own[e] = count[e];
      __syncwarp();
      tally_given(sh, from, from + kTallyRound, [&](uint32_t value) { atomicAdd(staged + value - from, 0x8000u); });
      __syncwarp();
#pragma unroll
      for (uint32_t e = 0; e < kTallyEach; e++) count[e] = own[e];
    }
    sum = count[0] + count[1] + count[2] + count[3];
    uint32_t at = start + scan_warp_exclusive(sum, Sum(), &all);
    *(uint4*)own = uint4{at, at + count[0], at + count[0] + count[1], at + count[0] + count[1] + count[2]};
    if (tally_tiles_of(at) * kSortTallyTile < at + sum) // a tile begins
#pragma unroll
      for (uint32_t e = 0; e < kTallyEach; e++) {
        for (uint32_t tile = tally_tiles_of(at); tile * kSortTallyTile < at + count[e]; tile++) q.tally_tiles[t.tile + tile] = SortBegin{which, i + e};
        at += count[e];
      }
    __syncwarp();
#pragma unroll
    for (uint32_t k = 0; k < kTallyRound; k += kWarp)
      if (from + k + lane_id() < nbins) starts[from + k + lane_id()] = staged[k + lane_id()];
    __syncwarp();
    start += all;
  }
}

// Counts values of a bucket, and says where they begin.
template <class Key> __device__ __forceinline__ void tally_count_whole(const Sort& q, TallyShared& sh, uint32_t which) {
  const SortTally& t = q.tallies[which];
  const uint32_t nbins = t.nvalues, nwords = nbins == 1u << kSortTallyBits ? nbins / 2 : max(nbins, kTallyRound);
  const Key* keys = keys_of<Key>(q, t.side) + t.start;
  if (threadIdx.x == 0) sh.ngiven = 0;
  for (uint32_t i = threadIdx.x; i < nwords; i += kSortTallyThreads) sh.bins[i] = 0;
  __syncthreads();
  if (t.brief) tally_values<uint32_t, 2, true>(sh, (const uint32_t*)keys, 0, t.count, 0, nbins, nullptr);
  else tally_values<Key, 1, true>(sh, keys, 0, t.count, t.low, nbins, nullptr);
  __syncthreads();
  tally_starts_whole<Key>(q, sh, which, t);
  __syncthreads();
}

// Counts values of tiles next to one another, or of buckets.
template <class Key> __device__ __forceinline__ void tally_count(const Sort& q, TallyShared& sh) {
  uint32_t ntiles = q.counts[kSortTallies], ntallies = q.counts[kSortTallies + 1], per = (ntiles + gridDim.x - 1) / gridDim.x;
  uint32_t tile = blockIdx.x * per, end = min(tile + per, ntiles);
  if constexpr (sizeof(Key) == 4) {
    if (tally_whole<Key>(q, gridDim.x)) {
      for (uint32_t which = blockIdx.x; which < ntallies; which += gridDim.x) tally_count_whole<Key>(q, sh, which);
      return;
    }
  }
  if (tile >= end) return;
  uint32_t which = 0;
  for (uint32_t high = ntallies; high - which > 1;) {
    uint32_t middle = (which + high) / 2;
    if (q.tallies[middle].tile <= tile) which = middle;
    else high = middle;
  }
  for (; tile < end; which++) {
    const SortTally t = q.tallies[which];
    if (t.few) return;
    uint32_t last = min(end, t.tile + tally_tiles_of(t.count));
    uint32_t from = (tile - t.tile) * kSortTallyTile, to = min((last - t.tile) * kSortTallyTile, t.count), nbins = t.nvalues;
    const bool halves = nbins == 1u << kSortTallyBits;
    const Key* keys = keys_of<Key>(q, t.side) + t.start;
    uint32_t* counts = tally_counts<Key>(q, t);
    for (uint32_t i = threadIdx.x; i < (halves ? nbins / 2 : nbins); i += kSortTallyThreads) sh.bins[i] = 0;
    __syncthreads();
    if (t.brief) tally_values<uint32_t, 2, false>(sh, (const uint32_t*)keys, from, to, 0, nbins, counts);
    else tally_values<Key, 1, false>(sh, keys, from, to, t.low, nbins, counts);
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < nbins; i += kSortTallyThreads) {
      uint32_t c = halves ? sh.bins[i >> 1] >> (i & 1) * 16 & 0xffff : sh.bins[i];
      if (c > 0) atomicAdd(counts + i, c);
    }
    __syncthreads();
    tile = last;
  }
}

// Says where values begin, and by which one each tile does, unless who counted has.
template <class Key> __device__ __forceinline__ void tally_plan(const Sort& q, uint32_t blocks) {
  if (tally_whole<Key>(q, blocks)) return;
  constexpr uint32_t kBins = 8, kRound = kBins * kSortFillThreads; // of a thread, and of all
  __shared__ uint32_t per_warp[kWarp], staged[kRound + kRound / kBins]; // a word is left out behind those of a thread
  auto place = [](uint32_t i) { return i + i / kBins; };
  for (uint32_t which = blockIdx.x; which < q.counts[kSortTallies + 1]; which += gridDim.x) {
    const SortTally t = q.tallies[which];
    const uint32_t* counts = tally_counts<Key>(q, t);
    uint32_t* starts = tally_starts<Key>(q, t);
    uint32_t start = 0, nbins = t.nvalues, ahead[kBins];
    auto load = [&](uint32_t from) {
#pragma unroll
      for (uint32_t k = 0; k < kBins; k++) {
        uint32_t i = from + k * kSortFillThreads + threadIdx.x;
        ahead[k] = i < nbins ? counts[i] : 0;
      }
    };
    load(0);
    for (uint32_t from = 0; from < nbins; from += kRound) {
#pragma unroll
      for (uint32_t k = 0; k < kBins; k++) staged[place(k * kSortFillThreads + threadIdx.x)] = ahead[k];
      load(from + kRound);
      __syncthreads();
      uint32_t count[kBins], sum = 0, all, first = threadIdx.x * kBins;
#pragma unroll
      for (uint32_t k = 0; k < kBins; k++) sum += count[k] = staged[place(first + k)];
      uint32_t at = start + scan_block_exclusive<kSortFillThreads>(sum, Sum(), per_warp, &all);
#pragma unroll
      for (uint32_t k = 0; k < kBins; k++) {
        staged[place(first + k)] = at;
        for (uint32_t tile = tally_tiles_of(at); tile * kSortTallyTile < at + count[k]; tile++) q.tally_tiles[t.tile + tile] = SortBegin{which, from + first + k};
        at += count[k];
      }
      __syncthreads();
#pragma unroll
      for (uint32_t k = 0; k < kBins; k++) {
        uint32_t i = k * kSortFillThreads + threadIdx.x;
        if (from + i < nbins) starts[from + i] = staged[place(i)];
      }
      start += all;
      __syncthreads();
    }
  }
}

// Calls f with each value from first to last that a part of a bucket has, and where it begins there.
template <class F> __device__ __forceinline__ void fill_each(const uint32_t* starts, uint32_t first, uint32_t last, uint32_t nbins, uint32_t count, uint32_t from, uint32_t n, F f) {
  for (uint32_t v = first + threadIdx.x; v <= last; v += kSortFillThreads) {
    uint32_t at = starts[v], end = v + 1 < nbins ? starts[v + 1] : count;
    if (at < end && at < from + n && end > from) f(v, max(at, from) - from);
  }
}

// Calls put with each key of a tile and its place there.
template <class Key, class F> __device__ __forceinline__ void fill_write(const Sort& q, const SortTally& t, const FillShared& sh, uint32_t n, F put) {
#pragma unroll 8
  for (uint32_t k = 0; k < kSortTallyTile / kSortFillThreads; k++) {
    uint32_t i = k * kSortFillThreads + threadIdx.x, word = i / kWarp;
    uint32_t nth = sh.before[word] + (uint32_t)__popc((int)(sh.begins[word] & (kAllLanes >> (kWarp - 1 - lane_id()))));
    if (i >= n) continue;
    uint32_t value = sh.values[nth - 1];
    put(i, t.few ? few_values<Key>(q)[value] : (Key)t.share | (Key)value << t.low);
  }
}

// Writes keys.
template <class Key> __device__ __forceinline__ void tally_fill(const Sort& q, FillShared& sh) {
  for (uint32_t tile = blockIdx.x; tile < q.counts[kSortTallies]; tile += gridDim.x) {
    const SortBegin begin = q.tally_tiles[tile];
    const SortTally t = q.tallies[begin.tally];
    const uint32_t from = (tile - t.tile) * kSortTallyTile, n = min(kSortTallyTile, t.count - from), nbins = t.nvalues;
    const uint32_t last = n < t.count - from ? q.tally_tiles[tile + 1].value : nbins - 1;
    const uint32_t* starts = tally_starts<Key>(q, t);
    sh.begins[threadIdx.x] = 0;
    __syncthreads();
    fill_each(starts, begin.value, last, nbins, t.count, from, n, [&](uint32_t, uint32_t at) { atomicOr(sh.begins + at / kWarp, 1u << at % kWarp); });
    __syncthreads();
    uint32_t all, before = scan_block_exclusive<kSortFillThreads>((uint32_t)__popc((int)sh.begins[threadIdx.x]), Sum(), sh.per_warp, &all);
    sh.before[threadIdx.x] = before;
    __syncthreads();
    fill_each(starts, begin.value, last, nbins, t.count, from, n, [&](uint32_t v, uint32_t at) { sh.values[sh.before[at / kWarp] + (uint32_t)__popc((int)(sh.begins[at / kWarp] & ((1u << at % kWarp) - 1)))] = (uint16_t)v; });
    __syncthreads();
    const SortOut<Key> out(q, t.start + from);
    if (out.wide == nullptr) fill_write<Key>(q, t, sh, n, [&](uint32_t i, Key key) { out.keys[i] = key; }); // nothing is asked for each key
    else fill_write<Key>(q, t, sh, n, [&](uint32_t i, Key key) { out.put(i, key); });
    __syncthreads();
  }
}

} // namespace dfaparse
