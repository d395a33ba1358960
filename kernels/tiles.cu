// The fused path for fields that are bare or quoted, as dfa.Masks has it, without
// contexts: tiles that wait for nobody.
//
//   dfa_tiles_count   ends of fields by tile, for both cases: that the tile begins
//                     outside of quotes, or inside; and whether there is anything but
//                     data and ends of fields, else nobody asks what is data
//   dfa_tiles_count_scan    and before each tile: so the number of its first field
//   dfa_tiles_count_clear   clears bitmaps, as far as there are rows
//   dfa_tiles         a tile: its ends by masks, values from its fields, as
//                     dfa_fused makes them
//
// What an automaton would find wrong, a quote within a bare field, something behind
// a closing one, an empty line, Counts.unfused says; the first such tile has found
// it from what is right, and all others do not count.
#include "tiles/units.cuh"

#include "fused/utf8.cuh"

namespace dfaparse {

constexpr uint32_t kTileScanThreads = 256, kTileScanEach = 4;
constexpr uint32_t kCountBlocks = 8; // a multiprocessor

// The end of the last field among the chunks of a warp's lanes, by the whole warp:
// its place in the tile plus 1 goes to *last.
__device__ __forceinline__ void note_last(uint64_t ends, uint32_t at, uint32_t* last) {
  uint32_t some = __ballot_sync(kAllLanes, ends != 0);
  if (some != 0 && lane_id() == 31 - (uint32_t)__clz((int)some)) atomicMax(last, at + 64 - (uint32_t)__clzll((long long)ends));
}

// Of words whose bytes are compared with a symbol below 0x80: bit 7 of a byte is 0 if its lower
// seven bits are the symbol's. `one` is 1, which the compiler does not know: so the sum is made
// by the units that multiply, beside those that all else here waits for.
__device__ __forceinline__ uint32_t differs(uint32_t w, uint32_t four, uint32_t one) {
  const uint32_t x = (w ^ four) | kHigh4;
#ifdef DFAPARSE_HOST
  return x - one * 0x01010101u;
#else
  uint32_t y;
  asm("mad.lo.u32 %0, %1, %2, %3;" : "=r"(y) : "r"(x), "r"(one), "r"(0xfefefeffu));
  return y;
#endif
}
// 0x80 for each byte of w that is one of two such symbols; below it anything.
__device__ __forceinline__ uint32_t either(uint32_t w, uint32_t four, uint32_t other, uint32_t one) { return ~((differs(w, four, one) & differs(w, other, one)) | w); }
// 0x80 for each byte of w that is such a symbol.
__device__ __forceinline__ uint32_t is(uint32_t w, uint32_t four, uint32_t one) { return ~(differs(w, four, one) | w) & kHigh4; }
// Bit 7 of a byte is 0: some word has a symbol there that is the one of `four`, which is below 0x80.
__device__ __forceinline__ uint32_t none_is(const uint4 (&v)[4], uint32_t four, uint32_t one) {
  uint32_t none = ~0u;
#pragma unroll
  for (uint32_t k = 0; k < 4; k++) {
    none &= differs(v[k].x, four, one) | v[k].x;
    none &= differs(v[k].y, four, one) | v[k].y;
    none &= differs(v[k].z, four, one) | v[k].z;
    none &= differs(v[k].w, four, one) | v[k].w;
  }
  return none;
}

struct CountShared {
  uint32_t per_warp[kFusedWarps], records_per_warp[kFusedWarps], last[2], other;
};

// Counts a tile in which there are quotes, or that is the last: a chunk a thread.
__device__ __noinline__ void count_quoted(const Job& job, const Fused* fused, uint32_t tile, CountShared& shared, TileCount* to, uint32_t facts) {
  const uint32_t t = threadIdx.x, lane = lane_id(), warp = warp_id(), from = tile * kTile + t * kChunk;
  const bool there = t < kTileChunks && from < job.size;
  ChunkMarks m{0, 0, 0, 0};
  if (there) m = marks_of(reinterpret_cast<const uint4*>(job.data + from), fused, min(kChunk, job.size - from));
  const uint32_t odd = __ballot_sync(kAllLanes, __popcll((long long)m.quotes) & 1);
  uint32_t before = (uint32_t)__popc((int)(odd & ((1u << lane) - 1))) & 1, all = 0;
  const bool some = __syncthreads_or((m.quotes | m.returns) != 0) != 0; // and what is shared has been read
  if (lane == 0) shared.per_warp[warp] = (uint32_t)__popc((int)odd) & 1;
  if (t < 2) shared.last[t] = 0;
  __syncthreads();
  for (uint32_t w = 0; w < kFusedWarps; w++) {
    if (w < warp) before ^= shared.per_warp[w];
    all ^= shared.per_warp[w];
  }
  __syncthreads();
  uint64_t inside = odd_through(m.quotes);
  if (before != 0) inside = ~inside;
  const uint64_t ends = m.fields | m.records, first = ends & ~inside, second = ends & inside;
  uint32_t n = (uint32_t)__popcll((long long)first) | (uint32_t)__popcll((long long)second) << 16;
  uint32_t records = (uint32_t)__popcll((long long)(m.records & ~inside)) | (uint32_t)__popcll((long long)(m.records & inside)) << 16;
#pragma unroll
  for (uint32_t d = 16; d != 0; d /= 2) {
    n += __shfl_xor_sync(kAllLanes, n, d);
    records += __shfl_xor_sync(kAllLanes, records, d);
  }
  if (lane == 0) {
    shared.per_warp[warp] = n;
    shared.records_per_warp[warp] = records;
  }
  note_last(first, t * kChunk, &shared.last[0]);
  note_last(second, t * kChunk, &shared.last[1]);
  __syncthreads();
  if (t != 0) return;
  if (some) *fused->control = 1;
  n = records = 0;
  for (uint32_t w = 0; w < kFusedWarps; w++) {
    n += shared.per_warp[w];
    records += shared.records_per_warp[w];
  }
  uint32_t base = tile * kTile;
  *to = TileCount{{n & 0xffff, n >> 16}, {shared.last[0] != 0 ? base + shared.last[0] : 0, shared.last[1] != 0 ? base + shared.last[1] : 0}, all,
      facts | kMarked | (records & 0xffff) | records >> 16 << kRecordsShift};
}

// What the symbols of a tile's chunk are, where there are more than ends of fields.
struct Quoted {
  uint64_t ends, skips;
  bool bad;
};

// By the whole block: chunk t of the memory, of which n symbols are there. odd_start:
// the tile begins inside of quotes; open: what follows the chunk is not known yet.
__device__ __noinline__ Quoted read_quoted(const Fused* fused, uint32_t base, uint32_t n, bool odd_start, bool open) {
  FusedTile& tile = fused_tile();
  const uint32_t t = threadIdx.x, lane = lane_id(), warp = warp_id();
  const uint8_t* symbols = reinterpret_cast<const uint8_t*>(tile.words) + t * kChunk;
  const ChunkMarks m = marks_of(reinterpret_cast<const uint4*>(tile.words) + 4 * t, fused, n);
  const uint32_t odd = __ballot_sync(kAllLanes, __popcll((long long)m.quotes) & 1);
  uint32_t before = (uint32_t)__popc((int)(odd & ((1u << lane) - 1)));
  if (lane == 0) tile.warp_fields[warp] = (uint32_t)__popc((int)odd);
  __syncthreads();
  for (uint32_t w = 0; w < kFusedWarps; w++) {
    if (w < warp) before += tile.warp_fields[w];
  }
  // The parity is known where the tile begins, behind the head.
  if (t == kHeadChunks) tile.last = before;
  __syncthreads();
  const bool starts_inside = ((before ^ tile.last) & 1) != odd_start;
  uint64_t through = odd_through(m.quotes);
  if (starts_inside) through = ~through;
  const uint64_t inside = through ^ m.quotes; // before each symbol
  Quoted x;
  x.ends = (m.fields | m.records) & ~inside;
  // The symbol before the chunk. The first chunk of a tile may lie at the input's begin;
  // of the head's first one nothing is asked but what is data.
  const uint32_t last = t == 0 ? fused->line_end & 0xff : symbols[-1];
  const bool begin = base == 0 && t == kHeadChunks;
  const bool last_field = last == (fused->field_end & 0xff), last_record = begin || last == (fused->line_end & 0xff);
  const bool last_quote = (fused->marks & kHasQuote) && !begin && last == (fused->quote & 0xff);
  const uint64_t ended = x.ends << 1 | uint64_t(!starts_inside && (last_field || last_record));
  const uint64_t line = (m.records & ~inside) << 1 | uint64_t(!starts_inside && last_record);
  const uint64_t quoted = m.quotes << 1 | uint64_t(last_quote);
  const uint64_t again = m.quotes & ~inside & quoted; // the second of two
  const uint64_t returns = m.returns & ~inside;
  uint64_t followed = (m.records & ~inside) >> 1;
  if (open && n != 0) followed |= uint64_t(1) << (n - 1);
  if (!open && n == kChunk && symbols[kChunk] == (fused->line_end & 0xff)) followed |= uint64_t(1) << 63;
  uint64_t bad = m.quotes & ~inside & ~(ended | quoted);                          // within a bare field
  bad |= quoted & ~inside & ~(m.quotes | x.ends | returns) & low_bits(n);         // behind a closing one
  bad |= returns & ~followed;                                                     // no line end behind it
  bad |= line & (m.records | m.returns) & ~inside;                                // an empty line
  x.bad = bad != 0 && t >= kHeadChunks;
  x.skips = (m.quotes & ~again) | returns;
  return x;
}

// How many zeros are above the highest bit of x, which has some.
__device__ __forceinline__ uint32_t zeros_above(uint32_t x) {
#ifdef DFAPARSE_HOST
  return (uint32_t)__clz((int)x);
#else
  uint32_t n;
  asm("bfind.shiftamt.u32 %0, %1;" : "=r"(n) : "r"(x));
  return n;
#endif
}

// Lists the set bits, the lowest of which is number `first`, and gives what follows the list.
__device__ __forceinline__ uint16_t* list_bits(uint16_t* to, uint32_t bits, uint32_t first) {
  for (uint32_t left = __brev(bits); left != 0;) {
    uint32_t n = zeros_above(left);
    to[0] = (uint16_t)(first + n);
    left &= 0x7fffffffu >> n;
    n = zeros_above(left);
    if (left != 0) to[1] = (uint16_t)(first + n);
    to += left != 0 ? 2 : 1;
    left &= 0x7fffffffu >> (n & 31);
  }
  return to;
}

// A run that is not done quickly, by a whole warp.
__device__ __noinline__ void take_other(const Job& job, const Delivery& delivery, const Fused* fused, uint32_t what, uint32_t run, bool ascii) {
  const Rows& rows = fused_tile().rows;
  const uint32_t record_end = fused->line_end & 0xff;
  auto is_record = [=](uint32_t at) { return reinterpret_cast<const uint8_t*>(fused_tile().words)[at] == record_end; };
  auto text = [&](uint32_t number, uint32_t block, uint32_t end) { quick_texts(job, delivery, fused, number, ascii, block, end); };
  take_unit(job, delivery, fused, rows, what, run, is_record, text);
}

// A tile, by a whole block: base is the offset of its first symbol.
// turn counts the tiles that the block has taken before.
__device__ __forceinline__ void take_tile(const Job& job, const Delivery& delivery, const Fused* fused, uint32_t base, uint32_t turn, uint32_t one) {
  FusedTile& tile = fused_tile();
  const uint32_t t = threadIdx.x, lane = lane_id(), warp = warp_id(), size = job.size;
  const uint32_t field_end = fused->field_end, record_end = fused->line_end;
  const uint32_t facts = tile.planned.facts;
  const bool odd = tile.planned.odd != 0, marked = (facts & kMarked) != 0 || odd;
  if (marked && t == 0) atomicAdd(&job.counts->reserved[kQuotedTiles], 1u);

  uint4* quads = reinterpret_cast<uint4*>(tile.words);
  const uint4* source = reinterpret_cast<const uint4*>(job.data + base) - kHead / 16;
  uint4 v[4];
#pragma unroll
  for (uint32_t k = 0; k < 4; k++) {
    uint32_t i = k * kFusedThreads + t;
    v[k] = base == 0 && i < kHead / 16 ? make_uint4(0, 0, 0, 0) : load_once(source + i);
  }
  if (t == 0) {
    quads[4 * kFusedThreads] = __ldg(source + 4 * kFusedThreads); // what follows
    tile.next = kFusedWarps; // the first ones are the warps' own
    tile.fail = 0;
    tile.rows = tile.planned.rows;
    tile.steps.rows = tile.planned.quick;
    tile.before[7] = (uint16_t)tile.planned.before;
  }
#ifndef DFAPARSE_HOST
  // What the block will read next.
  uint64_t ahead = (uint64_t)base + (uint64_t)gridDim.x * kTile + t * kChunk;
  if (ahead < size) asm volatile("prefetch.global.L2 [%0];" ::"l"(job.data + ahead));
#endif
  // Which symbols end fields: a mask of 16 for each vector, in place of what is data.
  uint16_t* masks = reinterpret_cast<uint16_t*>(tile.data);
  if (marked) {
#pragma unroll
    for (uint32_t k = 0; k < 4; k++) quads[k * kFusedThreads + t] = v[k];
  } else {
#pragma unroll
    for (uint32_t k = 0; k < 4; k++) {
      uint32_t i = k * kFusedThreads + t;
      quads[i] = v[k];
      masks[i] = uint16_t(bits_of(either(v[k].x, field_end, record_end, one), either(v[k].y, field_end, record_end, one), either(v[k].z, field_end, record_end, one),
          either(v[k].w, field_end, record_end, one)));
    }
  }
  __syncthreads();

  const uint32_t from = base - kHead + t * kChunk, chunk = from / kChunk; // of the head maybe not there
  const bool head = t < kHeadChunks, there = !(base == 0 && head) && from < size;
  uint64_t ends, skips = 0;
  if (marked) {
    const uint32_t n = there ? min(kChunk, size - from) : 0;
    const bool end = there && size - from <= kChunk;
    Quoted x = read_quoted(fused, base, n, odd, end && job.final == 0);
    ends = x.ends;
    skips = x.skips;
    if (x.bad) tile.fail = 1;
    if (end && job.final != 0) { // which has to end a record
      uint32_t symbol = reinterpret_cast<const uint8_t*>(tile.words)[t * kChunk + n - 1];
      if ((ends >> (n - 1) & 1) == 0 || symbol != (record_end & 0xff)) tile.fail = 1;
    }
    tile.data[t] = ~(ends | skips) & low_bits(n);
    if (there && !head && tile.steps.is_data != nullptr) tile.steps.is_data[chunk] = ~(ends | skips) & low_bits(n);
  } else {
    ends = tile.data[t];
    if (there && !head && tile.steps.is_data != nullptr) tile.steps.is_data[chunk] = ~ends;
  }
  if (head) ends = 0;
  if (tile.steps.chunk_utf8 != nullptr) {
    bool wrong = false;
    if (facts & kOtherThanASCII) {
      uint32_t high = 0;
#pragma unroll
      for (uint32_t k = 0; k < 4; k++) {
        uint4 x = quads[4 * t + k];
        high |= x.x | x.y | x.z | x.w;
      }
      const bool ask = there && (high & kNotASCII) != 0;
      wrong = not_utf8(ask && t != 0, size - from) || (ask && t == 0); // what is before the memory is not known
      const uint32_t warps = __ballot_sync(kAllLanes, wrong);
      if (lane == 0) tile.not_utf8[warp] = warps;
    }
    if (there && !head) tile.steps.chunk_utf8[chunk] = wrong;
  }

  // Number the fields within the tile, and compact their ends.
  const uint32_t mine = (uint32_t)__popcll((long long)ends);
  uint32_t at = scan_warp(mine, Sum());
  if (lane == kWarp - 1) tile.warp_fields[warp] = at;
  at -= mine;
  const bool control = __syncthreads_or(skips != 0) != 0;
#pragma unroll
  for (uint32_t w = 0; w < kFusedWarps; w++) {
    uint32_t x = tile.warp_fields[w];
    if (w < warp) at += x;
  }
  if (at + mine <= kMaxEnds) {
    uint16_t* to = tile.ends + at;
    to = list_bits(to, (uint32_t)ends, t * kChunk);
    list_bits(to, (uint32_t)(ends >> 32), t * kChunk + 32);
  }
  if (marked && t == 0) {
    if (tile.fail != 0) {
      job.counts->unfused = 1;
      tile.rows.runs = 0;
    }
    if (control) tile.rows.control = true;
  }
  __syncthreads();
  const bool ascii = (facts & kOtherThanASCII) == 0;
  take_runs<false>(
      job, delivery, fused, base, turn, tile.rows.control,
      [=](const QuickColumn& column, uint32_t, uint32_t run) {
        return column.views != nullptr ? quick_views(column, run, base - kHead, ascii) : quick_spans(column, run, base - kHead, ascii);
      },
      [&](uint32_t what, uint32_t run) { take_other(job, delivery, fused, what, run, ascii); });
}

} // namespace dfaparse

