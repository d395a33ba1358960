// The stage index, tile by tile. A block takes a tile; a thread runs the
// automaton over a chunk of it, counts what that adds, and the scan of the
// counts says where its entries go. Entries of fields are many: a warp lists
// those of its chunks in shared memory first, and writes them side by side.
#pragma once

#include "classes.cuh"
#include "offsets.cuh"

namespace dfaparse {

// Fields that a warp lists at once. Where it has more, in 2 KiB of symbols, it
// does so in rounds.
constexpr uint32_t kListed = 512;

template <class Plane>
struct IndexShared {
  static constexpr uint32_t kWarps = Plane::kThreads / kWarp;
  Job job;
  uint64_t per_warp[kWarps];
  uint32_t column_per_warp[kWarps];
  Offsets before;          // of the tile
  uint32_t column_before;  // likewise
  uint32_t tile;
  uint32_t end_state;      // of the last tile
  uint16_t list[kWarps][kListed]; // symbols of the tile
};

template <class Plane>
class IndexTile {
 public:
  static constexpr uint32_t kThreads = Plane::kThreads;

  __device__ __forceinline__ IndexTile(const Program* program, IndexShared<Plane>& shared, Plane& plane)
      : program_(program), shared_(shared), plane_(plane) {}

  // Everything about tile number `number` of the partition.
  __device__ __forceinline__ void run(OffsetsLookBack& look_back, uint32_t number, uint32_t chunks) {
    tile_.first = number * Plane::kTile;
    tile_.size = min(Plane::kTile, shared_.job.size - tile_.first);
    plane_.load(shared_.job, tile_);

    uint32_t chunk = number * kThreads + threadIdx.x;
    simulate(chunk, chunks);
    uint64_t sum, mine = scan_block_exclusive<kThreads>(packed(), Sum{}, shared_.per_warp, &sum);
    uint32_t column = 0;
    if (has(kHasColumns)) column = scan_columns(number);
    if (warp_id() == 0) {
      Offsets before = look_back.prefix(number, Offsets::unpack(sum));
      if (lane_id() == 0) shared_.before = before;
    }
    uint32_t listed = 0;
    uint64_t left = masks_.boundary;
    uint32_t next = uint32_t(mine & 0xffff) - first_of_warp(mine); // its place among the warp's
    list(&left, &next, listed);
    __syncthreads();

    Offsets at = shared_.before + Offsets::unpack(mine);
    write_fields(shared_.before.fields + first_of_warp(mine), left, next);
    if (chunk < chunks) {
      write_symbols(chunk, at.data);
      if (has(kHasColumns)) write_columns(at.fields, column);
      write_records(at);
      if (masks_.errors() != 0) report_errors(at.records);
      if (chunk + 1 == chunks) finish(chunks, at, column);
    }
    if (has(kHasCoded)) write_values();
  }

 private:
  __device__ __forceinline__ bool has(uint32_t flag) const { return program_->flags & flag; }
  __device__ __forceinline__ const Emission& emission(Transition t) const { return program_->emissions[emission_of(t)]; }
  __device__ __forceinline__ uint32_t symbol(uint32_t i) const { return threadIdx.x * kChunk + i; }
  static __device__ __forceinline__ uint32_t lowest(uint64_t mask) { return uint32_t(__ffsll((long long)mask)) - 1; }

  __device__ __forceinline__ void simulate(uint32_t chunk, uint32_t chunks) {
    masks_ = {0, 0, 0};
    rows_ = 0;
    if (chunk >= chunks) return;
    uint32_t n = min(kChunk, tile_.size - min(tile_.size, threadIdx.x * kChunk));
    uint32_t state = shared_.job.chunk_state[chunk];
    masks_ = plane_.simulate(program_, shared_.job, tile_, n, &state);
    rows_ = masks_.records();
    for (uint64_t m = rows_ & masks_.special; m != 0; m &= m - 1) {
      uint32_t i = lowest(m);
      if (emission(plane_.transition(symbol(i))).record != kDataRecord) rows_ &= ~(1ull << i);
    }
    if (chunk + 1 == chunks) shared_.end_state = state;
  }

  __device__ __forceinline__ uint64_t packed() const {
    return Packed::of(uint32_t(__popcll(masks_.boundary)), uint32_t(__popcll(masks_.records())), uint32_t(__popcll(rows_)),
        uint32_t(__popcll(masks_.data())));
  }

  // What an emission that ends a field does to the number of the next.
  __device__ __forceinline__ uint32_t column_run(Transition t) const {
    if (kind_of(t) == kRecord) return ColumnRun::kAbsolute;
    int32_t column = emission(t).column;
    return column == kNextColumn ? 1 : ColumnRun::kAbsolute | uint32_t(column + 1);
  }

