// Which bytes are a symbol, several at a time.
#pragma once

#include "device.cuh"

namespace dfaparse {

// Bit i: byte i of w is that of which `four` has four.
__device__ __forceinline__ uint32_t equal_bytes(uint32_t w, uint32_t four) {
  constexpr uint32_t low = 0x7f7f7f7f;
  uint32_t x = w ^ four;
  uint32_t null = ~(((x & low) + low) | x | low); // 0x80 where they are equal
  return (null >> 7) * 0x01020408u >> 24;         // the lowest byte's bit is bit 0
}

__device__ __forceinline__ uint32_t equal_bytes(const uint4& v, uint32_t four) {
  return equal_bytes(v.x, four) | equal_bytes(v.y, four) << 4 | equal_bytes(v.z, four) << 8 | equal_bytes(v.w, four) << 12;
}

// Whether one of 16 bytes is that of which `four` has four.
__device__ __forceinline__ bool any_equal(const uint4& v, uint32_t four) {
  constexpr uint32_t ones = 0x01010101;
  const uint32_t a = v.x ^ four, b = v.y ^ four, c = v.z ^ four, d = v.w ^ four;
  return ((((a - ones) & ~a) | ((b - ones) & ~b) | ((c - ones) & ~c) | ((d - ones) & ~d)) & 0x80808080) != 0;
}

} // namespace dfaparse
