// Which of 16 symbols are a given one.
#pragma once

#include "../strings/text.cuh"

namespace dfaparse {

// Bit 8*i+7: byte i of x is c.
__device__ __forceinline__ uint64_t matches_of(uint64_t x, uint32_t c) {
  constexpr uint64_t kOnes = 0x0101010101010101ull, kLow = 0x7f7f7f7f7f7f7f7full;
  uint64_t y = x ^ c * kOnes;
  return ~(((y & kLow) + kLow) | y | kLow); // exact: nothing carries from byte to byte
}

// Bit i: byte i of x is c.
__device__ __forceinline__ uint32_t matches(Bytes16 x, uint32_t c) {
  constexpr uint64_t kGather = 0x0102040810204080ull;
  return uint32_t((matches_of(x.low, c) >> 7) * kGather >> 56) | uint32_t((matches_of(x.high, c) >> 7) * kGather >> 56) << 8;
}

__device__ __forceinline__ uint32_t count_matches(Bytes16 x, uint32_t c) {
  return uint32_t(__popcll(matches_of(x.low, c)) + __popcll(matches_of(x.high, c)));
}

} // namespace dfaparse
