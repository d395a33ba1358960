// Trackers: what a chunk does to whatever state it begins in, as a value that a
// scan composes. Each has
//
//   Value read(chunk, before, first)  what the symbols of a chunk do
//   op()                              composition, for scan.cuh
//   enter(state), leave(code, before) from states to codes and back
//   follow(value, code)               the code after a value's symbols
//
// where before is the symbol before a chunk, and first says that the chunk is
// the first of the partition, which has none.
#pragma once

#include "lookup.cuh"
#include "vectors.cuh"

namespace dfaparse {

// A chunk in a tile in shared memory: 16 bytes at a time, swizzled so that
// neither the threads that write a tile side by side nor those that read a
// chunk each meet in a bank.
struct ChunkView {
  static constexpr uint32_t kVectors = kChunk / sizeof(uint4);
  const uint4* tile;
  uint32_t chunk;

  static __device__ __forceinline__ uint32_t swizzle(uint32_t v) { return v ^ (v >> 3 & 7); }
  __device__ __forceinline__ uint4 vector(uint32_t i) const { return tile[swizzle(chunk * kVectors + i)]; }
};

__device__ __forceinline__ uint32_t word_of(const uint4& v, uint32_t i) {
  return i == 0 ? v.x : i == 1 ? v.y : i == 2 ? v.z : v.w;
}

// Tracks by state-transition vectors.
template <class Vector, template <class> class Lookup>
struct VectorTracker {
  using Value = typename Vector::Packed;

  struct Compose {
    __device__ __forceinline__ Value operator()(const Value& earlier, const Value& later) const {
      return Vector::compose(earlier, later);
    }
    __device__ __forceinline__ Value identity() const { return Vector::identity(); }
  };

  Lookup<Vector> lookup;
  const Program* program;
  uint32_t start; // the partition's

  __device__ __forceinline__ VectorTracker(const Program* p, const Job* job, void* shared)
      : lookup(p, shared), program(p), start(job->state) {}

  __device__ __forceinline__ Compose op() const { return Compose{}; }

  __device__ __forceinline__ Value read(const ChunkView& chunk, uint32_t before, bool first) const {
    Vector v;
    uint32_t key = 0; // of the symbol whose row is taken next
#pragma unroll
    for (int i = ChunkView::kVectors - 1; i >= 0; i--) {
      uint4 sixteen = chunk.vector(uint32_t(i));
#pragma unroll
      for (int w = 3; w >= 0; w--) {
        uint32_t word = word_of(sixteen, uint32_t(w));
#pragma unroll
        for (int b = 3; b >= 0; b--) {
          uint32_t to_left = lookup.key(word, uint32_t(b));
          if (i != int(ChunkView::kVectors) - 1 || w != 3 || b != 3) v.precede(lookup.row(to_left, key));
          key = to_left;
        }
      }
    }
    if (Lookup<Vector>::kPairs && first) { // what is possible before it is one state
      uint32_t code = context_table<uint16_t>(program, kEnter)[key * program->states + start];
      return Vector::constant(Vector::follow(v.pack(), code));
    }
    v.precede(lookup.row(Lookup<Vector>::kPairs ? lookup.key(before, 0) : 0, key));
    return v.pack();
  }

  // The code of the state that the partition begins in.
  __device__ __forceinline__ uint32_t enter() const {
    return Lookup<Vector>::kPairs ? 0 : context_table<uint16_t>(program, kEnter)[start];
  }
  static __device__ __forceinline__ uint32_t follow(const Value& v, uint32_t code) { return Vector::follow(v, code); }
  __device__ __forceinline__ uint32_t leave(uint32_t code, uint32_t before, bool first) const {
    if (first) return start;
    return context_table<uint16_t>(program, kLeave)[before * uint32_t(program->context_words[kSpan]) + code];
  }
};

// Tracks one element of the transition monoid. Shared memory has the groups of
// symbols and, [group*256 + element], the element after a symbol.
struct MonoidTracker {
  using Value = uint32_t;
  static constexpr uint32_t kElements = 256;

  struct Compose {
    const uint8_t* table; // [elements*256]
    __device__ __forceinline__ Value operator()(Value earlier, Value later) const {
      return table[earlier * kElements + later];
    }
    __device__ __forceinline__ Value identity() const { return 0; }
  };

  const Program* program;
  const uint8_t* groups;
  const uint8_t* after;
  uint32_t start;

  __device__ __forceinline__ MonoidTracker(const Program* p, const Job* job, void* shared)
      : program(p), groups(static_cast<uint8_t*>(shared)), after(groups + 256), start(job->state) {
    const uint32_t* group_words = context_table<uint32_t>(p, kGroups);
    const uint32_t* after_words = context_table<uint32_t>(p, kRows);
    uint32_t* to = static_cast<uint32_t*>(shared);
    for (uint32_t i = threadIdx.x; i < 256 / 4; i += blockDim.x) to[i] = group_words[i];
    uint32_t n = uint32_t(p->context_words[kRowCount]) * kElements / 4;
    for (uint32_t i = threadIdx.x; i < n; i += blockDim.x) to[256 / 4 + i] = after_words[i];
  }

  __device__ __forceinline__ Compose op() const { return Compose{context_table<uint8_t>(program, kMore)}; }

  __device__ __forceinline__ Value read(const ChunkView& chunk, uint32_t, bool) const {
    uint32_t element = 0;
#pragma unroll
    for (uint32_t i = 0; i < ChunkView::kVectors; i++) {
      uint4 sixteen = chunk.vector(i);
#pragma unroll
      for (uint32_t w = 0; w < 4; w++) {
        uint32_t word = word_of(sixteen, w);
#pragma unroll
        for (uint32_t b = 0; b < 4; b++) element = after[groups[scaled_byte(word, b, 1, 0)] * kElements + element];
      }
    }
    return element;
  }

  __device__ __forceinline__ uint32_t enter() const { return start; }
  __device__ __forceinline__ uint32_t follow(Value element, uint32_t state) const {
    return context_table<uint16_t>(program, kLeave)[element * program->states + state];
  }
  __device__ __forceinline__ uint32_t leave(uint32_t state, uint32_t, bool) const { return state; }
};

} // namespace dfaparse