  // What the chunks of the tile before this one do to the number of the field
  // being read. Those of the tiles before are left in shared_.column_before.
  __device__ __noinline__ uint32_t scan_columns(uint32_t number) {
    ColumnRun op;
    uint32_t run = op.identity(), sum;
    for (uint64_t m = masks_.boundary; m != 0; m &= m - 1) run = op(run, column_run(plane_.transition(symbol(lowest(m)))));
    run = scan_block_exclusive<kThreads>(run, op, shared_.column_per_warp, &sum);
    if (warp_id() == 1) { // warp 0 looks back for the counts
      uint32_t tiles = (shared_.job.size + Plane::kTile - 1) / Plane::kTile;
      uint8_t* scratch = static_cast<uint8_t*>(shared_.job.scratch);
      scratch += OffsetsLookBack::kHeader + uint64_t(OffsetsLookBack::kPerTile) * max(tiles, 1u);
      LookBack<uint32_t, ColumnRun> look_back(scratch, tiles, op);
      uint32_t before = look_back.prefix(number, sum, ColumnRun::kAbsolute);
      if (lane_id() == 0) shared_.column_before = before;
    }
    return run;
  }

  // The number within the tile of the first field of this warp.
  static __device__ __forceinline__ uint32_t first_of_warp(uint64_t mine) { return shuffle(uint32_t(mine) & 0xffff, 0); }

  // Lists this thread's fields as far as they belong to the present round, of
  // those of the warp from `from` on.
  __device__ __forceinline__ void list(uint64_t* left, uint32_t* next, uint32_t from) {
    uint16_t* entries = shared_.list[warp_id()];
    uint64_t m = *left;
    uint32_t at = *next - from;
    while (m != 0 && at < kListed) {
      entries[at++] = uint16_t(symbol(lowest(m)));
      m &= m - 1;
    }
    *left = m;
    *next = at + from;
  }

  // Writes the entries of this warp's fields, the first of which is listed and
  // goes to entry `first`. left are those of this thread's that are not listed.
  __device__ __forceinline__ void write_fields(uint32_t first, uint64_t left, uint32_t next) {
    const uint16_t* entries = shared_.list[warp_id()];
    for (uint32_t from = 0;; from += kListed) {
      bool more = __ballot_sync(kAllLanes, left != 0) != 0;
      uint32_t n = more ? kListed : shuffle(next, kWarp - 1) - from;
      uint32_t* found = shared_.job.found + first + from;
      Transition* mark = shared_.job.mark + first + from;
      for (uint32_t i = lane_id(); i < n; i += kWarp) {
        uint32_t at = entries[i];
        found[i] = tile_.first + at;
        mark[i] = plane_.transition(at);
      }
      if (!more) return;
      __syncwarp();
      list(&left, &next, from + kListed);
      __syncwarp();
    }
  }

  // Bits of the data symbols, and how many lie before the chunk. The words of
  // bits are those that cover the partition.
  __device__ __forceinline__ void write_symbols(uint32_t chunk, uint32_t before) {
    uint64_t data = masks_.data();
    uint32_t* bits = shared_.job.is_data + 2 * uint64_t(chunk);
    if (tile_.size >= threadIdx.x * kChunk + kChunk) {
      *reinterpret_cast<uint2*>(bits) = make_uint2(uint32_t(data), uint32_t(data >> 32));
    } else {
      uint32_t n = tile_.size - min(tile_.size, threadIdx.x * kChunk);
      if (n > 0) bits[0] = uint32_t(data);
      if (n > 32) bits[1] = uint32_t(data >> 32);
    }
    shared_.job.data_before[chunk] = before;
  }

  __device__ __noinline__ void write_columns(uint32_t field, uint32_t before) {
    ColumnRun op;
    uint32_t run = op(shared_.column_before, before);
    for (uint64_t m = masks_.boundary; m != 0; m &= m - 1, field++) {
      Transition t = plane_.transition(symbol(lowest(m)));
      write_column(field, run, t);
      run = op(run, column_run(t));
    }
  }

  // Field numbers beyond what 16 bits hold are all the same.
  __device__ __forceinline__ void write_column(uint32_t field, uint32_t run, Transition t) {
    int32_t column = emission(t).column;
    uint32_t number = column == kNextColumn ? run & ~ColumnRun::kAbsolute : uint32_t(column);
    shared_.job.column[field] = uint16_t(min(number, 0xffffu));
  }

  __device__ __forceinline__ void write_records(const Offsets& at) {
    uint32_t record = at.records, row = at.rows;
    for (uint64_t m = masks_.records(); m != 0; m &= m - 1, record++) {
      uint64_t upto = m ^ (m - 1); // its symbol and those before
      shared_.job.record_last[record] = at.fields + uint32_t(__popcll(masks_.boundary & upto)) - 1;
      if (shared_.job.row_record && rows_ & upto & m) shared_.job.row_record[row++] = record;
      if (masks_.special & upto & m) report_record(record, plane_.transition(symbol(lowest(m))));
    }
  }

