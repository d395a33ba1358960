// Contexts where a symbol leads to one state from every state, such as the line
// end of most logs, however many states there are: after such a symbol the state
// is known, and one thread steps from there to the next of them.
//
//   walker   a thread that begins after the last such symbol of a chunk, and
//            says in which state each chunk begins that it comes to, up to the
//            first that has such a symbol itself: a later walker begins there
//
// So each chunk has its state from one walker, and nobody waits for another.
// Only the first chunk begins in the partition's state, and is walked from there.
// A tile lies in shared memory; its chunks with a walker are listed, so that
// the walkers of a tile fill whole warps.
//
// A walk of more than kLocalReach symbols takes too long for one thread. Then
// *long_walk is set, and the kernels of segments.cuh, which come next and do
// nothing otherwise, find all contexts anew, by vectors.
//
// Job.scratch: kLocalHeader bytes, the first word of them long_walk, zeroed
// before; behind it what segments.cuh needs.
#pragma once

#include "../scan.cuh"
#include "tables.cuh"

namespace dfaparse {

constexpr uint32_t kLocalThreads = 256;
constexpr uint32_t kLocalTile = kLocalThreads * kChunk; // symbols
constexpr uint32_t kLocalOver = 16 * kChunk;            // and so many after them, in shared memory
constexpr uint32_t kLocalReach = 16 << 10;              // symbols that a walker goes on for beyond its tile
constexpr uint32_t kLocalHeader = 64;
static_assert(kLocalTile + kLocalOver <= kPadding, "the last tile is readable");

// What a block has in shared memory, before the table of transitions: entry
// state*groups+group, which is the next state times groups.
struct LocalTile {
  uint4 symbols[(kLocalTile + kLocalOver) / sizeof(uint4)];
  uint16_t ends[(kLocalTile + kLocalOver) / sizeof(uint4)]; // bit i: symbol i of 16 synchronises
  uint16_t walkers[kLocalThreads];                          // chunks that have one
  uint32_t per_warp[kLocalThreads / kWarp];
  uint8_t groups[256];
};

struct Walk {
  const LocalTile& tile;
  const uint16_t* next;
  uint32_t state; // times groups

