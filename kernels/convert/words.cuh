// Symbols eight at a time: the first in the lowest byte of a word. XOR with '0'
// makes digits their values; shifting left makes room in front, which zeros
// fill as leading zeros. The twin is internal/convert/swar.go.
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

// Takes the lowest byte that found says, which is not 0, out of x: the bytes
// before it move up. *after: how many come after it.
__device__ inline uint64_t squeeze(uint64_t x, uint64_t found, uint32_t* after) {
  uint64_t through = found ^ (found - 1); // the bytes through the one that goes
  *after = 8 - (uint32_t)__popcll(through) / 8;
  return (x & ~through) | (x << 8 & through);
}

// x of n bytes, 1 to 8, moved to the highest bytes; what came after them is
// gone, and zeros come before.
__device__ inline uint64_t right_aligned(uint64_t x, uint32_t n) { return x << (64 - 8 * n); }

} // namespace dfaparse
