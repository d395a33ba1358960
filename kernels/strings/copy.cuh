// The strings of a set (offsets.cuh), copied into its heap. A warp takes kUnit
// neighbouring rows of one text at a time: where their strings are lies in shared
// memory then, and nothing is looked for in device memory. Each lane makes 16
// bytes of the heap at a time; of strings of a few bytes, each lane copies one to
// shared memory first. Long ones whose symbols lie apart are copied one after the
// other (stream.cuh). Units with many bytes are listed, and copied by all warps in
// parts, so that all have as much to do.
//
// The heap's 16 bytes around the ends of a unit, or part, belong to two: each
// writes its own bytes of them.
#pragma once

#include "gather.cuh"
#include "stream.cuh"

namespace dfaparse {

constexpr uint32_t kUnit = kWarp;               // rows
constexpr uint32_t kCopyThreads = 256;
constexpr uint32_t kLongUnit = 8192;            // bytes of a unit that is listed: strings.go has it too
constexpr uint32_t kLongPart = kLongUnit / 2;   // in parts of so many, or less
constexpr uint32_t kShortString = 32;           // bytes that a lane copies alone
constexpr uint32_t kStaged = 640;               // bytes of a unit of such strings
constexpr uint32_t kLongScattered = kChunk;     // symbols of a string that is worth a warp
constexpr uint32_t kMeanStreamed = 32;          // bytes of the strings beside it
constexpr uint32_t kSparse = 4;                 // symbols a byte of one that is not: it is searched

static_assert(kStaged / kSlice + 1 >= kStreamSlices, "a stream has the same shared memory");

// Where a warp's strings are.
struct alignas(16) Unit {
  Bytes16 staged[kStaged / kSlice + 1];
  uint32_t offset[kUnit + 1]; // in the text
  uint32_t start[kUnit], end[kUnit];
  uint32_t rank[kUnit]; // data symbols before the start, if they are scattered
  Stretches stretches;  // of those that are streamed
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
  uint4* parts; // text, unit, from, to
  uint32_t capacity;

  __device__ explicit LongParts(const Job& job)
      : count(static_cast<uint32_t*>(job.scratch) + 1), parts(reinterpret_cast<uint4*>(static_cast<uint8_t*>(job.scratch) + kOffsetsHeader)),
        capacity(uint32_t(min((job.scratch_size - kOffsetsHeader) / sizeof(uint4), uint64_t(0x7fffffffu)))) {}

