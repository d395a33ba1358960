// One value of a column that is taken apart, by one thread, of split.cu, or of lines.cu, where
// a record's lane does so. The twin is that of split.cu.
#pragma once

#include "../span.cuh"

namespace dfaparse {

// Beyond that many symbols a value is left: the others of its warp would wait.
constexpr uint32_t kLongestSplit = 4096;

// The field of a value that is being read. Its data symbols so far are
// data_start to data_end-1, unless they would have to be copied.
struct Piece {
  uint32_t column;
  uint32_t data_start, data_end;
  bool copied;
};

enum Apart : uint32_t {
  kApart,     // its parts are put
  kNotApart,  // the automaton does not accept the value, some of what was put is of no use
  kApartLeft, // some part would have to be copied
};

// Ends piece with e at symbol p; false: it would have to be copied.
template <class Put>
__device__ inline bool end_piece(const Split& split, const Emission& e, uint32_t p, const Put& put, Piece* piece) {
  uint32_t boundary = p - e.lag;
  uint32_t column = e.column == kNextColumn ? piece->column : uint32_t(e.column);
  bool placed = true;
  if (column < split.nparts) {
    uint32_t end = min(piece->data_end, boundary), start = min(piece->data_start, end);
    placed = !piece->copied;
    if (placed) put(column, start, end);
  }
  *piece = Piece{column + 1, boundary + 1 + e.open, p + 1, false};
  return placed;
}

// Takes the n symbols at `from` apart, which may be read by words of 8 bytes:
// put(part, start, end) is told where its parts are.
template <class Put>
__device__ inline Apart split_value(const Split& split, const uint8_t* from, uint32_t n, const uint8_t* group, const Transition* table, const Put& put) {
  const Program& program = *split.program;
  Piece piece = {0, 0, 0, false};
  uint32_t state = program.start, code = 0;
  bool placed = true, ended = false;
  uint64_t word = 0; // the symbols from p on, as far as they have been loaded
  for (uint32_t p = 0; p < n && !ended; p++, word >>= 8) {
    uint32_t skip = uint32_t(uint64_t(from + p) & 7);
    if (skip == 0 || p == 0) word = *reinterpret_cast<const uint64_t*>(from + p - skip) >> 8 * skip;
    Transition t = table[group[word & 0xff] * program.states + state];
    uint32_t kind = t >> kKindShift & kKindMask;
    state = t & kNextMask;
    if (kind == kData) {
      if (t & kCoded) {
        piece.copied = true;
      } else if (p == piece.data_end) {
        piece.data_end++;
      } else if (piece.data_start == piece.data_end) {
        piece.data_start = p;
        piece.data_end = p + 1;
      } else {
        piece.copied = true;
      }
    } else if (kind != kSkip) {
      const Emission& e = program.emissions[t >> kEmissionShift & kEmissionMask];
      if (kind != kField && code == 0) code = e.code;
      if (kind != kError) placed = end_piece(split, e, p, put, &piece) && placed;
      ended = kind == kRecord;
    }
  }
  if (!ended) {
    const Emission& e = program.emissions[program.at_eof[state]];
    ended = e.kind == kRecord;
    if (ended) {
      if (code == 0) code = e.code;
      placed = end_piece(split, e, n, put, &piece) && placed;
    }
  }
  return !ended || code != 0 ? kNotApart : placed ? kApart : kApartLeft;
}

// Whether the n symbols at `from` are one of the column's null tokens.
__device__ inline bool is_null_value(const Split& split, const uint8_t* from, uint32_t n) {
  const uint8_t* token = split.tokens;
  for (uint32_t i = 0; i < split.ntokens; i++) {
    uint32_t length = *reinterpret_cast<const uint32_t*>(token), same = 0;
    if (length == n) {
      while (same < n && token[4 + same] == from[same]) same++;
      if (same == n) return true;
    }
    token += 4 + ((length + 3) & ~3u);
  }
  return false;
}

} // namespace dfaparse
