// Contexts by values in registers, by three kernels, none of which waits for
// another block but the second, which is short:
//
//   strip     a chunk for each lane of a warp
//   first     a warp a strip: what each strip does, and what the chunks before each
//             chunk of it do
//   second    a thread kScanStrips of them: the code in which each strip begins
//   third     a thread kFinishChunks of them: the state in which each chunk begins
//
// The first kernel reads the symbols, once; the warps of a block share the tables and
// nothing else, so that none waits at a barrier for the others. The other two
// read and write an eighth as much, or, of 16 codes, a fifth.
//
// What lies beyond the end of the partition is read too, in the last strip, and
// makes no difference: no chunk comes after it.
#pragma once

#include "tracker.cuh"

namespace dfaparse {

constexpr uint32_t kContextThreads = 512;
// Blocks of step 1 that are to fit a multiprocessor: three of 64 KiB and 40
// registers a thread where there are 227 KiB, one where there are 64. Nothing else
// in the kernels asks for the architecture, and so context has PTX for 9.0 of its
// own.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
constexpr uint32_t kContextBlocks = 1;
#else
constexpr uint32_t kContextBlocks = 3;
#endif
constexpr uint32_t kStrip = kWarp * kChunk; // symbols
constexpr uint32_t kStripVectors = kStrip / sizeof(uint4);
static_assert(kStrip <= kPadding, "the last strip is readable");

constexpr uint32_t kScanThreads = 256;
constexpr uint32_t kScanStrips = 8; // a thread
constexpr uint32_t kScanTile = kScanThreads * kScanStrips;
constexpr uint32_t kFinishThreads = 256;
constexpr uint32_t kFinishChunks = 4; // a thread

// Job.scratch, each part rounded up to 64 bytes (runtime/gpu/context.go has the sizes).
template <class Codes>
struct Strips {
  using Value = typename Codes::Value;
  using Kept = typename Codes::Kept;

  uint32_t chunks, count; // of strips
  uint32_t tiles;         // of kScanTile strips
  uint32_t* look_back;    // of step 2; step 1 clears the first words of it
  uint32_t cleared;       // so many
  Value* value;           // [count]
  uint16_t* code;         // [count], in which each begins
  Kept* kept;             // [count*kWarp] of the chunks before each, back to the strip's first
  uint8_t* before;        // [count*kWarp] the symbol before each, if a state depends on it

