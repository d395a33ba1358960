// Words at any address.
#pragma once

#include "device.cuh"

namespace dfaparse {

// Four bytes at any address; aligned memory around them is read.
__device__ __forceinline__ uint32_t word_at(const uint8_t* from) {
  uint64_t address = (uint64_t)from;
  auto* words = (const uint32_t*)(address & ~(uint64_t)3);
  return __funnelshift_r(words[0], words[1], (uint32_t)(address & 3) * 8);
}

} // namespace dfaparse
