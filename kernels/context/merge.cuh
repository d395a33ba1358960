// Contexts where no symbol leads to one state, but one leads to few, which soon
// become one: the line end of records of several lines, where it is told later
// whether the next line begins a record.
//
// A thread has a segment of kMergeSegment symbols. It begins some way before it,
// after the first such symbol there, in all states that are possible then; when
// they are one, it knows the state. Where they are not by the segment's begin, it
// tries from farther away, and where that is not far enough, *long_walk is set,
// as local.cuh has it, and vectors take its place.
//
// Job.scratch: as in local.cuh.
#pragma once

#include "../scan.cuh"
#include "tables.cuh"

namespace dfaparse {

constexpr uint32_t kMergeThreads = 128;
constexpr uint32_t kMergeSegment = 32 * kChunk;
constexpr uint32_t kMergeNear = 2 << 10, kMergeFar = 16 << 10; // how far before its segment a thread begins
constexpr uint32_t kMergeStates = 4;
static_assert(kMergeNear % sizeof(uint4) == 0 && kMergeFar % sizeof(uint4) == 0, "symbols are loaded by vectors");

struct Merging {
  const uint8_t* groups; // shared, and so are
  const uint16_t* next;  // the transitions, as in local.cuh
  const uint8_t* data;
  uint32_t few;               // the symbol
  uint32_t to[kMergeStates];  // the states that it leads to, times groups

  // Does f for each symbol from p to end-1, both multiples of 16.
  template <class F>
  __device__ __forceinline__ void each(uint32_t p, uint32_t end, const F& f) const {
    for (; p < end; p += sizeof(uint4)) {
      uint4 v = __ldg(reinterpret_cast<const uint4*>(data + p));
      uint32_t words[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
      for (uint32_t i = 0; i < 4; i++) {
#pragma unroll
        for (uint32_t b = 0; b < 4; b++) f(words[i] >> 8 * b & 0xff);
      }
    }
  }
  __device__ __forceinline__ uint32_t walk(uint32_t p, uint32_t end, uint32_t s) const {
    each(p, end, [&](uint32_t symbol) { s = next[s + groups[symbol]]; });
    return s;
  }

  // The state at `end`, if what is possible after the first symbol that leaves few
  // from p on is one there.
  __device__ __forceinline__ bool merge(uint32_t p, uint32_t end, uint32_t* state) const {
    enum { kNone, kSeveral, kOne };
    uint32_t known = kNone, a = 0, b = 0, c = 0, d = 0;
    each(p, end, [&](uint32_t symbol) {
      uint32_t g = groups[symbol];
      if (known == kOne) {
        a = next[a + g];
      } else if (known == kSeveral) {
        a = next[a + g];
        b = next[b + g];
        c = next[c + g];
        d = next[d + g];
        if (a == b && a == c && a == d) known = kOne;
      } else if (symbol == few) {
        a = to[0];
        b = to[1];
        c = to[2];
        d = to[3];
        known = kSeveral;
      }
    });
    *state = a;
    return known == kOne;
  }
};

// The kernel. The grid may have any size.
__device__ __forceinline__ void merge_segments(const Program* program, const Job* job) {
  extern __shared__ uint4 merge_shared[]; // groups of symbols, then the transitions
  uint8_t* groups = reinterpret_cast<uint8_t*>(merge_shared);
  uint16_t* next = reinterpret_cast<uint16_t*>(groups + 256);
  const uint8_t* symbol_groups = context_table<uint8_t>(program, kGroups);
  const uint16_t* table = context_table<uint16_t>(program, kLocalNext);
  for (uint32_t i = threadIdx.x; i < 256; i += kMergeThreads) groups[i] = symbol_groups[i];
  for (uint32_t i = threadIdx.x; i < program->states * program->groups; i += kMergeThreads) next[i] = table[i];
  __syncthreads();

  Merging x{groups, next, job->data, uint32_t(program->context_words[kSyncSymbol]), {}};
#pragma unroll
  for (uint32_t i = 0; i < kMergeStates; i++) x.to[i] = uint32_t(program->context_words[kSyncState] >> 16 * i & 0xffff);
  const uint32_t size = job->size, chunks = size == 0 ? 1 : (size - 1) / kChunk + 1, per_segment = kMergeSegment / kChunk;
  for (uint32_t segment = blockIdx.x * kMergeThreads + threadIdx.x; segment * per_segment < chunks; segment += gridDim.x * kMergeThreads) {
    const uint32_t begin = segment * kMergeSegment;
    uint32_t s = 0;
    bool known = false;
    for (uint32_t reach = kMergeNear;; reach = kMergeFar) {
      known = begin <= reach;
      if (known) {
        s = x.walk(0, begin, job->state * program->groups);
      } else {
        known = x.merge(begin - reach, begin, &s);
      }
      if (known || reach == kMergeFar) break;
    }
    if (!known) {
      *static_cast<uint32_t*>(job->scratch) = 1;
      continue;
    }
    const uint32_t end = min(chunks, (segment + 1) * per_segment);
    for (uint32_t chunk = segment * per_segment; chunk < end; chunk++) {
      job->chunk_state[chunk] = uint16_t(s / program->groups);
      if (chunk + 1 < end) s = x.walk(chunk * kChunk, (chunk + 1) * kChunk, s);
    }
  }
}

} // namespace dfaparse
