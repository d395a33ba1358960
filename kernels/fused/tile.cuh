// A tile of the fused path in shared memory: its symbols, how they are stepped,
// where its fields are, and which rows they are of.
#pragma once

#include "../convert/field.cuh"
#include "../scan.cuh"
#include "../span.cuh"

namespace dfaparse {

// What dfa_fused is given beside the tables of the general path, and gives.
struct Fused {
  // [256*kReplicas] by symbol: for each of 8 states a byte, the next state in
  // its low nibble and a Step in its high one. Entry symbol*kReplicas+i is the
  // same for all i.
  const uint2* steps;
  uint32_t columns;     // fields of a record
  uint32_t resume;      // the state after each record
  const uint32_t* output_field; // [noutputs] number of the field that it is made from
  const uint32_t* text_field;   // [ntexts] fields whose spans go to device memory
  const uint32_t* text_column;  // [ntexts] and which columns of the spans they are
  uint64_t ntexts;
  uint64_t* status;     // of the look-back: a word a tile, zeroed before
  uint32_t* ticket;     // zeroed before
  uint32_t* record_end; // [rows] offset of each record's boundary
};

// What a transition is, beside its next state.
enum Step : uint32_t { kStepField = 1, kStepRecord = 2, kStepSkip = 4, kStepOther = 8 };

constexpr uint32_t kReplicas = 8;
constexpr uint32_t kFusedThreads = 512;
constexpr uint32_t kFusedBlocks = 2; // a multiprocessor
constexpr uint32_t kHeadChunks = 4;
constexpr uint32_t kTileChunks = kFusedThreads - kHeadChunks;
constexpr uint32_t kHead = kHeadChunks * kChunk, kTile = kTileChunks * kChunk;
constexpr uint32_t kWords = (kHead + kTile) / 4 + 4;
constexpr uint32_t kMaxEnds = 8704; // in a tile
constexpr uint32_t kRun = 3; // blocks of rows that a warp takes at once
constexpr uint32_t kFusedWarps = kFusedThreads / kWarp;

// The rows that have fields in a tile.
struct Rows {
  uint32_t first;   // row of the first field
  uint32_t low;     // the row of bit 0 of its word in a bitmap
  uint32_t blocks;  // of 32 rows from low on
  uint32_t columns;
  uint32_t skipped; // fields of the first row that lie before the tile
  uint32_t total;   // fields of the tile
  uint32_t origin;  // offset of the memory's first symbol
  uint32_t before;  // where the first field begins, in the memory
  bool control;     // some symbol is neither data nor a boundary
};

// The dynamic shared memory of dfa_fused: steps, symbols, data masks, ends.
struct FusedTile {
  uint2 steps[256 * kReplicas];
  uint32_t words[kWords];
  uint64_t data[kFusedThreads];
  uint16_t ends[kMaxEnds];
  Rows rows;
  // Aligned, so that no wide load of these reaches into what another warp writes.
  alignas(16) uint32_t warp_fields[kFusedWarps], warp_records[kFusedWarps];
  uint32_t number; // of the tile
  uint32_t last;   // where its last field ends, plus 1, in its memory
  uint32_t fail;   // not 0: it cannot be fused
  uint32_t next;   // unit that no warp has taken
};

extern __shared__ uint4 fused_shared[];
__device__ __forceinline__ FusedTile& fused_tile() { return *reinterpret_cast<FusedTile*>(fused_shared); }

// The tile's symbols as a converter's memory.
struct TileWords {
  __device__ __forceinline__ uint32_t operator[](uint32_t i) const { return fused_tile().words[i]; }
};

// The steps of a symbol, by their place in shared memory, and one step: the
// compiler's own address arithmetic and __byte_perm take twice the instructions.
// A step's low nibble is below 8, so that its byte selects one; what the other
// nibbles select does not count.
#ifdef DFAPARSE_HOST
using StepsAddress = const uint2*;
__device__ inline StepsAddress address_of(const uint2* steps) { return steps; }
__device__ inline uint2 steps_of(StepsAddress steps, uint32_t symbol) { return steps[symbol * kReplicas]; }
__device__ inline uint32_t step(uint2 steps, uint32_t from) { return __byte_perm(steps.x, steps.y, from); }
#else
using StepsAddress = uint32_t;
__device__ __forceinline__ StepsAddress address_of(const uint2* steps) { return (uint32_t)__cvta_generic_to_shared(steps); }
__device__ __forceinline__ uint2 steps_of(StepsAddress steps, uint32_t symbol) {
  uint2 x;
  asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(x.x), "=r"(x.y) : "r"(steps + symbol * (kReplicas * 8)));
  return x;
}
__device__ __forceinline__ uint32_t step(uint2 steps, uint32_t from) {
  uint32_t to;
  asm("prmt.b32 %0, %1, %2, %3;" : "=r"(to) : "r"(steps.x), "r"(steps.y), "r"(from));
  return to;
}
#endif

