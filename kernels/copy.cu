// Copies by kernels, and line ends counted on the way. The engines that copy between device and host take what
// comes after a flight's symbols or values after all of these, so that what is
// small and waited for would wait for the bus.
#include "layout.cuh"
#include "scan.cuh"
#include "word.cuh"

namespace dfaparse {

enum : uint32_t {
  kEndsPiece = 4096,               // bytes of which line ends are counted together, by a warp
  kEndsPieces = 16 / sizeof(uint16_t) // by a block, whose counts go over the bus together
};

} // namespace dfaparse

// n times 16 bytes, both sides aligned, on the device or in pinned memory of the
// host. Any grid.
extern "C" __global__ void __launch_bounds__(256) dfa_copy(uint4* to, const uint4* from, uint64_t n) {
  for (uint64_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (uint64_t)gridDim.x * blockDim.x) to[i] = from[i];
}

// The symbols of a flight: those of the record that the flight before did not
// complete, then those that have come. All is within the device. What is read
// reaches to the next multiple of 4 beyond 16 bytes after the end of each, what
// is written to a multiple of 16. Any grid.
extern "C" __global__ void __launch_bounds__(256)
    dfa_join(uint4* to, const uint8_t* carried, uint64_t ncarried, const uint8_t* block, uint64_t nblock) {
  using namespace dfaparse;
  uint64_t n = (ncarried + nblock + 15) / 16;
  for (uint64_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (uint64_t)gridDim.x * blockDim.x) {
    uint64_t at = 16 * i;
    if (at + 16 <= ncarried || at >= ncarried) {
      const uint8_t* from = at < ncarried ? carried + at : block + (at - ncarried);
      to[i] = make_uint4(word_at(from), word_at(from + 4), word_at(from + 8), word_at(from + 12));
      continue;
    }
    uint8_t* bytes = reinterpret_cast<uint8_t*>(to + i);
    for (uint64_t k = at; k < at + 16 && k < ncarried + nblock; k++) bytes[k - at] = k < ncarried ? carried[k] : block[k - ncarried];
  }
}

// How many line ends (\n) there are in each piece of n bytes, the last of which is what is left: counts has room for a
// multiple of kEndsPieces of them, and may be the host's. Grid: a block for so many. Twin: bytes.Count.
extern "C" __global__ void __launch_bounds__(256) dfa_ends(uint4* counts, const uint4* block, uint64_t n) {
  using namespace dfaparse;
  __shared__ uint4 shared;
  uint32_t warp = threadIdx.x / kWarp;
  uint64_t end = ((uint64_t)blockIdx.x * kEndsPieces + warp + 1) * kEndsPiece;
  uint32_t ends = 0; // eight for each
  for (uint64_t at = end - kEndsPiece + threadIdx.x % kWarp * sizeof(uint4); at < end && at < n; at += kWarp * sizeof(uint4)) {
    uint4 v = block[at / sizeof(uint4)];
    const uint32_t words[4] = {v.x, v.y, v.z, v.w};
    for (uint32_t i = 0; i < 4; i++) {
      uint32_t found = __vcmpeq4(words[i], 0x0a0a0a0a);
      uint64_t from = at + 4 * i;
      if (from + 4 > n) found &= from < n ? (1u << 8 * (uint32_t)(n - from)) - 1 : 0; // what is behind is anything
      ends += __popc(found);
    }
  }
  for (uint32_t d = kWarp / 2; d > 0; d /= 2) ends += __shfl_xor_sync(kAllLanes, ends, d);
  if (threadIdx.x % kWarp == 0) reinterpret_cast<uint16_t*>(&shared)[warp] = (uint16_t)(ends / 8);
  __syncthreads();
  if (threadIdx.x == 0) counts[blockIdx.x] = shared;
}
