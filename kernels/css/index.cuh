// The index of a column's symbols: from tags, from terminators or from bits, the
// spans of the fields.
#pragma once

#include "matches.cuh"

namespace dfaparse {

// Of a column, in Css.counters: what fields it has.
constexpr uint32_t kColumnSeen = 0;
constexpr uint32_t kHasAbsent = 1, kHasEmpty = 2; // an absent one has no symbols

constexpr uint32_t kIndexThreads = 256;
constexpr uint32_t kIndexTile = kIndexThreads * kChunk; // symbols that a block takes at once
constexpr uint32_t kIndexEnds = 4096;                   // fields that it writes at once

// By all threads of a block: whether there is nothing to make an index of.
__device__ inline bool has_failed(const Css* css) {
  bool failed = threadIdx.x == 0 && *css->failed != 0;
  for (uint32_t i = threadIdx.x; i < css->ncolumns; i += blockDim.x) failed = failed || css->counters[uint64_t(i) * 8 + 5] != 0;
  return __syncthreads_or(failed) != 0;
}

// kTagged: a symbol whose tag is not that of the one before begins its field.
// Fields without symbols have no tag; that they are there is known. A thread has
// four symbols.
__device__ inline void index_tags(const Delivery* delivery, const Css* css, uint32_t rows) {
  uint32_t threads = gridDim.x * blockDim.x, thread = blockIdx.x * blockDim.x + threadIdx.x;
  for (uint32_t c = blockIdx.y; c < css->ncolumns; c += gridDim.y) {
    const uint32_t* offsets = css->offsets + uint64_t(c) * css->pitch;
    const uint32_t* counters = css->counters + uint64_t(c) * 8;
    uint32_t* start = delivery->span_start + uint64_t(c) * delivery->capacity;
    uint32_t* end = delivery->span_end + uint64_t(c) * delivery->capacity;
    if (counters[kColumnSeen] & kHasEmpty) {
      for (uint64_t row = thread; row < rows; row += threads) {
        if (offsets[row] == offsets[row + 1]) {
          if (start[row] != kAbsent) start[row] = 0;
          end[row] = 0;
        }
      }
    }
    const uint32_t* tags = css->tags + heap_offset(counters);
    uint32_t n = counters[2];
    for (uint64_t first = 4 * (thread - lane_id()); first < n; first += 4 * uint64_t(threads)) {
      uint64_t i = first + 4 * lane_id();
      Four x = {{0, 0, 0, 0}};
      if (i < n) x = *reinterpret_cast<const Four*>(tags + i);
      uint32_t before = shuffle_up(x.of[3], 1), after = shuffle_down(x.of[0], 1);
      if (lane_id() == 0 && i != 0) before = tags[i - 1];
      if (lane_id() == kWarp - 1 && i + 4 < n) after = tags[i + 4];
#pragma unroll
      for (uint32_t k = 0; k < 4; k++) {
        uint64_t at = i + k;
        if (at >= n) continue;
        uint32_t tag = x.of[k];
        if (at == 0 || (k == 0 ? before : x.of[k - 1]) != tag) start[tag] = uint32_t(at);
        if (at + 1 == n || (k == 3 ? after : x.of[k + 1]) != tag) end[tag] = uint32_t(at) + 1;
      }
    }
  }
}

// What a block has of a tile.
struct IndexTile {
  uint32_t slot, before, per_warp[kIndexThreads / kWarp];
  union {
    uint16_t slices[kIndexTile / kSlice]; // of each, its symbols that are terminators
    uint64_t chunks[kIndexThreads];
  };
  uint16_t ends[kIndexEnds];
};

// By a whole block: the bits of the symbols of a thread's chunk that are behind a
// field. Of the columns together there are so many symbols.
__device__ __forceinline__ uint64_t chunk_ends(const Css* css, uint32_t tile, uint64_t size, IndexTile& shared) {
  uint64_t chunk = uint64_t(tile) * kIndexThreads + threadIdx.x;
  if (css->tagging == kDelimited) return chunk * kChunk < size ? reinterpret_cast<const uint64_t*>(css->ends)[chunk] : 0;
  const Bytes16* slices = reinterpret_cast<const Bytes16*>(css->symbols) + uint64_t(tile) * (kIndexTile / kSlice);
  constexpr uint32_t kEach = kChunk / kSlice;
  Bytes16 x[kEach];
#pragma unroll
  for (uint32_t k = 0; k < kEach; k++) x[k] = slices[k * kIndexThreads + threadIdx.x];
#pragma unroll
  for (uint32_t k = 0; k < kEach; k++) shared.slices[k * kIndexThreads + threadIdx.x] = uint16_t(matches(x[k], css->terminator));
  __syncthreads();
  return chunk * kChunk < size ? shared.chunks[threadIdx.x] : 0;
}

// Where the fields of a tile go, one after the other: the first of them is field
// number `first` of all columns together.
class EndWriter {
 public:
  __device__ EndWriter(const Delivery* delivery, const Css* css, uint32_t rows, uint32_t first)
      : delivery_(delivery), css_(css), rows_(rows), column_(first / rows), row_(first % rows), at_(0xffffffffu), place_(0), absent_(0), start_(nullptr), end_(nullptr) {}

