// Whether chunks of a tile are UTF-8, for Job.chunk_utf8.
#pragma once

#include "../utf8_chunk.cuh"
#include "tile.cuh"

namespace dfaparse {

// Whether a chunk of the tile, one a lane, is not UTF-8 whatever fields it holds,
// as dfa_utf8 has it, by a whole warp; ask: it has symbols that are not ASCII;
// n: how many symbols of the partition are left from its first on. The warp
// takes the chunks of which is asked one after the other: they are few.
__device__ __forceinline__ bool not_utf8(bool ask, uint32_t n) {
  bool wrong = ask && n < kChunk + 4; // what comes after these is not the partition's
  uint32_t lane = lane_id();
  for (uint32_t asked = __ballot_sync(kAllLanes, ask && !wrong); asked != 0; asked &= asked - 1) {
    uint32_t of = (uint32_t)__ffs((int)asked) - 1;
    const uint32_t* words = fused_tile().words + (warp_id() * kWarp + of) * (kChunk / 4);
    uint32_t errors = lane <= kChunk / 4 ? utf8_errors(words[(int32_t)lane - 1], words[lane]) : 0;
    uint32_t found = __ballot_sync(kAllLanes, errors != 0);
    if (lane == of) wrong = found != 0;
  }
  return wrong;
}

} // namespace dfaparse
