// Where records begin that go over several lines: the symbol that ends them ends
// lines, too, and some symbols behind it tell whether a record begins there. A
// small automaton of its own decides that, whatever the state before the symbol,
// see recordBegins in runtime/gpu/begins.go.
#pragma once

#include "../layout.cuh"

namespace dfaparse {

// A transition of it: the next node times symbol groups, or one of these.
constexpr uint16_t kBeginYes = 0xffff, kBeginNo = 0xfffe;
constexpr uint32_t kBeginTransitions = 4096;

// Reads from p on, behind the symbol, until it is decided whether a record begins there,
// and gives what follows what told, in *told. What the input does not decide is none, but
// that of which nothing is there at the end of all.
__device__ __forceinline__ bool begins_behind(const uint16_t* next, const uint8_t* groups, const Job& job, uint32_t p, uint32_t* told) {
  const uint32_t* words = reinterpret_cast<const uint32_t*>(job.data);
  const uint32_t size = job.size;
  if (job.final && p == size) { // its end ends the record, as one symbol more
    *told = size + 1;
    return true;
  }
  uint32_t node = 0, low = p < size ? __ldg(words + p / 4) : 0;
  while (p < size) {
    const uint32_t high = __ldg(words + p / 4 + 1), w = __funnelshift_r(low, high, 8 * (p & 3));
    uint32_t group[4];
#pragma unroll
    for (uint32_t i = 0; i < 4; i++) group[i] = groups[w >> 8 * i & 0xff];
#pragma unroll
    for (uint32_t i = 0; i < 4; i++) {
      if (p + i == size) return false;
      node = next[node + group[i]];
      if (node >= kBeginNo) {
        *told = p + i + 1;
        return node == kBeginYes;
      }
    }
    low = high;
    p += 4;
  }
  return false;
}

} // namespace dfaparse
