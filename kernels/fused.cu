// The fused path: index, partition and convert of one tile in shared memory,
// for partitions in which every record has the same number of fields, which
// number the columns. The symbols are read once; neither fields nor spans of
// what has a fixed width go to device memory. Texts leave spans, which
// dfa_trim, dfa_convert and the rest then take as on the general path.
//
// A tile is kTileChunks chunks; those before them, the head, are stepped again
// with it, so that a field that began there is whole. Field ends are compacted
// into shared memory, a scan with look-back numbers them, and since number
// divided by columns is the row, a warp takes 32 rows of one output at a time:
// one type, one code path.
//
// Where the partition is not of that form, Counts.unfused says so and what was
// written does not count: another number of fields in some record, an error, a
// record that is no row, more fields in a tile than fit, an end of the input
// that ends a record.
#include "convert/field.cuh"
#include "convert/value.cuh"
#include "layout.cuh"
#include "scan.cuh"
#include "span.cuh"
#include "utf8_chunk.cuh"

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

// Whether the field is a null token of output.
__device__ inline bool is_null_token(const Output& output, const FieldIn<TileWords>& field) {
  const uint8_t* token = output.tokens;
  for (uint32_t i = 0; i < output.ntokens; i++) {
    uint32_t n = *reinterpret_cast<const uint32_t*>(token);
    token += 4;
    if (n == field.n) {
      uint32_t j = 0;
      while (j < n && token[j] == field[j]) j++;
      if (j == n) return true;
    }
    token += (n + 3) & ~3u;
  }
  return false;
}

enum Decision : uint32_t { kNull, kValid, kLeft };

// The value of a field, or of the output's default.
__device__ inline Decision decide(const Output& output, FieldIn<TileWords> field, Value* value) {
  uint32_t flags = output.flags;
  if (flags & kTrim) {
    while (field.n != 0 && (field[0] == ' ' || field[0] == '\t')) field = field.from(1);
    while (field.n != 0 && (field[field.n - 1] == ' ' || field[field.n - 1] == '\t')) field.n--;
  }
  if ((field.n == 0 && (flags & kEmptyIsNull)) || (output.ntokens != 0 && is_null_token(output, field))) {
    if (!(flags & kHasDefault)) return flags & kRequired ? kLeft : kNull;
    *value = Value{output.default_value[0], output.default_value[1]};
    return kValid;
  }
  if (convert_value(output, field, value)) return kValid;
  *value = Value{0, 0};
  return kLeft;
}