  __device__ __forceinline__ void step(uint32_t symbol) { state = next[state + tile.groups[symbol]]; }
  __device__ __forceinline__ void word(uint32_t w) {
    // The groups do not depend on states, so that their loads wait for none.
    uint32_t a = tile.groups[w & 0xff], b = tile.groups[w >> 8 & 0xff], c = tile.groups[w >> 16 & 0xff], d = tile.groups[w >> 24];
    state = next[state + a];
    state = next[state + b];
    state = next[state + c];
    state = next[state + d];
  }
};

// Bit i: byte i of w is that of which `four` has four.
__device__ __forceinline__ uint32_t equal_bytes(uint32_t w, uint32_t four) {
  constexpr uint32_t low = 0x7f7f7f7f;
  uint32_t x = w ^ four;
  uint32_t null = ~(((x & low) + low) | x | low); // 0x80 where they are equal
  return (null >> 7) * 0x01020408u >> 24;         // the lowest byte's bit is bit 0
}

__device__ __forceinline__ uint32_t equal_bytes(const uint4& v, uint32_t four) {
  return equal_bytes(v.x, four) | equal_bytes(v.y, four) << 4 | equal_bytes(v.z, four) << 8 | equal_bytes(v.w, four) << 12;
}

// The kernel. The grid may have any size.
__device__ __forceinline__ void walk_tiles(const Program* program, const Job* job) {
  extern __shared__ uint4 local_shared[]; // a LocalTile, then the transitions
  LocalTile& tile = *reinterpret_cast<LocalTile*>(local_shared);
  uint16_t* next = reinterpret_cast<uint16_t*>(&tile + 1);
  constexpr uint32_t vectors = (kLocalTile + kLocalOver) / sizeof(uint4), all = (kLocalTile + kLocalOver) / kChunk;
  const uint32_t t = threadIdx.x, groups = program->groups;
  const uint32_t sync = uint32_t(program->context_words[kSyncSymbol]) * 0x01010101u, after = uint32_t(program->context_words[kSyncState]) * groups;
  const uint32_t chunks = job->size == 0 ? 1 : (job->size - 1) / kChunk + 1, tiles = (chunks - 1) / kLocalThreads + 1;
  uint32_t* long_walk = static_cast<uint32_t*>(job->scratch);

  const uint16_t* table = context_table<uint16_t>(program, kLocalNext);
  for (uint32_t i = t; i < program->states * groups; i += kLocalThreads) next[i] = table[i];
  tile.groups[t] = context_table<uint8_t>(program, kGroups)[t];
  static_assert(kLocalThreads == 256, "a thread a symbol");

  for (uint32_t number = blockIdx.x; number < tiles; number += gridDim.x) {
    const uint32_t first = number * kLocalThreads; // chunk
    const uint4* from = reinterpret_cast<const uint4*>(job->data + uint64_t(first) * kChunk);
    for (uint32_t i = t; i < vectors; i += kLocalThreads) {
      uint4 v = __ldg(from + i);
      tile.symbols[i] = v;
      tile.ends[i] = uint16_t(equal_bytes(v, sync));
    }
    __syncthreads();

    // List the walkers. A chunk that none follows needs none.
    const uint64_t* ends = reinterpret_cast<const uint64_t*>(tile.ends);
    const bool begins = first + t == 0;
    if (begins) job->chunk_state[0] = uint16_t(job->state);
    const bool walks = (begins || ends[t] != 0) && first + t + 1 < chunks;
    const uint32_t lanes = __ballot_sync(kAllLanes, walks);
    if (lane_id() == 0) tile.per_warp[warp_id()] = uint32_t(__popc(lanes));
    __syncthreads();
    uint32_t place = uint32_t(__popc(lanes & ((1u << lane_id()) - 1))), count = 0;
#pragma unroll
    for (uint32_t w = 0; w < kLocalThreads / kWarp; w++) {
      if (w < warp_id()) place += tile.per_warp[w];
      count += tile.per_warp[w];
    }
    if (walks) tile.walkers[place] = uint16_t(t);
    __syncthreads();

    if (t < count) {
      uint32_t chunk = tile.walkers[t], at = chunk * kChunk;
      Walk walk{tile, next, job->state * groups};
      if (uint64_t set = ends[chunk]) {
        at += 64 - uint32_t(__clzll((long long)set));
        walk.state = after;
      }
      const uint8_t* symbols = reinterpret_cast<const uint8_t*>(tile.symbols);
      const uint32_t* words = reinterpret_cast<const uint32_t*>(tile.symbols);
      // The rest of the chunk, and then whole chunks without a walker of their own.
      const uint32_t last = min(all, chunks - first);
      for (; (at & 3) != 0; at++) walk.step(symbols[at]);
      do {
        chunk++;
        for (; at < chunk * kChunk; at += 4) walk.word(words[at / 4]);
        if (first + chunk < chunks) job->chunk_state[first + chunk] = uint16_t(walk.state / groups);
      } while (chunk < last && ends[chunk] == 0);
      // Beyond what is here.
      for (uint32_t to = all + kLocalReach / kChunk; chunk >= all && first + chunk + 1 < chunks; chunk++) {
        const uint4* rest = from + chunk * (kChunk / sizeof(uint4));
        uint4 v[kChunk / sizeof(uint4)];
        uint32_t found = 0;
#pragma unroll
        for (uint32_t i = 0; i < kChunk / sizeof(uint4); i++) {
          v[i] = __ldg(rest + i);
          found |= equal_bytes(v[i], sync);
        }
        if (found != 0) break;
        if (chunk == to) {
          *long_walk = 1;
          break;
        }
#pragma unroll
        for (uint32_t i = 0; i < kChunk / sizeof(uint4); i++) {
          walk.word(v[i].x);
          walk.word(v[i].y);
          walk.word(v[i].z);
          walk.word(v[i].w);
        }
        job->chunk_state[first + chunk + 1] = uint16_t(walk.state / groups);
      }
    }
    __syncthreads();
  }
}

} // namespace dfaparse
