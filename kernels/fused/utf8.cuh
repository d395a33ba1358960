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
  for (uint32_t asked = __ballot_sync(kAllLanes, ask && !wrong); asked != 0;) {
    // Two at a time, 16 lanes each.
    uint32_t first = (uint32_t)__ffs((int)asked) - 1;
    asked &= asked - 1;
    uint32_t second = asked != 0 ? (uint32_t)__ffs((int)asked) - 1 : first;
    asked &= asked - 1;
    uint32_t i = lane % (kChunk / 4), of = lane == i ? first : second;
    const uint32_t* words = fused_tile().words + (warp_id() * kWarp + of) * (kChunk / 4);
    uint32_t w = words[i], errors = utf8_errors(words[(int32_t)i - 1], w);
    if (i == kChunk / 4 - 1 && ((w | words[i + 1]) & kNotASCII) != 0) errors |= utf8_errors(w, words[i + 1]); // what goes on behind the chunk
    uint32_t found = __ballot_sync(kAllLanes, errors != 0);
    if (lane == first) wrong = (found & 0xffff) != 0;
    if (lane == second) wrong = found >> 16 != 0; // of one alone both halves are the same
  }
  return wrong;
}

} // namespace dfaparse
