// The fused path for fields that are bare or quoted, of inputs that are mostly quoted.
//
//   dfa_quoted_count  reads the symbols once for what ends fields and what is a quote:
//                     QuoteMarks of each chunk, and by tile what dfa_tiles_count says
//   dfa_quoted        a tile: its fields from these marks, values as dfa_tiles makes
//                     them, and the lengths of all texts that lie in its memory
//
// Between the two dfa_tiles_count_scan gives each tile its parity and its first field, so
// that it waits for nobody. What an automaton would find wrong, Counts.unfused says.
#include "quoted/tile.cuh"

namespace dfaparse {

constexpr uint32_t kQuotedCountBlocks = 6; // a multiprocessor

// The shared memory of counting, used by turns.
struct QuotedCount {
  uint32_t odd[kFusedWarps]; // whether a warp's quotes are
  uint32_t n, last[2];       // ends in both cases, the second above 16 bits; where the last ones are, plus 1
};

} // namespace dfaparse

// Any grid.
extern "C" __global__ void __launch_bounds__(dfaparse::kFusedThreads, dfaparse::kQuotedCountBlocks) dfa_quoted_count(const dfaparse::Job* job, const dfaparse::Fused* fused) {
  using namespace dfaparse;
  __shared__ QuotedCount turns[2];
  const uint32_t t = threadIdx.x, lane = lane_id(), warp = warp_id(), size = job->size, tiles = (size - 1) / kTile + 1;
  const uint32_t field_end = fused->field_end, record_end = fused->line_end, quote = fused->quote;
  const bool has_quote = (fused->marks & kHasQuote) != 0;
  TileCount* to = reinterpret_cast<TileCount*>(fused->tile_counts);
  QuoteMarks* marks = quote_marks(*job);
  uint32_t turn = 0;
  for (uint32_t tile = blockIdx.x; tile < tiles; tile += gridDim.x, turn ^= 1) {
    QuotedCount& shared = turns[turn];
    const uint32_t base = tile * kTile, from = base + t * kChunk;
    const bool there = t < kTileChunks && from < size;
    // Four lanes read four chunks side by side.
    const uint4* source = reinterpret_cast<const uint4*>(job->data + base) + (t & ~3u) * 4 + (t & 3);
    uint4 v[4];
#pragma unroll
    for (uint32_t k = 0; k < 4; k++) v[k] = t < kTileChunks ? __ldg(source + 4 * k) : make_uint4(0, 0, 0, 0);
    uint32_t quotes_of[4], ends_of[4];
#pragma unroll
    for (uint32_t k = 0; k < 4; k++) {
      quotes_of[k] = bits_same(v[k], quote);
      ends_of[k] = bits_of(same(v[k].x, record_end) | same(v[k].x, field_end), same(v[k].y, record_end) | same(v[k].y, field_end),
          same(v[k].z, record_end) | same(v[k].z, field_end), same(v[k].w, record_end) | same(v[k].w, field_end));
    }
    uint64_t quotes = chunk_of_quarters(quotes_of), ends = chunk_of_quarters(ends_of);
    const uint64_t in = there ? low_bits(size - from) : 0;
    quotes = has_quote ? quotes & in : 0;
    ends &= in;
    const uint32_t odd = __ballot_sync(kAllLanes, __popcll((long long)quotes) & 1);
    uint32_t before = (uint32_t)__popc((int)(odd & ((1u << lane) - 1)));
    if (lane == 0) shared.odd[warp] = (uint32_t)__popc((int)odd);
    if (t == 0) shared.n = shared.last[0] = shared.last[1] = 0;
    __syncthreads();
    uint32_t all = 0;
#pragma unroll
    for (uint32_t w = 0; w < kFusedWarps; w++) {
      const uint32_t x = shared.odd[w];
      if (w < warp) before += x;
      all += x;
    }
    uint64_t open = odd_through(quotes);
    if (before & 1) open = ~open;
    if (there) marks[from / kChunk] = QuoteMarks{open, ends};
    const uint64_t first = ends & ~open, second = ends & open;
    uint32_t n = (uint32_t)__popcll((long long)first) | (uint32_t)__popcll((long long)second) << 16;
#pragma unroll
    for (uint32_t d = 16; d != 0; d /= 2) n += __shfl_xor_sync(kAllLanes, n, d);
    if (lane == 0 && n != 0) atomicAdd(&shared.n, n);
    const uint32_t firsts = __ballot_sync(kAllLanes, first != 0), seconds = __ballot_sync(kAllLanes, second != 0);
    if (firsts >> lane == 1) atomicMax(&shared.last[0], t * kChunk + 64 - (uint32_t)__clzll((long long)first));
    if (seconds >> lane == 1) atomicMax(&shared.last[1], t * kChunk + 64 - (uint32_t)__clzll((long long)second));
    __syncthreads();
    if (t == 0) {
      n = shared.n;
      to[tile] = TileCount{{n & 0xffff, n >> 16}, {shared.last[0] != 0 ? base + shared.last[0] : 0, shared.last[1] != 0 ? base + shared.last[1] : 0}, all & 1, 0};
    }
  }
}

// Any grid: blocks take tiles in turn, and wait for nobody.
extern "C" __global__ void __launch_bounds__(dfaparse::kFusedThreads, dfaparse::kFusedBlocks)
    dfa_quoted(const dfaparse::Program* program, const dfaparse::Job* job, const dfaparse::Delivery* delivery, const dfaparse::Fused* fused) {
  using namespace dfaparse;
  if (threadIdx.x == 0) quoted_tile().not_ascii = 0;
  begin_tiles<true>(*job, *delivery, fused);
  uint32_t turn = 0;
  for (uint64_t base = (uint64_t)blockIdx.x * kTile; base < job->size; base += (uint64_t)gridDim.x * kTile, turn++) {
    take_quoted(*job, *delivery, fused, (uint32_t)base, turn);
    __syncthreads();
  }
}
