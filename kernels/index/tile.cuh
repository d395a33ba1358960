// The stage index, tile by tile. A block takes a tile; a thread runs the
// automaton over a chunk of it, counts what that adds, and the scan of the
// counts says where its entries go. Entries of fields and records are many: a
// warp lists the boundaries of its chunks in shared memory first, and its lanes
// then write what is side by side.
#pragma once

#include "classes.cuh"
#include "offsets.cuh"

namespace dfaparse {

// Boundaries that a warp lists at once, those that end records twice. Where it
// has more, in 2 KiB of symbols, it does so in rounds.
constexpr uint32_t kListed = 768;

template <class Plane>
struct IndexShared {
  static constexpr uint32_t kWarps = Plane::kThreads / kWarp;
  Job job;
  uint32_t flags;          // of the Program
  uint32_t next;           // tile
  uint32_t end_state;      // of the last tile
  Offsets before;          // of the tile
  uint32_t column_before;  // likewise
  uint32_t columns;        // what the tile does to the number of the field being read
  uint64_t per_warp[kWarps];
  uint32_t column_per_warp[kWarps];
  uint16_t list[kWarps][kListed];
};

template <class Plane>
class IndexTile {
 public:
  static constexpr uint32_t kThreads = Plane::kThreads;

  static __device__ __forceinline__ IndexShared<Plane>& shared() {
    __shared__ IndexShared<Plane> s;
    return s;
  }

  // Everything about tile number `number` of the partition. Gives the number of
  // the next that this block takes.
  static __device__ __forceinline__ uint32_t run(const Program* program, OffsetsLookBack& look_back, uint32_t number, uint32_t chunks) {
    IndexShared<Plane>& s = shared();
    uint32_t chunk = number * kThreads + threadIdx.x;
    uint32_t state = chunk < chunks ? __ldg(s.job.chunk_state + chunk) : 0;
    Tile tile = {number * Plane::kTile, min(Plane::kTile, s.job.size - number * Plane::kTile)};
    Plane::load(s.job.data, tile);

    // The run over the chunk, of n symbols. The next tile is taken early, so that
    // nobody waits for its number.
    uint32_t n = min(kChunk, tile.size - min(tile.size, symbol(0)));
    Masks masks = {0, 0, 0};
    if (chunk < chunks) {
      masks = Plane::simulate(program, s.job.data, tile, n, &state);
      write_bits(chunk, n, masks.data());
      if (chunk + 1 == chunks) s.end_state = state;
    }
    uint32_t next = threadIdx.x == 0 ? look_back.take() : 0;

    // What the chunk adds, and what lies before it in the tile.
    uint64_t rows = masks.records();
    if (rows & masks.special) rows = data_records(program, masks);
    bool errors = masks.errors() != 0;
    uint64_t sum, mine = Packed::of(
        uint32_t(__popcll(masks.boundary)), uint32_t(__popcll(masks.records())), uint32_t(__popcll(rows)), uint32_t(__popcll(masks.data())));
    uint32_t own = uint32_t(mine);
    mine = scan_block_exclusive<kThreads>(mine, Sum{}, s.per_warp, &sum);
    if (threadIdx.x == 0) look_back.announce(number, Offsets::unpack(sum));

    // The warp's list, while the tiles before are looked back at. place: fields
    // and records of the warp before this thread's; listed: all of them.
    bool simple = !__any_sync(kAllLanes, (masks.records() & masks.special) != 0);
    uint32_t place = uint32_t(mine) - shuffle(uint32_t(mine), 0);
    uint32_t listed = shuffle(place + own, kWarp - 1);
    simple = simple && (listed & 0xffff) + (listed >> 16) <= kListed;
    if (simple) list(masks.boundary, masks.records(), place, listed & 0xffff);
    uint32_t column = s.flags & kHasColumns ? scan_columns(program, masks.boundary, number) : 0;
    if (warp_id() == 0) {
      Offsets before = look_back.prefix(number, Offsets::unpack(sum));
      if (lane_id() == 0) s.before = before;
    }
    if (threadIdx.x == 0) s.next = next;
    __syncthreads();

    // The entries, to their places.
    Offsets before = s.before, at = before + Offsets::unpack(mine);
    Offsets warp = before + Offsets::unpack(shuffle(mine, 0));
    if (simple) {
      write_list(program, tile.first, warp, listed & 0xffff, listed >> 16);
    } else {
      write_in_rounds(program, tile.first, warp, n, place & 0xffff, listed & 0xffff);
    }
    if (chunk < chunks) {
      s.job.data_before[chunk] = at.data;
      if (s.flags & kHasColumns) write_columns(program, n, at.fields, column);
      if (errors) report_errors(program, n, at.records);
      if (chunk + 1 == chunks) finish(program, chunks, before + Offsets::unpack(sum));
    }
    if (s.flags & kHasCoded) write_values(program, tile);
    return s.next;
  }