// Pushes bit `bit` of each byte of e, the lowest byte first, into mask from
// below. The product has them in its highest four bits, and below these sums
// that carry nothing.
template <uint32_t bit>
__device__ __forceinline__ void push_bits(uint32_t* mask, uint32_t e) {
  static_assert(bit <= 4, "the last byte's bit would be lost");
  uint32_t product = (e & 0x01010101u << bit) * (0x80402010u >> bit);
  *mask = *mask << 4 | product >> 28;
}

// What a tile adds to the fields before it: how many end in it, and where the
// last one of them does, plus 1; 31 bits each, above two bits of status.
struct TileSum {
  uint32_t fields, last;
};
constexpr uint64_t kAggregate = 1, kPrefix = 2;
__device__ __forceinline__ uint64_t packed(TileSum s, uint64_t status) {
  return (uint64_t)s.fields << 33 | (uint64_t)s.last << 2 | status;
}
__device__ __forceinline__ TileSum unpacked(uint64_t w) { return TileSum{(uint32_t)(w >> 33), (uint32_t)(w >> 2) & 0x7fffffffu}; }

// The sum of all tiles before this one, by one warp: 32 of them at a time.
__device__ inline TileSum look_back(uint64_t* status, uint32_t tile, TileSum own) {
  uint32_t lane = lane_id();
  volatile uint64_t* words = status;
  if (lane == 0) words[tile] = packed(own, tile == 0 ? kPrefix : kAggregate);
  if (tile == 0) return TileSum{0, 0};
  TileSum before{0, 0};
  for (uint32_t to = tile;; to -= kWarp) { // tiles to-32 to to-1, the nearest first
    uint64_t w = kPrefix; // before the first tile: nothing
    if (lane < to) {
      do w = words[to - 1 - lane];
      while ((w & 3) == 0);
    }
    TileSum sum = unpacked(w);
    uint32_t whole = __ballot_sync(kAllLanes, (w & 3) == kPrefix);
    uint32_t nearest = whole != 0 ? (uint32_t)__ffs((int)whole) - 1 : kWarp - 1;
    if (lane > nearest) sum = TileSum{0, 0};
    uint32_t ended = __ballot_sync(kAllLanes, sum.last != 0); // where the nearest field ended, if any did
    uint32_t last = __shfl_sync(kAllLanes, sum.last, ended != 0 ? __ffs((int)ended) - 1 : 0);
    if (before.last == 0) before.last = last;
#pragma unroll
    for (uint32_t d = 16; d != 0; d /= 2) sum.fields += __shfl_xor_sync(kAllLanes, sum.fields, d);
    before.fields += sum.fields;
    if (whole != 0) break;
  }
  if (lane == 0) words[tile] = packed(TileSum{before.fields + own.fields, own.last != 0 ? own.last : before.last}, kPrefix);
  return before;
}

// A field of the tile: offsets in its memory, what is not data cut off.
struct TileField {
  uint32_t start, end;
  bool whole; // its data symbols lie side by side
};

// Cuts off what is not data at both ends of start to end-1, as data_span does.
__device__ inline TileField trim_field(uint32_t start, uint32_t end) {
  const uint64_t* data = fused_tile().data;
  uint32_t n = end - start;
  if (n == 0) return TileField{start, end, true};
  if (n > kChunk) return TileField{start, end, false};
  uint32_t c = start / kChunk, shift = start % kChunk;
  uint64_t bits = data[c] >> shift;
  if (shift != 0 && c + 1 < kFusedThreads) bits |= data[c + 1] << (kChunk - shift);
  bits &= low_bits(n);
  if (bits == 0) return TileField{start, start, true};
  uint32_t first = (uint32_t)__ffsll((long long)bits) - 1, last = 63 - (uint32_t)__clzll((long long)bits);
  return TileField{start + first, start + last + 1, (uint32_t)__popcll(bits) == last + 1 - first};
}

// The field of a lane: that of one column in one of 32 rows.
struct Place {
  uint32_t row;
  int32_t k; // among the tile's fields

  __device__ __forceinline__ Place(const Rows& rows, uint32_t column, uint32_t block) {
    row = rows.low + block * 32 + lane_id();
    k = (int32_t)((row - rows.first) * rows.columns + column) - (int32_t)rows.skipped;
  }
  __device__ __forceinline__ void next(const Rows& rows) {
    row += 32;
    k += (int32_t)(32 * rows.columns);
  }
  __device__ __forceinline__ bool here(const Rows& rows) const { return (uint32_t)k < rows.total; }
  __device__ __forceinline__ uint32_t end() const { return fused_tile().ends[k]; }
  __device__ __forceinline__ uint32_t start(const Rows& rows) const { return k > 0 ? fused_tile().ends[k - 1] + 1u : rows.before; }
};

// Whether a record ends at the symbol at an offset of the tile's memory, where
// a field does. The symbol tells, see fusedSteps in runtime/gpu/fused.go.
__device__ __forceinline__ bool is_record(const FusedTile& tile, uint32_t at) {
  uint32_t symbol = reinterpret_cast<const uint8_t*>(tile.words)[at];
  uint2 row = tile.steps[symbol * kReplicas];
  return ((row.x | row.y) & (kStepRecord << 4) * 0x01010101u) != 0;
}

} // namespace dfaparse
