// The strings of a set (offsets.cuh), copied into its heap. A warp takes kUnit
// neighbouring rows of one text at a time: where their strings are lies in shared
// memory then, and nothing is looked for in device memory. Each lane makes 16
// bytes of the heap at a time; of strings of a few bytes, each lane copies one to
// shared memory first. Units with very many bytes are listed, and copied by all
// warps in parts (gather.cuh).
//
// The heap's 16 bytes around the ends of a unit belong to two: each writes its
// own bytes of them.
#pragma once

#include "gather.cuh"

namespace dfaparse {

constexpr uint32_t kUnit = kWarp;               // rows
constexpr uint32_t kCopyThreads = 256;
constexpr uint32_t kLongUnit = 65536;           // bytes of a unit that is listed: strings.go has it too
constexpr uint32_t kLongPart = kLongUnit / 2;   // in parts of so many
constexpr uint32_t kShortString = 32;           // bytes that a lane copies alone
constexpr uint32_t kStaged = 640;               // bytes of a unit of such strings

// Where a warp's strings are.
struct alignas(16) Unit {
  Bytes16 staged[kStaged / kSlice + 1];
  uint32_t offset[kUnit + 1]; // in the text
  uint32_t start[kUnit], end[kUnit];
  uint32_t rank[kUnit]; // data symbols before the start, if they are scattered
};

// Adds n bytes of the unit's string i, from number `from` on.
__device__ __forceinline__ void add_string(const Job& job, const Text& text, const Unit& unit, uint32_t i, uint32_t from, uint32_t n, Slice* slice) {
  uint32_t start = unit.start[i];
  if (start < kScattered && text.encoding == kAsIs) {
    slice->add(load_bytes(text.source + start + from, n), n);
  } else if (start < kScattered) {
    slice->add(decoded(text.encoding, Field{(const uint32_t*)text.source, start, unit.end[i] - start}, from, n), n);
  } else if (start >= kDefaultText) {
    for (uint32_t k = 0; k < n; k++) slice->add(Bytes16{text.default_bytes[from + k], 0}, 1);
  } else {
    add_ranked(job, text, (start & ~kScattered) + from, unit.end[i], unit.rank[i] + from, n, slice);
  }
}

// Writes bytes from to to-1 of the 16 at `at` of the heap.
__device__ __forceinline__ void write_part(uint8_t* at, Bytes16 bytes, uint32_t from, uint32_t to) {
  for (uint32_t i = from; i < to; i++) at[i] = uint8_t((i < 8 ? bytes.low : bytes.high) >> 8 * (i & 7));
}

// The unit's strings, of which none is long, by way of shared memory.
__device__ inline void copy_short(const Job& job, const Text& text, Unit& unit, uint32_t from, uint32_t to) {
  uint32_t lane = lane_id(), first = from & ~(kSlice - 1);
  uint32_t begin = unit.offset[lane], n = unit.offset[lane + 1] - begin;
  uint8_t* staged = reinterpret_cast<uint8_t*>(unit.staged) + (begin - first);
  for (uint32_t i = 0; i < n; i += kSlice) {
    Slice slice = {{0, 0}, 0};
    uint32_t some = min(n - i, kSlice);
    add_string(job, text, unit, lane, i, some, &slice);
    Bytes16 x = slice.bytes;
    for (uint32_t k = 0; k < some; k++) {
      staged[i + k] = uint8_t(x.low);
      x.low = x.low >> 8 | x.high << 56;
      x.high >>= 8;
    }
  }
  __syncwarp();
  for (uint32_t at = first + lane * kSlice; at < to; at += kWarp * kSlice) {
    Bytes16 bytes = unit.staged[(at - first) / kSlice];
    uint32_t low = max(at, from) - at, high = min(at + kSlice, to) - at;
    if (high - low == kSlice) {
      *reinterpret_cast<Bytes16*>(text.to + at) = bytes;
    } else {
      write_part(text.to + at, bytes, low, high);
    }
  }
}

// Strings of any length: each lane finds its own, and those that follow.
__device__ inline void copy_slices(const Job& job, const Text& text, const Unit& unit, uint32_t from, uint32_t to) {
  for (uint32_t at = (from & ~(kSlice - 1)) + lane_id() * kSlice; at < to; at += kWarp * kSlice) {
    uint32_t p = max(at, from), end = min(at + kSlice, to), low = p - at;
    uint32_t i = 0; // the last string that begins at p or before it
#pragma unroll
    for (uint32_t d = kUnit / 2; d != 0; d /= 2) {
      if (unit.offset[i + d] <= p) i += d;
    }
    Slice slice = {{0, 0}, low};
    for (; p < end; i++) {
      uint32_t n = min(unit.offset[i + 1], end) - p;
      if (n != 0) add_string(job, text, unit, i, p - unit.offset[i], n, &slice);
      p += n;
    }
    if (end - at == kSlice && low == 0) {
      *reinterpret_cast<Bytes16*>(text.to + at) = slice.bytes;
    } else {
      write_part(text.to + at, slice.bytes, low, end - at);
    }
  }
}

// The parts of long units, for all warps. The scratch memory is that of
// scan_texts, which is done with it: its header's second word, zero before,
// counts the list, which lies behind the header.
struct LongParts {
  uint32_t* count;
  uint4* parts; // text, from, to, 0
  uint32_t capacity;

