// Copies to shared memory that a thread does not wait for, which devices of compute capability
// 8.0 and above have; elsewhere they are made at once.
#pragma once

#include "device.cuh"

namespace dfaparse {

// 16 bytes from global to shared memory, while the thread goes on: those of which
// commit_copies was called all but `last` times before have come after wait_for_copies.
__device__ __forceinline__ void copy_async(uint4* to, const uint4* from) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;" ::"r"(uint32_t(__cvta_generic_to_shared(to))), "l"(from) : "memory");
#else
  *to = __ldg(from);
#endif
}
__device__ __forceinline__ void commit_copies() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
template <uint32_t last>
__device__ __forceinline__ void wait_for_copies() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(last) : "memory");
#endif
}

} // namespace dfaparse
