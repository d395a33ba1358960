// The fused path for records that one symbol ends, whatever the state: context,
// index, partition and convert in one, for automata of any number of states.
// Records are found by counting that symbol, so that no tile waits for another;
// then a lane takes a record, steps it from end to end, and knows its fields in
// order, whatever other records have.
//
//   dfa_lines_count   ends of records, by tile
//   dfa_lines_count_scan    and before each tile: the row that its first record is
//   dfa_lines         a tile: its records are listed and stepped, their fields
//                     converted as dfa_fused does, by warps of 32 rows of one
//                     output. Texts leave spans, without what is no data at both
//                     ends
//
// A record that is malformed, that has symbols within a field that are no data,
// or that is long is left: it has no fields, and its bit in Delivery.malformed
// is set. Where a record is no row, or the input ends within one, Counts.unfused
// says that this is not the path for the partition.
#include "context/local.cuh"
#include "fused/lines.cuh"
#include "fused/utf8.cuh"

namespace dfaparse {

constexpr uint32_t kLineCountThreads = 256, kLineScanThreads = 1024, kLineScanEach = 16;

// Bit i: symbol i of a chunk, of which n symbols are there, ends a record.
__device__ __forceinline__ uint64_t line_ends(const uint4* quads, uint32_t four, uint32_t n, uint32_t* high) {
  uint64_t ends = 0;
#pragma unroll
  for (uint32_t k = 0; k < kChunk / sizeof(uint4); k++) {
    uint4 quad = quads[k];
    ends |= uint64_t(equal_bytes(quad, four)) << 16 * k;
    *high |= quad.x | quad.y | quad.z | quad.w;
  }
  return ends & low_bits(n);
}

// A tile, by a whole block: base is the offset of its first symbol.
__device__ __forceinline__ void take_lines(const Program* program, const Job& job, const Delivery& delivery, const Fused* fused, uint32_t base) {
  LineTile& tile = line_tile();
  const uint32_t t = threadIdx.x, lane = lane_id(), warp = warp_id(), size = job.size, columns = fused->columns;
  const bool by_width = delivery.nwidths != 0; // then a record is stepped as one field
  const uint32_t least = by_width ? 1 : delivery.min_fields;
  const uint32_t most = by_width ? 1 : delivery.rest < 0 ? columns : uint32_t(delivery.rest); // what goes to the record's end is left
  const uint32_t origin = base - kLineHead; // offset of the memory's first symbol; below 0 in the first tile, modulo 2^32

  uint4* quads = reinterpret_cast<uint4*>(tile.words);
  const uint4* source = reinterpret_cast<const uint4*>(job.data + base) - kLineHead / 16;
#pragma unroll
  for (uint32_t k = 0; k < 4; k++) {
    uint32_t i = k * kFusedThreads + t;
    quads[i] = base == 0 && i < kLineHead / 16 ? make_uint4(0, 0, 0, 0) : load_once(source + i);
  }
  if (t < 4) tile.words[kWords - 4 + t] = 0;
  __syncthreads();

  // Where records end and begin in chunk t of the memory.
  const uint8_t* symbols = reinterpret_cast<const uint8_t*>(tile.words);
  const uint32_t from = origin + t * kChunk;
  const bool there = t * kChunk >= kLineHead && t * kChunk < kLineHead + kLineTile && from < size;
  const uint32_t n = there ? min(kChunk, size - from) : 0;
  uint32_t high = 0;
  const uint64_t ends = line_ends(quads + 4 * t, fused->line_end, n, &high);
  bool begins = there && (from == 0 || symbols[t * kChunk - 1] == (fused->line_end & 0xff));
  const uint64_t starts = (ends << 1 | uint64_t(begins)) & low_bits(n);
  if (job.chunk_utf8 != nullptr) {
    bool wrong = not_utf8(there && (high & kNotASCII) != 0, size - from);
    if (there) job.chunk_utf8[from / kChunk] = wrong;
  }
  const uint32_t mine = (uint32_t)__popcll(starts);
  uint32_t at = scan_warp(mine, Sum());
  if (lane == kWarp - 1) tile.per_warp[warp] = at;
  const bool ascii = __syncthreads_or((high & kNotASCII) != 0) == 0;
  at -= mine;
  uint32_t total = 0;
#pragma unroll
  for (uint32_t w = 0; w < kFusedWarps; w++) {
    if (w < warp) at += tile.per_warp[w];
    total += tile.per_warp[w];
  }
  // The row of the tile's first record, and all rows.
  const uint32_t tiles = (size - 1) / kLineTile + 1, rows = fused->line_before[tiles];
  const uint32_t first = base == 0 ? 0 : fused->line_before[base / kLineTile] + 1 - (symbols[kLineHead - 1] == (fused->line_end & 0xff));
  for (uint64_t m = ends; m != 0; m &= m - 1) {
    uint32_t i = (uint32_t)__ffsll((long long)m) - 1;
    fused->record_end[first + at + (uint32_t)__popcll(starts & low_bits(i + 1)) - 1] = from + i;
  }
  if (t == 0 && base + kLineTile >= size) {
    Counts* counts = job.counts;
    counts->fields = rows * columns;
    counts->records = counts->rows = rows;
    counts->resume = counts->end_state = fused->resume;
    if (job.final && (fused->last_state == 0 || symbols[size - 1 - origin] != (fused->line_end & 0xff))) counts->unfused = 1;
  }
  if (rows > delivery.capacity) return; // the host compares them

  const uint32_t complete = min(total, rows - min(rows, first)); // the partition's last record may not be
  const uint32_t at_once = min(kLineRecords, kLineFields / columns);
  for (uint32_t round = 0; round < complete; round += at_once) {
    const uint32_t count = min(at_once, complete - round);
    __syncthreads(); // the round before is done
    uint32_t k = at - round;
    for (uint64_t m = starts; m != 0; m &= m - 1, k++) {
      if (k < count) tile.starts[k] = uint16_t(t * kChunk + (uint32_t)__ffsll((long long)m) - 1);
    }
    for (uint32_t i = t; i < count * columns; i += kFusedThreads) tile.fields[i] = kLineAbsent;
    if (t == 0) {
      LineRows r;
      r.first = first + round;
      r.count = count;
      r.low = r.first & ~31u;
      r.blocks = (r.first + count - r.low + 31) / 32;
      // Each warp has some runs to take, so that none waits long for the last.
      const uint32_t things = delivery.noutputs + (uint32_t)fused->ntexts;
      r.run = min(max(r.blocks * things / (2 * kFusedWarps), 1u), kRun);
      r.runs = (r.blocks + r.run - 1) / r.run;
      r.inverse = inverse_of(r.runs, things);
      tile.rows = r;
      tile.next = 0;
      tile.origin = origin;
    }
    __syncthreads();

    const uint32_t stepping = min((count + kWarp - 1) / kWarp, kFusedWarps), room = event_room(stepping);
    uint32_t* const events = tile.events + warp * room * kWarp + lane; // of the warps that step
    for (uint32_t r = t; r - lane < count; r += kFusedThreads) {
      const bool is = r < count;
      const uint32_t row = first + round + r, state = row == 0 ? job.state : fused->resume;
      uint32_t* to = tile.fields + r * columns;
      Line line = step_lines(fused->lines, reinterpret_cast<const uint8_t*>(source), is, is ? tile.starts[r] : 0, state * fused->groups, least, most, to, events, room);
      if (by_width && is && !line.bad) line.bad = !cut_by_width(delivery, to);
      if (line.other != 0) job.counts->unfused = 1;
      if (line.bad) {
        for (uint32_t c = 0; c < columns; c++) to[c] = kLineLeft;
        atomicOr(&delivery.malformed[row >> 5], 1u << (row & 31));
      }
    }
    __syncthreads();

    // Warps take runs of blocks of one output, or of one text, as they come to it.
    const LineRows r = tile.rows;
    const uint32_t noutputs = delivery.noutputs, units = r.runs * (noutputs + (uint32_t)fused->ntexts);
    for (;;) {
      uint32_t u = lane == 0 ? atomicAdd(&tile.next, 1u) : 0;
      u = __shfl_sync(kAllLanes, u, 0);
      if (u >= units) break;
      uint32_t what = run_of(r, u), block = (u - what * r.runs) * r.run, end = min(r.blocks, block + r.run);
      if (what < noutputs) {
        uint32_t made = fused->output_field[what];
        convert_lines(delivery.outputs[what], made >> kFormShift, columns, made & ((1u << kFormShift) - 1), block, end);
        continue;
      }
      take_texts(job, delivery, fused, what - noutputs, ascii, block, end);
    }
  }
}

} // namespace dfaparse

