// Contexts by vectors in memory, for automata of any number of states.
//
//   segment   symbols with one vector: Program.context_words[kMore] of them, a
//             multiple of kChunk. An entry for each state that is possible
//             after the segment's first symbol
//   group     kGroupSegments segments, with one vector likewise
//
// First a warp a segment, an entry a lane, reads the segment from every state
// that is possible; then a warp a group follows its entries from segment to
// segment; then one thread follows the partition's state from group to group,
// a thread a group from segment to segment, and a thread a segment from chunk
// to chunk. So nothing is longer than a segment or the number of segments in a
// group, and vectors take less than an eighth of the partition's size.
//
// Job.scratch: vectors of segments, vectors of groups, states in which segments
// begin, states in which groups begin; 2 bytes each (runtime/gpu/context.go has the sizes).
// With kTrackWalk they lie behind what walk.cuh has there, which says whether there is
// anything to do.
#pragma once

#include "walk.cuh"

namespace dfaparse {

constexpr uint32_t kGroupSegments = 512;
constexpr uint32_t kSegmentThreads = 128;

struct Segments {
  const Program* program;
  const Job* job;
  uint32_t states, span; // entries of a vector
  uint32_t length;       // symbols of a segment
  uint32_t count, groups;
  bool asked; // there is something to do
  const uint8_t* symbol_group;
  const uint16_t* next;  // [group*states + state]
  const uint16_t* place; // likewise: of the next state among those that the group leads to
  const uint16_t* live;  // [group*span + place]
  uint16_t* vector;       // [segment*span + place]
  uint16_t* group_vector; // [group*span + place]
  uint16_t* state;        // [segment]
  uint16_t* group_state;  // [group]

  __device__ __forceinline__ Segments(const Program* p, const Job* j)
      : program(p), job(j), states(p->states), span(uint32_t(p->context_words[kSpan])),
        length(uint32_t(p->context_words[kMore])), symbol_group(context_table<uint8_t>(p, kGroups)),
        next(context_table<uint16_t>(p, kRows)), place(context_table<uint16_t>(p, kEnter)),
        live(context_table<uint16_t>(p, kLeave)) {
    count = j->size == 0 ? 1 : (j->size - 1) / length + 1;
    groups = (count - 1) / kGroupSegments + 1;
    asked = true;
    vector = static_cast<uint16_t*>(j->scratch);
    if (p->tracking == kTrackWalk) {
      const WalkSegments walk(j);
      asked = *walk.long_walk != 0;
      vector += walk.bytes() / sizeof(uint16_t);
    }
    group_vector = vector + uint64_t(count) * span;
    state = group_vector + uint64_t(groups) * span;
    group_state = state + count;
  }

  // The group of the first symbol of a segment.
  __device__ __forceinline__ uint32_t first(uint32_t segment) const {
    return symbol_group[job->data[uint64_t(segment) * length]];
  }
  // The state after a whole segment that begins in s.
  __device__ __forceinline__ uint32_t across(uint32_t segment, uint32_t s) const {
    return vector[uint64_t(segment) * span + place[first(segment) * states + s]];
  }
};

// The vector of each segment but the last, which nothing follows. A warp a
// segment; the grid may have any size, and so below.
__device__ __forceinline__ void segment_vectors(const Segments& x) {
  const uint32_t warps = gridDim.x * (blockDim.x / kWarp);
  for (uint32_t segment = blockIdx.x * (blockDim.x / kWarp) + warp_id(); segment + 1 < x.count; segment += warps) {
    const uint8_t* symbols = x.job->data + uint64_t(segment) * x.length;
    const uint32_t first = x.first(segment);
    for (uint32_t from = 0; from < x.span; from += kWarp) {
      const uint32_t entry = from + lane_id();
      uint32_t s = x.live[first * x.span + min(entry, x.span - 1)];
      for (uint32_t at = 0; at < x.length; at += kWarp) {
        // Each lane looks up one symbol, and all follow it.
        uint32_t row = x.symbol_group[symbols[at + lane_id()]] * x.states;
#pragma unroll
        for (uint32_t i = 0; i < kWarp; i++) {
          uint32_t of = __shfl_sync(kAllLanes, row, int(i));
          if (at + i > 0) s = x.next[of + s];
        }
      }
      if (entry < x.span) x.vector[uint64_t(segment) * x.span + entry] = uint16_t(s);
    }
  }
}

// The vector of each group but the last. A warp a group.
__device__ __forceinline__ void group_vectors(const Segments& x) {
  const uint32_t warps = gridDim.x * (blockDim.x / kWarp);
  for (uint32_t group = blockIdx.x * (blockDim.x / kWarp) + warp_id(); group + 1 < x.groups; group += warps) {
    const uint32_t segment = group * kGroupSegments;
    for (uint32_t entry = lane_id(); entry < x.span; entry += kWarp) {
      uint32_t s = x.vector[uint64_t(segment) * x.span + entry];
      for (uint32_t i = 1; i < kGroupSegments; i++) s = x.across(segment + i, s);
      x.group_vector[uint64_t(group) * x.span + entry] = uint16_t(s);
    }
  }
}

// The state in which each group begins. One thread.
__device__ __forceinline__ void group_states(const Segments& x) {
  if (blockIdx.x != 0 || threadIdx.x != 0) return;
  uint32_t s = x.job->state;
  for (uint32_t group = 0; group < x.groups; group++) {
    x.group_state[group] = uint16_t(s);
    if (group + 1 < x.groups) {
      s = x.group_vector[uint64_t(group) * x.span + x.place[x.first(group * kGroupSegments) * x.states + s]];
    }
  }
}

// The state in which each segment begins. A thread a group.
__device__ __forceinline__ void segment_states(const Segments& x) {
  for (uint32_t group = blockIdx.x * blockDim.x + threadIdx.x; group < x.groups; group += gridDim.x * blockDim.x) {
    uint32_t s = x.group_state[group];
    const uint32_t end = min(x.count, (group + 1) * kGroupSegments);
    for (uint32_t segment = group * kGroupSegments; segment < end; segment++) {
      x.state[segment] = uint16_t(s);
      if (segment + 1 < end) s = x.across(segment, s);
    }
  }
}

// The state in which each chunk begins. A thread a segment.
__device__ __forceinline__ void chunk_states(const Segments& x) {
  const uint32_t size = x.job->size, chunks = size == 0 ? 1 : (size - 1) / kChunk + 1;
  const uint32_t per_segment = x.length / kChunk;
  for (uint32_t segment = blockIdx.x * blockDim.x + threadIdx.x; segment < x.count; segment += gridDim.x * blockDim.x) {
    uint32_t s = x.state[segment];
    const uint32_t end = min(chunks, (segment + 1) * per_segment);
    for (uint32_t chunk = segment * per_segment; chunk < end; chunk++) {
      x.job->chunk_state[chunk] = uint16_t(s);
      if (chunk + 1 == end) break;
      const uint4* symbols = reinterpret_cast<const uint4*>(x.job->data + uint64_t(chunk) * kChunk);
      for (uint32_t i = 0; i < kChunk / sizeof(uint4); i++) {
        const uint4 sixteen = symbols[i];
        const uint32_t words[4] = {sixteen.x, sixteen.y, sixteen.z, sixteen.w};
#pragma unroll
        for (uint32_t b = 0; b < sizeof(uint4); b++) {
          s = x.next[x.symbol_group[words[b / 4] >> (8 * (b % 4)) & 0xff] * x.states + s];
        }
      }
    }
  }
}

} // namespace dfaparse
