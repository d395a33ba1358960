// A tile of the fused path in shared memory: its symbols, how they are stepped,
// where its fields are, and which rows they are of.
#pragma once

#include "../convert/rounding.cuh"
#include "../noted.cuh"
#include "../scan.cuh"
#include "../span.cuh"
#include "../view.cuh"

namespace dfaparse {

// What dfa_fused is given beside the tables of the general path, and gives.
struct Fused {
  // [256*kReplicas] by symbol: for each of 8 states a byte, the next state in
  // its low nibble and a Step in its high one. Entry symbol*kReplicas+i is the
  // same for all i.
  const uint2* steps;
  uint32_t columns;     // fields of a record
  uint32_t resume;      // the state after each record
  const uint32_t* output_field; // [noutputs] number of the field that it is made from, and its Form above kFormShift
  const uint32_t* text_field;   // [ntexts] fields whose spans go to device memory
  const uint32_t* text_column;  // [ntexts] and which columns of the spans they are
  uint64_t ntexts;
  uint64_t* status;     // of the look-back: a word a tile, zeroed before
  uint32_t* ticket;     // zeroed before, and so is
  uint32_t* control;    // 1: some symbol is neither data nor a boundary, and
  uint32_t* untrimmed;  // 1: from some text it has not been cut off
  uint32_t* record_end; // [rows] offset of each record's boundary

  // Of lines.cu; lines is nullptr elsewhere, and steps, status and ticket are
  // nobody's there.
  const uint32_t* lines;        // [line_count] transitions, see LineBits
  const uint8_t* line_groups;   // [256] of symbols
  const struct LineExits* line_exits; // [states] of those that stay, see LineBits
  uint32_t line_count, groups;  // transitions; symbol groups, which a state has so many of
  uint32_t line_end;            // the symbol that ends records, four times
  uint32_t last_state;          // not 0: the input may end after it
  uint32_t* line_before;        // records that each warp has listed; of several lines, [tiles+1] ends before each tile, and all
  uint32_t* line_told;          // the lists, each where its first symbol is; of several lines, bit i&31 of word i>>5: a record ends at symbol i
  uint32_t line_rows;           // that a warp takes at once, a multiple of 32
  uint32_t line_fields;         // of which it has so much room for fields, a multiple of 4
  uint32_t line_pool;           // bytes of shared memory that it has, a multiple of 16
  uint32_t line_texts;          // outputs behind those of dfa_lines: texts, and parts

  // Of tiles.cu, which has line_end, too: what ends a field, what encloses one, and
  // what may stand before the end of a record, four times each.
  uint32_t field_end, quote;
  uint32_t carriage, marks;     // TileMark: which of the last two there are
  uint32_t* tile_counts;        // [tiles] TileCount
  uint32_t* tile_starts;        // [tiles] TileStart
  uint8_t* tile_scratch;        // of the scan over these, zeroed before
  const uint32_t* text_output;  // [ntexts] the output that is the text as it is, kNoOutput: others, or several

  // Of lines.cu, where records go over several lines: where they begin, see begins.cuh.
  // nullptr elsewhere. Then the symbol that ends a record is of a group of its own there,
  // last_group, and one that ends the input, too, of the one behind it.
  const uint16_t* begins;       // [begin_count] transitions
  uint32_t begin_count, last_group;

  // Of lines.cu: hops by which most records are read, see hops.cuh.
  const struct LineHop* hops; // [hop_count], the first is a record's first
  uint32_t hop_count;
  uint32_t line_odd; // a symbol, four times: where it is among a warp's, there are none

  // Of lines.cu: columns that are taken apart there, as many as Delivery.splits. Their parts
  // are fields with numbers behind those of the record.
  const struct LineSplit* splits; // [split_count]
  uint32_t split_count;
  uint32_t line_pitch; // fields of a record, and parts; odd, so that lanes have banks of their own

