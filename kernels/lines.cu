// The fused path for records that one symbol ends, whatever the state: context,
// index, partition and convert in one, for automata of any number of states.
// Records are found by counting that symbol, so that no tile waits for another;
// then a lane takes a record, steps it from end to end, and knows its fields in
// order, whatever other records have.
//
//   dfa_lines_count   ends of records, listed and counted by warps; which chunks are UTF-8
//   dfa_lines_count_join    side by side
//   dfa_lines_count_begins    or ends of records of several lines, by tile, and which symbols they are
//   dfa_lines_count_scan    and before each tile
//   dfa_lines_count_ends    where they are
//   dfa_lines         records side by side, a warp has some of them in shared memory:
//                     they are stepped, and their fields converted as dfa_fused does,
//                     32 rows of one output at a time. Texts leave spans, without
//                     what is no data at both ends. No warp waits for another
//   dfa_lines_few     the same, for blocks of fewer warps
//
// Values of columns that are taken apart are so by the record's lane; their parts are fields
// behind the record's.
//
// A text with symbols in it that are no data is scattered: Job.is_data, of which all
// bits are set before, says which they are. Of an escape that is no more than that the
// text is what is left; where it may be a null token, dfa_convert leaves the row, and
// so do numbers and other values here. A record that is malformed, that has an escape
// that stands for another symbol, or that is long is left: it has no fields, and its bit in
// Delivery.malformed is set. Where a record is no row, or the input ends within one, Counts.unfused
// says that this is not the path for the partition.
#include "async.cuh"
#include "equal.cuh"
#include "fused/begins.cuh"
#include "fused/hops.cuh"
#include "utf8_chunks.cuh"

