// Whether texts are UTF-8 (RFC 3629), for texts of any length: a thread checks
// short ones, a warp longer ones, and the whole device those that are longer
// than kLongText. ASCII is told by whole words; only where there is something
// else are symbols looked at one by one.
#pragma once

#include "../span.cuh"
#include "field.cuh"

namespace dfaparse {

constexpr uint32_t kShortText = 64;        // bytes that one thread checks
constexpr uint32_t kLongText = 32 * 1024;  // bytes that one warp checks
constexpr uint32_t kTextStep = 16;         // symbols that a thread checks at once
constexpr uint32_t kMostApart = 4096;      // symbols between two bytes of a sequence

constexpr uint32_t kNotASCII = 0x80808080u;

// A sequence of bytes that is being read.
struct Sequence {
  uint32_t more;      // bytes to come
  uint32_t low, high; // of the next one
  bool bad;

  __device__ void take(uint32_t c) {
    if (more != 0) {
      bad |= c < low || c > high;
      more--;
      low = 0x80, high = 0xbf;
    } else if (c >= 0x80) {
      bad |= c < 0xc2 || c > 0xf4;
      more = c < 0xe0 ? 1 : c < 0xf0 ? 2 : 3;
      low = c == 0xe0 ? 0xa0 : c == 0xf0 ? 0x90 : 0x80;
      high = c == 0xed ? 0x9f : c == 0xf4 ? 0x8f : 0xbf;
    }
  }
};

// By one thread, a field of any length.
template <class F>
__device__ inline bool is_utf8(const F& field) {
  Sequence s{0, 0x80, 0xbf, false};
#pragma unroll 1
  for (uint32_t i = 0; i < field.n && !s.bad; i += 4) {
    uint32_t w = field.load4(i), n = min(field.n - i, 4u);
    if (n < 4) w &= (1u << 8 * n) - 1;
    if (s.more == 0 && (w & kNotASCII) == 0) continue;
#pragma unroll 1
    for (uint32_t k = 0; k < n; k++) s.take(w >> 8 * k & 0xff);
  }
  return !s.bad && s.more == 0;
}

// A text in the source, whose bytes are those of is_data, or all if that is
// null.
struct Text {
  const uint8_t* source;
  const uint32_t* is_data;
  Span span;

  __device__ bool has(uint32_t p) const { return is_data == nullptr || (is_data[p >> 5] >> (p & 31) & 1) != 0; }
};

// Whether some symbol of step p, a multiple of kTextStep, that lies in the
// text's span is not ASCII.
__device__ __forceinline__ bool not_ascii(const Text& text, uint32_t p) {
  uint4 v = *(const uint4*)(text.source + p);
  uint32_t words[4] = {v.x, v.y, v.z, v.w};
  uint32_t from = max(p, text.span.start) - p, to = min(p + kTextStep, text.span.end) - p;
  uint32_t some = 0;
#pragma unroll
  for (uint32_t i = 0; i < 4; i++) {
    uint32_t w = words[i];
    if (from > 4 * i) w = from >= 4 * i + 4 ? 0 : w & ~0u << 8 * (from - 4 * i);
    if (to < 4 * i + 4) w = to <= 4 * i ? 0 : w & ~(~0u << 8 * (to - 4 * i));
    some |= w;
  }
  return (some & kNotASCII) != 0;
}

// Whether all sequences are right that have a byte in step p, symbol by symbol.
// A sequence that begins before it is read from its begin, one that ends behind
// it to its end. False, too, where its bytes lie very far apart.
__device__ __noinline__ bool is_utf8_step(Text text, uint32_t p) {
  uint32_t from = max(p, text.span.start), to = min(p + kTextStep, text.span.end);
  while (from < to && !text.has(from)) from++;
  if (from == to) return true;
  if ((text.source[from] & 0xc0) == 0x80) {
    // The begin is one of three bytes before it.
    uint32_t begin = from;
    for (uint32_t back = 0; back < 3 && (text.source[begin] & 0xc0) == 0x80; back++) {
      do {
        if (begin == text.span.start || from - begin > kMostApart) return false;
        begin--;
      } while (!text.has(begin));
    }
    from = begin; // if that is no begin either, it is refused
  }
  Sequence s{0, 0x80, 0xbf, false};
  for (uint32_t i = from; i < text.span.end && (i < to || s.more != 0) && !s.bad; i++) {
    if (i - from > 2 * kMostApart) return false;
    if (text.has(i)) s.take(text.source[i]);
  }
  return !s.bad && s.more == 0;
}

// Whether a part of the text is UTF-8: what threads check that take every
// stride-th step from step p on, before end.
__device__ __forceinline__ bool is_utf8_part(const Text& text, uint32_t p, uint32_t stride, uint32_t end) {
  constexpr uint32_t kAtOnce = 4;
  bool bad = false;
  end = min(end, text.span.end);
  for (; p < end && !bad; p += kAtOnce * stride) {
    bool some[kAtOnce];
#pragma unroll
    for (uint32_t i = 0; i < kAtOnce; i++) some[i] = p + i * stride < end && not_ascii(text, p + i * stride);
#pragma unroll
    for (uint32_t i = 0; i < kAtOnce; i++) {
      if (some[i]) bad |= !is_utf8_step(text, p + i * stride);
    }
  }
  return !bad;
}

// By a whole warp: whether the text is UTF-8. Its source is 16-byte aligned.
__device__ inline bool is_utf8_warp(const Text& text) {
  uint32_t first = (text.span.start & ~(kTextStep - 1)) + (threadIdx.x & 31) * kTextStep;
  return __all_sync(0xffffffffu, is_utf8_part(text, first, 32 * kTextStep, text.span.end)) != 0;
}

} // namespace dfaparse