 private:
  static __device__ __forceinline__ uint32_t symbol(uint32_t i) { return threadIdx.x * kChunk + i; }
  static __device__ __forceinline__ uint32_t lowest(uint64_t mask) { return uint32_t(__ffsll((long long)mask)) - 1; }
  static __device__ __forceinline__ const Emission& emission(const Program* program, Transition t) {
    return program->emissions[emission_of(t)];
  }
  static __device__ __forceinline__ Transition transition(const Program* program, uint64_t mask) {
    return Plane::mark(program, symbol(lowest(mask))).transition;
  }

  // Which ends of records are those of data records.
  static __device__ __noinline__ uint64_t data_records(const Program* program, Masks masks) {
    uint64_t rows = masks.records();
    for (uint64_t m = rows & masks.special; m != 0; m &= m - 1) {
      if (emission(program, transition(program, m)).record != kDataRecord) rows ^= m & (0 - m);
    }
    return rows;
  }

  // What an emission that ends a field does to the number of the next.
  static __device__ __forceinline__ uint32_t column_run(const Program* program, Transition t) {
    if (kind_of(t) == kRecord) return ColumnRun::kAbsolute;
    int32_t column = emission(program, t).column;
    return column == kNextColumn ? 1 : ColumnRun::kAbsolute | uint32_t(column + 1);
  }

  // What the chunks of the tile before this one do to the number of the field
  // being read. Those of the tiles before are left in shared().column_before.
  static __device__ __noinline__ uint32_t scan_columns(const Program* program, uint64_t boundary, uint32_t number) {
    IndexShared<Plane>& s = shared();
    ColumnRun op;
    uint32_t run = op.identity(), sum;
    for (uint64_t m = boundary; m != 0; m &= m - 1) run = op(run, column_run(program, transition(program, m)));
    run = scan_block_exclusive<kThreads>(run, op, s.column_per_warp, &sum);
    if (threadIdx.x == 0) s.columns = sum;
    if (warp_id() == 1) { // warp 0 looks back for the counts
      uint32_t tiles = max(1u, (s.job.size + Plane::kTile - 1) / Plane::kTile);
      uint8_t* scratch = static_cast<uint8_t*>(s.job.scratch) + OffsetsLookBack::size(tiles);
      LookBack<uint32_t, ColumnRun> look_back(scratch, tiles, op);
      uint32_t before = look_back.prefix(number, sum, ColumnRun::kAbsolute);
      if (lane_id() == 0) s.column_before = before;
    }
    return run;
  }

  // Lists this thread's boundaries, as symbols of the tile: first all fields of
  // the warp, of which there are so many, then all records, as numbers among the
  // fields. place says how many of each come before, as Packed has them.
  static __device__ __forceinline__ void list(uint64_t boundary, uint64_t records, uint32_t place, uint32_t fields) {
    uint16_t* list = shared().list[warp_id()];
    uint32_t field = place & 0xffff;
    uint16_t* record = list + fields + (place >> 16);
#pragma unroll
    for (uint32_t half = 0; half < 2; half++) {
      uint32_t all = uint32_t(boundary >> 32 * half);
      for (uint32_t m = uint32_t(records >> 32 * half); m != 0; m &= m - 1) {
        *record++ = uint16_t(field + uint32_t(__popc(all & (m ^ (m - 1)))) - 1);
      }
      for (uint32_t m = all; m != 0; m &= m - 1) list[field++] = uint16_t(symbol(32 * half + uint32_t(__ffs(int(m))) - 1));
    }
  }

  // Writes what is listed. Before the warp there is `at`.
  static __device__ __forceinline__ void write_list(
      const Program* program, uint32_t first, const Offsets& at, uint32_t fields, uint32_t records) {
    const Job& job = shared().job;
    const uint16_t* list = shared().list[warp_id()];
    uint32_t* found = job.found + at.fields;
    Transition* mark = job.mark + at.fields;
    constexpr uint32_t kAtOnce = 4;
    uint32_t i = lane_id();
    for (; i + (kAtOnce - 1) * kWarp < fields; i += kAtOnce * kWarp) {
      uint32_t p[kAtOnce];
      Transition t[kAtOnce];
#pragma unroll
      for (uint32_t k = 0; k < kAtOnce; k++) p[k] = list[i + k * kWarp];
#pragma unroll
      for (uint32_t k = 0; k < kAtOnce; k++) t[k] = Plane::mark(program, p[k]).transition;
#pragma unroll
      for (uint32_t k = 0; k < kAtOnce; k++) {
        found[i + k * kWarp] = first + p[k];
        mark[i + k * kWarp] = t[k];
      }
    }
#pragma unroll 1
    for (; i < fields; i += kWarp) {
      uint32_t p = list[i];
      found[i] = first + p;
      mark[i] = Plane::mark(program, p).transition;
    }
#pragma unroll 1
    for (i = lane_id(); i < records; i += kWarp) {
      job.record_last[at.records + i] = at.fields + list[fields + i];
      if (job.row_record) job.row_record[at.rows + i] = at.records + i;
    }
  }