namespace dfaparse {

constexpr uint32_t kLineCountThreads = 256, kLineScanThreads = 1024, kLineScanEach = 16;
constexpr uint32_t kLineCountBlocks = 5; // a multiprocessor
constexpr uint32_t kLineGroup = kWarp * kChunk; // symbols of a tile that a warp has
constexpr uint32_t kLineTile = kLineCountThreads / kWarp * kLineGroup;
constexpr uint32_t kFewLineThreads = 640; // of a block whose records take more room

// Takes values of a record apart, most by hops, by a lane: `to` are its fields, and parts behind them;
// false: some are left, so that the row is.
__device__ __noinline__ bool split_lines(const Delivery& delivery, const Fused* fused, uint32_t size, uint32_t* to) {
  bool known = true;
#pragma unroll 1
  for (uint32_t i = 0; i < fused->split_count; i++) {
    const LineSplit& own = fused->splits[i];
    const uint32_t value = to[own.field], start = value >> 16, stop = value & 0xffff;
    if (value >= kLineAbsent) continue;
    uint32_t* parts = to + own.first;
    const bool there = stop <= size; // neither scattered, nor behind the memory
    if (there && own.hop != 0 && own.ntokens == 0 && hop_line(own.hop, start, stop, parts)) continue;
    const Split& split = delivery.splits[i];
    for (uint32_t c = 0; c < split.nparts; c++) parts[c] = kLineAbsent;
    if (there && split_line(split, start, stop, parts)) continue;
    for (uint32_t c = 0; c < split.nparts; c++) parts[c] = kLineLeft;
    known = false;
  }
  return known;
}

// Loads records from row on, n at most, by a whole warp: those that there is room for, and what of
// one that is too long; gives how many. What it finds out of them is the warp's.
__device__ __noinline__ uint32_t load_lines(uint32_t row, uint32_t n) {
  LineWarp& warp = line_warp();
  const Fused* fused = &line_block().fused;
  const uint32_t lane = lane_id(), pitch = fused->line_pitch, room = line_block().room, unlike = fused->line_odd;
  const uint32_t* record_end = fused->record_end;
  n = min(n, fused->line_fields / pitch);
  // Where records end is asked for at once, and then all symbols.
  const uint32_t before = row == 0 ? ~0u : record_end[row - 1], last = record_end[row + n - 1];
  const uint32_t first = lane < n ? record_end[row + lane] : 0;
  const uint32_t origin = (before + 1) & ~15u;
  uint32_t count = 0, size = room;
  if (n > kWarp) { // short ones: there is room for all, as a rule
    const uint32_t end = last + 1 - origin;
    if (end <= room) count = n, size = end;
  }
  while (count < n) {
    const uint32_t k = count + lane, end = k < n ? (count == 0 ? first : record_end[row + k]) + 1 - origin : ~0u;
    const uint32_t fit = (uint32_t)__popc(__ballot_sync(kAllLanes, end <= room));
    if (fit != 0) size = __shfl_sync(kAllLanes, end, fit - 1);
    count += fit;
    if (fit < kWarp) break;
  }
  count = max(count, 1u);
  size = (size + 15) & ~15u;

  uint4* quads = reinterpret_cast<uint4*>(line_words());
  const uint4* source = reinterpret_cast<const uint4*>(line_block().job.data + origin);
  for (uint32_t i = lane; i < size / 16; i += kWarp) copy_async(quads + i, source + i);
  commit_copies();
  for (uint32_t i = lane; i < count * pitch; i += kWarp) warp.fields[i] = kLineAbsent;
  if (lane == 0) {
    quads[size / 16] = make_uint4(0, 0, 0, 0);
    warp.first = row;
    warp.count = count;
    warp.low = row & ~31u;
    warp.blocks = ((row & 31) + count + 31) / 32;
    warp.origin = origin;
    warp.end = size;
  }
  wait_for_copies<0>();
  uint32_t high = 0, odd = 0;
#pragma unroll 4
  for (uint32_t i = lane; i < size / 16; i += kWarp) { // those that the lane has copied
    const uint4 v = quads[i];
    high |= v.x | v.y | v.z | v.w;
    odd |= null_bytes(v.x ^ unlike) | null_bytes(v.y ^ unlike) | null_bytes(v.z ^ unlike) | null_bytes(v.w ^ unlike);
  }
  const bool ascii = __ballot_sync(kAllLanes, (high & kNotASCII) != 0) == 0;
  const bool hops = fused->hop_count != 0 && __ballot_sync(kAllLanes, odd != 0) == 0;
  if (lane == 0) {
    warp.ascii = ascii;
    warp.hops = hops;
  }
  __syncwarp();
  return count;
}

// Finds the fields of the warp's records.
__device__ __noinline__ void read_lines() {
  const LineBlock& block = line_block();
  LineWarp& warp = line_warp();
  const Fused* fused = &block.fused;
  const Delivery& delivery = block.delivery;
  const uint32_t columns = fused->columns, pitch = fused->line_pitch;
  const bool by_width = delivery.nwidths != 0; // then a record is stepped as one field
#pragma unroll 1
  for (uint32_t k = lane_id(); k - lane_id() < warp.count; k += kWarp) {
    const bool is = k < warp.count;
    const uint32_t r = warp.first + k, state = r == 0 ? block.job.state : fused->resume;
    uint32_t* to = warp.fields + k * pitch;
    const uint32_t from = !is || r == 0 ? 0 : fused->record_end[r - 1] + 1 - warp.origin;
    const uint32_t stop = is ? fused->record_end[r] - warp.origin : 0;
    const bool end = is && block.job.final && warp.origin + stop + 1 == block.job.size;
    bool hopped = false, bad = false;
    if (warp.hops != 0 && is && state == fused->resume && stop < warp.end && stop <= kLineLongest && !(fused->begins != nullptr && end)) {
      hopped = hop_line(0, from, stop, to);
      for (uint32_t c = 0; c < columns && !hopped; c++) to[c] = kLineAbsent;
      if (hopped && by_width) bad = !cut_by_width(delivery, to);
    }
    __syncwarp();
    const bool steps = is && !hopped;
    if (__ballot_sync(kAllLanes, steps) != 0) {
      const uint8_t* memory = block.job.data + warp.origin;
      const uint32_t least = by_width ? 1 : delivery.min_fields;
      const uint32_t most = by_width ? 1 : delivery.rest < 0 ? columns : uint32_t(delivery.rest); // what goes to the record's end is left
      const uint32_t last = fused->last_group + end;
      Line line = fused->begins != nullptr ? step_lines<true>(fused, block.job.is_data, memory, steps, from, stop, last, state * fused->groups, least, most, to)
                                           : step_lines<false>(fused, block.job.is_data, memory, steps, from, stop, 0, state * fused->groups, least, most, to);
      if (by_width && steps && !line.bad) line.bad = (to[0] & kLineScattered) != 0 || !cut_by_width(delivery, to);
      if (fused->begins != nullptr && end) { // the state depends on the last record
        block.job.counts->end_state = line.after / fused->groups;
        if (stop > kLineLongest) line.other = 1; // which has not been stepped
      }
      if (line.other != 0) block.job.counts->unfused = 1;
      bad |= line.bad;
    }
    for (uint32_t c = 0; bad && c < pitch; c++) to[c] = kLineLeft;
    if (fused->split_count != 0 && is && !bad) bad = !split_lines(delivery, fused, warp.end, to);
    if (bad) atomicOr(&delivery.malformed[r >> 5], 1u << (r & 31));
  }
  __syncwarp();
}

// Makes the values of the warp's records.
__device__ __forceinline__ void convert_all_lines() {
  const LineBlock& block = line_block();
  const Delivery& delivery = block.delivery;
#pragma unroll 1
  for (uint32_t what = 0; what < delivery.noutputs; what++) {
    const uint32_t made = block.fused.output_field[what];
    convert_lines(delivery.outputs[what], made >> kFormShift, block.fused.line_pitch, made & ((1u << kFormShift) - 1), 0, line_warp().blocks);
  }
  take_texts();
  __syncwarp();
}

// Takes all records, by warps in turn.
__device__ __forceinline__ void take_all_lines(const Job* given_job, const Delivery* given_delivery, const Fused* given) {
  LineBlock& block = line_block();
  uint16_t* transitions = reinterpret_cast<uint16_t*>(&block + 1);
  for (uint32_t i = threadIdx.x; i < given->line_count; i += blockDim.x) transitions[i] = short_line(given->lines[i]);
  for (uint32_t i = threadIdx.x; i < 256; i += blockDim.x) {
    block.groups[i] = given->line_groups[i];
    block.classes[i] = given_delivery->field_class != nullptr && i < given_delivery->nfields ? given_delivery->field_class[i] : 0;
  }
  fill_places(block.places, threadIdx.x);
  // What is read again and again lies in shared memory, if it is not too much.
  const uint32_t noutputs = given_delivery->noutputs + given->line_texts, nfields = given_delivery->noutputs;
  const uint32_t hops = (uint32_t)sizeof(LineBlock) + (2 * given->line_count + 15) / 16 * 16;
  for (uint32_t i = threadIdx.x; i < given->hop_count * (sizeof(LineHop) / 16); i += blockDim.x) {
    reinterpret_cast<uint4*>(reinterpret_cast<uint8_t*>(&block) + hops)[i] = reinterpret_cast<const uint4*>(given->hops)[i];
  }
  const uint32_t at = hops + given->hop_count * (uint32_t)sizeof(LineHop) - (uint32_t)sizeof(LineBlock);
  Output* outputs = reinterpret_cast<Output*>(reinterpret_cast<uint8_t*>(transitions) + at);
  uint32_t* numbers = reinterpret_cast<uint32_t*>(outputs + noutputs);
  const uint32_t texts = (uint32_t)sizeof(LineBlock) + at + (noutputs * (uint32_t)sizeof(Output) + 4 * nfields + 15) / 16 * 16;
  const bool few = noutputs <= kLineOutputs;
  if (few) {
    for (uint32_t i = threadIdx.x; i < noutputs * (sizeof(Output) / 8); i += blockDim.x) {
      reinterpret_cast<uint64_t*>(outputs)[i] = reinterpret_cast<const uint64_t*>(given_delivery->outputs)[i];
    }
    for (uint32_t i = threadIdx.x; i < nfields; i += blockDim.x) numbers[i] = given->output_field[i];
  }
  const bool few_splits = given->split_count <= kLineSplits;
  if (few_splits && threadIdx.x < given->split_count) block.splits[threadIdx.x] = given->splits[threadIdx.x];
  if (threadIdx.x == 0) {
    const uint32_t words = kLineFixed + 4 * given->line_fields;
    block.job = *given_job;
    block.delivery = *given_delivery;
    block.fused = *given;
    if (few) {
      block.delivery.outputs = outputs;
      block.fused.output_field = numbers;
    }
    block.texts = few ? texts : 0;
    if (few_splits) block.fused.splits = block.splits;
    block.pools = few ? texts + (uint32_t)given->ntexts * (uint32_t)sizeof(LineText) : (uint32_t)sizeof(LineBlock) + at;
    block.pool = given->line_pool;
    block.words = words;
    block.room = block.pool - words - 16;
    block.inverse = (1 << 16) / given->groups + 1; // exact for multiples of groups that are transitions
    block.hops = hops;
  }
  __syncthreads();
  if (few) {
    LineText* to = reinterpret_cast<LineText*>(reinterpret_cast<uint8_t*>(&block) + texts);
    for (uint32_t i = threadIdx.x; i < (uint32_t)given->ntexts; i += blockDim.x) to[i] = line_text(block.delivery, *given, i);
  }
  __syncthreads();
  const uint32_t rows = block.job.counts->rows;
  if (rows > block.delivery.capacity) return; // the host compares them
  const uint32_t at_once = block.fused.line_rows, of_block = blockDim.x / kWarp, warps = gridDim.x * of_block, units = (rows + at_once - 1) / at_once;
#pragma unroll 1
  for (uint32_t unit = blockIdx.x * of_block + warp_id(); unit < units; unit += warps) {
    const uint32_t end = min(rows, (unit + 1) * at_once);
#pragma unroll 1
    for (uint32_t row = unit * at_once; row < end;) {
      row += load_lines(row, end - row);
      read_lines();
      convert_all_lines();
    }
  }
}

// What symbols a warp of dfa_lines_count has: groups that lie side by side, as many as the others.
struct LineShare {
  uint32_t warp, from, to; // groups from `from` to to-1
  __device__ __forceinline__ explicit LineShare(uint32_t size) : warp(blockIdx.x * (kLineCountThreads / kWarp) + warp_id()) {
    const uint32_t warps = gridDim.x * (kLineCountThreads / kWarp), groups = (size - 1) / kLineGroup + 1, each = (groups - 1) / warps + 1;
    from = min(warp * each, groups);
    to = min(from + each, groups);
  }
};

// Says of a group of 32 chunks whether they are UTF-8, by a whole warp.
__device__ __noinline__ void note_group_utf8(const uint8_t* data, uint32_t size, uint32_t group, uint8_t* chunk_utf8) {
  uint4 v[kQuads];
#pragma unroll
  for (uint32_t k = 0; k < kQuads; k++) v[k] = symbols_at(data, group * kLineGroup + lane_id() * 16 + k * (kWarp * 16), size);
  note_utf8(data, size, group, v, chunk_utf8);
}

// Clears bitmaps of so many rows, and says how many they are. By the whole grid.
__device__ __forceinline__ void begin_rows(const Job* job, const Fused* fused, uint32_t rows) {
  clear_bitmaps(fused, rows, blockIdx.x * kLineCountThreads + threadIdx.x, gridDim.x * kLineCountThreads);
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    Counts* counts = job->counts;
    counts->fields = rows * fused->columns;
    counts->records = counts->rows = rows;
    counts->resume = counts->end_state = fused->resume;
    if (job->final && (fused->last_state == 0 || job->data[job->size - 1] != (fused->line_end & 0xff))) counts->unfused = 1;
  }
}

} // namespace dfaparse

