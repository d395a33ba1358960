// How a block goes through its tiles: what it knows before the first, which rows the next
// one has, and who makes what of them.
#pragma once

#include "quick.cuh"

namespace dfaparse {

// How many records the flight has, if each has all columns.
__device__ __forceinline__ uint32_t records_of(const Job& job, const Fused* fused) {
  const uint32_t last = (job.size - 1) / kTile;
  const uint4 start = reinterpret_cast<const uint4*>(fused->tile_starts)[last]; // a TileStart
  return (start.x + reinterpret_cast<const TileCount*>(fused->tile_counts)[last].fields[start.z]) / fused->columns;
}

// Plans the tile whose first symbol is at base, if there is one, by one thread.
// quoted: how many records it has is not known yet.
template <bool quoted>
__device__ __noinline__ void plan_tile(const Job& job, const Delivery& delivery, const Fused* fused, uint64_t base) {
  if (base >= job.size) return;
  const uint32_t tile = (uint32_t)base / kTile;
  const uint4 start = reinterpret_cast<const uint4*>(fused->tile_starts)[tile]; // a TileStart
  const uint32_t facts = tile == 0 ? start.w : start.w | (fused->tile_starts[4 * tile - 1] & (kMarked | kOtherThanASCII));
  const TileCount& counted = reinterpret_cast<const TileCount*>(fused->tile_counts)[tile];
  const uint32_t total = counted.fields[start.z];
  PlannedTile& planned = fused_tile().planned;
  const uint64_t inverse = fused_tile().steps.inverse;
  auto by_columns = [=](uint32_t n) { return (uint32_t)__umul64hi(n, inverse); };
  const uint32_t records = quoted ? by_columns(start.x - by_columns(start.x) * fused->columns + total) : start.w >> (start.z != 0 ? kRecordsShift : 0) & kRecordsMask;
  const Rows rows = number_rows(job, delivery, fused, start.x, start.y, total, records, (uint32_t)base, false, total > kMaxEnds, by_columns);
  if (job.size - (uint32_t)base <= kTile) job.counts->end_state = fused->resume;
  planned.rows = rows;
  planned.quick = quick_rows(rows);
  planned.before = rows.before - 1 < kHead ? rows.before - 1 : kFarBefore;
  planned.facts = facts;
  planned.odd = start.z;
}

// What a block does before its first tile. quoted: fields may be enclosed in all of them.
template <bool quoted>
__device__ __forceinline__ void begin_tiles(const Job& job, const Delivery& delivery, const Fused* fused) {
  TileSteps& steps = fused_tile().steps;
  fill_places(fused_tile().places, threadIdx.x);
  fill_quick(steps.tables, threadIdx.x);
  const uint32_t noutputs = delivery.noutputs, ntexts = (uint32_t)fused->ntexts, watched = min(noutputs + ntexts + 1, kWatched);
  if (threadIdx.x < watched) {
    const uint32_t i = threadIdx.x;
    steps.columns[i] = i < noutputs ? quick_column(delivery.outputs[i], fused->output_field[i]) : i < noutputs + ntexts ? quick_text(delivery, fused, i - noutputs) : quick_check(fused);
    if (quoted && i < noutputs) {
      const bool quotes = (fused->marks & kHasQuote) != 0 && may_have(steps.columns[i], fused->quote & 0xff);
      const bool returns = (fused->marks & kHasReturn) != 0 && may_have(steps.columns[i], fused->carriage & 0xff);
      if (quotes || returns) steps.columns[i].form = kFormOther;
    }
  }
  __syncthreads();
  if (threadIdx.x < watched) {
    const uint32_t own = cost_of<quoted>(steps.columns[threadIdx.x].form);
    uint32_t place = 0;
    for (uint32_t i = 0; i < watched; i++) {
      const uint32_t cost = cost_of<quoted>(steps.columns[i].form);
      place += cost > own || (cost == own && i < threadIdx.x);
    }
    steps.order[place] = (uint8_t)threadIdx.x;
  }
  if (threadIdx.x == 0) {
    steps.inverse = ~(uint64_t)0 / fused->columns + 1;
    steps.quote = (fused->marks & kHasQuote) != 0 ? fused->quote & 0xff : 0x100;
    steps.things = noutputs + ntexts + 1;
    steps.is_data = ntexts != 0 && *fused->control != 0 ? reinterpret_cast<uint64_t*>(job.is_data) : nullptr;
    steps.chunk_utf8 = job.chunk_utf8;
    steps.records = records_of(job, fused);
    plan_tile<quoted>(job, delivery, fused, (uint64_t)blockIdx.x * kTile);
  }
  __syncthreads();
}

// Warps take runs of one output, of one text, or of the check, as they come to them, and the
// first that finds none plans the block's next tile. turn counts the tiles that the block has
// taken before; spans(column, number, run) does a run of a text, or is false, and
// other(number, run) one of anything. control: there are no others.
template <bool quoted, class Spans, class Other>
__device__ __forceinline__ void take_runs(const Job& job, const Delivery& delivery, const Fused* fused, uint32_t base, uint32_t turn, bool control, const Spans& spans,
    const Other& other) {
  FusedTile& tile = fused_tile();
  const uint32_t lane = lane_id();
  const uint32_t runs = tile.rows.runs, things = tile.steps.things, units = runs * things, watched = control ? 0 : min(things, kWatched);
  uint32_t unit = __shfl_sync(kAllLanes, warp_id(), 0);
  while (unit < units) {
    uint32_t what = unit, run = 0;
    if (runs != 1) {
      what = run_of(tile.rows, unit);
      run = unit - what * runs;
    }
    bool done = false;
    if (what < watched) {
      what = tile.steps.order[what];
      QuickColumn& column = tile.steps.columns[what];
      // An output of which more than every fourth tile is not usual is not tried again.
      if (__ballot_sync(kAllLanes, column.failures * 4 > turn + 8) == 0) { // other warps count meanwhile
        done = convert_quickly<quoted>(column, run, base - kHead, [&](const QuickColumn& text, uint32_t run) { return spans(text, what, run); });
        if (!done && lane == 0) atomicAdd(&column.failures, 1u);
      }
    }
    if (!done) other(what, run);
    unit = next_unit();
  }
  if (unit == units && lane == 0) plan_tile<quoted>(job, delivery, fused, (uint64_t)base + (uint64_t)gridDim.x * kTile); // the first that has nothing left to do
}

} // namespace dfaparse
