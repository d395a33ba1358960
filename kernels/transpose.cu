// Records of one length to columns: index, partition and convert in one. Record i is
// the bytes from i*length on, so that nothing has to be looked for.
//
//   dfa_transpose       a tile of records lies in shared memory, and its warps take 32 records of one
//                       cell at a time: values, validity where some may be null, spans of texts
//   dfa_transpose_rows  the list of rows that are left, as dfa_leftover makes it
//
// It is Mateescu's transposition of tables ("Table transpose for GPU databases", GTC 2014) for cells of
// different widths, which are known at run time only: memory is read by 16 bytes and written side by
// side, and records are an odd number of words apart in shared memory, so that 32 lanes find their cells
// in 32 banks.
//
// The twin is Cells of internal/convert.
#include "layout.cuh"
#include "scan.cuh"

namespace dfaparse {

constexpr uint32_t kTransposeThreads = 256;
constexpr uint32_t kTransposeWarps = kTransposeThreads / kWarp;
constexpr uint32_t kTransposeRun = 4; // blocks of 32 rows that a warp takes at once
constexpr uint32_t kTransposeMore = 16; // bytes that may be read behind a tile

// How a cell becomes a value: convert.CellForm, and a text.
enum CellForm : uint32_t { kCellBits, kCellScaled, kCellDecimal, kCellText };
enum CellFlag : uint32_t { kCellBigEndian = 1, kCellSigned = 2, kCellPadded = 4 };

struct TransposeCell {
  uint8_t* values;     // Output.fixed; of a text span_start
  uint32_t* ends;      // of a text span_end
  uint32_t* valid;     // Output.valid and todo; of kCellBits without nulls nobody looks at them
  uint32_t* todo;
  uint32_t* counters;
  const int64_t* nulls; // [nnulls] numbers that are null
  uint32_t at;         // in the record
  uint32_t width;      // bytes of the cell
  uint32_t to;         // bytes of the value
  uint32_t form;       // CellForm
  uint32_t flags;      // CellFlag
  uint32_t nnulls;
  uint32_t pad;        // of kCellPadded: the symbol that fills texts up
  uint32_t reserved;
  int64_t since, times, lo, hi; // value = (cell+since)*times, cell+since from lo to hi; of a decimal only these
};

struct Transpose {
  const TransposeCell* cells;
  uint32_t ncells;
  uint32_t length;  // bytes of a record
  uint32_t pitch;   // from one record to the next in shared memory: length, or 4 more
  uint32_t inverse; // 2^32/length, rounded up
  uint32_t rows;    // of a tile, a multiple of 32
  uint32_t resume;  // the state in which records begin
};

extern __shared__ __align__(16) uint8_t transposed[];

__device__ __forceinline__ uint32_t swapped(uint32_t w) { return __byte_perm(w, 0, 0x0123); }

// The bits of a cell of 1, 2, 4 or 8 bytes at a byte of shared memory, as a little-endian number.
template <uint32_t width> __device__ __forceinline__ uint2 cell_bits(uint32_t at, bool big) {
  if constexpr (width == 1) return make_uint2(transposed[at], 0);
  const uint32_t* words = reinterpret_cast<const uint32_t*>(transposed) + at / 4;
  const uint32_t shift = (at & 3) * 8;
  uint32_t low = words[0];
  if constexpr (width == 2) {
    low = shift == 24 ? __funnelshift_r(low, words[1], 24) : low >> shift;
    return make_uint2(big ? __byte_perm(low, 0, 0x4401) : low & 0xffff, 0);
  }
  if constexpr (width == 4) {
    if (shift != 0) low = __funnelshift_r(low, words[1], shift);
    return make_uint2(big ? swapped(low) : low, 0);
  }
  uint32_t high = words[1];
  low = __funnelshift_r(low, high, shift);
  if (shift != 0) high = __funnelshift_r(high, words[2], shift);
  return big ? make_uint2(swapped(high), swapped(low)) : make_uint2(low, high);
}

// The same as a number of 64 bits.
__device__ __forceinline__ int64_t cell_number(uint32_t width, uint32_t flags, uint32_t at) {
  const bool big = (flags & kCellBigEndian) != 0;
  uint2 b = width == 8 ? cell_bits<8>(at, big) : width == 4 ? cell_bits<4>(at, big) : width == 2 ? cell_bits<2>(at, big) : cell_bits<1>(at, big);
  uint64_t v = (uint64_t)b.y << 32 | b.x;
  const uint32_t unused = 64 - 8 * width;
  return flags & kCellSigned ? (int64_t)(v << unused) >> unused : (int64_t)v;
}

template <uint32_t width> __device__ __forceinline__ void store_bits(uint8_t* to, uint2 bits) {
  if constexpr (width == 1) *to = (uint8_t)bits.x;
  else if constexpr (width == 2) *reinterpret_cast<uint16_t*>(to) = (uint16_t)bits.x;
  else if constexpr (width == 4) *reinterpret_cast<uint32_t*>(to) = bits.x;
  else *reinterpret_cast<uint2*>(to) = bits;
}

// Cells that are values as they lie, by a warp: up to kTransposeRun blocks of 32 rows, row is the lane's first
// one and at its cell.
template <uint32_t width> __device__ __forceinline__ void move_cells(uint8_t* values, bool big, uint32_t at, uint32_t step, uint64_t row, uint32_t n) {
  uint8_t* to = values + row * width;
  uint2 bits[kTransposeRun];
#pragma unroll
  for (uint32_t i = 0; i < kTransposeRun; i++)
    if (i * kWarp + lane_id() < n) bits[i] = cell_bits<width>(at + i * step, big);
#pragma unroll
  for (uint32_t i = 0; i < kTransposeRun; i++)
    if (i * kWarp + lane_id() < n) store_bits<width>(to + i * kWarp * width, bits[i]);
}

// Cells that are more than bits.
__device__ __noinline__ void make_cells(const TransposeCell& cell, uint32_t at, uint32_t step, uint64_t row, uint32_t n, uint32_t length) {
  if (cell.form == kCellText) {
    uint32_t* starts = reinterpret_cast<uint32_t*>(cell.values);
    for (uint32_t i = lane_id(); i < n; i += kWarp, at += step, row += kWarp) {
      uint32_t size = cell.width;
      if (cell.flags & kCellPadded)
        while (size > 0 && transposed[at + size - 1] == cell.pad) size--;
      const uint32_t start = (uint32_t)row * length + cell.at;
      starts[row] = start;
      cell.ends[row] = start + size;
    }
    return;
  }
  uint32_t nulls = 0, lefts = 0;
  for (uint32_t i = lane_id(); i - lane_id() < n; i += kWarp, at += step, row += kWarp) {
    const bool there = i < n;
    int64_t v = 0, value = 0;
    bool null = false, left = false;
    if (there) {
      v = cell_number(cell.width, cell.flags, at);
      for (uint32_t k = 0; k < cell.nnulls; k++) null |= v == cell.nulls[k];
      if (cell.form == kCellBits) {
        value = v;
      } else {
        // A sum that overflows wraps around; two's complement tells.
        const int64_t sum = (int64_t)((uint64_t)v + (uint64_t)cell.since);
        left = sum < cell.lo || sum > cell.hi || ((v ^ sum) & (cell.since ^ sum)) < 0 || (v < 0 && !(cell.flags & kCellSigned));
        value = (int64_t)((uint64_t)sum * (uint64_t)cell.times);
      }
      left &= !null;
      if (null || left) value = 0;
      if (cell.to == 16) reinterpret_cast<ulonglong2*>(cell.values)[row] = make_ulonglong2((uint64_t)value, (uint64_t)(value >> 63));
      else if (cell.to == 8) reinterpret_cast<int64_t*>(cell.values)[row] = value;
      else if (cell.to == 4) reinterpret_cast<int32_t*>(cell.values)[row] = (int32_t)value;
      else if (cell.to == 2) reinterpret_cast<int16_t*>(cell.values)[row] = (int16_t)value;
      else reinterpret_cast<int8_t*>(cell.values)[row] = (int8_t)value;
    }
    const uint32_t all = __ballot_sync(kAllLanes, there), is_null = __ballot_sync(kAllLanes, null), is_left = __ballot_sync(kAllLanes, left);
    nulls += (uint32_t)__popc(is_null);
    lefts += (uint32_t)__popc(is_left);
    if (lane_id() == 0) {
      cell.valid[row / 32] = all & ~is_null & ~is_left;
      cell.todo[row / 32] = is_left;
    }
  }
  if (lane_id() == 0 && nulls != 0) atomicAdd(&cell.counters[0], nulls);
  if (lane_id() == 0 && lefts != 0) atomicAdd(&cell.counters[1], lefts);
}

} // namespace dfaparse