// Lists the ends of records, in order, of what symbols each warp has, and counts them; says which
// chunks are UTF-8. Any grid.
extern "C" __global__ void __launch_bounds__(dfaparse::kLineCountThreads, dfaparse::kLineCountBlocks) dfa_lines_count(const dfaparse::Job* job, const dfaparse::Fused* fused) {
  using namespace dfaparse;
  const uint8_t* data = job->data;
  uint8_t* chunk_utf8 = job->chunk_utf8;
  const uint32_t size = job->size, four = fused->line_end, lane = lane_id(), below = (1u << lane) - 1;
  const LineShare share(size);
  uint32_t* const list = fused->line_told + uint64_t(share.from) * kLineGroup;
  uint32_t n = 0;
#pragma unroll 1
  for (uint32_t group = share.from; group < share.to; group++) {
    const uint32_t from = group * kLineGroup + lane * 16;
    uint4 v[kQuads];
    uint32_t ends[kQuads], high = 0, more = 0;
    if (size - group * kLineGroup >= kLineGroup) {
#pragma unroll
      for (uint32_t k = 0; k < kQuads; k++) v[k] = __ldg(reinterpret_cast<const uint4*>(data + from) + k * kWarp);
#pragma unroll
      for (uint32_t k = 0; k < kQuads; k++) ends[k] = equal_bytes(v[k], four);
    } else {
#pragma unroll
      for (uint32_t k = 0; k < kQuads; k++) {
        const uint32_t p = from + k * (kWarp * 16), there = p < size ? min(16u, size - p) : 0;
        v[k] = symbols_at(data, p, size);
        ends[k] = equal_bytes(v[k], four) & ((1u << there) - 1);
      }
    }
#pragma unroll
    for (uint32_t k = 0; k < kQuads; k++) {
      high |= v[k].x | v[k].y | v[k].z | v[k].w;
      more |= ends[k] & (ends[k] - 1);
    }
    if (chunk_utf8 != nullptr) {
      if (__ballot_sync(kAllLanes, (high & kNotASCII) != 0) != 0) {
        note_group_utf8(data, size, group, chunk_utf8);
      } else if (group * kLineGroup + lane * kChunk < size) {
        chunk_utf8[group * kWarp + lane] = 0;
      }
    }
    if (__ballot_sync(kAllLanes, more != 0) == 0) { // so lanes have one each at most
#pragma unroll
      for (uint32_t k = 0; k < kQuads; k++) {
        const uint32_t some = __ballot_sync(kAllLanes, ends[k] != 0);
        if (ends[k] != 0) list[n + (uint32_t)__popc(some & below)] = from + k * (kWarp * 16) + (uint32_t)__ffs((int)ends[k]) - 1;
        n += (uint32_t)__popc(some);
      }
    } else {
#pragma unroll
      for (uint32_t k = 0; k < kQuads; k++) {
        uint32_t sum, at = n + scan_warp_exclusive((uint32_t)__popc(ends[k]), Sum(), &sum);
        for (uint32_t left = ends[k]; left != 0; left &= left - 1) list[at++] = from + k * (kWarp * 16) + (uint32_t)__ffs((int)left) - 1;
        n += sum;
      }
    }
  }
  if (lane == 0) fused->line_before[share.warp] = n;
}

