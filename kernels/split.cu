// Takes the values of a column apart: each part of a value is a span of its
// own, in a column of the spans that looks like any other.
//
//   in   Delivery.splits, the spans of their columns, and the values' bytes
//   out  the spans of their parts; Split.left
//
// A thread takes a row. It leaves what it would have to copy, to wait for or to
// report: a value that is scattered or long, a part that is, and, if the split
// is strict, a value that the automaton does not accept.
//
// The twin is Table.Fields (dfa/fields.go) with Splitter (internal/convert).
#include "scan.cuh"
#include "span.cuh"

namespace dfaparse {

// Beyond that many symbols a value is left: the others of its warp would wait.
constexpr uint32_t kLongestSplit = 4096;

// Tables of up to so many transitions are read from shared memory.
constexpr uint32_t kSharedTransitions = 2048;

// The field of a value that is being read. Its data symbols so far are
// data_start to data_end-1, unless they would have to be copied.
struct Piece {
  uint32_t column;
  uint32_t data_start, data_end;
  bool copied;
};

// One value and where its parts go.
struct Value {
  const Split* split;
  const Delivery* delivery;
  uint32_t row;
  uint32_t start; // in the source
  uint32_t n;
};

__device__ __forceinline__ void put_part(const Value& value, uint32_t part, uint32_t start, uint32_t end) {
  int32_t column = value.split->part_column[part];
  if (column < 0) return;
  uint64_t at = uint64_t(uint32_t(column)) * value.delivery->capacity + value.row;
  value.delivery->span_start[at] = start;
  value.delivery->span_end[at] = end;
}

__device__ inline void put_no_parts(const Value& value) {
  for (uint32_t part = 0; part < value.split->nparts; part++) put_part(value, part, kAbsent, 0);
}

// Ends piece with e at symbol p; false: it would have to be copied.
__device__ inline bool end_piece(const Value& value, const Emission& e, uint32_t p, Piece* piece) {
  uint32_t boundary = p - e.lag;
  uint32_t column = e.column == kNextColumn ? piece->column : uint32_t(e.column);
  bool placed = true;
  if (column < value.split->nparts) {
    uint32_t end = min(piece->data_end, boundary), start = min(piece->data_start, end);
    placed = !piece->copied;
    if (placed) put_part(value, column, value.start + start, value.start + end);
  }
  *piece = Piece{column + 1, boundary + 1 + e.open, p + 1, false};
  return placed;
}

// Whether the parts of a value are known: they are put, or absent if the
// automaton does not accept the value.
__device__ inline bool split_value(const Value& value, const uint8_t* group, const Transition* table) {
  const Program& program = *value.split->program;
  const uint8_t* from = value.split->source + value.start;
  Piece piece = {0, 0, 0, false};
  uint32_t state = program.start, code = 0;
  bool placed = true, ended = false;
  uint64_t word = 0; // the symbols from p on, as far as they have been loaded
  for (uint32_t p = 0; p < value.n && !ended; p++, word >>= 8) {
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
      if (kind != kError) placed = end_piece(value, e, p, &piece) && placed;
      ended = kind == kRecord;
    }
  }
  if (!ended) {
    const Emission& e = program.emissions[program.at_eof[state]];
    ended = e.kind == kRecord;
    if (ended) {
      if (code == 0) code = e.code;
      placed = end_piece(value, e, value.n, &piece) && placed;
    }
  }
  if (ended && code == 0) return placed;
  put_no_parts(value);
  return !value.split->strict;
}

// Whether value is one of the column's null tokens.
__device__ inline bool is_token(const Value& value) {
  const uint8_t* token = value.split->tokens;
  const uint8_t* from = value.split->source + value.start;
  for (uint32_t i = 0; i < value.split->ntokens; i++) {
    uint32_t n = *reinterpret_cast<const uint32_t*>(token), same = 0;
    if (n == value.n) {
      while (same < n && token[4 + same] == from[same]) same++;
      if (same == n) return true;
    }
    token += 4 + ((n + 3) & ~3u);
  }
  return false;
}

__device__ inline bool split_row(const Split* split, const Delivery* delivery, uint32_t row, const uint8_t* group, const Transition* table) {
  uint64_t at = uint64_t(split->column) * delivery->capacity + row;
  uint32_t start = delivery->span_start[at];
  Value value = {split, delivery, row, start, 0};
  put_no_parts(value);
  if (start == kAbsent) return true;
  value.n = delivery->span_end[at] - start;
  if (start >= kScattered || value.n > kLongestSplit) return false;
  return is_token(value) || split_value(value, group, table);
}

// Splits the rows of a grid, one a thread; written per table so that the
// compiler knows which memory it is in.
__device__ __forceinline__ void split_rows(const Job* job, const Delivery* delivery, const Split* split, const uint8_t* group, const Transition* table) {
  uint32_t rows = delivery_rows(job, delivery);
  uint64_t stride = uint64_t(gridDim.x) * blockDim.x;
  for (uint64_t row = uint64_t(blockIdx.x) * blockDim.x + threadIdx.x; row - lane_id() < delivery->capacity; row += stride) {
    bool left = row < rows && !split_row(split, delivery, uint32_t(row), group, table);
    uint32_t bits = __ballot_sync(kAllLanes, left);
    if (lane_id() == 0) split->left[row >> 5] = bits;
  }
}

} // namespace dfaparse

// Grid: x over rows, y over splits.
extern "C" __global__ void __launch_bounds__(256) dfa_split(const dfaparse::Job* job, const dfaparse::Delivery* delivery) {
  using namespace dfaparse;
  __shared__ Transition table[kSharedTransitions];
  __shared__ uint8_t group[256];
  for (uint64_t s = blockIdx.y; s < delivery->nsplits; s += gridDim.y) {
    const Split* split = &delivery->splits[s];
    const Program& program = *split->program;
    uint32_t transitions = program.groups * program.states;
    if (transitions > kSharedTransitions) {
      split_rows(job, delivery, split, program.group, program.table);
      continue;
    }
    for (uint32_t i = threadIdx.x; i < 256; i += blockDim.x) group[i] = program.group[i];
    for (uint32_t i = threadIdx.x; i < transitions; i += blockDim.x) table[i] = program.table[i];
    __syncthreads();
    split_rows(job, delivery, split, group, table);
    __syncthreads();
  }
}