  // A record with an error code, or of another kind than data records.
  __device__ __noinline__ void report_record(uint32_t record, Transition t) {
    const Emission& e = emission(t);
    if (e.code != 0) {
      atomicAdd(&shared_.job.counts->faults, 1u);
      report_fault(record);
    }
    if (e.record >= kFirstDirective) {
      uint32_t place = atomicAdd(&shared_.job.counts->directives, 1u);
      if (place < shared_.job.directive_capacity) shared_.job.directive[place] = record;
    }
  }

  __device__ __forceinline__ void report_fault(uint32_t record) {
    atomicOr(&shared_.job.fault[record >> 5], 1u << (record & 31));
  }

  // Symbols that had no transition. Of several in one record the first will do.
  __device__ __noinline__ void report_errors(uint32_t before) {
    uint64_t errors = masks_.errors(), records = masks_.records();
    atomicAdd(&shared_.job.counts->faults, uint32_t(__popcll(errors)));
    while (errors != 0) {
      uint64_t below = (errors & (0 - errors)) - 1;
      report_fault(before + uint32_t(__popcll(records & below)));
      uint64_t rest = records & ~below; // ends of this record and of those that follow
      errors = rest == 0 ? 0 : errors & ~(rest ^ (rest - 1));
    }
  }

  // What the end of the input emits, or 0 if it ends no record.
  __device__ __forceinline__ Transition ending() const {
    if (!shared_.job.final) return 0;
    uint32_t id = program_->at_eof[shared_.end_state];
    const Emission& e = program_->emissions[id];
    if (e.kind != kRecord) return 0;
    return kEndOfInput | (e.lag != 0 ? kLagged : 0) | kRecord << kKindShift | id << kEmissionShift | shared_.end_state;
  }

  // The last chunk's thread adds the end of the input, which is as a symbol
  // after the last, and what all come to.
  __device__ __noinline__ void finish(uint32_t chunks, Offsets at, uint32_t column) {
    const Job& job = shared_.job;
    at = at + Offsets::unpack(packed());
    if (Transition t = ending()) {
      job.found[at.fields] = job.size;
      job.mark[at.fields] = t;
      if (has(kHasColumns)) {
        ColumnRun op;
        uint32_t run = op(shared_.column_before, column);
        for (uint64_t m = masks_.boundary; m != 0; m &= m - 1) run = op(run, column_run(plane_.transition(symbol(lowest(m)))));
        write_column(at.fields, run, t);
      }
      job.record_last[at.records] = at.fields;
      if (emission(t).record == kDataRecord) {
        if (job.row_record) job.row_record[at.rows] = at.records;
        at.rows++;
      }
      if (special_record(emission(t))) report_record(at.records, t);
      at.fields++;
      at.records++;
    }
    job.data_before[chunks] = at.data;
    Counts* counts = job.counts;
    counts->fields = at.fields;
    counts->records = at.records;
    counts->rows = at.rows;
    counts->data = at.data;
    counts->end_state = shared_.end_state;
  }

  // The symbols as they are, and in their place what coded ones stand for.
  __device__ __noinline__ void write_values() {
    const uint8_t* from = shared_.job.data + tile_.first;
    uint8_t* to = shared_.job.value + tile_.first;
    for (uint32_t v = threadIdx.x; v * 16 < tile_.size; v += kThreads) {
      uint32_t n = min(16u, tile_.size - v * 16);
      uint32_t coded = plane_.coded16(v) & (0xffffu >> (16 - n));
      if (n == 16) {
        reinterpret_cast<uint4*>(to)[v] = __ldg(reinterpret_cast<const uint4*>(from) + v);
      } else {
        for (uint32_t i = v * 16; i < tile_.size; i++) to[i] = from[i];
      }
      for (; coded != 0; coded &= coded - 1) {
        uint32_t at = v * 16 + uint32_t(__ffs(int(coded))) - 1;
        to[at] = decode(emission(plane_.transition(at)), tile_.first + at);
      }
    }
  }

  // dfa.Decode. A valid automaton has the digits before the symbol in its field.
  __device__ __noinline__ uint8_t decode(const Emission& e, uint32_t p) const {
    const uint8_t* at = shared_.job.data + p;
    switch (e.sub) {
      case kByByte: return e.byte;
      case kByHex: return uint8_t((p >= 1 ? hex_digit(at[-1]) : 0) << 4 | hex_digit(at[0]));
      case kByOctal: return uint8_t((p >= 2 ? octal_digit(at[-2]) : 0) << 6 | (p >= 1 ? octal_digit(at[-1]) : 0) << 3 | octal_digit(at[0]));
    }
    return at[0];
  }
  static __device__ __forceinline__ uint32_t hex_digit(uint32_t c) {
    if (c - '0' < 10) return c - '0';
    c |= 0x20;
    return c - 'a' < 6 ? c - 'a' + 10 : 0;
  }
  static __device__ __forceinline__ uint32_t octal_digit(uint32_t c) { return (c - '0') & 0xff; }

  const Program* program_;
  IndexShared<Plane>& shared_;
  Plane& plane_;
  Tile tile_;
  Masks masks_;
  uint64_t rows_; // ends of records that are data records
};

} // namespace dfaparse