// Any grid.
extern "C" __global__ void __launch_bounds__(dfaparse::kFusedThreads, dfaparse::kCountBlocks) dfa_tiles_count(const dfaparse::Job* job, const dfaparse::Fused* fused) {
  using namespace dfaparse;
  __shared__ CountShared shared;
  const uint32_t t = threadIdx.x, size = job->size, tiles = (size - 1) / kTile + 1;
  const uint32_t field_end = fused->field_end, record_end = fused->line_end, quote = fused->quote, carriage = fused->carriage, marks = fused->marks;
  const uint32_t one = min(gridDim.x, 1u);
  TileCount* to = reinterpret_cast<TileCount*>(fused->tile_counts);
  for (uint32_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const uint4* source = reinterpret_cast<const uint4*>(job->data + tile * kTile);
    uint4 v[4];
#pragma unroll
    for (uint32_t k = 0; k < 4; k++) {
      uint32_t i = k * kFusedThreads + t;
      v[k] = i < kTile / 16 ? __ldg(source + i) : make_uint4(0, 0, 0, 0);
    }
    uint32_t high = 0, last = 0, fields = 0, records = 0; // of the last two as many times 128
#pragma unroll
    for (uint32_t k = 0; k < 4; k++) {
      const uint32_t w[4] = {v[k].x, v[k].y, v[k].z, v[k].w}, before = fields + records;
#pragma unroll
      for (uint32_t i = 0; i < 4; i++) {
        high |= w[i];
        fields = __dp4a(is(w[i], field_end, one), 0x01010101u, fields);
        records = __dp4a(is(w[i], record_end, one), 0x01010101u, records);
      }
      if (fields + records != before) last = k * kFusedThreads + t + 1; // the vector in which the last is
    }
    uint32_t none = kHigh4; // bit 7: of all such bytes of words none is a quote, or a return
    if (marks & kHasQuote) none &= none_is(v, quote, one);
    if (marks & kHasReturn) none &= none_is(v, carriage, one);
    const bool marked = (none & kHigh4) != kHigh4;
    uint32_t n = (fields + records) / 128 | records / 128 << 16;
    if (t == 0) shared.last[0] = shared.other = 0;
    const bool ahead = __syncthreads_or(marked || size - tile * kTile <= kTile) != 0;
    if ((high & kNotASCII) != 0) shared.other = 1;
    if (ahead) {
      __syncthreads();
      count_quoted(*job, fused, tile, shared, to + tile, shared.other != 0 ? kOtherThanASCII : 0);
    } else {
#pragma unroll
      for (uint32_t d = 16; d != 0; d /= 2) n += __shfl_xor_sync(kAllLanes, n, d);
      // Of the warp's lanes the last one that has an end in its last vector: mostly there is one.
      uint32_t lanes = __ballot_sync(kAllLanes, last > 3 * kFusedThreads);
      if (lanes == 0) {
        if (last != 0) atomicMax(&shared.last[0], last);
      } else if (lane_id() == 31 - (uint32_t)__clz((int)lanes)) {
        atomicMax(&shared.last[0], last);
      }
      if (lane_id() == 0) shared.per_warp[warp_id()] = n;
      __syncthreads();
      if (t == 0) {
        n = 0;
#pragma unroll
        for (uint32_t w = 0; w < kFusedWarps; w++) n += shared.per_warp[w];
        last = shared.last[0];
        if (last != 0) {
          uint4 x = __ldg(source + last - 1);
          uint32_t bits = bits_same(x, field_end) | bits_same(x, record_end);
          last = tile * kTile + (last - 1) * 16 + 32 - (uint32_t)__clz((int)bits);
        }
        to[tile] = TileCount{{n & 0xffff, 0}, {last, 0}, 0, n >> 16 | (shared.other != 0 ? kOtherThanASCII : 0)};
      }
    }
    __syncthreads();
  }
}