__device__ __forceinline__ void store_value(void* fixed, uint32_t width, uint32_t row, const Value& value) {
  if (width == 8) {
    static_cast<uint64_t*>(fixed)[row] = value.lo;
  } else if (width == 4) {
    static_cast<uint32_t*>(fixed)[row] = (uint32_t)value.lo;
  } else if (width == 2) {
    static_cast<uint16_t*>(fixed)[row] = (uint16_t)value.lo;
  } else if (width == 1) {
    static_cast<uint8_t*>(fixed)[row] = (uint8_t)value.lo;
  } else if (width == 16) {
    static_cast<ulonglong2*>(fixed)[row] = make_ulonglong2(value.lo, value.hi);
  }
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

// A kind holds the options of an output in registers and decides the usual
// notation; whatever it does not, settle does.
struct IntegerKind {
  uint64_t most, least;
  bool decimal;
  __device__ explicit IntegerKind(const Output& output) : most(output.options[0]), least(output.options[1]), decimal(output.options[3] == 0) {}
  __device__ __forceinline__ bool convert(const FieldIn<TileWords>& field, Value* value) const {
    uint64_t magnitude;
    bool negative;
    if (!decimal || !short_integer(field, &magnitude, &negative) || magnitude > (negative ? least : most)) return false;
    value->lo = negative ? 0 - magnitude : magnitude;
    return true;
  }
};

struct DoubleKind {
  const FloatTables* tables;
  uint32_t point;
  __device__ explicit DoubleKind(const Output& output) : tables(static_cast<const FloatTables*>(output.type)), point((uint32_t)output.options[0]) {}
  __device__ __forceinline__ bool convert(const FieldIn<TileWords>& field, Value* value) const {
    ShortNumber x{0, 0, false};
    if (!short_number(field, point, &x) || x.digits > kMostExactDigits) return false;
    value->lo = (uint64_t)__double_as_longlong(divide_exactly(tables, x.digits, x.places)) | (uint64_t)x.negative << 63;
    return true;
  }
};

struct ClockKind {
  Clock clock;
  Output own; // kind, type and options[3]
  __device__ explicit ClockKind(const Output& output) : clock(output) {
    own.kind = output.kind;
    own.type = output.type;
    own.options[3] = output.options[3];
    if (output.options[7] != 0) clock.form = kSteps;
  }
  __device__ __forceinline__ bool convert(const FieldIn<TileWords>& field, Value* value) const {
    Reading x;
    int64_t v;
    if (clock.form == kSteps || !read_usual(clock, field, &x) || !value_of(own, clock, x, &v)) return false;
    value->lo = (uint64_t)v;
    return true;
  }
};

// Settles 32 rows of which a kind has not decided all, by a whole warp: done
// says that the lane's row is stored and valid.
__device__ __noinline__ void settle(const Output& output, uint32_t column, uint32_t block, bool done) {
  const Rows& rows = fused_tile().rows;
  Place place(rows, column, block);
  bool here = place.here(rows), truth = false;
  Decision decision = done ? kValid : kNull;
  if (here && !done) {
    Value value{0, 0};
    TileField field{place.start(rows), place.end(), true};
    decision = kLeft;
    if (field.start <= field.end) { // else it began before the head
      if (rows.control) field = trim_field(field.start, field.end);
      if (field.whole) decision = decide(output, FieldIn<TileWords>{TileWords(), field.start, field.end - field.start}, &value);
    }
    store_value(output.fixed, output.width, place.row, value);
    truth = (value.lo & 1) != 0;
  }
  uint32_t all = __ballot_sync(kAllLanes, here), valid = __ballot_sync(kAllLanes, decision == kValid);
  uint32_t left = __ballot_sync(kAllLanes, decision == kLeft), bits = __ballot_sync(kAllLanes, truth);
  if (lane_id() != 0) return;
  uint32_t word = place.row / 32;
  if (output.width == 0) atomicOr(static_cast<uint32_t*>(output.fixed) + word, bits); // Bool
  if (valid != 0) atomicOr(&output.valid[word], valid);
  uint32_t nulls = (uint32_t)__popc(all & ~valid & ~left);
  if (nulls != 0) atomicAdd(&output.counters[0], nulls);
  if (left != 0) {
    atomicOr(&output.todo[word], left);
    atomicAdd(&output.counters[1], (uint32_t)__popc(left));
  }
}

// The same for what holds nothing in registers: every row is settled.
__device__ inline void convert_other(const Output& output, uint32_t column, uint32_t block, uint32_t end) {
  for (; block < end; block++) settle(output, column, block, false);
}

// Converts the fields of one column in blocks of 32 rows, from block to end-1,
// to values of so many bytes. It is called, so that no kind's registers are
// another's, and holds little itself: its loop must not spill.
template <class Kind, uint32_t width>
__device__ __noinline__ void convert_kind(const Output& output, uint32_t column, uint32_t block, uint32_t end) {
  if ((output.flags & kTrim) || output.ntokens != 0) return convert_other(output, column, block, end);
  const Rows& rows = fused_tile().rows;
  const uint16_t* ends = fused_tile().ends;
  Kind kind(output);
  Place place(rows, column, block);
  uint32_t total = rows.total, stride = 32 * rows.columns, k = (uint32_t)place.k;
  bool control = rows.control;
  uint8_t* to = static_cast<uint8_t*>(output.fixed) + (uint64_t)place.row * width;
  uint32_t* valid = output.valid + place.row / 32;
  for (; block < end; block++, k += stride, to += 32 * width, valid++) {
    bool done = false, here = k < total;
    if (here) {
      TileField field{k != 0 ? ends[(int32_t)k - 1] + 1u : rows.before, ends[k], true};
      if (control && field.start <= field.end) field = trim_field(field.start, field.end);
      Value value{0, 0};
      done = field.start < field.end && field.whole && kind.convert(FieldIn<TileWords>{TileWords(), field.start, field.end - field.start}, &value);
      if (done && width == 8) *reinterpret_cast<uint64_t*>(to) = value.lo;
      if (done && width == 4) *reinterpret_cast<uint32_t*>(to) = (uint32_t)value.lo;
    }
    if (!__all_sync(kAllLanes, done || !here)) {
      settle(output, column, block, done);
      continue;
    }
    uint32_t bits = __ballot_sync(kAllLanes, here);
    if (lane_id() != 0) continue;
    if (bits == kAllLanes) {
      *valid = kAllLanes;
    } else {
      atomicOr(valid, bits);
    }
  }
}

__device__ __forceinline__ void convert_blocks(const Output& output, uint32_t column, uint32_t block, uint32_t end) {
  uint32_t kind = output.kind, width = output.width;
  bool integer = kind >= kInt8 && kind <= kUint64, clock = kind == kDate || kind == kTime || kind == kTimestamp;
  if (kind == kFloat64) {
    convert_kind<DoubleKind, 8>(output, column, block, end);
  } else if (integer && width == 8) {
    convert_kind<IntegerKind, 8>(output, column, block, end);
  } else if (integer && width == 4) {
    convert_kind<IntegerKind, 4>(output, column, block, end);
  } else if (clock && width == 8) {
    convert_kind<ClockKind, 8>(output, column, block, end);
  } else if (clock && width == 4) {
    convert_kind<ClockKind, 4>(output, column, block, end);
  } else {
    convert_other(output, column, block, end);
  }
}

// The rows of a tile of which all is known, by one thread; no blocks if nothing
// is to be converted.
__device__ __forceinline__ Rows number_rows(const Job& job, const Batch& batch, const Fused* fused, TileSum before, uint32_t total,
    uint32_t records, uint32_t base, bool control, bool failed) {
  uint32_t columns = fused->columns;
  Rows rows;
  rows.columns = columns;
  rows.first = before.fields / columns;
  rows.skipped = before.fields - rows.first * columns;
  rows.low = rows.first & ~31u;
  rows.total = total;
  rows.origin = base - kHead;
  rows.before = before.last - rows.origin; // maybe far before: wraps around
  rows.control = control;
  uint32_t ended = (rows.skipped + total) / columns; // records, if each has all columns
  if (failed || records != ended) job.counts->unfused = 1;
  if (base + kTile >= job.size) { // the last tile
    job.counts->fields = before.fields + total;
    job.counts->records = job.counts->rows = rows.first + ended;
    job.counts->resume = fused->resume;
  }
  // The host compares rows with the capacity.
  bool none = failed || total == 0 || rows.first + ended > batch.capacity;
  rows.blocks = none ? 0 : (rows.first + (rows.skipped + total + columns - 1) / columns - rows.low + 31) / 32;
  return rows;
}

} // namespace dfaparse

