// Sums of a warp, by one instruction where the architecture has one.
#pragma once

#include "scan.cuh"

namespace dfaparse {

// The sum of all lanes' values, in every lane.
__device__ __forceinline__ uint32_t sum_warp(uint32_t value) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  return __reduce_add_sync(kAllLanes, value);
#else
#pragma unroll
  for (uint32_t d = kWarp / 2; d != 0; d /= 2) value += __shfl_xor_sync(kAllLanes, value, d);
  return value;
#endif
}

} // namespace dfaparse
