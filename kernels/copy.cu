// Small copies between the device and pinned memory of the host, by a kernel:
// the engines that copy take what comes after a piece's symbols or values after
// all of these, so that structures and counts would wait for the bus.
#include "device.cuh"

// n times 16 bytes, both sides aligned. Any grid.
extern "C" __global__ void __launch_bounds__(256) dfa_copy(uint4* to, const uint4* from, uint64_t n) {
  for (uint64_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (uint64_t)gridDim.x * blockDim.x) to[i] = from[i];
}