  // The same for a warp with more than can be listed at once, or with records
  // that are special. This thread has nsymbols symbols, the first boundary among
  // which is number `place` of the warp's.
  static __device__ __noinline__ void write_in_rounds(
      const Program* program, uint32_t first, Offsets at, uint32_t nsymbols, uint32_t place, uint32_t fields) {
    const Job& job = shared().job;
    uint16_t* entries = shared().list[warp_id()];
    for (uint32_t from = 0; from < fields; from += kListed) {
      __syncwarp();
      uint32_t k = place - from;
      for (uint64_t m = Plane::boundaries(nsymbols); m != 0; m &= m - 1, k++) {
        if (k < kListed) entries[k] = uint16_t(symbol(lowest(m)));
      }
      __syncwarp();
      uint32_t n = min(kListed, fields - from);
#pragma unroll 1
      for (uint32_t i = lane_id(); i - lane_id() < n; i += kWarp) {
        bool ends = false, special = false;
        Transition t = 0;
        uint32_t field = at.fields + i;
        if (i < n) {
          uint32_t p = entries[i];
          Mark mark = Plane::mark(program, p);
          t = mark.transition;
          job.found[field] = first + p;
          job.mark[field] = t;
          ends = kind_of(t) == kRecord;
          special = ends && mark.special;
        }
        uint32_t records = __ballot_sync(kAllLanes, ends);
        if (records == 0) continue;
        write_records(program, &at, ends, special, field, t, records);
      }
      at.fields += kListed;
    }
  }

  // Writes the records that fields of the lanes in `records` end.
  static __device__ __forceinline__ void write_records(
      const Program* program, Offsets* at, bool ends, bool special, uint32_t field, Transition t, uint32_t records) {
    const Job& job = shared().job;
    uint32_t before = (1u << lane_id()) - 1;
    uint32_t record = at->records + uint32_t(__popc(records & before));
    at->records += uint32_t(__popc(records));
    if (ends) job.record_last[record] = field;
    if (special) report_record(program, record, t);
    if (!job.row_record) return;
    bool row = ends && !(special && emission(program, t).record != kDataRecord);
    uint32_t rows = __ballot_sync(kAllLanes, row);
    if (row) job.row_record[at->rows + uint32_t(__popc(rows & before))] = record;
    at->rows += uint32_t(__popc(rows));
  }

  // The data symbols among the n of a chunk. The words of bits are those that
  // cover the partition.
  static __device__ __forceinline__ void write_bits(uint32_t chunk, uint32_t n, uint64_t data) {
    uint32_t* bits = shared().job.is_data + 2 * uint64_t(chunk);
    if (n == kChunk) {
      *reinterpret_cast<uint2*>(bits) = make_uint2(uint32_t(data), uint32_t(data >> 32));
      return;
    }
    if (n > 0) bits[0] = uint32_t(data);
    if (n > 32) bits[1] = uint32_t(data >> 32);
  }

  static __device__ __noinline__ void write_columns(const Program* program, uint32_t n, uint32_t field, uint32_t column) {
    ColumnRun op;
    uint32_t run = op(shared().column_before, column);
    for (uint64_t m = Plane::boundaries(n); m != 0; m &= m - 1, field++) {
      Transition t = transition(program, m);
      write_column(program, field, run, t);
      run = op(run, column_run(program, t));
    }
  }

  // Field numbers beyond what 16 bits hold are all the same.
  static __device__ __forceinline__ void write_column(const Program* program, uint32_t field, uint32_t run, Transition t) {
    int32_t column = emission(program, t).column;
    uint32_t number = column == kNextColumn ? run & ~ColumnRun::kAbsolute : uint32_t(column);
    shared().job.column[field] = uint16_t(min(number, 0xffffu));
  }

