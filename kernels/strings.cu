// Strings: where each begins, and their bytes. Both stages are balanced by what
// they write, so that one long value does not hold up a thread.
//
//   dfa_offsets
//     in   Output.offsets: a length per row
//     out  Output.offsets: Arrow's; Output.counters: bytes, heap offset, whether they fit
//   dfa_gather
//     in   these, Batch.span_start, span_end, Output.source, is_data, data_before
//     out  Batch.heap
//
// The twin is runtime/cpu/reference, view in convert.go, with runtime/convert,
// copy.go.
#include "scan.cuh"
#include "span.cuh"

namespace dfaparse {

// ---- offsets ----

constexpr uint32_t kOffsetsThreads = 256;
constexpr uint32_t kOffsetsTile = 4096; // rows that a block takes at once: strings.go has it too

// Adds up to 0xffffffff and stays there.
struct SaturatingSum {
  __device__ __forceinline__ uint32_t operator()(uint32_t earlier, uint32_t later) const {
    uint32_t sum = earlier + later;
    return sum < earlier ? 0xffffffffu : sum;
  }
  __device__ __forceinline__ uint32_t identity() const { return 0; }
};

// Four neighbouring rows.
struct alignas(16) Four {
  uint32_t of[4];
};

// The scratch memory, all zero before: how many outputs are done, then a
// LookBack for each output.
constexpr uint64_t kOffsetsHeader = 64;

__device__ __forceinline__ uint64_t look_back_size(uint32_t capacity) {
  uint64_t tiles = (uint64_t(capacity) + kOffsetsTile - 1) / kOffsetsTile;
  return 64 + ((tiles * 8 + 63) & ~uint64_t(63));
}

// Scans one tile of one output's lengths. Each warp has 512 neighbouring rows,
// 128 at a time, four a lane.
__device__ inline void scan_tile(uint32_t* offsets, uint32_t rows, uint32_t tile, LookBack<uint32_t, SaturatingSum>& tiles,
    uint32_t* per_warp, uint32_t* before_tile) {
  constexpr uint32_t kParts = kOffsetsTile / kOffsetsThreads / 4;
  SaturatingSum sum;
  Four rows_of[kParts];
  uint32_t before[kParts], warp_sum = 0;
  uint32_t first = tile * kOffsetsTile + warp_id() * kParts * kWarp * 4 + lane_id() * 4;
#pragma unroll
  for (uint32_t part = 0; part < kParts; part++) {
    uint32_t row = first + part * kWarp * 4;
    Four x = {{0, 0, 0, 0}};
    if (row + 4 <= rows) {
      x = *reinterpret_cast<const Four*>(offsets + row);
    } else {
      for (uint32_t i = 0; i < 4; i++) {
        if (row + i < rows) x.of[i] = offsets[row + i];
      }
    }
    uint32_t total, mine = sum(sum(x.of[0], x.of[1]), sum(x.of[2], x.of[3]));
    before[part] = sum(warp_sum, scan_warp_exclusive(mine, sum, &total));
    warp_sum = sum(warp_sum, total);
    rows_of[part] = x;
  }

  // Thread 0 to 7 of the first warp stand for the block's warps.
  if (lane_id() == 0) per_warp[warp_id()] = warp_sum;
  __syncthreads();
  if (warp_id() == 0) {
    constexpr uint32_t kWarps = kOffsetsThreads / kWarp;
    uint32_t total, mine = lane_id() < kWarps ? per_warp[lane_id()] : 0;
    mine = scan_warp_exclusive(mine, sum, &total);
    uint32_t seed = tiles.prefix(tile, total, 0);
    if (lane_id() < kWarps) per_warp[lane_id()] = sum(seed, mine);
    if (lane_id() == 0) *before_tile = sum(seed, total);
  }
  __syncthreads();

  uint32_t of_warp = per_warp[warp_id()];
#pragma unroll
  for (uint32_t part = 0; part < kParts; part++) {
    uint32_t row = first + part * kWarp * 4;
    Four x = rows_of[part], at;
    at.of[0] = sum(of_warp, before[part]);
    for (uint32_t i = 1; i < 4; i++) at.of[i] = sum(at.of[i - 1], x.of[i - 1]);
    if (row + 4 <= rows) {
      *reinterpret_cast<Four*>(offsets + row) = at;
    } else {
      for (uint32_t i = 0; i < 4; i++) {
        if (row + i < rows) offsets[row + i] = at.of[i];
      }
    }
  }
}

constexpr uint64_t kHeapAlign = 64;
constexpr uint32_t kMostText = 0x7fffffffu; // bytes of strings that int32 offsets reach

__device__ __forceinline__ uint64_t heap_size_of(uint32_t bytes) { return (uint64_t(bytes) + kHeapAlign - 1) & ~(kHeapAlign - 1); }

// Gives each output its place in the heap, by a whole warp, once all know their
// bytes.
__device__ inline void lay_heap(const Batch* batch) {
  uint64_t at = 0;
  for (uint32_t first = 0; first < batch->noutputs; first += kWarp) {
    uint32_t o = first + lane_id(), bytes = 0;
    volatile uint32_t* counters = nullptr;
    if (o < batch->noutputs) {
      counters = batch->outputs[o].counters;
      if (batch->outputs[o].offsets != nullptr) bytes = counters[2];
    }
    uint64_t total, mine = at + scan_warp_exclusive(heap_size_of(bytes), Sum(), &total);
    if (o < batch->noutputs) {
      counters[3] = uint32_t(mine);
      counters[4] = uint32_t(mine >> 32);
      counters[5] = bytes > kMostText || mine + heap_size_of(bytes) > batch->heap_size;
    }
    at += total;
  }
}

// By a whole warp: output is done. The last lays the heap.
__device__ inline void finish_output(const Job* job, const Batch* batch) {
  uint32_t done = 0;
  if (lane_id() == 0) {
    __threadfence();
    done = atomicAdd(static_cast<uint32_t*>(job->scratch), 1u);
  }
  if (__shfl_sync(kAllLanes, done, 0) + 1 != batch->noutputs) return;
  __threadfence();
  lay_heap(batch);
}

// ---- gather ----

constexpr uint32_t kSlice = 16;           // bytes of the heap that a thread makes at once
constexpr uint32_t kStep = kWarp * kSlice; // that a warp makes at once
constexpr uint32_t kLongestRun = 16 * kStep;

// 16 bytes, the first lowest, of which so many are there. The others are 0.
struct alignas(16) Bytes16 {
  uint64_t low, high;
};

struct Slice {
  Bytes16 bytes;
  uint32_t filled;