  // Of lines.cu and tiles.cu: bitmaps, a bit a row, that are cleared once it is known how many rows there are.
  uint4* bitmaps;
  uint32_t bitmap_pitch; // of each, in bytes, a multiple of 16
  uint32_t bitmap_count;
};

enum TileMark : uint32_t { kHasQuote = 1, kHasReturn = 2 };
constexpr uint32_t kNoOutput = 0xffffffffu;

// What a transition is, beside its next state.
enum Step : uint32_t { kStepField = 1, kStepRecord = 2, kStepSkip = 4, kStepOther = 8 };

// How an output is converted. What a warp does not decide by its form, and all
// of kFormOther, is settled row by row.
enum Form : uint32_t {
  kFormOther, kFormDouble, kFormInt32, kFormInt64, kFormUint32, kFormUint64, kFormDecimal, kFormClock32, kFormClock64,
  kFormInt8, kFormInt16, kFormUint8, kFormUint16, kFormIP, kFormEnum, kFormLayout32, kFormLayout64, kFormPlaced32, kFormPlaced64,
  kFormSpans, kFormEnds, // no output's: see quick.cuh
};
constexpr uint32_t kFormShift = 24;

#ifdef DFAPARSE_TILES // tiles.cu: many small blocks, which step nothing
constexpr uint32_t kFusedThreads = 256;
constexpr uint32_t kFusedBlocks = 5; // a multiprocessor
constexpr uint32_t kMaxEnds = 4352;  // in a tile
constexpr uint32_t kRun = 8;         // blocks of rows that a warp takes at once
constexpr uint32_t kWatched = 48; // outputs, and what else runs are of, that quick.cuh may do

// What quick.cuh has to know of an output; form kFormOther: it does not convert it.
struct alignas(16) QuickColumn {
  void* fixed;
  uint32_t* valid;
  uint32_t form, field;
  uint32_t a, b; // of the form, and so is
  uint64_t most;
  uint32_t* lengths;
  uint32_t failures; // how often it was not usual
  uint32_t* units;   // of a text, see kUnitBytes
  uint4* views;      // likewise, nullptr: it has none
};
// What a number of eight digits needs to know where its point is.
struct alignas(16) QuickPlace {
  uint32_t digits; // selectors of its digits, those before the point move up by one
  uint32_t point;  // selector of the point, four times, and in the upper half how many places there are
  uint32_t some;   // 0: there is no point; else all bits
  uint32_t scale;  // 10^(7-places)
};
struct QuickTables {
  QuickPlace places[9]; // no point, then as PointPlace has them
  uint32_t powers[16];  // of ten, those that fit
};
// What its runs have to know of a tile's rows: see Rows.
struct alignas(16) QuickRows {
  uint32_t stride; // from the end of a row's field to that of the next one's, in bytes
  uint32_t first, ended;
  uint32_t before; // rows of the first word of a bitmap that are before the first
  uint32_t skipped, more;
  uint32_t none[2];
};
struct TileSteps {
  QuickColumn columns[kWatched];
  QuickRows rows;
  QuickTables tables;
  uint64_t inverse;    // 2^64 / columns, rounded up
  uint64_t* is_data;   // Job.is_data by chunk, nullptr: nobody asks for it
  uint8_t* chunk_utf8; // Job.chunk_utf8
  uint32_t quote;      // what encloses fields, above 255: nothing
  uint32_t things;     // that runs are of: outputs, texts, and the check
  uint32_t records;    // of the flight
  uint8_t order[kWatched]; // of the columns, dearer ones first
};
#elif defined(DFAPARSE_LINES) // lines.cu: a lane steps a record, and transitions are its own
constexpr uint32_t kFusedThreads = 768; // at most: what a thread has registers for, and the block has the multiprocessor
constexpr uint32_t kFusedBlocks = 1;
constexpr uint32_t kMaxEnds = 4;
constexpr uint32_t kRun = 8;
struct TileSteps {
  uint32_t none[4];
};
#else
constexpr uint32_t kReplicas = 8;
constexpr uint32_t kFusedThreads = 384;
constexpr uint32_t kFusedBlocks = 3; // a multiprocessor: while one waits, others work
constexpr uint32_t kMaxEnds = 6528;
constexpr uint32_t kRun = 6;
struct TileSteps {
  uint2 of[256 * kReplicas];
};
#endif
constexpr uint32_t kHeadChunks = 4;
constexpr uint32_t kTileChunks = kFusedThreads - kHeadChunks;
constexpr uint32_t kHead = kHeadChunks * kChunk, kTile = kTileChunks * kChunk;
constexpr uint32_t kWords = (kHead + kTile) / 4 + 4;
constexpr uint32_t kFusedWarps = kFusedThreads / kWarp;

// The rows that have fields in a tile.
struct Rows {
  uint32_t first;   // row of the first field
  uint32_t low;     // the row of bit 0 of its word in a bitmap
  uint32_t blocks;  // of 32 rows from low on
  uint32_t runs;    // of up to kRun blocks
  uint32_t inverse; // of runs, see run_of
  uint32_t columns;
  uint32_t skipped; // fields of the first row that lie before the tile
  uint32_t total;   // fields of the tile
  uint32_t ended;   // rows, counted from the first, of which the last field is there
  uint32_t more;    // fields of the row after these
  uint32_t origin;  // offset of the memory's first symbol
  uint32_t before;  // where the first field begins, in the memory
  bool control;     // some symbol is neither data nor a boundary
};

#ifdef DFAPARSE_TILES
// What is known of a tile before its symbols are: it is found out beside the tile before.
struct PlannedTile {
  Rows rows;
  QuickRows quick;
  uint32_t before; // FusedTile.before[7]
  uint32_t facts;  // TileStart.facts, and what of the tile before may lie in the head
  uint32_t odd;    // TileStart.odd
};
#endif

// What a number of eight digits needs to know where its point is: by which
// selectors the digits before it move up by one, and what to divide by.
struct PointPlace {
  ExactPower ten;           // 10^places
  uint32_t low, high;       // selectors of the lower four digits, of the upper
  uint32_t point;           // selector of the point, four times
  uint32_t places;
};
constexpr uint32_t kPlaces = 9; // no point, then those of short.cuh

// The dynamic shared memory of dfa_fused: steps, symbols, data masks, ends.
struct FusedTile {
  TileSteps steps;
  alignas(16) PointPlace places[kPlaces];
  uint32_t words[kWords];
  uint64_t data[kFusedThreads];
  // Offsets of the fields' boundaries in the memory. Before the first stands
  // that of the field before, or kFarBefore if it lies before the memory.
  uint16_t before[8], ends[kMaxEnds];
  Rows rows;
  // Aligned, so that no wide load of these reaches into what another warp writes.
  alignas(16) uint32_t warp_fields[kFusedWarps], warp_records[kFusedWarps];
#ifdef DFAPARSE_TILES
  PlannedTile planned;            // the next one
  uint32_t not_utf8[kFusedWarps]; // bit i&31 of word i>>5: chunk i of the memory may not be UTF-8
#endif
  uint32_t number; // of the tile
  uint32_t last;   // where its last field ends, plus 1, in its memory
  uint32_t fail;   // not 0: it cannot be fused
  uint32_t next;   // unit that no warp has taken
};

constexpr uint16_t kFarBefore = 0xffff; // so that the first field begins behind its end

extern __shared__ uint4 fused_shared[];
__device__ __forceinline__ FusedTile& fused_tile() { return *reinterpret_cast<FusedTile*>(fused_shared); }

// Clears bitmaps of so many rows, by a thread of so many.
__device__ __forceinline__ void clear_bitmaps(const Fused* fused, uint32_t rows, uint32_t thread, uint32_t threads) {
  const uint32_t pitch = fused->bitmap_pitch / 16, words = min(rows / 128 + 2, pitch); // what is read beyond the rows, too
  for (uint32_t i = thread; i < words * fused->bitmap_count; i += threads) {
    fused->bitmaps[uint64_t(i / words) * pitch + i % words] = make_uint4(0, 0, 0, 0);
  }
}

// Bits of a word that other tiles have some of, too, unless it is all.
__device__ __forceinline__ void add_bits(uint32_t* word, uint32_t bits) {
  if (bits == kAllLanes) {
    *word = bits;
  } else if (bits != 0) {
    atomicOr(word, bits);
  }
}

// Of 32 rows of a text from one on, notes those that are left to dfa_convert: see kPartly there. By one lane.
__device__ __forceinline__ void note_undone(const Job& job, const Output& output, uint32_t row, uint32_t todo) {
  atomicOr(output.todo + row / 32, todo);
  output.counters[kUndoneRows] = 1;
  job.counts->reserved[kUndone] = 1;
}

// The same, and those that are valid.
__device__ __forceinline__ void note_texts(const Job& job, const Output& output, uint32_t row, uint32_t valid, uint32_t todo) {
  add_bits(output.valid + row / 32, valid);
  if (todo != 0) note_undone(job, output, row, todo);
}

#ifndef DFAPARSE_LINES // which has a memory for each warp
// The tile's symbols as a converter's memory.
struct TileWords {
  __device__ __forceinline__ uint32_t operator[](uint32_t i) const { return fused_tile().words[i]; }
};
#endif

// Places in shared memory, and loads from there: what the compiler makes of
// pointers takes twice the instructions.
#ifdef DFAPARSE_HOST
using SharedAddress = const uint8_t*;
__device__ inline SharedAddress address_of(const void* p) { return static_cast<const uint8_t*>(p); }
__device__ inline uint32_t load_byte(SharedAddress p) { return *p; }
__device__ inline void store32(SharedAddress p, uint32_t x) { *reinterpret_cast<uint32_t*>(const_cast<uint8_t*>(p)) = x; }
__device__ inline uint32_t load16(SharedAddress p) { return *reinterpret_cast<const uint16_t*>(p); }
__device__ inline uint32_t load32(SharedAddress p) { return *reinterpret_cast<const uint32_t*>(p); }
__device__ inline uint2 load64(SharedAddress p) { return *reinterpret_cast<const uint2*>(p); }
__device__ inline uint4 load128(SharedAddress p) { return *reinterpret_cast<const uint4*>(p); }
#else
using SharedAddress = uint32_t;
__device__ __forceinline__ SharedAddress address_of(const void* p) { return (uint32_t)__cvta_generic_to_shared(p); }
__device__ __forceinline__ uint32_t load_byte(SharedAddress p) {
  uint32_t x;
  asm volatile("ld.shared.u8 %0, [%1];" : "=r"(x) : "r"(p));
  return x;
}
__device__ __forceinline__ void store32(SharedAddress p, uint32_t x) { asm volatile("st.shared.u32 [%0], %1;" ::"r"(p), "r"(x) : "memory"); }
__device__ __forceinline__ uint32_t load16(SharedAddress p) {
  unsigned short x;
  asm volatile("ld.shared.u16 %0, [%1];" : "=h"(x) : "r"(p));
  return x;
}
__device__ __forceinline__ uint32_t load32(SharedAddress p) {
  uint32_t x;
  asm volatile("ld.shared.u32 %0, [%1];" : "=r"(x) : "r"(p));
  return x;
}
__device__ __forceinline__ uint2 load64(SharedAddress p) {
  uint2 x;
  asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(x.x), "=r"(x.y) : "r"(p));
  return x;
}
__device__ __forceinline__ uint4 load128(SharedAddress p) {
  uint4 x;
  asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(x.x), "=r"(x.y), "=r"(x.z), "=r"(x.w) : "r"(p));
  return x;
}
#endif