  // A record with an error code, or of another kind than data records.
  static __device__ __noinline__ void report_record(const Program* program, uint32_t record, Transition t) {
    const Job& job = shared().job;
    const Emission& e = emission(program, t);
    if (e.code != 0) {
      atomicAdd(&job.counts->faults, 1u);
      report_fault(record);
    }
    if (e.record >= kFirstDirective) {
      uint32_t place = atomicAdd(&job.counts->directives, 1u);
      if (place < job.directive_capacity) job.directive[place] = record;
    }
  }

  static __device__ __forceinline__ void report_fault(uint32_t record) {
    atomicOr(&shared().job.fault[record >> 5], 1u << (record & 31));
  }

  // Symbols that had no transition, among the n of this thread; so many records
  // have ended before them.
  static __device__ __noinline__ void report_errors(const Program* program, uint32_t n, uint32_t record) {
    uint32_t errors = 0;
    bool reported = false; // this record
    for (uint32_t i = 0; i < n; i++) {
      uint32_t kind = Plane::kind(symbol(i));
      errors += kind == kError;
      if (kind == kError && !reported) report_fault(record);
      reported = kind == kError || (reported && kind != kRecord);
      record += kind == kRecord;
    }
    atomicAdd(&shared().job.counts->faults, errors);
  }

  // What the end of the input emits, or 0 if it ends no record.
  static __device__ __forceinline__ Transition ending(const Program* program) {
    uint32_t state = shared().end_state;
    if (!shared().job.final) return 0;
    uint32_t id = program->at_eof[state];
    const Emission& e = program->emissions[id];
    if (e.kind != kRecord) return 0;
    return kEndOfInput | (e.lag != 0 ? kLagged : 0) | kRecord << kKindShift | id << kEmissionShift | state;
  }

  // The last chunk's thread adds the end of the input, which is as a symbol
  // after the last, to what all others come to.
  static __device__ __noinline__ void finish(const Program* program, uint32_t chunks, Offsets at) {
    const Job& job = shared().job;
    if (Transition t = ending(program)) {
      job.found[at.fields] = job.size;
      job.mark[at.fields] = t;
      if (shared().flags & kHasColumns) write_column(program, at.fields, ColumnRun()(shared().column_before, shared().columns), t);
      job.record_last[at.records] = at.fields;
      if (emission(program, t).record == kDataRecord) {
        if (job.row_record) job.row_record[at.rows] = at.records;
        at.rows++;
      }
      if (special_record(emission(program, t))) report_record(program, at.records, t);
      at.fields++;
      at.records++;
    }
    job.data_before[chunks] = at.data;
    Counts* counts = job.counts;
    counts->fields = at.fields;
    counts->records = at.records;
    counts->rows = at.rows;
    counts->data = at.data;
    counts->end_state = shared().end_state;
  }

  // The symbols as they are, and in their place what coded ones stand for.
  static __device__ __noinline__ void write_values(const Program* program, Tile tile) {
    const uint8_t* from = shared().job.data + tile.first;
    uint8_t* to = shared().job.value + tile.first;
    for (uint32_t v = threadIdx.x; v * 16 < tile.size; v += kThreads) {
      uint32_t n = min(16u, tile.size - v * 16);
      uint32_t coded = Plane::coded16(v) & (0xffffu >> (16 - n));
      if (n == 16) {
        reinterpret_cast<uint4*>(to)[v] = __ldg(reinterpret_cast<const uint4*>(from) + v);
      } else {
        for (uint32_t i = v * 16; i < tile.size; i++) to[i] = from[i];
      }
      for (; coded != 0; coded &= coded - 1) {
        uint32_t at = v * 16 + uint32_t(__ffs(int(coded))) - 1;
        to[at] = decode(emission(program, Plane::mark(program, at).transition), from + at, tile.first + at);
      }
    }
  }

  // dfa.Decode of the symbol at `at`, which has so many before it. A valid
  // automaton has the digits of an escape in one field.
  static __device__ __forceinline__ uint8_t decode(const Emission& e, const uint8_t* at, uint32_t before) {
    switch (e.sub) {
      case kByByte: return e.byte;
      case kByHex: return uint8_t((before >= 1 ? hex_digit(at[-1]) : 0) << 4 | hex_digit(at[0]));
      case kByOctal: return uint8_t((before >= 2 ? at[-2] - '0' : 0) << 6 | (before >= 1 ? at[-1] - '0' : 0) << 3 | (at[0] - '0'));
    }
    return at[0];
  }
  static __device__ __forceinline__ uint32_t hex_digit(uint32_t c) {
    if (c - '0' < 10) return c - '0';
    c |= 0x20;
    return c - 'a' < 6 ? c - 'a' + 10 : 0;
  }
};

} // namespace dfaparse