namespace dfaparse {

// Whether a chunk of the tile, one a lane, is not UTF-8 whatever fields it holds,
// as dfa_utf8 has it, by a whole warp; ask: it has symbols that are not ASCII;
// n: how many symbols of the partition are left from its first on. The warp
// takes the chunks of which is asked one after the other: they are few.
__device__ __forceinline__ bool not_utf8(const FusedTile& tile, bool ask, uint32_t n) {
  bool wrong = ask && n < kChunk + 4; // what comes after these is not the partition's
  uint32_t lane = lane_id();
  for (uint32_t asked = __ballot_sync(kAllLanes, ask && !wrong); asked != 0; asked &= asked - 1) {
    uint32_t of = (uint32_t)__ffs((int)asked) - 1;
    const uint32_t* words = tile.words + (warp_id() * kWarp + of) * (kChunk / 4);
    uint32_t errors = lane <= kChunk / 4 ? utf8_errors(words[(int32_t)lane - 1], words[lane]) : 0;
    uint32_t found = __ballot_sync(kAllLanes, errors != 0);
    if (lane == of) wrong = found != 0;
  }
  return wrong;
}

// A tile, by a whole block: base is the offset of its first symbol.
__device__ __forceinline__ void fuse_tile(const Program* program, const Job& job, const Batch& batch, const Fused* fused, uint32_t base) {
  FusedTile& tile = fused_tile();
  uint32_t t = threadIdx.x, lane = lane_id(), warp = warp_id(), size = job.size;

  // Symbols: chunk t of the tile with its head. Before the first tile, none.
  bool head = t < kHeadChunks;
  uint4* quads = reinterpret_cast<uint4*>(tile.words);
  const uint4* source = reinterpret_cast<const uint4*>(job.data + base) - kHead / 16;
#pragma unroll
  for (uint32_t k = 0; k < 4; k++) {
    uint32_t i = k * kFusedThreads + t;
    quads[i] = base == 0 && i < kHead / 16 ? make_uint4(0, 0, 0, 0) : source[i];
  }
  if (t < 4) tile.words[kWords - 4 + t] = 0;
#ifndef DFAPARSE_HOST
  // What the block will read next, about: all blocks take a tile in turn.
  uint64_t ahead = (uint64_t)base + (uint64_t)gridDim.x * kTile + t * kChunk;
  if (ahead < size) asm volatile("prefetch.global.L2 [%0];" ::"l"(job.data + ahead));
#endif
  uint32_t chunk = base / kChunk + t - kHeadChunks; // not below 0 but for the first head
  uint32_t from = chunk * kChunk;
  bool there = !(base == 0 && head) && from < size;
  uint32_t state = there ? job.chunk_state[chunk] : 0;
  __syncthreads();

  // Step, and note what each symbol is: bit i of a mask is symbol i.
  uint64_t ends = 0, skips = 0;
  uint32_t nrecords = 0, others = 0, high = 0;
  if (there) {
    StepsAddress steps = address_of(tile.steps + (lane & (kReplicas - 1)));
    uint32_t s = state, masks[2] = {0, 0}, skipped[2] = {0, 0}; // reversed: symbol 0 in bit 31
#pragma unroll
    for (uint32_t k = 0; k < 4; k++) {
      uint4 quad = quads[4 * t + k];
      uint32_t words[4] = {quad.x, quad.y, quad.z, quad.w};
#pragma unroll
      for (uint32_t j = 0; j < 4; j++) {
        uint32_t w = words[j];
        uint32_t s0 = step(steps_of(steps, __byte_perm(w, 0, 0x4440)), s);
        uint32_t s1 = step(steps_of(steps, __byte_perm(w, 0, 0x4441)), s0);
        uint32_t s2 = step(steps_of(steps, __byte_perm(w, 0, 0x4442)), s1);
        s = step(steps_of(steps, __byte_perm(w, 0, 0x4443)), s2);
        uint32_t e = __byte_perm(__byte_perm(s0, s1, 0x0040), __byte_perm(s2, s, 0x0040), 0x5410);
        push_bits<4>(&masks[k / 2], e);
        push_bits<4>(&skipped[k / 2], e >> 2);
        nrecords += e >> 5 & 0x01010101u;
        others |= e;
        high |= w;
      }
    }
    ends = (uint64_t)__brev(masks[1]) << 32 | __brev(masks[0]);
    skips = (uint64_t)__brev(skipped[1]) << 32 | __brev(skipped[0]);
    nrecords = nrecords * 0x01010101u >> 24;
    if (size - from < kChunk) { // stepped beyond the end: the last symbols again, one by one
      uint64_t valid = low_bits(size - from);
      ends &= valid;
      skips &= valid;
      others = nrecords = 0;
      s = state;
      const uint8_t* symbols = reinterpret_cast<const uint8_t*>(tile.words) + t * kChunk;
      for (uint32_t i = 0; i < size - from; i++) {
        s = step(steps_of(steps, symbols[i]), s & 7);
        others |= s & 0xf0;
        nrecords += s >> 5 & 1;
      }
    }
    if (size - from <= kChunk) {
      s &= 7;
      job.counts->end_state = s;
      if (job.final && program->emissions[program->at_eof[s]].kind != kSkip) tile.fail = 1;
    }
    if (others & (kStepOther << 4) * 0x01010101u) tile.fail = 1;
  }
  uint64_t data = there ? ~(ends | skips) : 0;
  if (size - from < kChunk && there) data &= low_bits(size - from);
  tile.data[t] = data;
  if (head) ends = nrecords = 0; // the tile before has them
  if (there && !head && fused->ntexts != 0) {
    job.is_data[2 * chunk] = (uint32_t)data;
    job.is_data[2 * chunk + 1] = (uint32_t)(data >> 32);
  }
  if (job.chunk_utf8 != nullptr) {
    bool wrong = not_utf8(tile, there && !head && (high & kNotASCII) != 0, size - from);
    if (there && !head) job.chunk_utf8[chunk] = wrong;
  }

  // Number the fields within the tile, and compact their ends.
  uint32_t mine = (uint32_t)__popcll(ends);
  uint32_t inclusive = scan_warp(mine, Sum());
#pragma unroll
  for (uint32_t d = 16; d != 0; d /= 2) nrecords += __shfl_xor_sync(kAllLanes, nrecords, d);
  if (lane == kWarp - 1) {
    tile.warp_fields[warp] = inclusive;
    tile.warp_records[warp] = nrecords;
  }
  if (mine != 0) atomicMax(&tile.last, t * kChunk + 64 - (uint32_t)__clzll((long long)ends));
  bool control = __syncthreads_or(skips != 0) != 0; // some symbol is neither data nor a boundary
  uint32_t at = inclusive - mine, total = 0, total_records = 0;
#pragma unroll
  for (uint32_t w = 0; w < kFusedWarps; w++) {
    uint32_t n = tile.warp_fields[w];
    if (w < warp) at += n;
    total += n;
    total_records += tile.warp_records[w];
  }
  uint32_t origin = base - kHead; // offset of the memory's first symbol; below 0 in the first tile, modulo 2^32
  if (warp == 0) {
    bool failed = tile.fail != 0 || total > kMaxEnds;
    TileSum before = look_back(fused->status, base / kTile, TileSum{total, total != 0 ? origin + tile.last : 0});
    if (lane == 0) tile.rows = number_rows(job, batch, fused, before, total, total_records, base, control, failed);
  }
  if (total <= kMaxEnds) {
    uint16_t* to = tile.ends + at;
    for (uint32_t set = (uint32_t)ends; set != 0; set &= set - 1) *to++ = (uint16_t)(t * kChunk + (uint32_t)__ffs((int)set) - 1);
    for (uint32_t set = (uint32_t)(ends >> 32); set != 0; set &= set - 1) *to++ = (uint16_t)(t * kChunk + (uint32_t)__ffs((int)set) + 31);
  }
  __syncthreads();
  const Rows rows = tile.rows;
  if (rows.blocks == 0) return;

  // Warps take runs of blocks of one output, of one text, or of the check, as
  // they come to it.
  uint32_t noutputs = batch.noutputs, ntexts = (uint32_t)fused->ntexts;
  uint32_t runs = (rows.blocks + kRun - 1) / kRun, units = runs * (noutputs + ntexts + 1);
  for (;;) {
    uint32_t u = lane == 0 ? atomicAdd(&tile.next, 1u) : 0;
    u = __shfl_sync(kAllLanes, u, 0);
    if (u >= units) return;
    uint32_t what = u / runs, block = (u - what * runs) * kRun, end = min(rows.blocks, block + kRun);
    if (what < noutputs) {
      convert_blocks(batch.outputs[what], fused->output_field[what], block, end);
    } else if (what < noutputs + ntexts) {
      uint64_t column = (uint64_t)fused->text_column[what - noutputs] * batch.capacity;
      uint32_t field = fused->text_field[what - noutputs];
      for (Place place(rows, field, block); block < end; block++, place.next(rows)) {
        if (!place.here(rows)) continue;
        batch.span_start[column + place.row] = rows.origin + place.start(rows);
        batch.span_end[column + place.row] = rows.origin + place.end();
      }
    } else {
      uint32_t* record_end = fused->record_end;
      for (Place place(rows, rows.columns - 1, block); block < end; block++, place.next(rows)) {
        if (!place.here(rows)) continue;
        uint32_t at = place.end();
        if (!is_record(tile, at)) job.counts->unfused = 1;
        record_end[place.row] = rows.origin + at;
      }
    }
  }
}

} // namespace dfaparse