  // Field number i of the tile ends before symbol p of all columns together.
  __device__ __forceinline__ void write(uint32_t i, uint32_t p) {
    uint32_t row = row_ + i, c = column_;
    if (row >= rows_) {
      c += row / rows_;
      row %= rows_;
    }
    if (c != at_) {
      at_ = c;
      const uint32_t* counters = css_->counters + uint64_t(c) * 8;
      place_ = uint32_t(heap_offset(counters));
      absent_ = counters[kColumnSeen] & kHasAbsent;
      start_ = delivery_->span_start + uint64_t(c) * delivery_->capacity;
      end_ = delivery_->span_end + uint64_t(c) * delivery_->capacity;
    }
    uint32_t at = p - place_;
    end_[row] = at;
    if (row == 0 && (absent_ == 0 || start_[0] != kAbsent)) start_[0] = 0;
    if (row + 1 < rows_ && (absent_ == 0 || start_[row + 1] != kAbsent)) start_[row + 1] = at + 1;
  }

 private:
  const Delivery* delivery_;
  const Css* css_;
  uint32_t rows_, column_, row_;
  uint32_t at_, place_, absent_; // of the column that the last one was in
  uint32_t* start_;
  uint32_t* end_;
};

// kTerminated, kDelimited: each column has one such symbol a row, so that the
// number of one among all says of which column and row it is.
__device__ inline void index_ends(const Job* job, const Delivery* delivery, const Css* css, uint32_t rows) {
  __shared__ IndexTile shared;
  const uint32_t* last = css->counters + uint64_t(css->ncolumns - 1) * 8;
  uint64_t size = heap_offset(last) + heap_size_of(last[2]);
  uint32_t tiles = uint32_t((size + kIndexTile - 1) / kIndexTile);
  LookBack<uint32_t, Sum> look_back(job->scratch, tiles, Sum());
  for (;;) {
    uint32_t tile = look_back.take(&shared.slot);
    if (tile >= tiles) return;
    uint64_t bits = chunk_ends(css, tile, size, shared);
    uint32_t total, mine = scan_block_exclusive<kIndexThreads>(uint32_t(__popcll(bits)), Sum(), shared.per_warp, &total);
    if (warp_id() == 0) {
      uint32_t before = look_back.prefix(tile, total, 0);
      if (lane_id() == 0) shared.before = before;
    }
    for (uint32_t round = 0; round < total; round += kIndexEnds) {
      uint32_t i = mine;
      for (uint64_t left = bits; left != 0; left &= left - 1, i++) {
        if (i - round < kIndexEnds) shared.ends[i - round] = uint16_t(threadIdx.x * kChunk + uint32_t(__ffsll((long long)left)) - 1);
      }
      __syncthreads();
      EndWriter writer(delivery, css, rows, shared.before + round);
      uint32_t n = min(total - round, kIndexEnds);
      for (uint32_t k = threadIdx.x; k < n; k += kIndexThreads) writer.write(k, tile * kIndexTile + shared.ends[k]);
      __syncthreads(); // what is shared is used again
    }
    __syncthreads();
  }
}

} // namespace dfaparse
