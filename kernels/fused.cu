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
#include "fused/begins.cuh"
#include "fused/rows.cuh"
#include "fused/utf8.cuh"
#include "partly.cuh"

namespace dfaparse {

// The steps of a symbol, and one step. A step's low nibble is below 8, so that
// its byte selects one; what the other nibbles select does not count.
__device__ __forceinline__ uint2 steps_of(SharedAddress steps, uint32_t symbol) { return load64(steps + symbol * (kReplicas * 8)); }
__device__ __forceinline__ uint32_t step(uint2 steps, uint32_t from) { return permute(steps.x, steps.y, from); }

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

// Says what a tile adds, by one thread, so that later tiles need not wait for
// its look_back.
__device__ __forceinline__ void publish(uint64_t* status, uint32_t tile, TileSum own) {
  volatile uint64_t* words = status;
  words[tile] = packed(own, tile == 0 ? kPrefix : kAggregate);
}

// The sum of all tiles before this one, by one warp: 32 of them at a time.
__device__ inline TileSum look_back(uint64_t* status, uint32_t tile, TileSum own) {
  uint32_t lane = lane_id();
  volatile uint64_t* words = status;
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

// Whether a record ends at the symbol at an offset of the tile's memory, where
// a field does. The symbol tells, see fusedSteps in runtime/gpu/fused.go.
struct RecordByStep {
  __device__ __forceinline__ bool operator()(uint32_t at) const {
    const FusedTile& tile = fused_tile();
    uint32_t symbol = reinterpret_cast<const uint8_t*>(tile.words)[at];
    uint2 row = tile.steps.of[symbol * kReplicas];
    return ((row.x | row.y) & (kStepRecord << 4) * 0x01010101u) != 0;
  }
};

// A tile, by a whole block: base is the offset of its first symbol.
__device__ __forceinline__ void fuse_tile(const Program* program, const Job& job, const Delivery& delivery, const Fused* fused, uint32_t base) {
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
    SharedAddress steps = address_of(tile.steps.of + (lane & (kReplicas - 1)));
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
    bool wrong = not_utf8(there && !head && (high & kNotASCII) != 0, size - from);
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
  TileSum own{total, total != 0 ? origin + tile.last : 0};
  if (t == 0) publish(fused->status, base / kTile, own);
  if (total <= kMaxEnds) {
    uint16_t* to = tile.ends + at;
    for (uint32_t set = (uint32_t)ends; set != 0; set &= set - 1) *to++ = (uint16_t)(t * kChunk + (uint32_t)__ffs((int)set) - 1);
    for (uint32_t set = (uint32_t)(ends >> 32); set != 0; set &= set - 1) *to++ = (uint16_t)(t * kChunk + (uint32_t)__ffs((int)set) + 31);
  }
  if (warp == 0) { // late: by now the tiles before have said what they add
    bool failed = tile.fail != 0 || total > kMaxEnds;
    TileSum before = look_back(fused->status, base / kTile, own);
    if (lane == 0) {
      Rows rows = number_rows(job, delivery, fused, before.fields, before.last, total, total_records, base, control, failed, [=](uint32_t n) { return n / fused->columns; });
      tile.rows = rows;
      tile.before[7] = rows.before - 1 < kHead ? (uint16_t)(rows.before - 1) : kFarBefore;
    }
  }
  __syncthreads();
  const Rows rows = tile.rows;
  if (rows.blocks == 0) return;

  take_units(job, delivery, fused, rows, RecordByStep(), [&](uint32_t text, uint32_t block, uint32_t end) { take_spans(delivery, fused, rows, text, block, end); });
}

} // namespace dfaparse

// Blocks take tiles until there are no more: one pays for its steps once.
extern "C" __global__ void __launch_bounds__(dfaparse::kFusedThreads, dfaparse::kFusedBlocks)
    dfa_fused(const dfaparse::Program* program, const dfaparse::Job* job, const dfaparse::Delivery* delivery, const dfaparse::Fused* fused) {
  using namespace dfaparse;
  FusedTile& tile = fused_tile();
  for (uint32_t i = threadIdx.x; i < 256 * kReplicas; i += kFusedThreads) tile.steps.of[i] = fused->steps[i];
  fill_places(tile.places, threadIdx.x);
  for (;;) {
    if (threadIdx.x == 0) {
      tile.number = atomicAdd(fused->ticket, 1u);
      tile.last = tile.fail = tile.next = 0;
    }
    __syncthreads();
    uint32_t base = tile.number * kTile; // kHead symbols before it are in memory, too
    if (base >= job->size) return;
    fuse_tile(program, *job, *delivery, fused, base);
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
    const dfaparse::Delivery* delivery, dfaparse::Fused* fused, dfaparse::Leftover* list, uint32_t* n, uint64_t capacity) {
  using namespace dfaparse;
  uint32_t rows = min(job->counts->rows, delivery->capacity), words = (rows + 31) / 32;
  uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
  if (thread == 0) {
    job->counts->consumed = rows == 0 ? 0 : fused->record_end[rows - 1] + 1;
    if (rows == 0) job->counts->resume = job->state;
  }
  // The outputs of which rows are left, unless they are too many to be listed: they are asked at once.
  constexpr uint32_t kListed = 256;
  __shared__ const uint32_t* todo[kListed];
  __shared__ uint32_t ntodo;
  const uint32_t outputs = delivery->noutputs;
  if (threadIdx.x == 0) ntodo = 0;
  __syncthreads();
  for (uint32_t o = threadIdx.x; o < min(outputs, kListed); o += blockDim.x) {
    const Output& output = delivery->outputs[o];
    if (output.counters[1] != 0) todo[atomicAdd(&ntodo, 1u)] = output.todo;
  }
  __syncthreads();
  if (job->counts->unfused != 0) return;
  uint32_t most = delivery->max_record;
  bool longer = false;
  for (uint32_t row = thread; row < rows; row += threads) longer |= fused->record_end[row] - fused_record_start(fused, row) > most;
  if (longer) job->counts->unfused = 1;
  for (uint32_t w = thread; w < words; w += threads) {
    uint32_t left = 0;
    for (uint32_t i = 0; i < ntodo; i++) left |= todo[i][w];
    for (uint32_t o = kListed; o < outputs; o++) {
      const Output& output = delivery->outputs[o];
      if (output.counters[1] != 0) left |= output.todo[w];
    }
    if (fused->lines != nullptr) left |= delivery->malformed[w];
    if (w == rows / 32) left &= (1u << (rows & 31)) - 1; // the record that is not complete is no row
    if (left == 0) continue;
    uint32_t at = atomicAdd(n, (uint32_t)__popc(left));
    for (; left != 0 && at < capacity; left &= left - 1, at++) {
      uint32_t row = w * 32 + (uint32_t)__ffs((int)left) - 1;
      uint32_t end = fused->record_end[row] + 1;
      if (fused->begins != nullptr) begins_behind(fused->begins, fused->line_groups, *job, end, &end); // with what tells that it ends there
      reinterpret_cast<uint4*>(list)[at] = make_uint4(row, fused_record_start(fused, row), end, row == 0 ? job->state : fused->resume);
    }
  }
}

// After dfa_fused, one thread: a partition that cannot be fused has no rows for
// the kernels that follow.
extern "C" __global__ void dfa_fused_check(const dfaparse::Job* job) {
  if (job->counts->unfused != 0) job->counts->rows = 0;
}

namespace dfaparse {

// Cuts off what is not data from the span of a row of a text, if it is longer than kChunk symbols:
// from others dfa_fused has.
__device__ __forceinline__ void cut_span(const Job& job, const Delivery& delivery, uint64_t entry) {
  const Span raw{delivery.span_start[entry], delivery.span_end[entry]};
  if (raw.start >= kScattered || raw.end - raw.start <= kChunk) return; // nothing is left to be cut off
  const Span span = data_span(job, raw.start, raw.end);
  delivery.span_start[entry] = span.start;
  delivery.span_end[entry] = span.end;
}

} // namespace dfaparse

// Cuts off what is not data from the spans of texts. Of one that dfa_tiles or dfa_quoted has made
// lengths of, only rows that have a bit in todo have some. delivery: the one of these. Grid: x over rows, y over texts.
extern "C" __global__ void __launch_bounds__(256) dfa_fused_trim(const dfaparse::Job* job, const dfaparse::Delivery* delivery, const dfaparse::Fused* fused) {
  using namespace dfaparse;
  const uint32_t rows = min(job->counts->rows, delivery->capacity), thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
  if (job->counts->unfused != 0 || *fused->control == 0 || *fused->untrimmed == 0) return;
  const uint64_t column = (uint64_t)fused->text_column[blockIdx.y] * delivery->capacity;
  const uint32_t made = fused->text_output[blockIdx.y];
  if (made == kNoOutput || !(delivery->outputs[made].flags & kPartly)) {
    for (uint32_t row = thread; row < rows; row += threads) cut_span(*job, *delivery, column + row);
    return;
  }
  const Output& output = delivery->outputs[made];
  if (output.counters[kUndoneRows] == 0) return;
  for (uint32_t word = thread; word * 32 < rows; word += threads) {
    for (uint32_t todo = output.todo[word]; todo != 0; todo &= todo - 1) {
      const uint32_t row = word * 32 + (uint32_t)__ffs((int)todo) - 1;
      if (row < rows) cut_span(*job, *delivery, column + row);
    }
  }
}
