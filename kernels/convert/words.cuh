// Symbols eight at a time: the first in the lowest byte of a word. XOR with '0'
// makes digits their values; shifting left makes room in front, which zeros
// fill as leading zeros. The twin is runtime/convert/swar.go.
#pragma once

#include "../device.cuh"

namespace dfaparse {

constexpr uint64_t kEachByte = 0x0101010101010101ull;
constexpr uint64_t kZeros = '0' * kEachByte;
constexpr uint64_t kHighBits = 0x80 * kEachByte;

// Not 0 if a byte of x is above 9.
__device__ inline uint32_t not_digits4(uint32_t x) { return (x + (0x80 - 10) * (uint32_t)kEachByte | x) & (uint32_t)kHighBits; }
__device__ inline uint32_t not_digits8(uint64_t x) { return not_digits4((uint32_t)x) | not_digits4((uint32_t)(x >> 32)); }

// The number that digits are, the first in the lowest byte.
__device__ inline uint32_t digits4(uint32_t x) { return __dp4a(x, 0x0000010au, 0u) * 100 + __dp4a(x, 0x010a0000u, 0u); }
__device__ inline uint32_t digits8(uint64_t x) { return digits4((uint32_t)x) * 10000 + digits4((uint32_t)(x >> 32)); }

// Bit 7 of each byte of x that is c. A byte after one that is may be taken for
// one that is, too: the lowest is right.
__device__ inline uint64_t find_byte(uint64_t x, uint32_t c) {
  uint64_t y = x ^ c * kEachByte;
  return (y - kEachByte) & ~y & kHighBits;
}

// The bit offset of the lowest byte that found says.
__device__ inline uint32_t lowest_byte(uint64_t found) {
  uint32_t low = (uint32_t)found;
  return (low != 0 ? (uint32_t)__ffs((int)low) : 32 + (uint32_t)__ffs((int)(uint32_t)(found >> 32))) - 8;
}

// Takes the byte at bit offset d out of x: the bytes before it move up.
__device__ inline uint64_t squeeze(uint64_t x, uint32_t d) {
  uint64_t below = ((uint64_t)1 << d) - 1;
  return (x & ~(below << 8 | 0xff)) | (x & below) << 8;
}

// x of n bytes, 1 to 8, moved to the highest bytes; what came after them is
// gone, and zeros come before.
__device__ inline uint64_t right_aligned(uint64_t x, uint32_t n) { return x << (64 - 8 * n); }

} // namespace dfaparse
