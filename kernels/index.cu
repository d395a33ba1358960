// The stage index (ParPaRaw, sections 3.1, last paragraph, and 3.2): one run of
// the automaton from the context of each chunk says where fields and records
// end; prefix sums say where the entries go.
//
//   in   Job.data, chunk_state; zeroed: counts, fault, scratch
//   out  Job.found, mark, column, record_last, row_record, directive, fault,
//        is_data, data_before, value; Counts.fields to end_state
//
// The twin is runtime/reference/index.go: simulate and locate are
// dfa_index, reopen is dfa_reopen. Starts of fields are not written: a field
// begins where the one before ended, which its reader knows.
#include "index/tile.cuh"

namespace dfaparse {

// Blocks take tiles until there are no more; a few for each multiprocessor are
// enough, and each pays for its tables once. A block takes its next tile while it
// is busy with one. That cannot lock up: blocks do their tiles in order, so
// whoever has the first tile that is not done is doing it, and waits for none.
template <class Plane>
__device__ __forceinline__ void index_tiles(const Program* program, const Job* job) {
  IndexShared<Plane>& shared = IndexTile<Plane>::shared();
  OffsetsLookBack look_back(job->scratch);
  if (threadIdx.x == 0) {
    shared.job = *job;
    shared.flags = program->flags;
    shared.next = look_back.take();
  }
  __syncthreads();
  uint32_t chunks = max(1u, (shared.job.size + kChunk - 1) / kChunk);
  uint32_t tiles = (chunks + Plane::kThreads - 1) / Plane::kThreads;
  uint32_t number = shared.next;
  if (number < tiles) Plane::prepare(program);
  while (number < tiles) number = IndexTile<Plane>::run(program, look_back, number, chunks);
}

} // namespace dfaparse

// For automata of at most 256 states whose classes have slots enough.
extern "C" __global__ void __launch_bounds__(512, 3) dfa_index(const dfaparse::Program* program, const dfaparse::Job* job) {
  dfaparse::index_tiles<dfaparse::ClassPlane>(program, job);
}

// For any automaton.
extern "C" __global__ void __launch_bounds__(128) dfa_index_large(const dfaparse::Program* program, const dfaparse::Job* job) {
  dfaparse::index_tiles<dfaparse::TransitionPlane>(program, job);
}

// Rewrites is_data and value between a boundary that lagged and the symbol that
// told of it: the symbols there begin the field that follows, as control first,
// then as written, whatever was said of them before. A thread takes a field. No
// two fields share a symbol, but they do share words of bits.
extern "C" __global__ void __launch_bounds__(256) dfa_reopen(const dfaparse::Program* program, const dfaparse::Job* job_address) {
  using namespace dfaparse;
  const Job job = *job_address;
  uint32_t fields = job.counts->fields;
  for (uint32_t i = 1 + blockIdx.x * blockDim.x + threadIdx.x; i < fields; i += gridDim.x * blockDim.x) {
    Transition before = job.mark[i - 1];
    if (!(before & kLagged)) continue;
    const Emission& e = program->emissions[emission_of(before)];
    if (e.open == e.lag) continue; // nothing after the boundary has been seen
    uint32_t found = job.found[i - 1], start = found - e.lag + 1, open = start + e.open;
    Transition mark = job.mark[i];
    uint32_t end = job.found[i] - (mark & kLagged ? program->emissions[emission_of(mark)].lag : 0);
    end = min(end, found + 1);
    for (uint32_t p = start; p < end;) { // word by word
      uint32_t to = min(end, (p | 31) + 1);
      uint32_t word = ~0u << (p & 31) & ~0u >> (31 - ((to - 1) & 31));
      uint32_t written = open >= to ? 0 : open <= p ? word : word & ~0u << (open & 31);
      if (word != written) atomicAnd(&job.is_data[p >> 5], ~(word & ~written));
      if (written != 0) atomicOr(&job.is_data[p >> 5], written);
      p = to;
    }
    if (program->flags & kHasCoded) {
      for (uint32_t p = open; p < end; p++) job.value[p] = job.data[p];
    }
  }
}

namespace dfaparse {

constexpr uint32_t kRecountThreads = 512, kRecountBlocks = 3; // a block, a multiprocessor
constexpr uint32_t kRecountChunks = 8;                        // a thread

} // namespace dfaparse

// Counts again what dfa_reopen has changed: data_before and Counts.data. The
// scratch is zeroed before. Nothing is done where asked, if it is not nullptr,
// points to 0.
extern "C" __global__ void __launch_bounds__(dfaparse::kRecountThreads, dfaparse::kRecountBlocks) dfa_recount(const dfaparse::Job* job_address, const uint32_t* asked) {
  using namespace dfaparse;
  if (asked != nullptr && *asked == 0) return;
  constexpr uint32_t kThreads = kRecountThreads, kEach = kRecountChunks;
  __shared__ uint32_t per_warp[kThreads / kWarp], slot, prefix;
  const Job job = *job_address;
  uint32_t chunks = max(1u, (job.size + kChunk - 1) / kChunk);
  uint32_t tiles = (chunks + kThreads * kEach - 1) / (kThreads * kEach), words = (job.size + 31) / 32;
  LookBack<uint32_t, Sum> look_back(job.scratch, tiles, Sum{});
  for (;;) {
    uint32_t tile = look_back.take(&slot);
    if (tile >= tiles) return;
    uint32_t chunk = (tile * kThreads + threadIdx.x) * kEach, first = 2 * chunk, data[kEach] = {}, all = 0, sum;
    if (first + 2 * kEach <= words) {
      const uint4* bits = reinterpret_cast<const uint4*>(job.is_data + first);
#pragma unroll
      for (uint32_t i = 0; i < kEach / 2; i++) {
        const uint4 two = bits[i];
        data[2 * i] = uint32_t(__popc(two.x) + __popc(two.y));
        data[2 * i + 1] = uint32_t(__popc(two.z) + __popc(two.w));
      }
    } else {
#pragma unroll
      for (uint32_t i = 0; i < 2 * kEach; i++) {
        if (first + i < words) data[i / 2] += uint32_t(__popc(job.is_data[first + i]));
      }
    }
#pragma unroll
    for (uint32_t i = 0; i < kEach; i++) all += data[i];
    uint32_t mine = scan_block_exclusive<kThreads>(all, Sum{}, per_warp, &sum);
    if (warp_id() == 0) {
      uint32_t before = look_back.prefix(tile, sum, 0u);
      if (lane_id() == 0) prefix = before;
    }
    __syncthreads();
    mine += prefix;
    uint32_t before[kEach + 1] = {mine};
#pragma unroll
    for (uint32_t i = 0; i < kEach; i++) before[i + 1] = before[i] + data[i];
    if (chunk + kEach <= chunks) {
      uint4* to = reinterpret_cast<uint4*>(job.data_before + chunk);
#pragma unroll
      for (uint32_t i = 0; i < kEach / 4; i++) to[i] = make_uint4(before[4 * i], before[4 * i + 1], before[4 * i + 2], before[4 * i + 3]);
    } else {
#pragma unroll
      for (uint32_t i = 0; i < kEach; i++) {
        if (chunk + i < chunks) job.data_before[chunk + i] = before[i];
      }
    }
    if (chunk < chunks && chunks <= chunk + kEach) job.data_before[chunks] = job.counts->data = mine + all;
    __syncthreads();
  }
}
