// Records of one length to columns: index, partition and convert in one. Record i is
// the bytes from i*length on, so that nothing has to be looked for.
//
//   dfa_transpose       a tile of records lies in shared memory, and its warps take 32 records of one
//                       cell at a time, or more of a narrow one: values as they lie
//   dfa_transpose_all   the same where there are other cells too: values, validity where some may be
//                       null, spans of texts
//   dfa_transpose_rows  the list of rows that are left, as dfa_leftover makes it
//
// It is Mateescu's transposition of tables ("Table transpose for GPU databases", GTC 2014) for cells of
// different widths, which are known at run time only: memory is read by 16 bytes and written side by
// side, and records of a multiple of 16 bytes have a gap of a word between them in shared memory, so that
// 32 lanes find their cells in 32 banks, or no more than two in one.
//
// The twin is Cells of internal/convert.
#include "layout.cuh"
#include "scan.cuh"

namespace dfaparse {

constexpr uint32_t kTransposeThreads = 256;
constexpr uint32_t kTransposeWarps = kTransposeThreads / kWarp;
constexpr uint32_t kTransposeBlocks = 8; // a multiprocessor, where there is room for so many threads
constexpr uint32_t kTransposeAtOnce = 4; // blocks of 32 rows
constexpr uint32_t kCellRows = 4 * kWarp; // of a cell that is more than bits, that a warp takes at once
constexpr uint32_t kTransposeMore = 16; // bytes that may be read behind a tile

// A cell that is a value as it lies, in either order of bytes, and never null.
struct CellMove {
  uint8_t* values; // Output.fixed
  uint32_t at;     // in the record
  uint32_t big;    // 1: big-endian
};

// How another cell becomes a value: convert.CellForm, and a text.
enum CellForm : uint32_t { kCellBits, kCellScaled, kCellDecimal, kCellText };
enum CellFlag : uint32_t { kCellBigEndian = 1, kCellSigned = 2, kCellPadded = 4 };

struct TransposeCell {
  uint8_t* values;     // Output.fixed; of a text span_start
  uint32_t* ends;      // of a text span_end
  uint32_t* valid;     // Output.valid and todo
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
  const CellMove* moves;      // those of 8 bytes first, then of 4, 2 and 1
  const TransposeCell* cells; // [ncells] the others
  uint32_t ends[4];           // where moves of a width end
  uint32_t ncells;
  uint32_t length;     // bytes of a record
  uint32_t pitch;      // from one record to the next in shared memory: length, or 4 more
  uint32_t per_length; // 2^32/length, rounded up
  uint32_t rows;       // of a tile, a multiple of 32
  uint32_t per_blocks; // 2^32/(rows/32), rounded up
  uint32_t moves_at;   // where they lie in shared memory, behind the tile
  uint32_t resume;     // the state in which records begin
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

// What a block has of a tile.
struct TransposeTile {
  uint64_t first; // row
  uint32_t rows;  // that are there
  uint32_t pitch;
  uint32_t blocks, per_blocks; // of 32 rows, and 2^32 through them, rounded up
};

// Cells of a width, as values; a warp takes several blocks of 32 rows at once. unit is what the warp takes first, and of the next
// width after these.
template <uint32_t width> __device__ __forceinline__ uint32_t move_cells(const CellMove* moves, uint32_t nmoves, const TransposeTile& tile, uint32_t unit) {
  const uint32_t nblocks = nmoves * tile.blocks, units = (nblocks + kTransposeAtOnce - 1) / kTransposeAtOnce;
  for (; unit < units; unit += kTransposeWarps) {
    uint2 bits[kTransposeAtOnce];
    uint8_t* to[kTransposeAtOnce];
    bool there[kTransposeAtOnce];
#pragma unroll
    for (uint32_t i = 0; i < kTransposeAtOnce; i++) {
      const uint32_t block = kTransposeAtOnce * unit + i, cell = tile.blocks == 1 ? block : __umulhi(block, tile.per_blocks);
      const uint32_t row = (block - cell * tile.blocks) * kWarp + lane_id();
      there[i] = block < nblocks && row < tile.rows;
      if (!there[i]) continue;
      const CellMove move = moves[cell];
      to[i] = move.values + (tile.first + row) * width;
      bits[i] = cell_bits<width>(row * tile.pitch + move.at, move.big);
    }
#pragma unroll
    for (uint32_t i = 0; i < kTransposeAtOnce; i++)
      if (there[i]) store_bits<width>(to[i], bits[i]);
  }
  return unit - units;
}

// Cells of 1 or 2 bytes: a lane has as many rows side by side as make a word, and which of them it
// takes first differs among lanes, so that these find theirs in 32 banks.
template <uint32_t width> __device__ __forceinline__ uint32_t move_narrow(const CellMove* moves, uint32_t nmoves, const TransposeTile& tile, uint32_t unit) {
  constexpr uint32_t kEach = 4 / width, kRows = kEach * kWarp;
  const uint32_t runs = (tile.blocks + kEach - 1) / kEach, units = nmoves * runs, turn = lane_id() / (kWarp / kEach);
  uint32_t of[kEach];
#pragma unroll
  for (uint32_t i = 0; i < kEach; i++) of[i] = (lane_id() * kEach + ((i + turn) & (kEach - 1))) * tile.pitch;
  uint32_t cell = unit / runs, run = unit - cell * runs;
  const uint32_t cells = kTransposeWarps / runs, some = kTransposeWarps - cells * runs; // that a warp's next unit is further
  for (; unit < units; unit += kTransposeWarps) {
    const CellMove move = moves[cell];
    const uint32_t row = run * kRows, at = row * tile.pitch + move.at;
    uint8_t* to = move.values + (tile.first + row) * width;
    if (row + kRows <= tile.rows) {
      uint32_t word;
      if constexpr (width == 1) {
        uint32_t b[kEach];
#pragma unroll
        for (uint32_t i = 0; i < kEach; i++) b[i] = transposed[at + of[i]];
        word = __byte_perm(__byte_perm(b[0], b[1], 0x0040), __byte_perm(b[2], b[3], 0x0040), 0x5410);
      } else {
        word = __byte_perm(cell_bits<2>(at + of[0], false).x, cell_bits<2>(at + of[1], false).x, 0x5410);
      }
      word = __funnelshift_l(word, word, turn * 8 * width);
      if (width == 2 && move.big) word = __byte_perm(word, 0, 0x2301);
      reinterpret_cast<uint32_t*>(to)[lane_id()] = word;
    } else {
      for (uint32_t r = lane_id(); row + r < tile.rows; r += kWarp) store_bits<width>(to + r * width, cell_bits<width>(at + r * tile.pitch, move.big));
    }
    cell += cells;
    run += some;
    if (run >= runs) {
      run -= runs;
      cell++;
    }
  }
  return unit - units;
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

// Puts 16 bytes into shared memory, which is waited for by transpose_arrive.
__device__ __forceinline__ void transpose_bring(uint4* to, const uint4* from) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((uint32_t)__cvta_generic_to_shared(to)), "l"(from) : "memory");
#else
  *to = __ldg(from);
#endif
}
__device__ __forceinline__ void transpose_arrive() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

// Reads a tile into shared memory.
__device__ __forceinline__ void transpose_read(const uint8_t* data, uint32_t size, const Transpose& x) {
  const uint4* from = reinterpret_cast<const uint4*>(data);
  const uint32_t quads = (size + 15) / 16;
  if (x.pitch == x.length) {
#pragma unroll 4
    for (uint32_t i = threadIdx.x; i < quads; i += kTransposeThreads) transpose_bring(reinterpret_cast<uint4*>(transposed) + i, from + i);
    transpose_arrive();
    return;
  }
#pragma unroll 4
  for (uint32_t i = threadIdx.x; i < quads; i += kTransposeThreads) { // records are whole words
    const uint4 quad = __ldg(from + i);
    const uint32_t word[4] = {quad.x, quad.y, quad.z, quad.w};
#pragma unroll
    for (uint32_t k = 0; k < 4; k++) {
      const uint32_t at = i * 16 + k * 4;
      *reinterpret_cast<uint32_t*>(transposed + at + __umulhi(at, x.per_length) * 4) = word[k];
    }
  }
}

// Makes columns of a block's tile. all: there are cells that are more than bits.
template <bool all> __device__ __forceinline__ void transpose_tile(const Job* job, const Delivery* delivery, const Transpose& x) {
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
  const uint64_t first = (uint64_t)blockIdx.x * x.rows;
  if (rows > delivery->capacity || first >= rows) return; // the host compares them
  CellMove* moves = reinterpret_cast<CellMove*>(transposed + x.moves_at);
  for (uint32_t i = threadIdx.x; i < x.ends[3]; i += kTransposeThreads) moves[i] = x.moves[i];
  const TransposeTile tile{first, min(x.rows, rows - (uint32_t)first), x.pitch, x.rows / kWarp, x.per_blocks};
  transpose_read(job->data + first * x.length, tile.rows * x.length, x);
  __syncthreads();
  uint32_t unit = warp_id();
  unit = move_cells<8>(moves, x.ends[0], tile, unit);
  unit = move_cells<4>(moves + x.ends[0], x.ends[1] - x.ends[0], tile, unit);
  unit = move_narrow<2>(moves + x.ends[1], x.ends[2] - x.ends[1], tile, unit);
  unit = move_narrow<1>(moves + x.ends[2], x.ends[3] - x.ends[2], tile, unit);
  if constexpr (all) {
    const uint32_t runs = (tile.rows + kCellRows - 1) / kCellRows;
    for (; unit < runs * x.ncells; unit += kTransposeWarps) {
      const uint32_t c = unit / runs, row = (unit - c * runs) * kCellRows;
      const TransposeCell& cell = x.cells[c];
      make_cells(cell, (row + lane_id()) * x.pitch + cell.at, kWarp * x.pitch, first + row + lane_id(), min(tile.rows - row, kCellRows), x.length);
    }
  }
}

} // namespace dfaparse

// A block has a tile.
extern "C" __global__ void __launch_bounds__(dfaparse::kTransposeThreads, dfaparse::kTransposeBlocks) dfa_transpose(const dfaparse::Job* job, const dfaparse::Delivery* delivery, const dfaparse::Transpose* transpose) {
  dfaparse::transpose_tile<false>(job, delivery, *transpose);
}
extern "C" __global__ void __launch_bounds__(dfaparse::kTransposeThreads) dfa_transpose_all(const dfaparse::Job* job, const dfaparse::Delivery* delivery, const dfaparse::Transpose* transpose) {
  dfaparse::transpose_tile<true>(job, delivery, *transpose);
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