// Any grid: blocks take tiles in turn.
extern "C" __global__ void __launch_bounds__(dfaparse::kTransposeThreads) dfa_transpose(const dfaparse::Job* job, const dfaparse::Delivery* delivery, const dfaparse::Transpose* transpose) {
  using namespace dfaparse;
  const Transpose x = *transpose;
  const uint32_t rows = job->size / x.length;
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    Counts* counts = job->counts;
    const bool cut_off = job->final && rows * x.length != job->size; // the last record is
    counts->records = counts->rows = cut_off ? 0 : rows;
    counts->fields = counts->rows * delivery->nfields;
    counts->consumed = rows * x.length;
    counts->resume = counts->end_state = x.resume;
    counts->unfused = cut_off;
  }
  if (rows > delivery->capacity) return; // the host compares them
  for (uint64_t first = (uint64_t)blockIdx.x * x.rows; first < rows; first += (uint64_t)gridDim.x * x.rows) {
    const uint32_t n = min(x.rows, rows - (uint32_t)first);
    const uint32_t quads = (n * x.length + 15) / 16;
    const uint4* from = reinterpret_cast<const uint4*>(job->data + first * x.length);
    if (x.pitch == x.length) {
#pragma unroll 4
      for (uint32_t i = threadIdx.x; i < quads; i += kTransposeThreads) reinterpret_cast<uint4*>(transposed)[i] = __ldg(from + i);
    } else { // records are whole words
#pragma unroll 4
      for (uint32_t i = threadIdx.x; i < quads; i += kTransposeThreads) {
        const uint4 quad = __ldg(from + i);
        const uint32_t word[4] = {quad.x, quad.y, quad.z, quad.w};
#pragma unroll
        for (uint32_t k = 0; k < 4; k++) {
          const uint32_t at = i * 16 + k * 4;
          *reinterpret_cast<uint32_t*>(transposed + at + __umulhi(at, x.inverse) * 4) = word[k];
        }
      }
    }
    __syncthreads();
    const uint32_t runs = (n + kTransposeRun * kWarp - 1) / (kTransposeRun * kWarp);
    for (uint32_t u = warp_id(); u < runs * x.ncells; u += kTransposeWarps) {
      const uint32_t c = u / runs, begin = (u - c * runs) * (kTransposeRun * kWarp);
      const TransposeCell& cell = x.cells[c];
      const uint32_t at = (begin + lane_id()) * x.pitch + cell.at, step = kWarp * x.pitch, there = min(n - begin, kTransposeRun * kWarp);
      const uint64_t row = first + begin + lane_id();
      const bool big = (cell.flags & kCellBigEndian) != 0;
      if (cell.form != kCellBits || cell.nnulls != 0) make_cells(cell, at, step, row, there, x.length);
      else if (cell.width == 8) move_cells<8>(cell.values, big, at, step, row, there);
      else if (cell.width == 4) move_cells<4>(cell.values, big, at, step, row, there);
      else if (cell.width == 2) move_cells<2>(cell.values, big, at, step, row, there);
      else move_cells<1>(cell.values, big, at, step, row, there);
    }
    __syncthreads();
  }
}

// Any grid. n[0] is zeroed before.
extern "C" __global__ void __launch_bounds__(256)
    dfa_transpose_rows(const dfaparse::Job* job, const dfaparse::Delivery* delivery, const dfaparse::Transpose* transpose, dfaparse::Leftover* list, uint32_t* n, uint64_t capacity) {
  using namespace dfaparse;
  const uint32_t rows = min(job->counts->rows, delivery->capacity), words = (rows + 31) / 32, length = transpose->length;
  for (uint32_t w = blockIdx.x * blockDim.x + threadIdx.x; w < words; w += gridDim.x * blockDim.x) {
    uint32_t left = 0;
    for (uint32_t o = 0; o < delivery->noutputs; o++) {
      const Output& output = delivery->outputs[o];
      if (output.counters[1] != 0) left |= output.todo[w];
    }
    if (left == 0) continue;
    uint32_t at = atomicAdd(n, (uint32_t)__popc(left));
    for (; left != 0 && at < capacity; left &= left - 1, at++) {
      const uint32_t row = w * 32 + (uint32_t)__ffs((int)left) - 1;
      list[at] = Leftover{row, row * length, row * length + length, transpose->resume};
    }
  }
}