  // Adds the first n bytes of x, filled + n <= 16, n > 0.
  __device__ __forceinline__ void add(Bytes16 x, uint32_t n) {
    x.low &= low_bits(8 * min(n, 8u));
    x.high &= n <= 8 ? 0 : low_bits(8 * (n - 8));
    if (filled == 0) {
      bytes = x;
    } else if (filled < 8) {
      uint32_t shift = 8 * filled;
      bytes.low |= x.low << shift;
      bytes.high |= x.high << shift | x.low >> (64 - shift);
    } else {
      bytes.high |= x.low << 8 * (filled - 8);
    }
    filled += n;
  }
};

// The n bytes from p on, n <= 16, by aligned words, which may begin before p
// and end after them, but not in another word. What comes after is not defined.
__device__ __forceinline__ Bytes16 load_bytes(const uint8_t* p, uint32_t n) {
  uint32_t skip = uint32_t(uint64_t(p) & 7);
  const uint64_t* words = reinterpret_cast<const uint64_t*>(p - skip);
  Bytes16 x = {words[0], 0};
  if (skip + n > 8) x.high = words[1];
  if (skip == 0) return x;
  uint64_t last = skip + n > 16 ? words[2] : 0;
  uint32_t shift = 8 * skip;
  x.low = x.low >> shift | x.high << (64 - shift);
  x.high = x.high >> shift | last << (64 - shift);
  return x;
}

// The strings of one output.
struct Text {
  const uint32_t* offsets;
  const uint32_t* span_start;
  const uint32_t* span_end;
  const uint8_t* source;
  const uint8_t* default_bytes;
  uint32_t rows, bytes;
  uint8_t* to; // in the heap
};

// Adds n bytes of a field whose data symbols lie apart, from number `from` on:
// finds the first, and takes symbols that lie side by side together.
__device__ inline void add_scattered(const Job& job, const Text& text, uint32_t start, uint32_t end, uint32_t from, uint32_t n, Slice* slice) {
  uint32_t rank = data_rank(job, start) + from;
  uint32_t p = data_select(job, rank, start, end);
  uint64_t bits = chunk_bits(job.is_data, p / kChunk) >> (p % kChunk);
  for (;;) { // symbol p is bit 0, which is set
    uint32_t together = ~bits == 0 ? 64 : uint32_t(__ffsll((long long)~bits)) - 1;
    together = min(together, n);
    slice->add(load_bytes(text.source + p, together), together);
    n -= together;
    if (n == 0) return;
    rank += together;
    p += together;
    bits = together == 64 ? 0 : bits >> together;
    if (bits == 0 || p % kChunk == 0) {
      uint32_t chunk = (p + kChunk - 1) / kChunk;
      bits = chunk_bits(job.is_data, chunk);
      p = chunk * kChunk;
      if (bits == 0) {
        p = data_select(job, rank, p, end);
        bits = chunk_bits(job.is_data, p / kChunk) >> (p % kChunk);
      }
    }
    uint32_t control = uint32_t(__ffsll((long long)bits)) - 1;
    bits >>= control;
    p += control;
  }
}

// Adds n bytes of row's string, from number `from` on.
__device__ __forceinline__ void add_text(const Job& job, const Text& text, uint32_t row, uint32_t from, uint32_t n, Slice* slice) {
  uint32_t start = text.span_start[row];
  if (start < kScattered) {
    slice->add(load_bytes(text.source + start + from, n), n);
  } else if (start >= kDefaultText) {
    for (uint32_t i = 0; i < n; i++) slice->add(Bytes16{text.default_bytes[from + i], 0}, 1);
  } else {
    add_scattered(job, text, start & ~kScattered, text.span_end[row], from, n, slice);
  }
}

// The last row from low on, and before high, that begins at byte `at` or before
// it; row low does.
__device__ __forceinline__ uint32_t find_row(const uint32_t* offsets, uint32_t low, uint32_t high, uint32_t at) {
  while (high - low > 1) {
    uint32_t middle = low + (high - low) / 2;
    if (offsets[middle] <= at) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

// The slice from byte `at` on; row has that byte.
__device__ inline Bytes16 make_slice(const Job& job, const Text& text, uint32_t row, uint32_t at) {
  Slice slice = {{0, 0}, 0};
  uint32_t to = min(at + kSlice, text.bytes);
  for (;;) {
    uint32_t end = text.offsets[row + 1], n = min(end, to) - at;
    add_text(job, text, row, at - text.offsets[row], n, &slice);
    at += n;
    if (at == to) return slice.bytes;
    // Empty strings may be many.
    uint32_t tries = 4;
    do {
      row++;
    } while (text.offsets[row + 1] == at && --tries != 0);
    if (tries == 0) row = find_row(text.offsets, row, text.rows, at);
  }
}

// The last i from 0 to n-1 whose key is not above x, by a whole warp: 32 probes
// at once. Keys go up, and that of 0 is not above x.
template <class Key>
__device__ inline uint32_t find_by_warp(uint32_t n, uint64_t x, const Key& key) {
  uint32_t low = 0;
  while (n > 1) {
    uint32_t stride = (n + kWarp - 1) / kWarp, i = lane_id() * stride;
    uint32_t below = __ballot_sync(kAllLanes, lane_id() == 0 || (i < n && key(low + i) <= x));
    uint32_t last = 31 - uint32_t(__clz(int(below)));
    low += last * stride;
    n = min(stride, n - last * stride);
  }
  return low;
}

// Makes bytes from to to-1 of an output's part of the heap, by a warp. Both are
// multiples of 16. What is behind the last string is 0.
__device__ inline void gather_text(const Job& job, const Text& text, uint32_t from, uint32_t to) {
  const uint32_t* offsets = text.offsets;
  uint32_t row = 0;
  if (from < text.bytes) {
    row = find_by_warp(text.rows, from, [=](uint32_t i) { return uint64_t(offsets[i]); });
  }
  for (uint32_t step = from; step < to; step += kStep) {
    // Some power of two rows on, the step is over.
    uint32_t end = min(min(step + kStep, to), text.bytes), beyond = text.rows;
    uint64_t probe = uint64_t(row) + (uint64_t(1) << lane_id());
    uint32_t over = __ballot_sync(kAllLanes, probe >= text.rows || offsets[probe] >= end);
    beyond = uint32_t(min(uint64_t(row) + (uint64_t(1) << (__ffs(int(over)) - 1)), uint64_t(beyond)));

    uint32_t at = step + lane_id() * kSlice, mine = row;
    if (at < to) {
      Bytes16 bytes = {0, 0};
      if (at < text.bytes) {
        mine = find_row(offsets, row, beyond, at);
        bytes = make_slice(job, text, mine, at);
      }
      *reinterpret_cast<Bytes16*>(text.to + at) = bytes;
    }
    // The next step begins in the row of the last lane, or behind it.
    row = __shfl_sync(kAllLanes, at < text.bytes && at < to ? mine : row, kWarp - 1);
  }
}

__device__ __forceinline__ uint64_t heap_offset(const uint32_t* counters) { return uint64_t(counters[4]) << 32 | counters[3]; }

__device__ __forceinline__ uint32_t copied_bytes(const Output& output) {
  return output.offsets == nullptr || output.counters[5] != 0 ? 0 : output.counters[2];
}

} // namespace dfaparse

// Grid: x over tiles of rows, by ticket, y over outputs. The scratch memory is
// zero.
extern "C" __global__ void __launch_bounds__(256) dfa_offsets(const dfaparse::Job* job, const dfaparse::Batch* batch) {
  using namespace dfaparse;
  __shared__ uint32_t slot, per_warp[kOffsetsThreads / kWarp], total;
  uint32_t rows = batch_rows(job, batch), tiles = (rows + kOffsetsTile - 1) / kOffsetsTile;
  for (uint32_t o = blockIdx.y; o < batch->noutputs; o += gridDim.y) {
    const Output& output = batch->outputs[o];
    if (output.offsets == nullptr || tiles == 0) {
      if (blockIdx.x == 0 && warp_id() == 0) {
        if (output.offsets != nullptr && lane_id() == 0) output.offsets[0] = 0;
        finish_output(job, batch);
      }
      continue;
    }
    uint8_t* scratch = static_cast<uint8_t*>(job->scratch) + kOffsetsHeader + o * look_back_size(batch->capacity);
    LookBack<uint32_t, SaturatingSum> look_back(scratch, tiles, SaturatingSum());
    for (;;) {
      uint32_t tile = look_back.take(&slot);
      if (tile >= tiles) break;
      scan_tile(output.offsets, rows, tile, look_back, per_warp, &total);
      if (tile == tiles - 1 && warp_id() == 0) {
        if (lane_id() == 0) output.offsets[rows] = output.counters[2] = total;
        finish_output(job, batch);
      }
      __syncthreads(); // slot, per_warp and total are used again
    }
    __syncthreads();
  }
}

// The heap is cut into runs, which the warps of the grid take in turn.
extern "C" __global__ void __launch_bounds__(256) dfa_gather(const dfaparse::Program* program, const dfaparse::Job* job,
    const dfaparse::Batch* batch) {
  using namespace dfaparse;
  uint32_t rows = batch_rows(job, batch), noutputs = batch->noutputs;
  if (noutputs == 0 || rows == 0) return;
  const Output* outputs = batch->outputs;
  const Output& last = outputs[noutputs - 1];
  uint64_t heap = min(heap_offset(last.counters) + heap_size_of(copied_bytes(last)), batch->heap_size);

  uint64_t warps = uint64_t(gridDim.x) * (blockDim.x / kWarp);
  uint64_t warp = uint64_t(blockIdx.x) * (blockDim.x / kWarp) + warp_id();
  uint64_t share = (heap + warps - 1) / warps;
  uint64_t run = min((share + kStep - 1) / kStep * kStep, uint64_t(kLongestRun));
  for (uint64_t from = warp * run; from < heap; from += warps * run) {
    uint64_t to = min(from + run, heap);
    uint32_t o = find_by_warp(noutputs, from, [=](uint32_t i) { return heap_offset(outputs[i].counters); });
    for (; o < noutputs; o++) {
      const Output& output = outputs[o];
      uint64_t at = heap_offset(output.counters);
      if (at >= to) break;
      Text text;
      text.bytes = copied_bytes(output);
      text.offsets = output.offsets;
      text.span_start = batch->span_start + uint64_t(output.column) * batch->capacity;
      text.span_end = batch->span_end + uint64_t(output.column) * batch->capacity;
      text.source = output.source;
      text.default_bytes = output.default_bytes;
      text.rows = rows;
      text.to = batch->heap + at;
      uint64_t begin = max(from, at), end = min(to, at + heap_size_of(text.bytes));
      if (begin < end) gather_text(*job, text, uint32_t(begin - at), uint32_t(end - at));
    }
  }
}
