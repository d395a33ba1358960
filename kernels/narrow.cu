// Narrow values: what goes to the host of a column of integers, dates, times or
// decimals, and the lengths of texts in place of their offsets, in fewer bytes. A
// value is base + unit*n, where base is the smallest of the flight (a frame of reference: Goldstein, Ramakrishnan and Shaft,
// "Compressing Relations and Indexes", ICDE 1998), unit a power of 1000 that all
// are multiples of, and n takes 0, 1, 2, 4 or, of 16, 8 bytes.
//
//   dfa_narrow_range
//     in   Output.fixed or offsets, valid, todo, counters, as NarrowColumn has them
//     out  NarrowRange
//   dfa_narrow
//     in   both
//     out  the n of all columns that become narrow, column by column, each
//          64-byte aligned, as many as there are rows
//
// The host decides from NarrowRange what the second kernel decides: how wide a
// column's n are, and so where they lie. Of a row that is null or left, n is not
// defined. The twin is runtime/gpu/narrow.go, which also makes values of n.
#include "layout.cuh"
#include "scan.cuh"

namespace dfaparse {

// A column that may become narrow.
struct NarrowColumn {
  const void* values;    // [capacity], or offsets: [capacity+1]
  const uint32_t* valid; // bitmaps of the rows
  const uint32_t* todo;
  const uint32_t* counters; // Output.counters: without nulls and rows left, nobody looks at the bitmaps
  uint32_t width; // bytes of a value: 4, 8 or 16
  uint32_t units; // how many of kUnits are tried
  uint32_t lengths; // not 0: the values are how far each offset is from the next, of every row
  uint32_t reserved;
};

// What the values of a column have in common; zeroed before. A value is that of
// 64 bits, sign-extended, and compared as if 2^63 were added.
struct NarrowRange {
  unsigned long long top;    // the largest, 2^63 added
  unsigned long long bottom; // the complement of the smallest, 2^63 added
  uint32_t misfit;           // bit i: one is no multiple of kUnits[i]; bit 31: one has more than 64 bits
  uint32_t reserved;
};
constexpr uint64_t kBias = 1ull << 63;
constexpr uint32_t kTooLong = 1u << 31;

// A power of 10: 2^shift times an odd number, of which this is the inverse
// modulo 2^64. n is a multiple of it if n*inverse, rotated by shift, is not
// above most (Hacker's Delight, 10-17).
struct NarrowUnit {
  uint64_t inverse, most;
  uint32_t shift;
};
constexpr uint32_t kNarrowUnits = 3;
__device__ constexpr NarrowUnit kUnits[kNarrowUnits] = {
    {0x1cac083126e978d5ull, 0xffffffffffffffffull / 1000, 3},
    {0x790fb65668c26139ull, 0xffffffffffffffffull / 1000000, 6},
    {0x8e47ce423a2e9c6dull, 0xffffffffffffffffull / 1000000000, 9},
};

constexpr uint32_t kNarrowThreads = 256;
constexpr uint32_t kNarrowStep = 8; // rows a thread loads at once
constexpr uint32_t kNarrowRows = 2048; // that a block takes at once
static_assert(kNarrowRows == kNarrowThreads * kNarrowStep, "each thread takes its rows");

__device__ __forceinline__ uint32_t narrow_rows(const Job* job, uint64_t capacity) {
  return (uint32_t)min((uint64_t)job->counts->rows, capacity);
}

// The rows that a thread takes at once.
__device__ __forceinline__ uint32_t row_of(uint32_t first, uint32_t k) { return first + k * kNarrowThreads + threadIdx.x; }

// The values of these rows, their low 64 bits; of rows that are not there, those
// of the last one. Bit k of what is given: the k-th has more bits.
__device__ __forceinline__ uint32_t load_values(const NarrowColumn& column, uint32_t first, uint32_t rows, uint64_t* value) {
  uint32_t longer = 0;
  if (column.lengths) {
    auto* offsets = static_cast<const uint32_t*>(column.values);
#pragma unroll
    for (uint32_t k = 0; k < kNarrowStep; k++) {
      uint32_t row = min(row_of(first, k), rows - 1);
      value[k] = offsets[row + 1] - offsets[row];
    }
  } else if (column.width == 4) {
#pragma unroll
    for (uint32_t k = 0; k < kNarrowStep; k++) value[k] = (uint64_t)(int64_t)static_cast<const int32_t*>(column.values)[min(row_of(first, k), rows - 1)];
  } else if (column.width == 8) {
#pragma unroll
    for (uint32_t k = 0; k < kNarrowStep; k++) value[k] = static_cast<const uint64_t*>(column.values)[min(row_of(first, k), rows - 1)];
  } else {
#pragma unroll
    for (uint32_t k = 0; k < kNarrowStep; k++) {
      ulonglong2 both = static_cast<const ulonglong2*>(column.values)[min(row_of(first, k), rows - 1)];
      value[k] = both.x;
      longer |= (uint32_t)(both.y != (uint64_t)((int64_t)both.x >> 63)) << k;
    }
  }
  return longer;
}

__device__ __forceinline__ bool is_multiple(uint64_t n, const NarrowUnit& unit) {
  uint64_t q = n * unit.inverse;
  return (q >> unit.shift | q << (64 - unit.shift)) <= unit.most;
}

// What becomes of a column.
struct Narrowed {
  uint64_t base, inverse;
  uint32_t shift;
  uint32_t width; // bytes of an n; that of a value: it stays as it is
};

__device__ inline Narrowed decide_narrow(const NarrowColumn& column, const NarrowRange& range) {
  uint64_t bottom = ~range.bottom;
  Narrowed x{bottom ^ kBias, 1, 0, column.width};
  if (range.misfit & kTooLong) return x;
  if (range.top < bottom) { // no value
    x.width = 0;
    return x;
  }
  for (uint32_t i = 0; i < column.units && !(range.misfit >> i & 1); i++) x.inverse = kUnits[i].inverse, x.shift = kUnits[i].shift;
  uint64_t n = ((range.top - bottom) >> x.shift) * x.inverse;
  uint32_t width = n == 0 ? 0 : n <= 0xff ? 1 : n <= 0xffff ? 2 : n <= 0xffffffff ? 4 : 8;
  x.width = min(width, column.width);
  return x;
}

// The bytes that a column takes among those that become narrow.
__device__ __forceinline__ uint64_t narrow_size(const NarrowColumn& column, const NarrowRange& range, uint32_t rows) {
  uint32_t width = decide_narrow(column, range).width;
  return width == column.width ? 0 : ((uint64_t)rows * width + 63) & ~(uint64_t)63;
}

template <class T>
__device__ __forceinline__ void store_values(uint8_t* to, uint32_t first, uint32_t rows, const uint64_t* n) {
#pragma unroll
  for (uint32_t k = 0; k < kNarrowStep; k++) {
    if (row_of(first, k) < rows) reinterpret_cast<T*>(to)[row_of(first, k)] = (T)n[k];
  }
}

} // namespace dfaparse