  __device__ explicit LongParts(const Job& job)
      : count(static_cast<uint32_t*>(job.scratch) + 1), parts(reinterpret_cast<uint4*>(static_cast<uint8_t*>(job.scratch) + kOffsetsHeader)),
        capacity(uint32_t(min((job.scratch_size - kOffsetsHeader) / sizeof(uint4), uint64_t(0x7fffffffu)))) {}

  // By a whole warp; false: there is no room.
  __device__ bool add(uint32_t text, uint32_t from, uint32_t to) const {
    uint32_t n = (to - from + kLongPart - 1) / kLongPart, at = lane_id() == 0 ? atomicAdd(count, n) : 0;
    at = shuffle(at, 0);
    bool fits = at < capacity && n <= capacity - at;
    for (uint32_t i = lane_id(); i < n && at + i < capacity; i += kWarp) {
      uint32_t begin = from + i * kLongPart;
      parts[at + i] = fits ? make_uint4(text, begin, to - begin < kLongPart ? to : begin + kLongPart, 0) : make_uint4(0, 0, 0, 0);
    }
    return fits;
  }
};

template <class Set>
__device__ __forceinline__ Text placed_text(const Set& set, uint32_t i, uint32_t rows) {
  const uint32_t* counters = set.counters(i);
  Text text = set.text(i);
  text.bytes = counters[5] != 0 ? 0 : counters[2];
  text.rows = rows;
  text.place = heap_offset(counters);
  text.to = set.heap() + text.place;
  return text;
}

// By a whole warp: unit number `number` of a text.
__device__ inline void copy_unit(const Job& job, const Text& text, uint32_t which, uint32_t number, Unit& unit) {
  uint32_t lane = lane_id(), row = number * kUnit + lane;
  bool in = row < text.rows;
  uint32_t begin = in ? text.offsets[row] : text.bytes;
  uint32_t start = in ? text.span_start[row] : 0, stop = in ? text.span_end[row] : 0;
  uint32_t last = min(number * kUnit + kUnit, text.rows);
  uint32_t to = text.offsets[last]; // of all lanes the same
  uint32_t from = shuffle(begin, 0), next = __shfl_down_sync(kAllLanes, begin, 1);
  uint32_t n = (lane == kWarp - 1 ? to : next) - begin;

  if (last == text.rows) { // what is behind the last string is 0
    for (uint32_t at = to + lane; at < heap_size_of(to); at += kWarp) text.to[at] = 0;
  }
  if (from == to) return;
  if (to - from > kLongUnit && LongParts(job).add(which, from, to)) return;
  bool scattered = n != 0 && start >= kScattered && start < kDefaultText;
  uint32_t rank = scattered ? data_rank(job, start & ~kScattered) : 0;
  __syncwarp(); // what is there has been read
  unit.offset[lane] = begin;
  unit.start[lane] = start;
  unit.end[lane] = stop;
  unit.rank[lane] = rank;
  if (lane == 0) unit.offset[kUnit] = to;
  __syncwarp();
  uint32_t longer = __ballot_sync(kAllLanes, n > kShortString);
  if (longer == 0 && text.encoding == kAsIs && to - (from & ~(kSlice - 1)) <= kStaged) {
    copy_short(job, text, unit, from, to);
  } else {
    copy_slices(job, text, unit, from, to);
  }
}

// Fills the heap of a set, but for units that are listed. Grid: x over units, y
// over texts.
template <class Set>
__device__ inline void copy_texts(const Job& job, const Set& set, uint32_t rows) {
  __shared__ Unit units[kCopyThreads / kWarp];
  uint32_t nunits = (rows + kUnit - 1) / kUnit, warps = gridDim.x * (kCopyThreads / kWarp);
  for (uint32_t i = blockIdx.y; i < set.count(); i += gridDim.y) {
    if (set.offsets(i) == nullptr || set.counters(i)[5] != 0) continue;
    Text text = placed_text(set, i, rows);
    for (uint32_t u = blockIdx.x * (kCopyThreads / kWarp) + warp_id(); u < nunits; u += warps) copy_unit(job, text, i, u, units[warp_id()]);
  }
}

// Copies what is listed. At both ends whole slices are written, as others have
// written them.
template <class Set>
__device__ inline void copy_long(const Job& job, const Set& set, uint32_t rows) {
  LongParts list(job);
  uint32_t n = min(*list.count, list.capacity), warps = gridDim.x * (blockDim.x / kWarp);
  for (uint32_t k = blockIdx.x * (blockDim.x / kWarp) + warp_id(); k < n; k += warps) {
    uint4 part = list.parts[k];
    if (part.y == part.z) continue;
    gather_text(job, placed_text(set, part.x, rows), part.y & ~(kSlice - 1), (part.z + kSlice - 1) & ~(kSlice - 1), NoNotes());
  }
}

} // namespace dfaparse