  // By a whole warp: the text's bytes from to to-1; false: there is no room.
  __device__ bool add(uint32_t text, uint32_t unit, uint32_t from, uint32_t to) const {
    uint32_t first = from & ~(kSlice - 1), n = (to - first + kLongPart - 1) / kLongPart;
    uint32_t size = ((to - first + n - 1) / n + kSlice - 1) & ~(kSlice - 1);
    uint32_t at = lane_id() == 0 ? atomicAdd(count, n) : 0;
    at = shuffle(at, 0);
    bool fits = at < capacity && n <= capacity - at;
    for (uint32_t i = lane_id(); i < n && at + i < capacity; i += kWarp) {
      uint32_t begin = min(first + i * size, to), end = to - begin < size ? to : begin + size;
      parts[at + i] = fits ? make_uint4(text, unit, max(begin, from), end) : make_uint4(0, 0, 0, 0);
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

// The strings of a unit, one a lane.
struct UnitStrings {
  uint32_t begin, n;     // bytes of the text
  uint32_t start, stop;  // the span
  uint32_t from, to;     // bytes of the text that all have
};

__device__ __forceinline__ UnitStrings strings_of(const Text& text, uint32_t number) {
  UnitStrings x;
  uint32_t row = number * kUnit + lane_id();
  bool in = row < text.rows;
  x.begin = in ? text.offsets[row] : text.bytes;
  x.start = in ? text.span_start[row] : 0;
  x.stop = in ? text.span_end[row] : 0;
  x.to = text.offsets[min(number * kUnit + kUnit, text.rows)];
  x.from = shuffle(x.begin, 0);
  uint32_t next = shuffle_down(x.begin, 1);
  x.n = (lane_id() == kWarp - 1 ? x.to : next) - x.begin;
  return x;
}

// What lies in bytes from to to-1 of the text, of a string whose symbols are to
// be copied. A string with symbols apart is cut at a symbol that is as far on in
// it as the byte, which need not be the byte's own: its parts fit together
// all the same.
__device__ __forceinline__ Stretch stretch_of(const Job& job, const UnitStrings& x, uint32_t from, uint32_t to) {
  uint32_t scattered = x.start & kScattered, first = x.start & ~kScattered, symbols = x.stop - first;
  uint32_t low = max(from, x.begin) - x.begin, high = min(to, x.begin + x.n) - x.begin;
  Stretch s = {low, high, x.begin - first, x.begin + low};
  if (scattered != 0) {
    float each = float(symbols) / float(x.n);
    s.start = low == 0 ? 0 : min(uint32_t(float(low) * each), symbols);
    s.end = high == x.n ? symbols : min(uint32_t(float(high) * each), symbols);
    s.base = x.begin - data_rank(job, first);
    if (low != 0) s.at = s.base + data_rank(job, s.start + first);
  }
  s.start = (s.start + first) | scattered;
  s.end += first;
  return s;
}

// By a whole warp: the text's bytes from to to-1, of a unit. All parts of one
// are made in the same way.
__device__ inline void copy_part(const Job& job, const Text& text, const UnitStrings& x, uint32_t from, uint32_t to, Unit& unit) {
  uint32_t lane = lane_id(), symbols = x.stop - (x.start & ~kScattered);
  bool scattered = x.n != 0 && x.start >= kScattered && x.start < kDefaultText;
  uint32_t some = __ballot_sync(kAllLanes, x.n != 0);
  uint32_t apart = __ballot_sync(kAllLanes, scattered && symbols > kLongScattered);
  uint32_t others = __ballot_sync(kAllLanes, x.n != 0 && (x.start >= kDefaultText || (scattered && symbols / kSparse > x.n)));
  __syncwarp(); // what is there has been read
  if (apart != 0 && others == 0 && text.encoding == kAsIs && x.to - x.from >= kMeanStreamed * uint32_t(__popc(some))) {
    Stretch s = {0, 0, 0, 0};
    bool in = x.n != 0 && x.begin < to && x.begin + x.n > from;
    if (in) {
      s = stretch_of(job, x, from, to);
      in = (s.start & ~kScattered) < s.end;
    }
    uint32_t lanes = __ballot_sync(kAllLanes, in);
    if (lanes != 0) Stream(job, text, unit.staged, unit.stretches).copy(lanes, s);
    return;
  }
  unit.offset[lane] = x.begin;
  unit.start[lane] = x.start;
  unit.end[lane] = x.stop;
  unit.rank[lane] = scattered ? data_rank(job, x.start & ~kScattered) : 0;
  if (lane == 0) unit.offset[kUnit] = x.to;
  __syncwarp();
  uint32_t longer = __ballot_sync(kAllLanes, x.n > kShortString);
  if (longer == 0 && text.encoding == kAsIs && x.to - (x.from & ~(kSlice - 1)) <= kStaged) {
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
    for (uint32_t u = blockIdx.x * (kCopyThreads / kWarp) + warp_id(); u < nunits; u += warps) {
      UnitStrings x = strings_of(text, u);
      if (u == nunits - 1) { // what is behind the last string is 0
        for (uint32_t at = x.to + lane_id(); at < heap_size_of(x.to); at += kWarp) text.to[at] = 0;
      }
      if (x.from == x.to) continue;
      if (x.to - x.from > kLongUnit && LongParts(job).add(i, u, x.from, x.to)) continue;
      copy_part(job, text, x, x.from, x.to, units[warp_id()]);
    }
  }
}

// Copies what is listed.
template <class Set>
__device__ inline void copy_long(const Job& job, const Set& set, uint32_t rows) {
  __shared__ Unit units[kCopyThreads / kWarp];
  LongParts list(job);
  uint32_t n = min(*list.count, list.capacity), warps = gridDim.x * (kCopyThreads / kWarp);
  for (uint32_t k = blockIdx.x * (kCopyThreads / kWarp) + warp_id(); k < n; k += warps) {
    uint4 part = list.parts[k];
    if (part.z >= part.w) continue;
    Text text = placed_text(set, part.x, rows);
    copy_part(job, text, strings_of(text, part.y), part.z, part.w, units[warp_id()]);
  }
}

} // namespace dfaparse
