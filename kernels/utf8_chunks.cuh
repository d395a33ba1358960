// Which chunks of some symbols are UTF-8, see utf8_chunk.cuh.
#pragma once

#include "scan.cuh"
#include "utf8_chunk.cuh"

namespace dfaparse {

constexpr uint32_t kQuads = kChunk / 16; // lanes a chunk

// 16 symbols from p on, a multiple of 16, zero from size on.
__device__ __forceinline__ uint4 symbols_at(const uint8_t* data, uint32_t p, uint32_t size) {
  if (p >= size) return make_uint4(0, 0, 0, 0);
  uint4 v = *reinterpret_cast<const uint4*>(data + p);
  if (size - p < 16) {
    uint32_t n = size - p, words[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
    for (uint32_t i = 0; i < 4; i++) {
      if (n < 4 * i + 4) words[i] = n <= 4 * i ? 0 : words[i] & ((1u << 8 * (n - 4 * i)) - 1);
    }
    v = make_uint4(words[0], words[1], words[2], words[3]);
  }
  return v;
}

// Whether the 16 symbols from p on are UTF-8, see are_utf8; v is symbols_at.
__device__ __noinline__ bool are_utf8_at(const uint8_t* data, uint32_t p, uint32_t size, uint4 v) {
  uint32_t before = p == 0 ? 0 : *reinterpret_cast<const uint32_t*>(data + p - 4);
  uint32_t words[6] = {before, v.x, v.y, v.z, v.w, symbols_at(data, p + 16, size).x};
  return are_utf8<4>([&](int32_t i) { return words[i + 1]; });
}

// Says of a group of 32 chunks whether they are UTF-8, by a whole warp: 0, or 1. v[k] is
// what symbols_at gives from k*512 + 16*lane symbols behind the first on.
__device__ __forceinline__ void note_utf8(const uint8_t* data, uint32_t size, uint32_t group, const uint4 (&v)[kQuads], uint8_t* chunk_utf8) {
  const uint32_t lane = lane_id(), chunks = (size + kChunk - 1) / kChunk, from = group * (kWarp * kChunk) + lane * 16;
  uint32_t mine = 0; // of the lanes' bits that have this lane's chunk
#pragma unroll
  for (uint32_t k = 0; k < kQuads; k++) {
    uint32_t p = from + k * (kWarp * 16);
    bool other = ((v[k].x | v[k].y | v[k].z | v[k].w) & kNotASCII) != 0;
    uint32_t bad = __ballot_sync(kAllLanes, other && !are_utf8_at(data, p, size, v[k]));
    if (lane / (kWarp / kQuads) == k) mine = bad;
  }
  uint32_t chunk = group * kWarp + lane;
  if (chunk < chunks) chunk_utf8[chunk] = (mine >> kQuads * (lane % (kWarp / kQuads)) & 0xf) != 0;
}

// Says it of each chunk of data, 16-byte aligned. Any number of blocks. A warp takes
// 32 chunks, 16 symbols a lane at a time.
__device__ inline void find_utf8(const uint8_t* data, uint32_t size, uint8_t* chunk_utf8) {
  uint32_t chunks = (size + kChunk - 1) / kChunk;
  uint32_t lane = lane_id(), warps = gridDim.x * (blockDim.x / kWarp);
  for (uint32_t group = blockIdx.x * (blockDim.x / kWarp) + warp_id(); group < (chunks + kWarp - 1) / kWarp; group += warps) {
    uint32_t from = group * (kWarp * kChunk) + lane * 16;
    uint4 v[kQuads];
#pragma unroll
    for (uint32_t k = 0; k < kQuads; k++) v[k] = symbols_at(data, from + k * (kWarp * 16), size);
    note_utf8(data, size, group, v, chunk_utf8);
  }
}

} // namespace dfaparse