// Counts the ends of records of each tile. Any grid.
extern "C" __global__ void __launch_bounds__(dfaparse::kLineCountThreads) dfa_lines_count(const dfaparse::Job* job, const dfaparse::Fused* fused) {
  using namespace dfaparse;
  __shared__ uint32_t per_warp[kLineCountThreads / kWarp];
  const uint32_t size = job->size, tiles = (size - 1) / kLineTile + 1, four = fused->line_end;
  for (uint32_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    uint32_t base = tile * kLineTile, n = min(kLineTile, size - base), ends = 0;
    const uint4* from = reinterpret_cast<const uint4*>(job->data + base);
#pragma unroll 4
    for (uint32_t i = threadIdx.x; i < n / 16; i += kLineCountThreads) ends += (uint32_t)__popc(equal_bytes(__ldg(from + i), four));
    if (threadIdx.x == 0 && n % 16 != 0) ends += (uint32_t)__popc(equal_bytes(__ldg(from + n / 16), four) & ((1u << n % 16) - 1));
    uint32_t sum;
    scan_block_exclusive<kLineCountThreads>(ends, Sum(), per_warp, &sum);
    if (threadIdx.x == 0) fused->line_before[tile] = sum;
    __syncthreads();
  }
}

// One block: from counts of tiles to what is before each, and all.
extern "C" __global__ void __launch_bounds__(dfaparse::kLineScanThreads) dfa_lines_count_scan(const dfaparse::Job* job, const dfaparse::Fused* fused) {
  using namespace dfaparse;
  __shared__ uint32_t per_warp[kLineScanThreads / kWarp];
  const uint32_t tiles = (job->size - 1) / kLineTile + 1;
  uint32_t before = 0;
  for (uint32_t first = 0; first < tiles; first += kLineScanThreads * kLineScanEach) {
    // A thread has some that lie side by side, read and written four at a time.
    uint4* quads = reinterpret_cast<uint4*>(fused->line_before + first) + threadIdx.x * (kLineScanEach / 4);
    const uint32_t from = first + threadIdx.x * kLineScanEach;
    uint4 own[kLineScanEach / 4];
    uint32_t mine = 0, sum;
#pragma unroll
    for (uint32_t i = 0; i < kLineScanEach / 4; i++) {
      const uint32_t tile = from + 4 * i; // behind the last is anything
      own[i] = tile < tiles ? quads[i] : make_uint4(0, 0, 0, 0);
      if (tile + 1 >= tiles) own[i].y = 0;
      if (tile + 2 >= tiles) own[i].z = 0;
      if (tile + 3 >= tiles) own[i].w = 0;
      mine += own[i].x + own[i].y + own[i].z + own[i].w;
    }
    uint32_t at = before + scan_block_exclusive<kLineScanThreads>(mine, Sum(), per_warp, &sum);
#pragma unroll
    for (uint32_t i = 0; i < kLineScanEach / 4; i++) {
      uint4 x;
      x.x = at;
      x.y = x.x + own[i].x;
      x.z = x.y + own[i].y;
      x.w = x.z + own[i].z;
      at = x.w + own[i].w;
      if (from + 4 * i < tiles) quads[i] = x;
    }
    before += sum;
    __syncthreads();
  }
  if (threadIdx.x == 0) fused->line_before[tiles] = before;
}