// Puts side by side what each warp of dfa_lines_count has listed. The same grid.
extern "C" __global__ void __launch_bounds__(dfaparse::kLineCountThreads, dfaparse::kLineCountBlocks) dfa_lines_count_join(const dfaparse::Job* job, const dfaparse::Fused* fused) {
  using namespace dfaparse;
  constexpr uint32_t kWarps = kLineCountThreads / kWarp, kAtOnce = 4;
  __shared__ uint32_t before_warp[kWarps], of_warp[kWarps], own[kWarps];
  const uint32_t lane = lane_id(), first = blockIdx.x * kWarps, lists = gridDim.x * kWarps;
  const LineShare share(job->size);
  uint32_t before = 0, all = 0;
  for (uint32_t i = threadIdx.x; i < lists; i += kLineCountThreads) {
    const uint32_t n = fused->line_before[i];
    all += n;
    if (i < first) before += n;
  }
  before = fold_warp_downwards(before, Sum());
  all = fold_warp_downwards(all, Sum());
  if (lane == 0) {
    before_warp[warp_id()] = before;
    of_warp[warp_id()] = all;
    own[warp_id()] = fused->line_before[share.warp];
  }
  __syncthreads();
  uint32_t at = 0, rows = 0;
#pragma unroll
  for (uint32_t i = 0; i < kWarps; i++) {
    at += before_warp[i] + (i < warp_id() ? own[i] : 0);
    rows += of_warp[i];
  }
  const uint32_t* list = fused->line_told + uint64_t(share.from) * kLineGroup;
  uint32_t* to = fused->record_end + at;
  const uint32_t n = own[warp_id()];
  for (uint32_t i = lane; i < n; i += kAtOnce * kWarp) {
    uint32_t x[kAtOnce];
#pragma unroll
    for (uint32_t k = 0; k < kAtOnce; k++) x[k] = i + k * kWarp < n ? list[i + k * kWarp] : 0;
#pragma unroll
    for (uint32_t k = 0; k < kAtOnce; k++) {
      if (i + k * kWarp < n) to[i + k * kWarp] = x[k];
    }
  }
  begin_rows(job, fused, rows);
}

