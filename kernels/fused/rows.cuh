// The rows of a tile, and what its warps make of them.
#pragma once

#include "runs.cuh"

namespace dfaparse {

// The rows of a tile of which all is known, by one thread; no blocks if nothing
// is to be converted. by_columns(n) is n / fused->columns.
template <class ByColumns>
__device__ __forceinline__ Rows number_rows(const Job& job, const Delivery& delivery, const Fused* fused, uint32_t fields_before, uint32_t last_before, uint32_t total,
    uint32_t records, uint32_t base, bool control, bool failed, const ByColumns& by_columns) {
  uint32_t columns = fused->columns;
  Rows rows;
  rows.columns = columns;
  rows.first = by_columns(fields_before);
  rows.skipped = fields_before - rows.first * columns;
  rows.low = rows.first & ~31u;
  rows.total = total;
  rows.origin = base - kHead;
  rows.before = last_before - rows.origin; // maybe far before: wraps around
  rows.control = control;
  uint32_t ended = by_columns(rows.skipped + total); // records, if each has all columns
  rows.ended = ended;
  rows.more = rows.skipped + total - ended * columns;
  if (failed || records != ended) job.counts->unfused = 1;
  if (base + kTile >= job.size) { // the last tile
    job.counts->fields = fields_before + total;
    job.counts->records = job.counts->rows = rows.first + ended;
    job.counts->resume = fused->resume;
  }
  // The host compares rows with the capacity.
  bool none = failed || total == 0 || rows.first + ended > delivery.capacity;
  rows.blocks = none ? 0 : (rows.first + ended + (rows.more != 0) - rows.low + 31) / 32;
  rows.runs = (rows.blocks + kRun - 1) / kRun;
  rows.inverse = inverse_of(rows.runs, delivery.noutputs + (uint32_t)fused->ntexts + 1);
  if (control) *fused->control = 1;
  return rows;
}

// Spans of one text in blocks of rows, by a whole warp.
__device__ __forceinline__ void take_spans(const Delivery& delivery, const Fused* fused, const Rows& rows, uint32_t text, uint32_t block, uint32_t end) {
  uint64_t column = (uint64_t)fused->text_column[text] * delivery.capacity;
  uint32_t field = fused->text_field[text];
  for (Place place(rows, field, block); block < end; block++, place.next(rows)) {
    if (!place.here(rows)) continue;
    uint32_t start = place.start(rows), stop = place.end();
    Span span{rows.origin + start, rows.origin + stop};
    if (start > stop || stop - start > kChunk) { // dfa_fused_trim does it
      *fused->untrimmed = 1;
    } else if (rows.control && start != stop) {
      span = bits_span(span.start, data_bits(start, stop - start));
    }
    delivery.span_start[column + place.row] = span.start;
    delivery.span_end[column + place.row] = span.end;
  }
}

// Makes values, spans or ends of records of one of a tile's units, a run of blocks of one output,
// of one text, or of the check, by a whole warp. is_record says whether a record ends at an
// offset of the tile's memory, where a field does; text(number, block, end) takes a run of a text.
template <class IsRecord, class TakeText>
__device__ __forceinline__ void take_unit(const Job& job, const Delivery& delivery, const Fused* fused, const Rows& rows, uint32_t what, uint32_t run, const IsRecord& is_record,
    const TakeText& text) {
  const uint32_t noutputs = delivery.noutputs, ntexts = (uint32_t)fused->ntexts, end = min(rows.blocks, run * kRun + kRun);
  uint32_t block = run * kRun;
  if (what < noutputs) {
    uint32_t made = fused->output_field[what];
    convert_blocks(delivery.outputs[what], made >> kFormShift, rows.control, made & ((1u << kFormShift) - 1), block, end);
  } else if (what < noutputs + ntexts) {
    text(what - noutputs, block, end);
  } else {
    uint32_t* record_end = fused->record_end;
    for (Place place(rows, rows.columns - 1, block); block < end; block++, place.next(rows)) {
      if (!place.here(rows)) continue;
      uint32_t at = place.end();
      if (!is_record(at)) job.counts->unfused = 1;
      record_end[place.row] = rows.origin + at;
    }
  }
}

// All of them, by a whole block: warps take them as they come to them.
template <class IsRecord, class TakeText>
__device__ __forceinline__ void take_units(const Job& job, const Delivery& delivery, const Fused* fused, const Rows& rows, const IsRecord& is_record, const TakeText& text) {
  FusedTile& tile = fused_tile();
  const uint32_t lane = lane_id(), units = rows.runs * (delivery.noutputs + (uint32_t)fused->ntexts + 1);
  for (;;) {
    uint32_t u = lane == 0 ? atomicAdd(&tile.next, 1u) : 0;
    u = __shfl_sync(kAllLanes, u, 0);
    if (u >= units) return;
    const uint32_t what = run_of(rows, u);
    take_unit(job, delivery, fused, rows, what, u - what * rows.runs, is_record, text);
  }
}

} // namespace dfaparse
