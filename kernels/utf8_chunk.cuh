// Whether symbols are UTF-8 (RFC 3629), four at a time and without looking at
// where fields begin: what stands in a word is held against the three bytes
// before each of its bytes. Job.chunk_utf8 says it of whole chunks.
#pragma once

#include "layout.cuh"

namespace dfaparse {

constexpr uint32_t kNotASCII = 0x80808080u;

// Not 0 if some byte of w is never in UTF-8, or is not what the bytes before it
// ask for; `before` is the word before w, the first byte of each lowest. Bit 7
// of each byte of an expression is what counts: of w<<k, that is bit 7-k.
__device__ __forceinline__ uint32_t utf8_errors(uint32_t before, uint32_t w) {
  uint32_t a = __funnelshift_l(before, w, 8), b = __funnelshift_l(before, w, 16), c = __funnelshift_l(before, w, 24);
  // A byte goes on (10xxxxxx) where one before it has announced that.
  uint32_t announced = (a & a << 1) | (b & b << 1 & b << 2) | (c & c << 1 & c << 2 & c << 3);
  uint32_t bad = (w & ~(w << 1)) ^ announced;
  // c0, c1, and f5 and above.
  uint32_t four = w & w << 1 & w << 2 & w << 3;
  bad |= w & w << 1 & ~(w << 2 | w << 3 | w << 4 | w << 5 | w << 6);
  bad |= four & (w << 4 | (w << 5 & (w << 6 | w << 7)));
  // After e0 comes a0 to bf, after ed 80 to 9f, after f0 90 to bf, after f4 80 to 8f.
  uint32_t three = a & a << 1 & a << 2, more = a << 3, low = a << 4 | a << 5 | a << 6 | a << 7;
  uint32_t high = w << 2 | w << 3;
  bad |= three & ~(more | low | w << 2);
  bad |= three & ~more & a << 4 & a << 5 & ~(a << 6) & a << 7 & w << 2;
  bad |= three & more & ~(low | high);
  bad |= three & more & ~(a << 4) & a << 5 & ~(a << 6 | a << 7) & high;
  return bad & kNotASCII;
}

// Whether n words are UTF-8, those around them known: every sequence that has a
// byte in them is right. word(i) is word i, from -1 through n.
template <uint32_t n, class Word>
__device__ __forceinline__ bool are_utf8(const Word& word) {
  uint32_t some = 0;
#pragma unroll
  for (uint32_t i = 0; i < n; i++) some |= word(int32_t(i));
  if ((some & kNotASCII) == 0) return true; // what is around may be wrong, but nothing of it lies here
  uint32_t before = word(-1), bad = 0;
#pragma unroll (n <= 4 ? n + 1 : 1)
  for (uint32_t i = 0; i <= n; i++) {
    uint32_t w = word(int32_t(i));
    if (((before | w) & kNotASCII) != 0) bad |= utf8_errors(before, w);
    before = w;
  }
  return bad == 0;
}

// Whether a chunk is, as are_utf8 has it: what Job.chunk_utf8 is 0 for.
template <class Word>
__device__ __forceinline__ bool is_utf8_chunk(const Word& word) {
  return are_utf8<kChunk / 4>(word);
}

} // namespace dfaparse
