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
#include "split/parts.cuh"

namespace dfaparse {

// Tables of up to so many transitions are read from shared memory.
constexpr uint32_t kSharedTransitions = 2048;

// Puts the parts of a row's value.
struct PutParts {
  const Split* split;
  const Delivery* delivery;
  uint32_t row, value; // value: where it starts in the source
  __device__ __forceinline__ void at(uint32_t part, uint32_t start, uint32_t end) const {
    int32_t column = split->part_column[part];
    if (column < 0) return;
    uint64_t i = uint64_t(uint32_t(column)) * delivery->capacity + row;
    delivery->span_start[i] = start;
    delivery->span_end[i] = end;
  }
  __device__ __forceinline__ void operator()(uint32_t part, uint32_t start, uint32_t end) const { at(part, value + start, value + end); }
  __device__ inline void none() const {
    for (uint32_t part = 0; part < split->nparts; part++) at(part, kAbsent, 0);
  }
};

// Whether the parts of a row are known: they are put, or absent if the automaton does
// not accept the value.
__device__ inline bool split_row(const Split* split, const Delivery* delivery, uint32_t row, const uint8_t* group, const Transition* table) {
  uint64_t at = uint64_t(split->column) * delivery->capacity + row;
  uint32_t start = delivery->span_start[at];
  PutParts put = {split, delivery, row, start};
  put.none();
  if (start == kAbsent) return true;
  uint32_t n = delivery->span_end[at] - start;
  if (start >= kScattered || n > kLongestSplit) return false;
  const uint8_t* from = split->source + start;
  if (is_null_value(*split, from, n)) return true;
  Apart apart = split_value(*split, from, n, group, table, put);
  if (apart != kNotApart) return apart == kApart;
  put.none();
  return !split->strict;
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
