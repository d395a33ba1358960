// A tile of which dfa_quoted_count has found what ends fields.
#pragma once

#include "../noted.cuh"
#include "../tiles/units.cuh"
#include "../utf8_chunk.cuh"
#include "marks.cuh"

namespace dfaparse {

// The memory of a tile, and what is known besides: data symbols before each chunk of the
// memory; how many vectors are not ASCII, which are listed where ends come; and records
// that end.
struct QuotedTile {
  FusedTile tile;
  uint16_t data_before[kFusedThreads];
  uint32_t not_ascii, records;
};

__device__ __forceinline__ QuotedTile& quoted_tile() { return *reinterpret_cast<QuotedTile*>(fused_shared); }

// The symbol at an offset of the memory.
__device__ __forceinline__ uint32_t symbol_at(uint32_t at) { return reinterpret_cast<const uint8_t*>(fused_tile().words)[at]; }

// What of a chunk's symbols ends fields and what is no data beside that.
struct Quoted {
  uint64_t ends, skips;
  bool bad;
};

// Of the returns of a chunk that are not quoted, of which n symbols are there: whether one
// is not before the end of a record, or is behind one. By one thread; open: what follows
// the input is not known yet.
__device__ __noinline__ bool wrong_returns(const Fused* fused, uint64_t returns, uint32_t n, bool begin, bool ends_input, bool open) {
  const uint32_t record_end = fused->line_end & 0xff, first = threadIdx.x * kChunk;
  for (; returns != 0; returns &= returns - 1) {
    const uint32_t i = (uint32_t)__ffsll((long long)returns) - 1;
    const bool last = ends_input && i + 1 == n;
    if (last ? !open : symbol_at(first + i + 1) != record_end) return true;
    if (i == 0 && begin ? true : symbol_at(first + i - 1) == record_end) return true;
  }
  return false;
}

// By whole warps, the thread's chunk, of which n symbols are there. flip: all bits if its
// tile begins inside of quotes; left: of the chunk before, of a warp's first.
__device__ __forceinline__ Quoted read_marks(const Fused* fused, const QuoteMarks& m, const QuoteMarks& left, uint32_t base, uint32_t n, uint64_t flip, bool ends_input, bool open) {
  const uint32_t t = threadIdx.x, lane = lane_id();
  const uint64_t through = m.open ^ flip; // after each symbol
  // What the chunk before ends with: bit 0 inside of quotes, 1 what may end a field, 2 a quote.
  auto carried = [](uint64_t through, uint64_t ends) { return uint32_t(through >> 63) | uint32_t(ends >> 63) << 1 | uint32_t((through >> 63) ^ (through >> 62 & 1)) << 2; };
  uint32_t carry = __shfl_up_sync(kAllLanes, carried(through, m.ends), 1);
  if (lane == 0) carry = carried(left.open ^ flip, left.ends);
  const bool begin = base == 0 && t == kHeadChunks;
  if (begin) carry = 2; // as if a record had ended
  const uint64_t inside = through << 1 | (carry & 1), quotes = (through ^ inside) & low_bits(n);
  Quoted x;
  x.ends = m.ends & ~inside;
  const uint64_t ended = x.ends << 1 | ((carry & 3) == 2), quoted = quotes << 1 | carry >> 2;
  const uint64_t again = quotes & ~inside & quoted; // the second of two
  uint64_t returns = 0;
  // What is neither quoted nor ends a field is mostly nothing, or bare.
  if ((fused->marks & kHasReturn) != 0 && (~(inside | quotes | x.ends) & low_bits(n)) != 0) {
    const uint4* quads = reinterpret_cast<const uint4*>(fused_tile().words) + 4 * t;
#pragma unroll 1
    for (uint32_t k = 0; k < 4; k++) returns |= uint64_t(bits_same(quads[k], fused->carriage)) << 16 * k;
    returns &= ~inside & low_bits(n);
  }
  uint64_t bad = quotes & ~inside & ~(ended | quoted);                   // within a bare field
  bad |= quoted & ~inside & ~(quotes | x.ends | returns) & low_bits(n);  // behind a closing one
  x.bad = bad != 0;
  if (t >= kHeadChunks) {
    if (returns != 0 && wrong_returns(fused, returns, n, begin, ends_input, open)) x.bad = true;
    for (uint64_t next = x.ends & ended; next != 0; next &= next - 1) { // an empty line?
      const uint32_t at = t * kChunk + (uint32_t)__ffsll((long long)next) - 1;
      if (symbol_at(at) == (fused->line_end & 0xff) && ((begin && (next & 1) != 0) || symbol_at(at - 1) == (fused->line_end & 0xff))) x.bad = true;
    }
  }
  x.skips = (quotes & ~again) | returns;
  return x;
}

// Lists the vectors of the memory that are not ASCII: v are those of the thread.
__device__ __forceinline__ void list_not_ascii(const uint4 (&v)[4]) {
  QuotedTile& tile = quoted_tile();
  const uint32_t lane = lane_id(), below = (1u << lane) - 1;
  uint32_t some[4], n = 0;
#pragma unroll
  for (uint32_t k = 0; k < 4; k++) {
    some[k] = __ballot_sync(kAllLanes, ((v[k].x | v[k].y | v[k].z | v[k].w) & kNotASCII) != 0);
    n += (uint32_t)__popc((int)some[k]);
  }
  if (n == 0) return;
  uint32_t at = lane == 0 ? atomicAdd(&tile.not_ascii, n) : 0;
  at = __shfl_sync(kAllLanes, at, 0);
#pragma unroll
  for (uint32_t k = 0; k < 4; k++) {
    if (some[k] >> lane & 1) tile.tile.ends[at + (uint32_t)__popc((int)(some[k] & below))] = uint16_t(k * kFusedThreads + threadIdx.x);
    at += (uint32_t)__popc((int)some[k]);
  }
}

__device__ __forceinline__ void mark_wrong(uint32_t chunk) { atomicOr(&fused_tile().not_utf8[chunk / 32], 1u << chunk % 32); }

// Marks the chunks of the memory that may not be UTF-8, by a whole block, of the vectors that
// are listed: a thread has one at a time. from: of the memory's first symbol, size: the input's.
__device__ __forceinline__ void find_wrong(uint32_t n, uint32_t base, uint32_t size) {
  for (uint32_t k = threadIdx.x; k < n; k += kFusedThreads) {
    const uint32_t i = fused_tile().ends[k], chunk = i / 4;
    const uint32_t from = base - kHead + chunk * kChunk;
    if (base == 0 && chunk < kHeadChunks) continue;
    if (from >= size) continue;
    // What comes after the input is not known, nor what is before the memory.
    if (size - from < kChunk + 4 || (chunk == 0)) {
      mark_wrong(chunk);
      continue;
    }
    const uint32_t* words = fused_tile().words + 4 * i;
    uint32_t before = words[-1], bad = 0;
#pragma unroll 1
    for (uint32_t j = 0; j <= 4; j++) {
      const uint32_t w = words[j];
      if (((before | w) & kNotASCII) != 0) bad |= utf8_errors(before, w);
      before = w;
    }
    if (bad == 0) continue;
    // The sequence may have begun in the vector before, or go on in the next.
    mark_wrong(chunk);
    if (i % 4 == 0) mark_wrong(chunk - 1);
    if (i % 4 == 3 && chunk + 1 < kFusedThreads) mark_wrong(chunk + 1);
  }
}

// Data symbols of the memory before offset p.
__device__ __forceinline__ uint32_t tile_rank(uint32_t p) {
  const QuotedTile& tile = quoted_tile();
  return tile.data_before[p / kChunk] + (uint32_t)__popcll((long long)(tile.tile.data[p / kChunk] & low_bits(p % kChunk)));
}

// The span of the data symbols from start to stop-1 of the memory, as data_span has it,
// and how many they are.
__device__ __forceinline__ Span tile_span(uint32_t start, uint32_t stop, uint32_t* count) {
  const uint64_t* data = fused_tile().data;
  const uint32_t n = tile_rank(stop) - tile_rank(start);
  *count = n;
  if (n == stop - start) return Span{start, stop};
  if (n == 0) return Span{start, start};
  if (n + 2 == stop - start && symbol_at(start) == fused_tile().steps.quote) return Span{start + 1, stop - 1};
  uint32_t chunk = start / kChunk;
  uint64_t bits = data[chunk] & ~low_bits(start % kChunk);
  while (bits == 0) bits = data[++chunk];
  const uint32_t first = chunk * kChunk + (uint32_t)__ffsll((long long)bits) - 1;
  chunk = stop / kChunk;
  bits = data[chunk] & low_bits(stop % kChunk);
  while (bits == 0) bits = data[--chunk];
  return data_span_of(first, chunk * kChunk + 64 - (uint32_t)__clzll((long long)bits), n);
}

// Spans of a text, and the lengths of the strings, which are valid. right: all symbols of the
// memory are UTF-8. Rows of which not all is known are dfa_convert's: see kPartly there.
__device__ __noinline__ void quoted_spans(const Job& job, const Delivery& delivery, const Fused* fused, const QuickColumn& column, uint32_t text, uint32_t run, bool right) {
  const QuickAddress tile;
  QuickRun x(tile, column.field, run);
  uint32_t* starts = static_cast<uint32_t*>(column.fixed);
  uint32_t* ends = reinterpret_cast<uint32_t*>(column.most);
  const uint32_t origin = fused_tile().rows.origin;
  const bool made = column.lengths != nullptr;
  right |= column.b == 0;
  for (int32_t step = x.from; step < x.to; step += kWarp, x.boundary += x.stride, x.row += kWarp) {
    const bool here = x.boundary < x.stop;
    bool done = right;
    if (here) {
      const uint32_t start = load16(x.boundary - 2) + 1, stop = load16(x.boundary);
      uint32_t from = origin + start, to = origin + stop;
      if (start > stop) { // it began before the memory
        *fused->untrimmed = 1; // dfa_fused_trim does it
        from = origin + fused_tile().rows.before;
        done = false;
      } else {
        if (!right) done = start == stop || (job.chunk_utf8 != nullptr && are_utf8_chunks(start, stop));
        uint32_t n;
        const Span span = tile_span(start, stop, &n);
        const uint32_t scattered = span.start & kScattered;
        from = (origin + (span.start & ~scattered)) | scattered;
        to = origin + span.end;
        if (done && made) column.lengths[x.row] = n;
      }
      starts[x.row] = from;
      ends[x.row] = to;
    }
    const uint32_t valid = __ballot_sync(kAllLanes, here && done), todo = __ballot_sync(kAllLanes, here && !done);
    if (!made || x.lane > 1) continue;
    // The rows may lie in two words: a lane has one.
    const uint32_t row = x.row - x.lane, shift = row % 32, half = 32 * x.lane;
    const uint32_t bits = (uint32_t)((uint64_t)valid << shift >> half);
    if (todo == 0) {
      add_bits(column.valid + row / 32 + x.lane, bits);
    } else {
      note_texts(job, delivery.outputs[fused->text_output[text]], row + half, bits, (uint32_t)((uint64_t)todo << shift >> half));
    }
  }
}

// A run that is not done quickly, by a whole warp.
__device__ __noinline__ void quoted_other(const Job& job, const Delivery& delivery, const Fused* fused, uint32_t what, uint32_t run, bool right) {
  const Rows& rows = fused_tile().rows;
  const uint32_t record_end = fused->line_end & 0xff;
  auto is_record = [=](uint32_t at) { return symbol_at(at) == record_end; };
  auto text = [&](uint32_t number, uint32_t, uint32_t) { quoted_spans(job, delivery, fused, quick_text(delivery, fused, number), number, run, right); };
  take_unit(job, delivery, fused, rows, what, run, is_record, text);
}

// A tile, by a whole block: base is the offset of its first symbol, turn counts the tiles that
// it has taken before.
__device__ __forceinline__ void take_quoted(const Job& job, const Delivery& delivery, const Fused* fused, uint32_t base, uint32_t turn) {
  QuotedTile& quoted = quoted_tile();
  FusedTile& tile = quoted.tile;
  const uint32_t t = threadIdx.x, lane = lane_id(), warp = warp_id(), size = job.size, record_end = fused->line_end & 0xff;
  uint4* quads = reinterpret_cast<uint4*>(tile.words);
  const uint4* source = reinterpret_cast<const uint4*>(job.data + base) - kHead / 16;
  uint4 v[4];
#pragma unroll
  for (uint32_t k = 0; k < 4; k++) {
    uint32_t i = k * kFusedThreads + t;
    v[k] = base == 0 && i < kHead / 16 ? make_uint4(0, 0, 0, 0) : load_once(source + i);
  }
  const bool head = t < kHeadChunks;
  const uint32_t from = base - kHead + t * kChunk, chunk = from / kChunk; // of the head maybe not there
  const bool there = !(base == 0 && head) && from < size;
  const uint4* all_starts = reinterpret_cast<const uint4*>(fused->tile_starts) + base / kTile;
  const uint32_t odd = head && base != 0 ? all_starts[-1].z : tile.planned.odd;
  const QuoteMarks* marks = quote_marks(job) + chunk;
  QuoteMarks m{0, 0}, left{0, 0};
  if (there) m = *marks;
  if (lane == 0 && there && chunk != 0) left = marks[-1];
  if (t < kFusedWarps) tile.not_utf8[t] = 0;
  if (t == 0) {
    quads[4 * kFusedThreads] = __ldg(source + 4 * kFusedThreads); // what follows
    tile.next = kFusedWarps; // the first ones are the warps' own
    tile.fail = quoted.records = 0;
    tile.rows = tile.planned.rows;
    tile.steps.rows = tile.planned.quick;
    tile.before[7] = (uint16_t)tile.planned.before;
  }
#ifndef DFAPARSE_HOST
  // What the block will read next.
  uint64_t ahead = (uint64_t)base + (uint64_t)gridDim.x * kTile + t * kChunk;
  if (ahead < size) asm volatile("prefetch.global.L2 [%0];" ::"l"(job.data + ahead));
#endif
#pragma unroll
  for (uint32_t k = 0; k < 4; k++) quads[k * kFusedThreads + t] = v[k];
  list_not_ascii(v);
  __syncthreads();

  const uint32_t n = there ? min(kChunk, size - from) : 0, listed = quoted.not_ascii;
  const bool end = there && size - from <= kChunk;
  const Quoted x = read_marks(fused, m, left, base, n, odd != 0 ? ~uint64_t(0) : 0, end, job.final == 0);
  uint64_t ends = x.ends;
  if (x.bad && !head) tile.fail = 1;
  if (end && job.final != 0) { // which has to end a record
    if ((ends >> (n - 1) & 1) == 0 || symbol_at(t * kChunk + n - 1) != record_end) tile.fail = 1;
  }
  const uint64_t data = ~(ends | x.skips) & low_bits(n);
  tile.data[t] = data;
  if (there && !head && fused->ntexts != 0) reinterpret_cast<uint64_t*>(job.is_data)[chunk] = data;
  if (head) ends = 0;
  find_wrong(listed, base, size);

  // Number the fields within the tile and its data, and compact the ends.
  const uint32_t mine = (uint32_t)__popcll((long long)ends) | (uint32_t)__popcll((long long)data) << 16;
  uint32_t at = scan_warp(mine, Sum());
  if (lane == kWarp - 1) tile.warp_fields[warp] = at;
  at -= mine;
  const bool control = __syncthreads_or(x.skips != 0) != 0;
  if (job.chunk_utf8 != nullptr && there && !head) job.chunk_utf8[chunk] = tile.not_utf8[warp] >> lane & 1;
#pragma unroll
  for (uint32_t w = 0; w < kFusedWarps; w++) {
    uint32_t of = tile.warp_fields[w];
    if (w < warp) at += of;
  }
  quoted.data_before[t] = uint16_t(at >> 16);
  at &= 0xffff;
  if (at + (mine & 0xffff) <= kMaxEnds) {
    uint32_t records = 0;
    uint16_t* to = tile.ends + at;
    for (; ends != 0; ends &= ends - 1) {
      const uint32_t p = t * kChunk + (uint32_t)__ffsll((long long)ends) - 1;
      *to++ = uint16_t(p);
      records += symbol_at(p) == record_end;
    }
    if (records != 0) atomicAdd(&quoted.records, records);
  }
  if (t == 0) {
    quoted.not_ascii = 0;
    if (control) {
      *fused->control = 1;
      tile.rows.control = true;
      atomicAdd(&job.counts->reserved[kQuotedTiles], 1u);
    }
    if (tile.fail != 0) {
      job.counts->unfused = 1;
      tile.rows.runs = 0;
    }
  }
  __syncthreads();
  if (t == 0 && quoted.records != tile.rows.ended) job.counts->unfused = 1;
  const bool right = listed == 0;
  take_runs<true>(
      job, delivery, fused, base, turn, false,
      [&](const QuickColumn& column, uint32_t what, uint32_t run) {
        quoted_spans(job, delivery, fused, column, what - delivery.noutputs, run, right);
        return true;
      },
      [&](uint32_t what, uint32_t run) { quoted_other(job, delivery, fused, what, run, right); });
}

} // namespace dfaparse