  __device__ __forceinline__ explicit Strips(const Job* job) {
    chunks = job->size == 0 ? 1 : (job->size - 1) / kChunk + 1;
    count = (chunks - 1) / kWarp + 1;
    tiles = (count - 1) / kScanTile + 1;
    uint8_t* at = static_cast<uint8_t*>(job->scratch);
    auto take = [&at](uint64_t bytes) {
      uint8_t* from = at;
      at += (bytes + 63) & ~uint64_t(63);
      return from;
    };
    constexpr bool single = LookBack<Value, typename Codes::Compose>::kSingle;
    cleared = 16 + (single ? 2 * tiles : (tiles + 15) & ~15u);
    look_back = reinterpret_cast<uint32_t*>(take(cleared * 4 + (single ? 0 : uint64_t(tiles) * 2 * sizeof(Value))));
    value = reinterpret_cast<Value*>(take(uint64_t(tiles) * kScanTile * sizeof(Value)));
    code = reinterpret_cast<uint16_t*>(take(uint64_t(tiles) * kScanTile * sizeof(uint16_t)));
    kept = reinterpret_cast<Kept*>(take(uint64_t(count) * kWarp * sizeof(Kept)));
    before = take(uint64_t(count) * kWarp);
  }
};

// Some values side by side, which are loaded and stored at once.
template <class T, uint32_t n>
struct alignas(sizeof(T) * n < 16 ? sizeof(T) * n : 16) Several {
  T of[n];
};

// The first kernel. The grid may have any size.
template <class Tracker>
__device__ __forceinline__ void read_strips(const Program* program, const Job* job) {
  using Codes = typename Tracker::Codes;
  using Value = typename Codes::Value;
  constexpr uint32_t warps = kContextThreads / kWarp, loads = kStripVectors / kWarp;
  extern __shared__ uint4 context_shared[]; // a strip for each warp, then the tracker's tables

  const Strips<Codes> strips(job);
  const uint32_t step = gridDim.x * warps;
  const bool keeps_before = program->context_words[kSpan] != 0;
  const uint8_t* const data = job->data;
  uint4* tile = context_shared + warp_id() * kStripVectors;

  uint4 ahead[loads]; // of the strip that comes next
  uint32_t ahead_before = 0; // the symbol before it
  auto load = [&](uint32_t strip) {
    const uint4* from = reinterpret_cast<const uint4*>(data) + uint64_t(strip) * kStripVectors + lane_id();
#pragma unroll
    for (uint32_t i = 0; i < loads; i++) ahead[i] = __ldg(from + i * kWarp);
    if (keeps_before && lane_id() == 0 && strip > 0) ahead_before = __ldg(data + uint64_t(strip) * kStrip - 1);
  };

  uint32_t strip = blockIdx.x * warps + warp_id();
  if (strip < strips.count) load(strip);
  if (blockIdx.x == 0) {
    for (uint32_t i = threadIdx.x; i < strips.cleared; i += kContextThreads) strips.look_back[i] = 0;
  }
  const Tracker tracker(program, job, context_shared + warps * kStripVectors);
  __syncthreads();

  while (strip < strips.count) {
#pragma unroll
    for (uint32_t i = 0; i < loads; i++) tile[ChunkView::swizzle(i * kWarp + lane_id())] = ahead[i];
    uint32_t before = ahead_before;
    __syncwarp();
    const uint32_t next = strip + step;
    if (next < strips.count) load(next);

    const uint64_t chunk = uint64_t(strip) * kWarp + lane_id();
    if (keeps_before) {
      if (lane_id() > 0) before = ChunkView{tile, lane_id() - 1}.vector(ChunkView::kVectors - 1).w >> 24;
      strips.before[chunk] = uint8_t(before);
    }
    Value value = tracker.read(ChunkView{tile, lane_id()}, before, chunk == 0), sum;
    value = scan_warp_exclusive(value, tracker.codes.op(), &sum);
    strips.kept[chunk] = Codes::keep(value);
    if (lane_id() == 0) strips.value[strip] = sum;
    __syncwarp();
    strip = next;
  }
}

// The second kernel. The grid may have any size.
template <class Codes>
__device__ __forceinline__ void scan_strips(const Program* program, const Job* job) {
  using Value = typename Codes::Value;
  constexpr uint32_t warps = kScanThreads / kWarp;
  __shared__ Value per_warp[warps];
  __shared__ uint32_t slot, tile_code;

  const Strips<Codes> strips(job);
  const Codes codes(program, job);
  const auto op = codes.op();
  LookBack<Value, typename Codes::Compose> look_back(strips.look_back, strips.tiles, op);
  for (;;) {
    const uint32_t tile = look_back.take(&slot);
    if (tile >= strips.tiles) return;
    const uint32_t first = (tile * kScanThreads + threadIdx.x) * kScanStrips;
    const auto values = *reinterpret_cast<const Several<Value, kScanStrips>*>(strips.value + first);
    Value all = codes.op().identity();
#pragma unroll
    for (uint32_t i = 0; i < kScanStrips; i++) {
      if (first + i < strips.count) all = op(all, values.of[i]);
    }
    Value sum, mine = scan_block_exclusive<kScanThreads>(all, op, per_warp, &sum);
    if (warp_id() == 0) {
      Value tiles_before = look_back.prefix(tile, sum, op.identity());
      if (lane_id() == 0) tile_code = codes.follow(tiles_before, codes.enter());
    }
    __syncthreads();
    uint32_t code = codes.follow(mine, tile_code);
    Several<uint16_t, kScanStrips> begins;
#pragma unroll
    for (uint32_t i = 0; i < kScanStrips; i++) {
      begins.of[i] = uint16_t(code);
      if (first + i < strips.count) code = codes.follow(values.of[i], code);
    }
    *reinterpret_cast<Several<uint16_t, kScanStrips>*>(strips.code + first) = begins;
  }
}

// The third kernel. The grid may have any size.
template <class Codes>
__device__ __forceinline__ void finish_chunks(const Program* program, const Job* job) {
  using Kept = Several<typename Codes::Kept, kFinishChunks>;
  using Symbols = Several<uint8_t, kFinishChunks>;
  using States = Several<uint16_t, kFinishChunks>;
  const Strips<Codes> strips(job);
  const Codes codes(program, job);
  const uint32_t span = uint32_t(program->context_words[kSpan]);
  const uint32_t threads = (strips.chunks - 1) / kFinishChunks + 1;
  for (uint32_t i = blockIdx.x * kFinishThreads + threadIdx.x; i < threads; i += gridDim.x * kFinishThreads) {
    const uint32_t chunk = i * kFinishChunks, code = strips.code[chunk / kWarp];
    const Kept kept = *reinterpret_cast<const Kept*>(strips.kept + chunk);
    Symbols before = {};
    if (span != 0) before = *reinterpret_cast<const Symbols*>(strips.before + chunk);
    States states;
#pragma unroll
    for (uint32_t k = 0; k < kFinishChunks; k++) {
      states.of[k] = uint16_t(codes.leave(codes.follow_kept(kept.of[k], code), before.of[k], span));
    }
    if (i == 0) states.of[0] = uint16_t(job->state);
    if (chunk + kFinishChunks <= strips.chunks) {
      *reinterpret_cast<States*>(job->chunk_state + chunk) = states;
    } else {
#pragma unroll
      for (uint32_t k = 0; k < kFinishChunks; k++) {
        if (chunk + k < strips.chunks) job->chunk_state[chunk + k] = states.of[k];
      }
    }
  }
}

} // namespace dfaparse