// Blocks take tiles until there are no more: one pays for its steps once.
extern "C" __global__ void __launch_bounds__(dfaparse::kFusedThreads, dfaparse::kFusedBlocks)
    dfa_fused(const dfaparse::Program* program, const dfaparse::Job* job, const dfaparse::Batch* batch, const dfaparse::Fused* fused) {
  using namespace dfaparse;
  FusedTile& tile = fused_tile();
  for (uint32_t i = threadIdx.x; i < 256 * kReplicas; i += kFusedThreads) tile.steps[i] = fused->steps[i];
  for (;;) {
    if (threadIdx.x == 0) {
      tile.number = atomicAdd(fused->ticket, 1u);
      tile.last = tile.fail = tile.next = 0;
    }
    __syncthreads();
    uint32_t base = tile.number * kTile; // kHead symbols before it are in memory, too
    if (base >= job->size) return;
    fuse_tile(program, *job, *batch, fused, base);
    __syncthreads();
  }
}

namespace dfaparse {

__device__ __forceinline__ uint32_t fused_record_start(const Fused* fused, uint32_t row) { return row == 0 ? 0 : fused->record_end[row - 1] + 1; }

} // namespace dfaparse

// Completes what dfa_fused left to do for whole rows: the counts, records that
// are too long, and the list of rows that are left, as dfa_leftover makes it.
// Any grid.
extern "C" __global__ void __launch_bounds__(256) dfa_fused_rows(const dfaparse::Program* program, const dfaparse::Job* job,
    const dfaparse::Batch* batch, dfaparse::Fused* fused, uint4* list, uint32_t* n, uint64_t capacity) {
  using namespace dfaparse;
  uint32_t rows = min(job->counts->rows, batch->capacity), words = (rows + 31) / 32;
  uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
  if (thread == 0) {
    job->counts->consumed = rows == 0 ? 0 : fused->record_end[rows - 1] + 1;
    if (rows == 0) job->counts->resume = job->state;
  }
  if (job->counts->unfused != 0) return;
  uint32_t most = batch->max_record;
  bool longer = false;
  for (uint32_t row = thread; row < rows; row += threads) longer |= fused->record_end[row] - fused_record_start(fused, row) > most;
  if (longer) job->counts->unfused = 1;
  for (uint32_t w = thread; w < words; w += threads) {
    uint32_t left = 0;
    for (uint32_t o = 0; o < batch->noutputs; o++) {
      const Output& output = batch->outputs[o];
      if (output.counters[1] != 0) left |= output.todo[w];
    }
    if (w == rows / 32) left &= (1u << (rows & 31)) - 1; // the record that is not complete is no row
    if (left == 0) continue;
    uint32_t at = atomicAdd(n, (uint32_t)__popc(left));
    for (; left != 0 && at < capacity; left &= left - 1, at++) {
      uint32_t row = w * 32 + (uint32_t)__ffs((int)left) - 1;
      list[at] = make_uint4(row, fused_record_start(fused, row), fused->record_end[row] + 1, row == 0 ? job->state : fused->resume);
    }
  }
}

// After dfa_fused, one thread: a partition that cannot be fused has no rows for
// the kernels that follow.
extern "C" __global__ void dfa_fused_check(const dfaparse::Job* job) {
  if (job->counts->unfused != 0) job->counts->rows = 0;
}

// Cuts off what is not data from the spans of texts. Grid: x over rows, y over
// texts, which are not more.
extern "C" __global__ void __launch_bounds__(256) dfa_fused_trim(const dfaparse::Job* job, const dfaparse::Batch* batch, const dfaparse::Fused* fused) {
  using namespace dfaparse;
  uint32_t rows = min(job->counts->rows, batch->capacity);
  if (job->counts->unfused != 0) return;
  uint64_t column = (uint64_t)fused->text_column[blockIdx.y] * batch->capacity;
  for (uint32_t row = blockIdx.x * blockDim.x + threadIdx.x; row < rows; row += gridDim.x * blockDim.x) {
    Span raw{batch->span_start[column + row], batch->span_end[column + row]}, span = data_span(*job, raw.start, raw.end);
    if (span.start != raw.start) batch->span_start[column + row] = span.start;
    if (span.end != raw.end) batch->span_end[column + row] = span.end;
  }
}
