// Values of rows that the host has read, put into columns that stay on the device in place of what is there.
// Such rows are few, and in order.
//
//   dfa_patch_records
//     in   symbols, and where those are that the host has to read
//     out  these, one behind the other
//   dfa_patch_values
//     in   rows and their values
//     out  the column's values
//   dfa_patch_texts
//     in   rows, where the text of each ends among those of the host, and the column's offsets
//     out  Inserted of each, and how far what is behind it moves
//   dfa_patch_offsets, dfa_patch_bytes
//     in   these, and the column's offsets and bytes
//     out  its offsets and bytes, elsewhere
//   dfa_patch_kept
//     in   rows that are left out, and values
//     out  the values of the others, elsewhere
//
// The twin is runtime/gpu, patch.go.
#include "scan.cuh"
#include "word.cuh"

namespace dfaparse {

// A text of the host's: it is from byte begin to end-1 of the column's new bytes, and from byte text on of the host's.
// What follows is from byte old on of the column's old bytes.
struct alignas(16) Inserted {
  uint32_t begin, end, old, text;
};

// Symbols from `from` to `end`-1, which go to byte `at`.
struct Brought {
  uint32_t from;
  uint32_t end;
  uint64_t at;
};

constexpr uint32_t kPatchThreads = 256;

// Of n that grow, the first for which after says yes; n: none.
template <class After>
__device__ __forceinline__ uint64_t first_after(uint64_t n, const After& after) {
  uint64_t from = 0;
  while (from < n) {
    const uint64_t middle = (from + n) / 2;
    if (after(middle)) {
      n = middle;
    } else {
      from = middle + 1;
    }
  }
  return from;
}

template <class T>
__device__ __forceinline__ void keep_value(uint8_t* to, const uint8_t* from, uint64_t i, uint64_t of) {
  reinterpret_cast<T*>(to)[i] = reinterpret_cast<const T*>(from)[of];
}

} // namespace dfaparse

// n parts, a warp each. Any grid.
extern "C" __global__ void __launch_bounds__(256) dfa_patch_records(uint8_t* to, const uint8_t* symbols, const uint4* parts, uint64_t n) {
  using namespace dfaparse;
  const uint64_t warps = (uint64_t)gridDim.x * (kPatchThreads / kWarp);
  for (uint64_t i = (uint64_t)blockIdx.x * (kPatchThreads / kWarp) + warp_id(); i < n; i += warps) {
    const Brought part = reinterpret_cast<const Brought*>(parts)[i];
    for (uint32_t k = lane_id(); k < part.end - part.from; k += kWarp) to[part.at + k] = symbols[part.from + k];
  }
}

// n values of width bytes, 1 to 16, to rows of a column. Any grid.
extern "C" __global__ void __launch_bounds__(256) dfa_patch_values(uint8_t* to, const uint32_t* rows, const uint8_t* values, uint64_t n, uint64_t width) {
  const uint64_t threads = (uint64_t)gridDim.x * blockDim.x, all = n * width;
  for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < all; i += threads) to[rows[i / width] * width + i % width] = values[i];
}

// shift[k], k from 0 to n: how far what lies behind k of the rows moves. One block.
extern "C" __global__ void __launch_bounds__(256)
    dfa_patch_texts(uint4* inserted, uint32_t* shift, const uint32_t* rows, const uint32_t* ends, uint64_t n, const uint32_t* offsets) {
  using namespace dfaparse;
  __shared__ uint32_t sums[kPatchThreads / kWarp];
  uint32_t before = 0; // of those of the rounds before
  for (uint64_t first = 0; first < n; first += kPatchThreads) {
    const uint64_t i = first + threadIdx.x;
    uint32_t from = 0, to = 0, text = 0, size = 0;
    if (i < n) {
      from = offsets[rows[i]], to = offsets[rows[i] + 1];
      text = i == 0 ? 0 : ends[i - 1];
      size = ends[i] - text;
    }
    uint32_t total, moved = before + scan_block_exclusive<kPatchThreads>(size - (to - from), Sum(), sums, &total);
    if (i < n) {
      shift[i] = moved;
      inserted[i] = make_uint4(from + moved, from + moved + size, to, text);
    }
    before += total;
    __syncthreads(); // sums are used again
  }
  if (threadIdx.x == 0) shift[n] = before;
}

// The new offsets of nrows rows, and the last. Any grid.
extern "C" __global__ void __launch_bounds__(256)
    dfa_patch_offsets(uint32_t* to, const uint32_t* offsets, uint64_t nrows, const uint32_t* rows, const uint32_t* shift, uint64_t n) {
  using namespace dfaparse;
  for (uint64_t row = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; row <= nrows; row += (uint64_t)gridDim.x * blockDim.x) {
    to[row] = offsets[row] + shift[first_after(n, [=](uint64_t i) { return rows[i] >= row; })];
  }
}

// The new bytes, of which there are `last`, 16 a thread. `to` is 16-byte aligned and has room for a multiple of 16. Any grid.
extern "C" __global__ void __launch_bounds__(256)
    dfa_patch_bytes(uint8_t* to, const uint8_t* bytes, const uint8_t* text, const uint4* list, uint64_t n, const uint32_t* last) {
  using namespace dfaparse;
  const Inserted* inserted = reinterpret_cast<const Inserted*>(list);
  const uint64_t size = *last;
  for (uint64_t slice = 16 * ((uint64_t)blockIdx.x * blockDim.x + threadIdx.x); slice < size; slice += 16 * (uint64_t)gridDim.x * blockDim.x) {
    uint64_t k = first_after(n, [=](uint64_t i) { return inserted[i].begin > slice; });
    const uint64_t end = slice + 16 < size ? slice + 16 : size;
    for (uint64_t at = slice; at < end;) {
      while (k < n && inserted[k].begin <= at) k++;
      uint64_t until = k < n ? inserted[k].begin : size;
      const uint8_t* from = bytes + at;
      if (k > 0) {
        const Inserted x = inserted[k - 1];
        if (at < x.end) {
          from = text + x.text + (at - x.begin);
          until = x.end;
        } else {
          from = bytes + x.old + (at - x.end);
        }
      }
      if (until >= slice + 16 && at == slice && end == slice + 16) {
        *reinterpret_cast<uint4*>(to + slice) = make_uint4(word_at(from), word_at(from + 4), word_at(from + 8), word_at(from + 12));
        break;
      }
      if (until > end) until = end;
      for (; at < until; at++) to[at] = *from++;
    }
  }
}

// The first n of the values of width bytes, a power of 2 up to 16, whose rows are not among ngone. Any grid.
extern "C" __global__ void __launch_bounds__(256)
    dfa_patch_kept(uint8_t* to, const uint8_t* from, const uint32_t* gone, uint64_t ngone, uint64_t n, uint64_t width) {
  using namespace dfaparse;
  for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (uint64_t)gridDim.x * blockDim.x) {
    const uint64_t of = i + first_after(ngone, [=](uint64_t k) { return gone[k] - k > i; });
    switch (width) {
    case 1: keep_value<uint8_t>(to, from, i, of); break;
    case 2: keep_value<uint16_t>(to, from, i, of); break;
    case 4: keep_value<uint32_t>(to, from, i, of); break;
    case 8: keep_value<uint64_t>(to, from, i, of); break;
    case 16: keep_value<uint4>(to, from, i, of); break;
    }
  }
}