// As dfa_lines_count, where the symbols behind a line end tell whether a record ends there.
extern "C" __global__ void __launch_bounds__(dfaparse::kLineCountThreads) dfa_lines_count_begins(const dfaparse::Job* job, const dfaparse::Fused* fused) {
  using namespace dfaparse;
  constexpr uint32_t kWords = kLineTile / 32;
  __shared__ uint32_t per_warp[kLineCountThreads / kWarp], bits[kWords], found;
  __shared__ uint16_t ends[kLineTile], next[kBeginTransitions];
  __shared__ uint8_t groups[256];
  const Job own = *job;
  const uint32_t size = own.size, tiles = (size - 1) / kLineTile + 1, four = fused->line_end, t = threadIdx.x;
  for (uint32_t i = t; i < fused->begin_count; i += kLineCountThreads) next[i] = fused->begins[i];
  static_assert(kLineCountThreads == 256, "a thread a symbol");
  groups[t] = fused->line_groups[t];
  for (uint32_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const uint32_t base = tile * kLineTile;
    for (uint32_t i = t; i < kWords; i += kLineCountThreads) bits[i] = 0;
    if (t == 0) found = 0;
    __syncthreads();
    // List the line ends, in any order.
    const uint4* from = reinterpret_cast<const uint4*>(own.data + base);
#pragma unroll 4
    for (uint32_t i = t; i < kLineTile / 16; i += kLineCountThreads) {
      const uint32_t p = base + 16 * i;
      if (p >= size) continue;
      uint32_t set = equal_bytes(__ldg(from + i), four);
      if (size - p < 16) set &= (1u << (size - p)) - 1;
      if (set == 0) continue;
      uint32_t at = atomicAdd(&found, (uint32_t)__popc(set));
      for (; set != 0; set &= set - 1) ends[at++] = uint16_t(16 * i + (uint32_t)__ffs((int)set) - 1);
    }
    __syncthreads();
    // So that threads that decide are neighbours.
    const uint32_t n = found;
    for (uint32_t i = t; i < n; i += kLineCountThreads) {
      uint32_t told;
      if (begins_behind(next, groups, own, base + ends[i] + 1, &told)) atomicOr(&bits[ends[i] / 32], 1u << (ends[i] & 31));
    }
    __syncthreads();
    uint32_t mine = 0, sum;
    for (uint32_t i = t; i < kWords; i += kLineCountThreads) {
      mine += (uint32_t)__popc(bits[i]);
      if (base + 32 * i < size) fused->line_told[base / 32 + i] = bits[i];
    }
    scan_block_exclusive<kLineCountThreads>(mine, Sum(), per_warp, &sum);
    if (t == 0) fused->line_before[tile] = sum;
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

// Where the records end, of those that dfa_lines_count_begins notes, and which chunks are UTF-8. Any
// grid.
extern "C" __global__ void __launch_bounds__(dfaparse::kLineCountThreads, dfaparse::kLineCountBlocks) dfa_lines_count_ends(const dfaparse::Job* job, const dfaparse::Fused* fused) {
  using namespace dfaparse;
  __shared__ uint32_t per_warp[kLineCountThreads / kWarp];
  const uint8_t* data = job->data;
  const uint32_t size = job->size, tiles = (size - 1) / kLineTile + 1;
  static_assert(kLineTile == kLineCountThreads * 64, "a thread has two words");
  for (uint32_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const uint32_t p = tile * kLineTile + threadIdx.x * 64;
    uint2 ends = p < size ? reinterpret_cast<const uint2*>(fused->line_told)[p / 64] : make_uint2(0, 0);
    if (p < size && size - p < 64) { // behind the last is anything
      if (size - p <= 32) ends.y = 0;
      if (size - p < 32) ends.x &= (1u << (size - p)) - 1;
      if (size - p > 32) ends.y &= (1u << (size - p - 32)) - 1;
    }
    uint32_t sum;
    uint32_t* to = fused->record_end + fused->line_before[tile] +
                   scan_block_exclusive<kLineCountThreads>((uint32_t)__popc(ends.x) + (uint32_t)__popc(ends.y), Sum(), per_warp, &sum);
    for (; ends.x != 0; ends.x &= ends.x - 1) *to++ = p + (uint32_t)__ffs((int)ends.x) - 1;
    for (; ends.y != 0; ends.y &= ends.y - 1) *to++ = p + 32 + (uint32_t)__ffs((int)ends.y) - 1;
    if (job->chunk_utf8 != nullptr) note_group_utf8(data, size, tile * (kLineTile / kLineGroup) + warp_id(), job->chunk_utf8);
    __syncthreads();
  }
  begin_rows(job, fused, fused->line_before[tiles]);
}

// A block may have fewer threads than kFusedThreads. What lies in shared memory: see LineBlock.
extern "C" __global__ void __launch_bounds__(dfaparse::kFusedThreads, dfaparse::kFusedBlocks)
    dfa_lines(const dfaparse::Job* job, const dfaparse::Delivery* delivery, const dfaparse::Fused* fused) {
  dfaparse::take_all_lines(job, delivery, fused);
}

// The same for blocks of fewer threads, which have more registers each.
extern "C" __global__ void __launch_bounds__(dfaparse::kFewLineThreads, dfaparse::kFusedBlocks)
    dfa_lines_few(const dfaparse::Job* job, const dfaparse::Delivery* delivery, const dfaparse::Fused* fused) {
  dfaparse::take_all_lines(job, delivery, fused);
}
