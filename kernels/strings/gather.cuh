// The bytes of the texts of a set (offsets.cuh), copied into its heap. The heap
// is cut into runs of some kilobytes, so that the work is even however long or
// short strings are: a warp takes a run, and each of its lanes makes 16 bytes of
// the heap at a time, of one string or of many.
//
// A set has, beside what offsets.cuh asks for,
//
//   Text text(uint32_t text) const
//   uint8_t* heap() const
#pragma once

#include "../convert/binary.cuh"
#include "offsets.cuh"

namespace dfaparse {

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

// A text of a set: of each row a string, which is the bytes that its span says,
// or what they stand for.
struct Text {
  const uint32_t* offsets;
  const uint32_t* span_start;
  const uint32_t* span_end;
  const uint8_t* source;
  const uint8_t* default_bytes;
  uint32_t rows, bytes;
  uint8_t* to;   // in the heap
  uint64_t place; // of the same, counted from the heap's begin
  uint32_t encoding = kAsIs; // BinaryEncoding
};

// What is known of a slice besides its bytes, for those who want more of it:
// that n bytes of the heap from a place on are of row, and its last if `ends`.
// Strings want no more, and have no byte behind each.
struct NoNotes {
  static constexpr uint32_t kTail = 0;
  __device__ __forceinline__ uint32_t tail() const { return 0; }
  __device__ __forceinline__ void note(uint64_t place, uint32_t n, uint32_t row, bool ends) {}
  __device__ __forceinline__ void store(uint64_t place, Bytes16 bytes) {}
};

// data_select where the symbol is expected near `from`: chunks are skipped two,
// four and so on at a time.
__device__ __forceinline__ uint32_t data_select_near(const Job& job, uint32_t k, uint32_t from, uint32_t to) {
  uint32_t low = from / kChunk, last = (to - 1) / kChunk, step = 1;
  while (low < last) {
    uint32_t next = min(low + step, last);
    if (job.data_before[next] > k) return data_select(job, k, low * kChunk, next * kChunk);
    low = next;
    step *= 2;
  }
  return low * kChunk + select_bit(chunk_bits(job.is_data, low), k - job.data_before[low]);
}

// Adds n bytes of a field whose data symbols lie apart, from the one with so many
// before it on, which is not before symbol `from`: finds it, and takes symbols
// that lie side by side together.
__device__ inline void add_ranked(const Job& job, const Text& text, uint32_t from, uint32_t end, uint32_t rank, uint32_t n, Slice* slice) {
  uint32_t p = data_select_near(job, rank, from, end);
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

// n bytes that field stands for, from number `from` on.
__device__ __forceinline__ Bytes16 decoded(uint32_t encoding, Field field, uint32_t from, uint32_t n) {
  uint64_t low = decoded8(encoding, field, from, min(n, 8u));
  return Bytes16{low, n > 8 ? decoded8(encoding, field, from + 8, n - 8) : 0};
}

// Adds n bytes of row's string, from number `from` on.
__device__ __forceinline__ void add_text(const Job& job, const Text& text, uint32_t row, uint32_t from, uint32_t n, Slice* slice) {
  uint32_t start = text.span_start[row];
  if (start < kScattered && text.encoding != kAsIs) {
    Field field{(const uint32_t*)text.source, start, text.span_end[row] - start};
    slice->add(decoded(text.encoding, field, from, n), n);
  } else if (start < kScattered) {
    slice->add(load_bytes(text.source + start + from, n), n);
  } else if (start >= kDefaultText) {
    for (uint32_t i = 0; i < n; i++) slice->add(Bytes16{text.default_bytes[from + i], 0}, 1);
  } else {
    start &= ~kScattered;
    add_ranked(job, text, start + from, text.span_end[row], data_rank(job, start) + from, n, slice);
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

// The slice from byte `at` on; row has that byte. Behind each string come
// Notes::kTail bytes, 0 or 1, of notes.tail().
template <class Notes>
__device__ inline Bytes16 make_slice(const Job& job, const Text& text, uint32_t row, uint32_t at, Notes* notes) {
  Slice slice = {{0, 0}, 0};
  uint32_t to = min(at + kSlice, text.bytes);
  for (;;) {
    uint32_t begin = text.offsets[row], end = text.offsets[row + 1], n = min(end, to) - at;
    notes->note(text.place + at, n, row, at + n == end);
    uint32_t tail = at + n == end ? Notes::kTail : 0;
    if (n > tail) add_text(job, text, row, at - begin, n - tail, &slice);
    if (tail != 0) slice.add(Bytes16{notes->tail(), 0}, 1);
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

// Makes bytes from to to-1 of a text's part of the heap, by a warp. Both are
// multiples of 16. What is behind the last string is 0.
template <class Notes>
__device__ inline void gather_text(const Job& job, const Text& text, uint32_t from, uint32_t to, const Notes& all) {
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
      Notes notes = all;
      if (at < text.bytes) {
        mine = find_row(offsets, row, beyond, at);
        bytes = make_slice(job, text, mine, at, &notes);
      }
      *reinterpret_cast<Bytes16*>(text.to + at) = bytes;
      notes.store(text.place + at, bytes);
    }
    // The next step begins in the row of the last lane, or behind it.
    row = __shfl_sync(kAllLanes, at < text.bytes && at < to ? mine : row, kWarp - 1);
  }
}

template <class Set>
__device__ __forceinline__ uint32_t copied_bytes(const Set& set, uint32_t text) {
  const uint32_t* counters = set.counters(text);
  return set.offsets(text) == nullptr || counters[5] != 0 ? 0 : counters[2];
}

// Fills the heap of a set; the warps of the grid take its runs in turn. Each
// slice has notes of its own, which begin as `all`.
template <class Set, class Notes>
__device__ inline void gather_texts(const Job& job, const Set& set, uint32_t rows, const Notes& all) {
  if (set.count() == 0 || rows == 0) return;
  uint32_t last = set.count() - 1;
  uint64_t heap = min(heap_offset(set.counters(last)) + heap_size_of(copied_bytes(set, last)), set.heap_size());

  uint64_t warps = uint64_t(gridDim.x) * (blockDim.x / kWarp);
  uint64_t warp = uint64_t(blockIdx.x) * (blockDim.x / kWarp) + warp_id();
  uint64_t share = (heap + warps - 1) / warps;
  uint64_t run = min((share + kStep - 1) / kStep * kStep, uint64_t(kLongestRun));
  for (uint64_t from = warp * run; from < heap; from += warps * run) {
    uint64_t to = min(from + run, heap);
    uint32_t i = find_by_warp(set.count(), from, [=](uint32_t text) { return heap_offset(set.counters(text)); });
    for (; i < set.count(); i++) {
      uint64_t at = heap_offset(set.counters(i));
      if (at >= to) break;
      Text text = set.text(i);
      text.bytes = copied_bytes(set, i);
      text.rows = rows;
      text.to = set.heap() + at;
      text.place = at;
      uint64_t begin = max(from, at), end = min(to, at + heap_size_of(text.bytes));
      if (begin < end) gather_text(job, text, uint32_t(begin - at), uint32_t(end - at), all);
    }
  }
}

} // namespace dfaparse
