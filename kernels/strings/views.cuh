// Views of the strings of a set, beside what goes into the heap.
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

// The views of a unit's strings that are in place, by a whole warp; true: some are not. viewed: those of empty ones
// are there. The rows of a lane are asked for at once.
__device__ __forceinline__ bool view_unit(const Text& text, uint4* views, uint32_t first, bool viewed) {
  constexpr uint32_t kRows = kUnit / kWarp;
  uint32_t n[kRows], start[kRows];
  Bytes16 bytes[kRows];
#pragma unroll
  for (uint32_t k = 0; k < kRows; k++) {
    const uint32_t row = first + k * kWarp + lane_id();
    n[k] = row < text.rows ? text.offsets[row] : 0;
    start[k] = row < text.rows && (n[k] != 0 || !viewed) ? text.span_start[row] : 0;
  }
  bool others = false;
#pragma unroll
  for (uint32_t k = 0; k < kRows; k++) {
    bytes[k] = Bytes16{0, 0};
    if (n[k] == 0) continue;
    if (is_in_place(text, start[k])) {
      bytes[k] = load_view(text.source + start[k], n[k]);
    } else {
      others = true;
    }
  }
#pragma unroll
  for (uint32_t k = 0; k < kRows; k++) {
    const uint32_t row = first + k * kWarp + lane_id();
    if (row < text.rows && (n[k] != 0 || !viewed)) views[row] = view_of(n[k], bytes[k], kSymbolsBuffer, start[k]);
  }
  return __ballot_sync(kAllLanes, others) != 0;
}

// By a whole warp: the views of a unit's strings that are in the heap.
__device__ __forceinline__ void view_unit_of_heap(const Text& text, uint4* views, uint32_t first) {
  for (uint32_t row = first + lane_id(); row < min(first + kUnit, text.rows); row += kWarp) {
    const uint32_t at = text.offsets[row], n = text.offsets[row + 1] - at;
    if (n != 0) views[row] = view_of(n, load_view(text.to + at, n), kHeapBuffer, at);
  }
}

// Lengths of strings that the heap gets: of those that have views, none of what is in place.
struct HeapLengths {
  const uint32_t* lengths;
  const uint32_t* start; // nullptr: there are no views, or none is in place
  __device__ uint32_t one(uint32_t row) const { return start != nullptr && start[row] < kScattered ? 0 : lengths[row]; }
  __device__ Four four(uint32_t row) const {
    Four x = *reinterpret_cast<const Four*>(lengths + row);
    if (start != nullptr) {
#pragma unroll
      for (uint32_t i = 0; i < 4; i++) x.of[i] = start[row + i] < kScattered ? 0 : x.of[i];
    }
    return x;
  }
  __device__ void done() const {}
};

} // namespace dfaparse
