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
constexpr uint32_t kHeadChunks = 4;
constexpr uint32_t kTileChunks = kFusedThreads - kHeadChunks;
constexpr uint32_t kHead = kHeadChunks * kChunk, kTile = kTileChunks * kChunk;
constexpr uint32_t kWords = (kHead + kTile) / 4 + 4;
constexpr uint32_t kMaxEnds = 8704; // in a tile
constexpr uint32_t kEndMask = 0x7fff, kEndOfRecord = 0x8000;

// The dynamic shared memory of dfa_fused: steps, symbols, data masks, ends.
struct FusedTile {
  uint2 steps[256 * kReplicas];
  uint32_t words[kWords];
  uint64_t data[kFusedThreads];
  uint16_t ends[kMaxEnds];
};

extern __shared__ uint4 fused_shared[];
__device__ __forceinline__ FusedTile& fused_tile() { return *reinterpret_cast<FusedTile*>(fused_shared); }

// The tile's symbols as a converter's memory.
struct TileWords {
  __device__ __forceinline__ uint32_t operator[](uint32_t i) const { return fused_tile().words[i]; }
};

// Bit `bit` of each byte of e, as 4 bits.
__device__ __forceinline__ uint32_t gather_bits(uint32_t e, uint32_t bit) {
  return ((e >> bit & 0x01010101u) * 0x01020408u) >> 24;
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
  if (field.n == 0 && flags & kEmptyIsNull || output.ntokens != 0 && is_null_token(output, field)) {
    if (flags & kHasDefault) {
      value->lo = output.default_value[0];
      value->hi = output.default_value[1];
      return kValid;
    }
    value->lo = value->hi = 0;
    return flags & kRequired ? kLeft : kNull;
  }
  return convert_value(output, field, value) ? kValid : kLeft;
}

__device__ __forceinline__ void store_value(const Output& output, uint32_t row, const Value& value) {
  switch (output.width) {
  case 1: static_cast<uint8_t*>(output.fixed)[row] = (uint8_t)value.lo; break;
  case 2: static_cast<uint16_t*>(output.fixed)[row] = (uint16_t)value.lo; break;
  case 4: static_cast<uint32_t*>(output.fixed)[row] = (uint32_t)value.lo; break;
  case 8: static_cast<uint64_t*>(output.fixed)[row] = value.lo; break;
  case 16:
    static_cast<uint64_t*>(output.fixed)[2 * (uint64_t)row] = value.lo;
    static_cast<uint64_t*>(output.fixed)[2 * (uint64_t)row + 1] = value.hi;
    break;
  }
}

} // namespace dfaparse

