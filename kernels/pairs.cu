// Columns of maps: their keys and values. What becomes of these, as texts of entries, is a delivery of its own.
//
//   dfa_pairs_mark
//     in   Pairs: spans, lengths (where begins of level 0 come), validity of the maps as texts
//     out  marks; PairLevel.begins, PairTexts.bytes: how many entries each row has, and bytes of its keys and values; odd rows; rows
//          that are left: Output.todo, valid, counters
//   dfa_pairs_walk
//     in   odd rows
//     out  the same of these
//   dfa_pairs_offsets
//     in   PairLevel.begins, PairTexts.bytes
//     out  the same: where they begin; counters
//   dfa_pairs_pack, dfa_pairs_pack_nested
//     in   marks and these
//     out  PairTexts.heap, offsets, counters; value_valid; PairLevel.inner, counts
//   dfa_pairs_keys
//     in   these
//     out  rows that are left, as they may have a key twice
//
// The twin is Table.Fields (dfa/fields.go) with maps (internal/convert/map.go).
#include "pairs/keys.cuh"
#include "pairs/pack.cuh"
#include "pairs/signs.cuh"
#include "pairs/walk.cuh"

namespace dfaparse {

// What is known by row of maps, as a set of texts: the levels' entries, and bytes.
class PairBegins {
 public:
  __device__ explicit PairBegins(const Pairs* pairs) : pairs_(pairs), levels_(uint32_t(pairs->levels)) {}

  __device__ uint32_t count() const { return 2 * levels_ + 1; }
  __device__ StoredLengths lengths(uint32_t i) const { return StoredLengths{offsets(i)}; }
  __device__ uint32_t* offsets(uint32_t i) const { return i < levels_ ? pairs_->level[i].begins : pairs_->texts[i - levels_].bytes; }
  __device__ uint32_t* scanned(uint32_t i) const { return offsets(i); }
  __device__ uint32_t entries(uint32_t, uint32_t rows) const { return rows; }
  __device__ uint32_t* counters(uint32_t i) const { return i < levels_ ? pairs_->level[i].counters : pairs_->texts[i - levels_].counters; }
  __device__ uint64_t heap_begin() const { return 0; }
  __device__ uint64_t heap_end(uint32_t) const { return ~uint64_t(0); }

 private:
  const Pairs* pairs_;
  uint32_t levels_;
};

template <bool nested>
__device__ __forceinline__ void pack_all(const Pairs& pairs, uint32_t rows) {
  __shared__ PackShared shared[kPackThreads / kWarp];
  if (rows == 0 || !pairs_fit(pairs)) return;
  if (blockIdx.x == 0 && threadIdx.x == 0) pack_totals(pairs);
  pack_maps<nested>(pairs, rows, shared[warp_id()]);
}

} // namespace dfaparse

// Any grid over rows, of kMarkThreads threads.
extern "C" __global__ void __launch_bounds__(128, 6) dfa_pairs_mark(const dfaparse::Job* job, const dfaparse::Delivery* delivery, const dfaparse::Pairs* pairs) {
  using namespace dfaparse;
  const uint32_t rows = delivery_rows(job, delivery);
  if (pairs->levels > 1) {
    mark_maps<NestedSigns, true>(*pairs, rows);
  } else {
    mark_maps<FlatSigns, false>(*pairs, rows);
  }
}

// Any grid over rows, of kPairThreads threads.
extern "C" __global__ void __launch_bounds__(256, 3) dfa_pairs_walk(const dfaparse::Job* job, const dfaparse::Delivery* delivery, const dfaparse::Pairs* pairs) {
  using namespace dfaparse;
  __shared__ PairShared shared;
  if (*pairs->any_odd == 0) return;
  const uint32_t rows = delivery_rows(job, delivery);
  if (load_pair_table(*pairs, shared)) {
    walk_maps(*pairs, rows, NearPairs{shared}, shared.symbols + threadIdx.x, shared.events + threadIdx.x);
  } else {
    walk_maps(*pairs, rows, FarPairs{*pairs->program}, shared.symbols + threadIdx.x, shared.events + threadIdx.x);
  }
}

// Grid: as dfa_offsets. The scratch memory is zero.
extern "C" __global__ void __launch_bounds__(256) dfa_pairs_offsets(const dfaparse::Job* job, const dfaparse::Delivery* delivery, const dfaparse::Pairs* pairs) {
  using namespace dfaparse;
  scan_texts(PairBegins(pairs), delivery_rows(job, delivery), delivery->capacity, job->scratch);
}

// Any grid over rows, of kPackThreads threads. Where there is no room for all entries, none is put.
extern "C" __global__ void __launch_bounds__(128, 8) dfa_pairs_pack(const dfaparse::Job* job, const dfaparse::Delivery* delivery, const dfaparse::Pairs* pairs) {
  dfaparse::pack_all<false>(*pairs, dfaparse::delivery_rows(job, delivery));
}

// The same of maps of maps.
extern "C" __global__ void __launch_bounds__(128, 6) dfa_pairs_pack_nested(const dfaparse::Job* job, const dfaparse::Delivery* delivery, const dfaparse::Pairs* pairs) {
  dfaparse::pack_all<true>(*pairs, dfaparse::delivery_rows(job, delivery));
}

// Any grid over rows, of kKeysThreads threads.
extern "C" __global__ void __launch_bounds__(128) dfa_pairs_keys(const dfaparse::Job* job, const dfaparse::Delivery* delivery, const dfaparse::Pairs* pairs) {
  using namespace dfaparse;
  __shared__ KeyShared shared[kKeysThreads / kWarp];
  const uint32_t rows = delivery_rows(job, delivery), levels = uint32_t(pairs->levels);
  if (rows == 0 || !pairs_fit(*pairs)) return;
  const uint32_t values = pairs->level[levels - 1].counters[2];
  if (blockIdx.x == 0 && threadIdx.x == 0 && values % kWarp != 0) pairs->value_valid[values / kWarp] &= (1u << values % kWarp) - 1;
  const PairLevel outer = pairs->level[0];
  compare_keys(*pairs, KeyGroups{outer.begins, rows, pairs->texts[levels > 1 ? kPairOuterKeys : kPairKeys], nullptr, rows}, shared[warp_id()]);
  if (levels > 1) compare_keys(*pairs, KeyGroups{outer.inner, outer.counters[2], pairs->texts[kPairKeys], outer.begins, rows}, shared[warp_id()]);
}
