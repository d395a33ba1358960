// Sort: keys, and values that go with them, are put in order, smallest first. It is the hybrid radix
// sort of Stehle and Jacobsen ("A Memory Bandwidth-Efficient Hybrid Radix Sort on GPUs", SIGMOD
// 2017): from the first digit of 8 bits on buckets are parted, and those that fit into
// a block's memory are sorted there.
//
//   begin ──▶ count ──▶ plan ──▶ scatter ──▶ count … ──▶ local
//     │         │         │ small buckets, tiny neighbours together ─────▲
//     │         │         │ large ones: the next pass
//     ▼         ▼
//   a sample  bits by which keys differ: others need no pass
//
// Keys alone, of buckets that have more keys than these may have values, are not moved any more: it is counted how often each
// value is there, and they are written anew. So are all keys where a sample says that they have few values; these are counted
// in a table, before the first pass:
//
//   few count ──▶ few plan ──▶ passes ──▶ tally begin ──▶ count ──▶ plan ──▶ fill
//
// Keys of 64 bits alone that differ in 32 neighbouring ones at most are first made narrow, and those are sorted by the entries
// for keys of 32 bits, as a job of its own, which writes whole keys in the end; what is launched for the others finds nothing.
//
// Where a sample says that buckets would stay large, all keys are one bucket that is sorted from the last digit to
// the first, of the bits by which keys differ: the digits of all passes are counted at once, and a pass reads and writes once.
//
// Each is one launch a pass, whatever the number of buckets; all kSortPasses passes are launched, and those
// that find no bucket end at once, so that the host waits for nothing. Keys lie in the first
// array or in the other; in the end all are in the first. Values keep the order of equal keys.
// The twin is internal/sort/radix.go.
#include "sort/few.cuh"
#include "sort/local.cuh"

// One bucket of all, or a small one. counts are zero. Any grid.
extern "C" __global__ void __launch_bounds__(dfaparse::kSortBeginThreads) dfa_sort_begin(const dfaparse::Sort* sort) {
  using namespace dfaparse;
  const Sort& q = *sort;
  uint64_t first = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x, all = (uint64_t)gridDim.x * blockDim.x;
  if (q.wide != nullptr && (!q.narrow->wanted || q.narrow->failed)) return;
  if (q.numbered)
    for (uint64_t i = first; i < q.n; i += all) ((uint32_t*)q.values)[i] = (uint32_t)i;
  if (q.n <= kSortLarge) {
    if (first == 0 && q.n > 1) sort_push_local(q, 0, (uint32_t)q.n, 0);
    return;
  }
  uint32_t ntiles = sort_tiles_of(q, (uint32_t)q.n);
  for (uint64_t i = first; i < ntiles; i += all) q.tiles[i] = 0;
  for (uint64_t i = first; i < kSortDigits; i += all) q.digits[i] = 0;
  for (uint64_t i = first; i < kSortCuts * kSortDigits; i += all) q.lows[i] = 0;
  if (blockIdx.x > 0) return;
  __shared__ SampleShared sample;
  if (q.wide == nullptr && threadIdx.x == 0) q.narrow->wanted = 0;
  SortBucket bucket = sort_sample(q, sample);
  if (threadIdx.x > 0) return;
  q.buckets[0] = bucket;
  q.counts[kSortBuckets] = 1;
  q.counts[kSortTiles] = ntiles;
}

// A block plans for buckets so many apart as there are blocks.
extern "C" __global__ void __launch_bounds__(256) dfa_sort_plan(const dfaparse::Sort* sort, uint64_t which) {
  using namespace dfaparse;
  const Sort& q = *sort;
  uint32_t nbuckets = q.counts[kSortBuckets + which];
  for (uint32_t b = blockIdx.x; b < nbuckets; b += gridDim.x) {
    sort_plan(q, which, b);
    __syncthreads();
  }
}

extern "C" __global__ void __launch_bounds__(dfaparse::kSortThreads) dfa_sort_narrow(const dfaparse::Sort* sort, uint64_t which) {
  dfaparse::narrow_keys(*sort);
}

// One thread: keys that have become narrow are not sorted as they were.
extern "C" __global__ void __launch_bounds__(32) dfa_sort_narrowed(const dfaparse::Sort* sort, uint64_t which) {
  using namespace dfaparse;
  const Sort& q = *sort;
  if (threadIdx.x == 0 && q.narrow->wanted && !q.narrow->failed) q.counts[kSortBuckets] = q.counts[kSortTiles] = 0;
}

// One block.
extern "C" __global__ void __launch_bounds__(256) dfa_sort_few_plan(const dfaparse::Sort* sort, uint64_t which) {
  __shared__ dfaparse::FewPlanShared sh;
  dfaparse::few_plan(*sort, sh);
}

