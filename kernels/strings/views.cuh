// Views of the strings of a set, and strings that go into the heap with them, side by side in no order; behind these lies
// what dfa_offsets gives a place.
#pragma once

#include "../partly.cuh"
#include "../view.cuh"
#include "text.cuh"

namespace dfaparse {

// Whether a string lies where its symbols do.
__device__ __forceinline__ bool is_in_place(const Text& text, uint32_t start) { return text.encoding == kAsIs && start < kScattered; }

// Of the n bytes from p on, n != 0, what a view has of them.
__device__ __forceinline__ Bytes16 load_view(const uint8_t* p, uint32_t n) { return load16(p, n > kInView ? 4 : n); }
__device__ __forceinline__ uint4 view_of(uint32_t n, Bytes16 bytes, uint32_t buffer, uint32_t at) {
  return view_of(n, uint32_t(bytes.low), uint32_t(bytes.low >> 32), uint32_t(bytes.high), buffer, at);
}

// Whether a string of n bytes is put into the heap with its view, and not by dfa_gather: who makes the other views
// itself leaves few strings, those whose symbols do not lie side by side among them. Longer ones are copied in parts.
constexpr uint32_t kMostPut = 1 << 16;
__device__ __forceinline__ bool is_put(const Text& text, uint32_t start, uint32_t n, bool viewed) {
  return viewed && text.encoding == kAsIs && start >= kScattered && start < kDefaultText && n <= kMostPut;
}

// The heap, of which views take what they need from its begin on: so many words are taken. No view reaches beyond 2 GiB.
struct ViewHeap {
  uint8_t* bytes;
  uint64_t size;
  uint32_t* words;
};

// Puts the strings of a unit that are put into the heap there, and makes their views: by a whole warp, a row a lane,
// 32 symbols at a time.
__device__ __forceinline__ void put_unit(const Job& job, const Text& text, const ViewHeap& heap, uint4* views, uint32_t first_row) {
  const uint32_t lane = lane_id(), below = (1u << lane) - 1;
#pragma unroll 1
  for (uint32_t row = first_row + lane; row - lane < min(first_row + kUnit, text.rows); row += kWarp) {
    uint32_t n = row < text.rows ? text.offsets[row] : 0, start = n != 0 ? text.span_start[row] : 0;
    if (!is_put(text, start, n, true)) n = 0;
    const uint32_t stop = n != 0 ? text.span_end[row] : 0;
    uint32_t all, before = scan_warp_exclusive((n + 3) / 4, Sum(), &all), first = 0;
    if (lane == 0) first = atomicAdd(heap.words, all);
    first = shuffle(first, 0);
    if (4 * (uint64_t(first) + all) > min(heap.size, uint64_t(kMostText))) return; // lay_heap says so
    const uint32_t at = 4 * (first + before);
    for (uint32_t left = __ballot_sync(kAllLanes, n != 0); left != 0; left &= left - 1) {
      const uint32_t of = uint32_t(__ffs(int(left))) - 1, from = shuffle(start, of) & ~kScattered, to = shuffle(stop, of);
      uint8_t* bytes = heap.bytes + shuffle(at, of);
      for (uint32_t p = from & ~31u; p < to; p += 32) {
        uint32_t bits = job.is_data[p / 32];
        if (p < from) bits &= ~0u << (from - p);
        if (to - p < 32) bits &= (1u << (to - p)) - 1;
        if (bits >> lane & 1) bytes[__popc(int(bits & below))] = text.source[p + lane];
        bytes += __popc(int(bits));
      }
    }
    __syncwarp();
    if (n != 0) views[row] = view_of(n, load_view(heap.bytes + at, n), kHeapBuffer, at);
  }
}

// What view_unit leaves, bits: strings for put_unit, and for dfa_gather.
constexpr uint32_t kLeftToPut = 1, kLeftToGather = 2;

// The views of a unit's strings that are in place, by a whole warp; gives what is left. viewed: those of empty ones
// are there. The rows of a lane are asked for at once.
__device__ __forceinline__ uint32_t view_unit(const Text& text, uint4* views, uint32_t first, bool viewed) {
  constexpr uint32_t kRows = kUnit / kWarp;
  uint32_t n[kRows], start[kRows], left = 0;
  Bytes16 bytes[kRows];
#pragma unroll
  for (uint32_t k = 0; k < kRows; k++) {
    const uint32_t row = first + k * kWarp + lane_id();
    n[k] = row < text.rows ? text.offsets[row] : 0;
    start[k] = row < text.rows && (n[k] != 0 || !viewed) ? text.span_start[row] : 0;
  }
#pragma unroll
  for (uint32_t k = 0; k < kRows; k++) {
    bytes[k] = Bytes16{0, 0};
    if (n[k] == 0) continue;
    if (is_in_place(text, start[k])) {
      bytes[k] = load_view(text.source + start[k], n[k]);
    } else {
      left |= is_put(text, start[k], n[k], viewed) ? kLeftToPut : kLeftToGather;
    }
  }
#pragma unroll
  for (uint32_t k = 0; k < kRows; k++) {
    const uint32_t row = first + k * kWarp + lane_id();
    if (row < text.rows && (n[k] != 0 || !viewed)) views[row] = view_of(n[k], bytes[k], kSymbolsBuffer, start[k]);
  }
  const bool puts = __ballot_sync(kAllLanes, (left & kLeftToPut) != 0) != 0, gathers = __ballot_sync(kAllLanes, (left & kLeftToGather) != 0) != 0;
  return (puts ? kLeftToPut : 0u) | (gathers ? kLeftToGather : 0u);
}

// By a whole warp: the views of a unit's strings that are in the heap.
__device__ __forceinline__ void view_unit_of_heap(const Text& text, uint4* views, uint32_t first) {
  for (uint32_t row = first + lane_id(); row < min(first + kUnit, text.rows); row += kWarp) {
    const uint32_t at = text.offsets[row], n = text.offsets[row + 1] - at;
    if (n != 0) views[row] = view_of(n, load_view(text.to + at, n), kHeapBuffer, uint32_t(text.place) + at);
  }
}

// Lengths of strings that dfa_gather puts into the heap: of a text with views, none of those that it leaves alone.
struct HeapLengths {
  const Text text;
  const uint32_t* lengths; // what is scanned
  bool views, viewed;
  __device__ uint32_t of(uint32_t n, uint32_t row) const {
    if (!views || n == 0) return n;
    const uint32_t start = text.span_start[row];
    return is_in_place(text, start) || is_put(text, start, n, viewed) ? 0 : n;
  }
  __device__ uint32_t one(uint32_t row) const { return of(lengths[row], row); }
  __device__ Four four(uint32_t row) const {
    Four x = *reinterpret_cast<const Four*>(lengths + row);
    if (views) {
#pragma unroll
      for (uint32_t i = 0; i < 4; i++) x.of[i] = of(x.of[i], row + i);
    }
    return x;
  }
  __device__ void done() const {}
};

} // namespace dfaparse
