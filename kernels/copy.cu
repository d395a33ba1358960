// Copies by kernels. The engines that copy between device and host take what
// comes after a flight's symbols or values after all of these, so that what is
// small and waited for would wait for the bus.
#include "layout.cuh"

namespace dfaparse {

// Four bytes at any address; aligned memory around them is read.
__device__ __forceinline__ uint32_t word_at(const uint8_t* from) {
  uint64_t address = (uint64_t)from;
  auto* words = (const uint32_t*)(address & ~(uint64_t)3);
  return __funnelshift_r(words[0], words[1], (uint32_t)(address & 3) * 8);
}

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
