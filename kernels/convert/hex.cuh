// Hexadecimal digits, four at a time.
#pragma once

#include "../device.cuh"

namespace dfaparse {

// The values of four hexadecimal digits in any case, a byte each, the first
// lowest. Adds to bad, byte by byte, what is not 0 where there is none.
__device__ __forceinline__ uint32_t hex_values(uint32_t x, uint32_t* bad) {
  // Digits are 3x, letters 4x or 6x. A digit's value is its low nibble, below
  // 10; a letter's is that plus 9, from 10 to 15.
  uint32_t letter = x >> 6 & 0x01010101;
  uint32_t high = (x ^ (0x30303030 + letter * 0x10)) & (0xf0f0f0f0 - letter * 0x20);
  uint32_t v = (x & 0x0f0f0f0f) + letter * 9;
  *bad |= high | (((v + 0x06060606) ^ letter << 4) & 0x10101010) | (v & 0x10101010);
  return v;
}

// Eight digits as four bytes, the first lowest.
__device__ __forceinline__ uint32_t hex_bytes(uint32_t first, uint32_t last, uint32_t* bad) {
  uint32_t a = hex_values(first, bad), b = hex_values(last, bad);
  return __byte_perm(a << 4 | a >> 8, b << 4 | b >> 8, 0x6420);
}

} // namespace dfaparse