extern "C" __global__ void __launch_bounds__(dfaparse::kFusedThreads, 2)
    dfa_fused(const dfaparse::Program* program, const dfaparse::Job* job_, const dfaparse::Batch* batch_, dfaparse::Fused* fused) {
  using namespace dfaparse;
  __shared__ uint32_t warp_fields[kFusedThreads / kWarp], warp_records[kFusedThreads / kWarp];
  __shared__ uint32_t shared_tile, shared_last, shared_fail;
  __shared__ TileSum shared_before;
  FusedTile& tile = fused_tile();
  const Job& job = *job_;
  const Batch& batch = *batch_;
  uint32_t t = threadIdx.x, lane = lane_id(), warp = warp_id();
  if (t == 0) {
    shared_tile = atomicAdd(fused->ticket, 1u);
    shared_last = shared_fail = 0;
  }
  for (uint32_t i = t; i < 256 * kReplicas; i += kFusedThreads) tile.steps[i] = fused->steps[i];
  __syncthreads();
  uint32_t number = shared_tile, size = job.size;
  uint32_t base = number * kTile; // of the tile; kHead symbols before it are in memory, too
  if (base >= size) return;

  // Symbols: chunk t of the tile with its head. Before the first tile, none.
  bool head = t < kHeadChunks;
  uint4* quads = reinterpret_cast<uint4*>(tile.words);
  const uint4* source = reinterpret_cast<const uint4*>(job.data + base) - kHead / 16;
#pragma unroll
  for (uint32_t k = 0; k < 4; k++) {
    uint32_t i = k * kFusedThreads + t;
    quads[i] = number == 0 && i < kHead / 16 ? make_uint4(0, 0, 0, 0) : source[i];
  }
  if (t < 4) tile.words[kWords - 4 + t] = 0;
  uint32_t chunk = base / kChunk + t - kHeadChunks; // not below 0 but for the first head
  uint32_t from = chunk * kChunk;
  bool there = !(number == 0 && head) && from < size;
  uint32_t state = there ? job.chunk_state[chunk] : 0;
  __syncthreads();

  // Step, and note what each symbol is: bit i of a mask is symbol i.
  uint64_t ends = 0, records = 0, skips = 0, others = 0;
  if (there) {
    uint32_t replica = lane & (kReplicas - 1);
    const uint2* steps = tile.steps + replica;
    uint32_t s = state;
#pragma unroll
    for (uint32_t k = 0; k < 4; k++) {
      uint4 quad = quads[4 * t + k];
      uint32_t words[4] = {quad.x, quad.y, quad.z, quad.w};
      uint32_t f = 0, r = 0, d = 0, o = 0;
#pragma unroll
      for (uint32_t j = 0; j < 4; j++) {
        uint32_t w = words[j];
        uint2 row = steps[(w & 0xff) * kReplicas];
        uint32_t s0 = __byte_perm(row.x, row.y, s);
        row = steps[(w >> 8 & 0xff) * kReplicas];
        uint32_t s1 = __byte_perm(row.x, row.y, s0);
        row = steps[(w >> 16 & 0xff) * kReplicas];
        uint32_t s2 = __byte_perm(row.x, row.y, s1);
        row = steps[(w >> 24) * kReplicas];
        s = __byte_perm(row.x, row.y, s2);
        uint32_t e = __byte_perm(__byte_perm(s0, s1, 0x0040), __byte_perm(s2, s, 0x0040), 0x5410);
        f |= gather_bits(e, 4) << (4 * j);
        r |= gather_bits(e, 5) << (4 * j);
        d |= gather_bits(e, 6) << (4 * j);
        o |= e;
      }
      ends |= (uint64_t)f << (16 * k);
      records |= (uint64_t)r << (16 * k);
      skips |= (uint64_t)d << (16 * k);
      others |= o;
    }
    if (size - from < kChunk) { // stepped beyond the end: the last symbols again, one by one
      uint64_t valid = low_bits(size - from);
      ends &= valid;
      records &= valid;
      skips &= valid;
      others = 0;
      s = state;
      const uint8_t* symbols = reinterpret_cast<const uint8_t*>(tile.words) + t * kChunk;
      for (uint32_t i = 0; i < size - from; i++) {
        uint2 row = steps[symbols[i] * kReplicas];
        s = __byte_perm(row.x, row.y, s & 7);
        others |= s & 0xf0;
      }
    }
    if (size - from <= kChunk) {
      s &= 7;
      job.counts->end_state = s;
      if (job.final && program->emissions[program->at_eof[s]].kind != kSkip) shared_fail = 1;
    }
    if (others & (kStepOther << 4) * 0x01010101u) shared_fail = 1;
  }
  uint64_t data = there ? ~(ends | skips) : 0;
  if (size - from < kChunk && there) data &= low_bits(size - from);
  tile.data[t] = data;
  if (head) ends = records = 0; // the tile before has them
  if (there && !head && fused->ntexts != 0) {
    job.is_data[2 * chunk] = (uint32_t)data;
    job.is_data[2 * chunk + 1] = (uint32_t)(data >> 32);
  }

  // Number the fields within the tile, and compact their ends.
  uint32_t mine = (uint32_t)__popcll(ends);
  uint32_t inclusive = scan_warp(mine, Sum());
  uint32_t nrecords = (uint32_t)__popcll(records);
#pragma unroll
  for (uint32_t d = 16; d != 0; d /= 2) nrecords += __shfl_xor_sync(kAllLanes, nrecords, d);
  if (lane == kWarp - 1) {
    warp_fields[warp] = inclusive;
    warp_records[warp] = nrecords;
  }
  if (mine != 0) atomicMax(&shared_last, t * kChunk + 64 - (uint32_t)__clzll((long long)ends));
  __syncthreads();
  uint32_t at = inclusive - mine, total = 0, total_records = 0;
#pragma unroll
  for (uint32_t w = 0; w < kFusedThreads / kWarp; w++) {
    uint32_t n = warp_fields[w];
    if (w < warp) at += n;
    total += n;
    total_records += warp_records[w];
  }
  uint32_t origin = base - kHead; // offset of the memory's first symbol; below 0 in the first tile, modulo 2^32
  if (warp == 0) {
    TileSum before = look_back(fused->status, number, TileSum{total, total != 0 ? origin + shared_last : 0});
    if (lane == 0) shared_before = before;
  }
  if (total <= kMaxEnds) {
    for (uint64_t set = ends; set != 0; set &= set - 1, at++) {
      uint32_t i = (uint32_t)__ffsll((long long)set) - 1;
      tile.ends[at] = (uint16_t)(t * kChunk + i | ((records >> i & 1) != 0 ? kEndOfRecord : 0));
    }
  }
  __syncthreads();
  if (shared_fail != 0 || total > kMaxEnds) {
    if (t == 0) job.counts->unfused = 1;
    return;
  }
  TileSum before = shared_before;
  uint32_t columns = fused->columns;
  uint32_t first_row = before.fields / columns, first_column = before.fields - first_row * columns;
  uint32_t rows_ended = (first_column + total) / columns; // with what ended before, whole records
  if (t == 0 && total_records != rows_ended) job.counts->unfused = 1;
  if (t == 0 && base + kTile >= size) { // the last tile
    job.counts->fields = before.fields + total;
    job.counts->records = job.counts->rows = (before.fields + total) / columns;
    job.counts->resume = fused->resume;
  }
  if (total == 0 || first_row + rows_ended > batch.capacity) return; // the host compares rows with the capacity

  // 32 rows of one output, of one text, or of the check a warp: words of
  // bitmaps are of one unit's rows.
  uint32_t low_row = first_row & ~31u, nrows = first_row + (first_column + total + columns - 1) / columns - low_row;
  uint32_t nblocks = (nrows + 31) / 32, noutputs = batch.noutputs, ntexts = (uint32_t)fused->ntexts;
  uint32_t units = nblocks * (noutputs + ntexts + 1);
  for (uint32_t u = warp; u < units; u += kFusedThreads / kWarp) {
    uint32_t what = u / nblocks, row = low_row + (u - what * nblocks) * 32 + lane;
    uint32_t column = what < noutputs ? fused->output_field[what] : what < noutputs + ntexts ? fused->text_field[what - noutputs] : columns - 1;
    int32_t k = (int32_t)((row - first_row) * columns + column) - (int32_t)first_column;
    bool here = row >= first_row && k >= 0 && k < (int32_t)total;
    uint32_t end = 0, start = 0;
    bool ended = false;
    if (here) {
      uint32_t e = tile.ends[k];
      end = e & kEndMask;
      ended = (e & kEndOfRecord) != 0;
      start = k > 0 ? (tile.ends[k - 1] & kEndMask) + 1 : before.last - origin; // maybe far before: wraps around
    }
    if (what == noutputs + ntexts) {
      if (here) {
        if (!ended) job.counts->unfused = 1;
        fused->record_end[row] = origin + end;
      }
      continue;
    }
    if (what >= noutputs) {
      if (here) {
        uint64_t i = (uint64_t)fused->text_column[what - noutputs] * batch.capacity + row;
        batch.span_start[i] = origin + start;
        batch.span_end[i] = origin + end;
      }
      continue;
    }
    const Output& output = batch.outputs[what];
    Decision decision = kNull;
    Value value;
    value.lo = value.hi = 0;
    if (here) {
      if (start > end) {
        decision = kLeft; // it began before the head
      } else {
        TileField field = trim_field(start, end);
        decision = field.whole ? decide(output, FieldIn<TileWords>{TileWords(), field.start, field.end - field.start}, &value) : kLeft;
        if (decision != kValid) value.lo = value.hi = 0;
      }
      store_value(output, row, value);
    }
    uint32_t here_bits = __ballot_sync(kAllLanes, here), valid = __ballot_sync(kAllLanes, here && decision == kValid);
    uint32_t left = __ballot_sync(kAllLanes, here && decision == kLeft);
    if (lane == 0 && here_bits != 0) {
      uint32_t w = row / 32;
      if (valid == kAllLanes) {
        output.valid[w] = kAllLanes;
      } else if (valid != 0) {
        atomicOr(&output.valid[w], valid);
      }
      uint32_t nulls = (uint32_t)__popc(here_bits & ~valid & ~left);
      if (nulls != 0) atomicAdd(&output.counters[0], nulls);
      if (left != 0) {
        atomicOr(&output.todo[w], left);
        atomicAdd(&output.counters[1], (uint32_t)__popc(left));
      }
    }
  }
}