// The view of a string of n symbols at byte `at` of the memory, whose first one is the input's at origin.
__device__ __forceinline__ uint4 view_in(SharedAddress words, uint32_t at, uint32_t n, uint32_t origin) {
  const SharedAddress p = words + (at & ~3u);
  const uint32_t shift = 8 * (at & 3), a = load32(p), b = load32(p + 4), c = load32(p + 8), d = load32(p + 12);
  return view_of(n, __funnelshift_r(a, b, shift), __funnelshift_r(b, c, shift), __funnelshift_r(c, d, shift), kSymbolsBuffer, origin + at);
}

// 16 bytes of the input, which are read once: they take no room of what is read again
// and again, since shared memory leaves little of it.
__device__ __forceinline__ uint4 load_once(const uint4* p) {
#ifdef DFAPARSE_HOST
  return *p;
#else
  uint4 x;
  asm("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(x.x), "=r"(x.y), "=r"(x.z), "=r"(x.w) : "l"(p));
  return x;
#endif
}

#ifndef DFAPARSE_LINES
// Where the tile's parts are.
struct TileAddress {
  SharedAddress words, places, ends; // places: of the first with a point
  __device__ __forceinline__ TileAddress()
      : words(address_of(fused_tile().words)), places(address_of(fused_tile().places + 1)), ends(address_of(fused_tile().ends)) {}
};
#endif

// __byte_perm, which masks its selector, of one whose nibbles are below 8 as far
// as they count; and the number of the highest bit, -1: there is none.
__device__ __forceinline__ uint32_t permute(uint32_t x, uint32_t y, uint32_t selector) {
#ifdef DFAPARSE_HOST
  return __byte_perm(x, y, selector);
#else
  uint32_t z;
  asm("prmt.b32 %0, %1, %2, %3;" : "=r"(z) : "r"(x), "r"(y), "r"(selector));
  return z;
#endif
}
__device__ __forceinline__ int32_t highest_bit(uint32_t x) {
#ifdef DFAPARSE_HOST
  return 31 - __clz((int)x);
#else
  int32_t i;
  asm("bfind.u32 %0, %1;" : "=r"(i) : "r"(x));
  return i;
#endif
}

// A field of the tile: offsets in its memory, what is not data cut off.
struct TileField {
  uint32_t start, end;
  bool whole; // its data symbols lie side by side
};

// Bits that are set for the data among the n symbols from start on, 1 to 64.
__device__ __forceinline__ uint64_t data_bits(uint32_t start, uint32_t n) {
  const uint64_t* data = fused_tile().data;
  uint32_t c = start / kChunk, shift = start % kChunk;
  uint64_t bits = data[c] >> shift;
  if (shift != 0 && c + 1 < kFusedThreads) bits |= data[c + 1] << (kChunk - shift);
  return bits & low_bits(n);
}

// Cuts off what is not data at both ends of start to end-1, as data_span does.
__device__ inline TileField trim_field(uint32_t start, uint32_t end) {
  uint32_t n = end - start;
  if (n == 0) return TileField{start, end, true};
  if (n > kChunk) return TileField{start, end, false};
  Span span = bits_span(start, data_bits(start, n));
  return TileField{span.start & ~kScattered, span.end, (span.start & kScattered) == 0};
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

// Units are runs of blocks of rows, of one output or another thing: what unit u
// is of. The inverse is too large by less than runs/2^16, which times u stays
// below 1/runs; 0: there are too many for that.
__device__ __forceinline__ uint32_t inverse_of(uint32_t runs, uint32_t things) {
  if (runs == 1 && things < 1u << 16) return 1u << 16;
  return runs != 0 && runs * runs * things < 1u << 16 ? ((1u << 16) + runs - 1) / runs : 0;
}
template <class R>
__device__ __forceinline__ uint32_t run_of(const R& rows, uint32_t u) {
  return rows.inverse != 0 ? u * rows.inverse >> 16 : u / rows.runs;
}

} // namespace dfaparse