// Any grid: each block takes kTileScanThreads*kTileScanEach tiles until there are none.
extern "C" __global__ void __launch_bounds__(dfaparse::kTileScanThreads) dfa_tiles_count_scan(const dfaparse::Job* job, const dfaparse::Fused* fused) {
  using namespace dfaparse;
  __shared__ TileCount per_warp[kTileScanThreads / kWarp], before_all;
  __shared__ uint32_t slot;
  const TileCounts op;
  const uint32_t tiles = (job->size - 1) / kTile + 1, each = kTileScanThreads * kTileScanEach, parts = (tiles - 1) / each + 1;
  const TileCount* counts = reinterpret_cast<const TileCount*>(fused->tile_counts);
  LookBack<TileCount, TileCounts> look_back(fused->tile_scratch, parts, op);
  for (;;) {
    const uint32_t part = look_back.take(&slot);
    if (part >= parts) return;
    const uint32_t first = part * each + threadIdx.x * kTileScanEach;
    TileCount own[kTileScanEach], all = op.identity(), sum;
#pragma unroll
    for (uint32_t i = 0; i < kTileScanEach; i++) {
      own[i] = first + i < tiles ? counts[first + i] : op.identity();
      all = op(all, own[i]);
    }
    TileCount mine = scan_block_exclusive<kTileScanThreads>(all, op, per_warp, &sum);
    if (warp_id() == 0) {
      TileCount before = look_back.prefix(part, sum, op.identity());
      if (lane_id() == 0) before_all = before;
    }
    __syncthreads();
    mine = op(before_all, mine);
#pragma unroll
    for (uint32_t i = 0; i < kTileScanEach; i++) {
      if (first + i < tiles) reinterpret_cast<uint4*>(fused->tile_starts)[first + i] = make_uint4(mine.fields[0], mine.last[0], mine.odd, own[i].facts);
      mine = op(mine, own[i]);
    }
    __syncthreads();
  }
}

// Any grid. Until now nobody knew how many rows there are.
extern "C" __global__ void __launch_bounds__(dfaparse::kTileScanThreads) dfa_tiles_count_clear(const dfaparse::Job* job, const dfaparse::Fused* fused) {
  using namespace dfaparse;
  clear_bitmaps(fused, records_of(*job, fused), blockIdx.x * kTileScanThreads + threadIdx.x, gridDim.x * kTileScanThreads);
}

// Any grid: blocks take tiles in turn, and wait for nobody.
extern "C" __global__ void __launch_bounds__(dfaparse::kFusedThreads, dfaparse::kFusedBlocks)
    dfa_tiles(const dfaparse::Program* program, const dfaparse::Job* job, const dfaparse::Delivery* delivery, const dfaparse::Fused* fused) {
  using namespace dfaparse;
  begin_tiles<false>(*job, *delivery, fused);
  const uint32_t one = min(gridDim.x, 1u); // see differs
  uint32_t turn = 0;
  for (uint64_t base = (uint64_t)blockIdx.x * kTile; base < job->size; base += (uint64_t)gridDim.x * kTile, turn++) {
    take_tile(*job, *delivery, fused, (uint32_t)base, turn, one);
    __syncthreads();
  }
}
