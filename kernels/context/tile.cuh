// The single pass over the tiles of a partition.
//
//   tile      kContextThreads chunks, in shared memory
//   thread    a chunk: its value, by a Tracker
//   block     takes tiles one after the other; while it looks back for one, the
//             symbols of its next are on their way
//
// Reads each symbol once, and writes 2 bytes a chunk. What lies beyond the end
// of the partition is read too, in the last tile, and makes no difference: no
// chunk comes after it.
#pragma once

#include "tracker.cuh"

namespace dfaparse {

constexpr uint32_t kContextThreads = 512;
constexpr uint32_t kContextTile = kContextThreads * kChunk;
// Blocks that are to fit a multiprocessor: three of 64 KiB and 40 registers a
// thread where there are 227 KiB.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
constexpr uint32_t kContextBlocks = 1;
#else
constexpr uint32_t kContextBlocks = 3;
#endif
static_assert(kContextTile <= kPadding, "the last tile is readable");

template <class Tracker>
__device__ __forceinline__ void context_tiles(const Program* program, Job* job) {
  using Value = typename Tracker::Value;
  using Compose = typename Tracker::Compose;
  constexpr uint32_t warps = kContextThreads / kWarp;
  constexpr uint32_t loads = kContextTile / sizeof(uint4) / kContextThreads;
  extern __shared__ uint4 context_shared[]; // the tile, then the tracker's tables
  __shared__ Value warp_value[warps];
  __shared__ uint32_t warp_code[warps];
  __shared__ uint32_t slot;

  const uint32_t size = job->size, chunks = size == 0 ? 1 : (size - 1) / kChunk + 1;
  const uint32_t tiles = (chunks - 1) / kContextThreads + 1;
  const uint32_t thread = threadIdx.x;
  const uint4* symbols = reinterpret_cast<const uint4*>(job->data);
  const Tracker tracker(program, job, context_shared + kContextTile / sizeof(uint4));
  const Compose op = tracker.op();
  LookBack<Value, Compose> look_back(job->scratch, tiles, op);

  uint4 ahead[loads]; // of the tile that comes next
  uint32_t ahead_before = 0; // the symbol before it
  auto load = [&](uint32_t tile) {
    const uint4* from = symbols + uint64_t(tile) * (kContextTile / sizeof(uint4));
#pragma unroll
    for (uint32_t i = 0; i < loads; i++) ahead[i] = from[i * kContextThreads + thread];
    if (thread == 0 && tile > 0) ahead_before = job->data[uint64_t(tile) * kContextTile - 1];
  };

  uint32_t tile = look_back.take(&slot);
  if (tile < tiles) load(tile);
  while (tile < tiles) {
#pragma unroll
    for (uint32_t i = 0; i < loads; i++) context_shared[ChunkView::swizzle(i * kContextThreads + thread)] = ahead[i];
    uint32_t before = ahead_before;
    __syncthreads();

    // What each chunk does, and all before it in the warp.
    if (thread > 0) before = ChunkView{context_shared, thread - 1}.vector(ChunkView::kVectors - 1).w >> 24;
    const bool first = tile == 0 && thread == 0;
    Value value = tracker.read(ChunkView{context_shared, thread}, before, first), sum;
    value = scan_warp_exclusive(value, op, &sum);
    if (lane_id() == 0) warp_value[warp_id()] = sum;
    if (thread == 0) slot = look_back.next();
    __syncthreads();

    // The context of each warp.
    const uint32_t next = slot;
    if (next < tiles) load(next);
    if (warp_id() == 0) {
      Value all, mine = lane_id() < warps ? warp_value[lane_id()] : Value(op.identity());
      mine = scan_warp_exclusive(mine, op, &all);
      Value tiles_before = look_back.prefix(tile, all, op.identity());
      uint32_t code = tracker.follow(tiles_before, tracker.enter());
      if (lane_id() < warps) warp_code[lane_id()] = tracker.follow(mine, code);
    }
    __syncthreads();

    // The context of each chunk.
    const uint32_t chunk = tile * kContextThreads + thread;
    if (chunk < chunks) {
      job->chunk_state[chunk] = uint16_t(tracker.leave(tracker.follow(value, warp_code[warp_id()]), before, first));
    }
    tile = next;
  }
}

} // namespace dfaparse
