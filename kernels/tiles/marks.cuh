// What the tiles of tiles.cu know of their symbols without stepping an automaton:
// by bit masks, where fields and records end, and what is quoted.
#pragma once

#define DFAPARSE_TILES
#include "../fused/rows.cuh"

namespace dfaparse {

// What a tile adds to what is before it, whether that ends outside of quotes, 0, or
// inside, 1: fields that end, where the last of them does, plus 1, or 0; and
// whether its quotes are odd. The facts are its own, and not added.
struct TileCount {
  uint32_t fields[2], last[2], odd, facts;
};

// Before a tile there are so many fields, the last of which ends there; and whether
// it begins inside of quotes. facts are the tile's.
struct TileStart {
  uint32_t fields, last, odd, facts;
};

// Bits 0 to 14 and 15 to 29 are how many records end, in both cases.
constexpr uint32_t kRecordsShift = 15, kRecordsMask = 0x7fff;
constexpr uint32_t kMarked = 1u << 30;     // there are quotes, or returns, or it is the last
constexpr uint32_t kOtherThanASCII = 1u << 31;

struct TileCounts {
  __device__ __forceinline__ TileCount operator()(const TileCount& earlier, const TileCount& later) const {
    TileCount both;
#pragma unroll
    for (uint32_t i = 0; i < 2; i++) {
      bool crossed = earlier.odd != 0;
      uint32_t last = later.last[i];
      uint32_t fields = later.fields[i];
      if (crossed) {
        last = later.last[1 - i];
        fields = later.fields[1 - i];
      }
      both.fields[i] = earlier.fields[i] + fields;
      both.last[i] = last != 0 ? last : earlier.last[i];
    }
    both.odd = earlier.odd ^ later.odd;
    both.facts = 0;
    return both;
  }
  __device__ __forceinline__ TileCount identity() const { return TileCount{{0, 0}, {0, 0}, 0, 0}; }
};

// 0x80 for each byte of w that is that of which `four` has four, below it anything.
__device__ __forceinline__ uint32_t same(uint32_t w, uint32_t four) {
  constexpr uint32_t kLow = 0x7f7f7f7f;
  uint32_t x = w ^ four;
  return ~(((x & kLow) + kLow) | x);
}
constexpr uint32_t kHigh4 = 0x80808080u;

// Of four words with bits 7 of bytes, a bit a byte, in order.
__device__ __forceinline__ uint32_t bits_of(uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
  uint32_t low = __dp4a(b & kHigh4, 0x80402010u, __dp4a(a & kHigh4, 0x08040201u, 0u));
  uint32_t high = __dp4a(d & kHigh4, 0x80402010u, __dp4a(c & kHigh4, 0x08040201u, 0u));
  return low >> 7 | (high << 1 & 0xff00u);
}
__device__ __forceinline__ uint32_t bits_same(const uint4& v, uint32_t four) {
  return bits_of(same(v.x, four), same(v.y, four), same(v.z, four), same(v.w, four));
}

// Bit i: of bits 0 to i an odd number is set.
__device__ __forceinline__ uint64_t odd_through(uint64_t bits) {
#pragma unroll
  for (uint32_t d = 1; d < 64; d *= 2) bits ^= bits << d;
  return bits;
}

// What the symbols of a chunk are; bit i is symbol i.
struct ChunkMarks {
  uint64_t fields, records, quotes, returns;
};

// Of the first n symbols of a chunk.
__device__ __forceinline__ ChunkMarks marks_of(const uint4* quads, const Fused* fused, uint32_t n) {
  ChunkMarks m{0, 0, 0, 0};
  const uint32_t field = fused->field_end, record = fused->line_end, quote = fused->quote, carriage = fused->carriage, marks = fused->marks;
#pragma unroll 1 // a quarter of the code, which all of a multiprocessor's warps share a cache for
  for (uint32_t k = 0; k < kChunk / sizeof(uint4); k++) {
    uint4 v = quads[k];
    m.fields |= uint64_t(bits_same(v, field)) << 16 * k;
    m.records |= uint64_t(bits_same(v, record)) << 16 * k;
    if (marks & kHasQuote) m.quotes |= uint64_t(bits_same(v, quote)) << 16 * k;
    if (marks & kHasReturn) m.returns |= uint64_t(bits_same(v, carriage)) << 16 * k;
  }
  uint64_t in = low_bits(n);
  m.fields &= in;
  m.records &= in;
  m.quotes &= in;
  m.returns &= in;
  return m;
}

// Whether the chunks that have the symbols from start to stop-1 of the memory are UTF-8.
__device__ __forceinline__ bool are_utf8_chunks(uint32_t start, uint32_t stop) {
  const uint32_t* wrong = fused_tile().not_utf8;
  const uint32_t last = (stop - 1) / kChunk;
  uint32_t w = start / kChunk / 32, mask = kAllLanes << start / kChunk % 32;
  for (; w < last / 32; w++, mask = kAllLanes) {
    if ((wrong[w] & mask) != 0) return false;
  }
  return (wrong[w] & mask & kAllLanes >> (31 - last % 32)) == 0;
}

} // namespace dfaparse