namespace dfaparse {

__device__ __forceinline__ uint32_t fused_record_start(const Fused* fused, uint32_t row) { return row == 0 ? 0 : fused->record_end[row - 1] + 1; }

} // namespace dfaparse

// Completes what dfa_fused left to do for whole rows: the counts, records that
// are too long, and the list of rows that are left, as dfa_leftover makes it. A
// thread a row, in whole warps.
extern "C" __global__ void __launch_bounds__(256) dfa_fused_rows(const dfaparse::Program* program, const dfaparse::Job* job,
    const dfaparse::Batch* batch, dfaparse::Fused* fused, uint4* list, uint32_t* n, uint64_t capacity) {
  using namespace dfaparse;
  uint32_t rows = min(job->counts->rows, batch->capacity);
  uint32_t row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row == 0) {
    job->counts->consumed = rows == 0 ? 0 : fused->record_end[rows - 1] + 1;
    if (rows == 0) job->counts->resume = job->state;
  }
  if (row >= rows || job->counts->unfused != 0) return;
  uint32_t start = fused_record_start(fused, row), end = fused->record_end[row];
  if (end - start > batch->max_record) job->counts->unfused = 1;
  uint32_t left = 0;
  for (uint32_t o = 0; o < batch->noutputs; o++) {
    const Output& output = batch->outputs[o];
    if (output.counters[1] != 0) left |= output.todo[row / 32] >> (row & 31) & 1;
  }
  if (left == 0) return;
  uint32_t at = atomicAdd(n, 1u);
  if (at < capacity) list[at] = make_uint4(row, start, end + 1, row == 0 ? job->state : fused->resume);
}

// Cuts off what is not data from the spans of texts: grid x rows, y texts.
extern "C" __global__ void __launch_bounds__(256) dfa_fused_trim(const dfaparse::Job* job, const dfaparse::Batch* batch, const dfaparse::Fused* fused) {
  using namespace dfaparse;
  uint32_t row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= min(job->counts->rows, batch->capacity) || job->counts->unfused != 0) return;
  uint64_t i = (uint64_t)fused->text_column[blockIdx.y] * batch->capacity + row;
  Span span = data_span(*job, batch->span_start[i], batch->span_end[i]);
  batch->span_start[i] = span.start;
  batch->span_end[i] = span.end;
}
