// Views of strings, Arrow's Utf8View: of a row 16 bytes, which are its length and then, if it has
// kInView bytes at most, the string itself, zeros behind; else its first 4 bytes, the number of a
// buffer, and where it begins there. Buffer 0 is what the text's symbols are read from, so that a
// string whose symbols stand side by side for themselves is not copied. The others are put into the
// heap as strings without views are: that is buffer 1.
#pragma once

#include "layout.cuh"

namespace dfaparse {

constexpr uint32_t kInView = 12; // bytes
constexpr uint32_t kSymbolsBuffer = 0, kHeapBuffer = 1;
constexpr uint32_t kSomeInHeap = 6; // of Output.counters: not 0 if some string is

// Of Output.flags, beside OutputFlags, kPartly and kWritten: of rows whose lengths are 0, who made these has made the
// views as well.
constexpr uint32_t kViewed = 1u << 29;

// All bits of the first n bytes of a word; n may be less than 0, and more than 4.
__device__ __forceinline__ uint32_t first_bytes(int32_t n) { return __funnelshift_lc(~0u, 0, 8 * uint32_t(max(n, 0))); }

// The view of a string of n bytes that lies at byte `at` of a buffer, and begins with words a, b and c,
// of which nothing is asked beyond its end, and of b and c only if all of it is in the view.
__device__ __forceinline__ uint4 view_of(uint32_t n, uint32_t a, uint32_t b, uint32_t c, uint32_t buffer, uint32_t at) {
  if (n > kInView) return make_uint4(n, a, buffer, at);
  const int32_t bytes = int32_t(n);
  return make_uint4(n, a & first_bytes(bytes), b & first_bytes(bytes - 4), c & first_bytes(bytes - 8));
}

} // namespace dfaparse