// Grid: x over rows, of any size, y over columns, which are not more.
extern "C" __global__ void __launch_bounds__(256)
    dfa_narrow_range(const dfaparse::Job* job, const dfaparse::NarrowColumn* columns, dfaparse::NarrowRange* ranges, uint64_t capacity) {
  using namespace dfaparse;
  __shared__ unsigned long long tops[kNarrowThreads / kWarp], bottoms[kNarrowThreads / kWarp];
  __shared__ uint32_t misfits[kNarrowThreads / kWarp];
  NarrowColumn column = columns[blockIdx.y];
  uint32_t rows = narrow_rows(job, capacity);
  if (blockIdx.x * kNarrowRows >= rows) return;
  bool all = column.lengths || (column.counters[0] == 0 && column.counters[1] == 0);
  unsigned long long top = 0, bottom = 0;
  uint32_t misfit = 0;
  for (uint32_t first = blockIdx.x * kNarrowRows; first < rows; first += gridDim.x * kNarrowRows) {
    uint64_t value[kNarrowStep];
    uint32_t longer = load_values(column, first, rows, value), counts = 0; // bit k: the k-th does
#pragma unroll
    for (uint32_t k = 0; k < kNarrowStep; k++) {
      uint32_t row = row_of(first, k);
      if (row < rows && (all || (column.valid[row / 32] & ~column.todo[row / 32]) >> (row & 31) & 1)) counts |= 1u << k;
    }
    if ((longer & counts) != 0) misfit |= kTooLong;
#pragma unroll
    for (uint32_t k = 0; k < kNarrowStep; k++) {
      if (!(counts >> k & 1)) continue;
      unsigned long long biased = value[k] ^ kBias;
      top = max(top, biased);
      bottom = max(bottom, ~biased);
      if (column.units == 0) continue;
      uint64_t n = (int64_t)value[k] < 0 ? 0 - value[k] : value[k];
#pragma unroll
      for (uint32_t i = 0; i < kNarrowUnits; i++) misfit |= (uint32_t)!is_multiple(n, kUnits[i]) << i;
    }
  }
#pragma unroll
  for (uint32_t d = kWarp / 2; d != 0; d /= 2) {
    top = max(top, __shfl_xor_sync(kAllLanes, top, d));
    bottom = max(bottom, __shfl_xor_sync(kAllLanes, bottom, d));
    misfit |= __shfl_xor_sync(kAllLanes, misfit, d);
  }
  if (lane_id() == 0) {
    tops[warp_id()] = top;
    bottoms[warp_id()] = bottom;
    misfits[warp_id()] = misfit;
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (uint32_t w = 1; w < kNarrowThreads / kWarp; w++) {
    top = max(top, tops[w]);
    bottom = max(bottom, bottoms[w]);
    misfit |= misfits[w];
  }
  atomicMax(&ranges[blockIdx.y].top, top);
  atomicMax(&ranges[blockIdx.y].bottom, bottom);
  if (misfit != 0) atomicOr(&ranges[blockIdx.y].misfit, misfit);
}

// The same grid. to has room for capacity times half the width of each column,
// each rounded up to 64.
extern "C" __global__ void __launch_bounds__(256)
    dfa_narrow(const dfaparse::Job* job, const dfaparse::NarrowColumn* columns, const dfaparse::NarrowRange* ranges, uint64_t capacity, uint8_t* to) {
  using namespace dfaparse;
  __shared__ unsigned long long before;
  NarrowColumn column = columns[blockIdx.y];
  uint32_t rows = narrow_rows(job, capacity);
  Narrowed x = decide_narrow(column, ranges[blockIdx.y]);
  if (blockIdx.x * kNarrowRows >= rows || x.width == column.width || x.width == 0) return;
  if (threadIdx.x == 0) before = 0;
  __syncthreads();
  for (uint32_t c = threadIdx.x; c < blockIdx.y; c += kNarrowThreads) {
    uint64_t size = narrow_size(columns[c], ranges[c], rows);
    if (size != 0) atomicAdd(&before, (unsigned long long)size);
  }
  __syncthreads();
  to += before;
  for (uint32_t first = blockIdx.x * kNarrowRows; first < rows; first += gridDim.x * kNarrowRows) {
    uint64_t n[kNarrowStep];
    load_values(column, first, rows, n);
#pragma unroll
    for (uint32_t k = 0; k < kNarrowStep; k++) n[k] = ((n[k] - x.base) >> x.shift) * x.inverse;
    if (x.width == 1) {
      store_values<uint8_t>(to, first, rows, n);
    } else if (x.width == 2) {
      store_values<uint16_t>(to, first, rows, n);
    } else if (x.width == 4) {
      store_values<uint32_t>(to, first, rows, n);
    } else {
      store_values<uint64_t>(to, first, rows, n);
    }
  }
}