// Blocks take tiles in turn: one pays for its transitions once.
extern "C" __global__ void __launch_bounds__(dfaparse::kFusedThreads, dfaparse::kFusedBlocks)
    dfa_lines(const dfaparse::Program* program, const dfaparse::Job* job, const dfaparse::Delivery* delivery, const dfaparse::Fused* fused) {
  using namespace dfaparse;
  LineTile& tile = line_tile();
  for (uint32_t i = threadIdx.x; i < fused->line_count; i += kFusedThreads) {
    const uint32_t line = fused->lines[i];
    tile.lines[i] = uint16_t((line & kLineNext) | (line >> kShortShift & kShortFlags));
  }
  for (uint32_t i = threadIdx.x; i < 256; i += kFusedThreads) tile.groups[i] = fused->line_groups[i];
  for (uint32_t i = threadIdx.x; i < 256; i += kFusedThreads) {
    tile.classes[i] = delivery->field_class != nullptr && i < delivery->nfields ? delivery->field_class[i] : 0;
  }
  fill_places(tile.places, threadIdx.x);
  for (uint64_t base = (uint64_t)blockIdx.x * kLineTile; base < job->size; base += (uint64_t)gridDim.x * kLineTile) {
    take_lines(program, *job, *delivery, fused, (uint32_t)base);
    __syncthreads();
  }
}