// The dynamic memory of a block is the structure of each.
#define DFAPARSE_SORT(NAME, KEY, VALUE) \
  extern "C" __global__ void __launch_bounds__(dfaparse::kSortThreads) dfa_sort_count_##NAME(const dfaparse::Sort* sort, uint64_t which) { \
    dfaparse::sort_count<KEY, VALUE>(*sort, which); \
  } \
  using OrderedOf_##NAME = dfaparse::OrderedOf<KEY, VALUE>; \
  using AnyOf_##NAME = dfaparse::AnyOf<KEY, VALUE>; \
  extern "C" __global__ void __launch_bounds__(AnyOf_##NAME::kThreads, AnyOf_##NAME::kBlocks) dfa_sort_scatter_##NAME(const dfaparse::Sort* sort, uint64_t which) { \
    extern __shared__ __align__(16) uint64_t sort_memory[]; \
    dfaparse::sort_scatter<KEY, VALUE, AnyOf_##NAME, dfaparse::HasValue<VALUE>::value>(*sort, which, *(dfaparse::ScatterShared<KEY, VALUE, AnyOf_##NAME>*)sort_memory); \
  } \
  extern "C" __global__ void __launch_bounds__(dfaparse::kSortSmallThreads) dfa_sort_small_##NAME(const dfaparse::Sort* sort, uint64_t which) { \
    extern __shared__ __align__(16) uint64_t sort_memory[]; \
    using Shared = dfaparse::LocalShared<KEY, VALUE, dfaparse::kSortSmallThreads, dfaparse::kSortSmall>; \
    dfaparse::sort_local<KEY, VALUE, dfaparse::kSortSmallThreads, dfaparse::kSortSmall>(*sort, (uint32_t)which, *(Shared*)sort_memory); \
  } \
  extern "C" __global__ void __launch_bounds__(dfaparse::kSortMediumThreads, dfaparse::kSortMediumBlocks<KEY>) dfa_sort_medium_##NAME(const dfaparse::Sort* sort, uint64_t which) { \
    extern __shared__ __align__(16) uint64_t sort_memory[]; \
    using Shared = dfaparse::LocalShared<KEY, VALUE, dfaparse::kSortMediumThreads, dfaparse::kSortMedium>; \
    dfaparse::sort_local<KEY, VALUE, dfaparse::kSortMediumThreads, dfaparse::kSortMedium>(*sort, (uint32_t)which, *(Shared*)sort_memory); \
  } \
  extern "C" __global__ void __launch_bounds__(dfaparse::kSortLargeThreads) dfa_sort_large_##NAME(const dfaparse::Sort* sort, uint64_t which) { \
    extern __shared__ __align__(16) uint64_t sort_memory[]; \
    using Shared = dfaparse::LocalShared<KEY, VALUE, dfaparse::kSortLargeThreads, dfaparse::kSortLarge>; \
    dfaparse::sort_local<KEY, VALUE, dfaparse::kSortLargeThreads, dfaparse::kSortLarge>(*sort, (uint32_t)which, *(Shared*)sort_memory); \
  }

// Keys alone: from their last digit to the first, and those whose values are counted.
#define DFAPARSE_SORT_ALONE(NAME, KEY) \
  extern "C" __global__ void __launch_bounds__(OrderedOf_##NAME::kThreads, OrderedOf_##NAME::kBlocks) dfa_sort_low_##NAME(const dfaparse::Sort* sort, uint64_t which) { \
    extern __shared__ __align__(16) uint64_t sort_memory[]; \
    dfaparse::sort_scatter<KEY, dfaparse::NoValue, OrderedOf_##NAME, true>(*sort, which, *(dfaparse::ScatterShared<KEY, dfaparse::NoValue, OrderedOf_##NAME>*)sort_memory); \
  } \
  extern "C" __global__ void __launch_bounds__(dfaparse::kSortThreads) dfa_sort_few_count_##NAME(const dfaparse::Sort* sort, uint64_t which) { \
    extern __shared__ __align__(16) uint64_t sort_memory[]; \
    dfaparse::few_count<KEY>(*sort, *(dfaparse::FewShared<KEY>*)sort_memory); \
  } \
  extern "C" __global__ void __launch_bounds__(dfaparse::kSortFillThreads) dfa_sort_tally_begin_##NAME(const dfaparse::Sort* sort, uint64_t which) { dfaparse::tally_begin<KEY>(*sort, (uint32_t)which); } \
  extern "C" __global__ void __launch_bounds__(dfaparse::kSortTallyThreads) dfa_sort_tally_count_##NAME(const dfaparse::Sort* sort, uint64_t which) { \
    extern __shared__ __align__(16) uint64_t sort_memory[]; \
    dfaparse::tally_count<KEY>(*sort, *(dfaparse::TallyShared*)sort_memory); \
  } \
  extern "C" __global__ void __launch_bounds__(dfaparse::kSortFillThreads) dfa_sort_tally_plan_##NAME(const dfaparse::Sort* sort, uint64_t which) { dfaparse::tally_plan<KEY>(*sort, (uint32_t)which); } \
  extern "C" __global__ void __launch_bounds__(dfaparse::kSortFillThreads) dfa_sort_tally_fill_##NAME(const dfaparse::Sort* sort, uint64_t which) { \
    __shared__ dfaparse::FillShared sh; \
    dfaparse::tally_fill<KEY>(*sort, sh); \
  }

DFAPARSE_SORT(u32, uint32_t, dfaparse::NoValue)
DFAPARSE_SORT(u64, uint64_t, dfaparse::NoValue)
DFAPARSE_SORT_ALONE(u32, uint32_t)
DFAPARSE_SORT_ALONE(u64, uint64_t)
DFAPARSE_SORT(u64_u32, uint64_t, uint32_t)
DFAPARSE_SORT(u64_u64, uint64_t, uint64_t)
