// Codes: values that say what some symbols do to whatever code they begin in, and
// that a scan composes. Each has
//
//   Value, Kept                       such a value, and the same in fewer bytes
//   op()                              composition, for scan.cuh
//   enter()                           the code of the state that the partition begins in
//   follow(value, code)               the code after a value's symbols
//   keep(value), follow_kept(kept, code)
//   leave(code, before, span)         the state of a code, before: the symbol before
//                                     it, span: Program.context_words[kSpan]
//
// Trackers: how the value of a chunk is found.
//
//   Value read(chunk, before, first)  of the symbols of a chunk; before: the symbol
//                                     before it; first: there is none
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

// State-transition vectors.
template <class Vector>
struct VectorCodes {
  using Value = typename Vector::Packed;
  using Kept = typename Vector::Kept;

  struct Compose {
    __device__ __forceinline__ Value operator()(const Value& earlier, const Value& later) const {
      return Vector::compose(earlier, later);
    }
    __device__ __forceinline__ Value identity() const { return Vector::identity(); }
  };

  const Program* program;
  uint32_t start; // the partition's

  __device__ __forceinline__ VectorCodes(const Program* p, const Job* job) : program(p), start(job->state) {}

  __device__ __forceinline__ Compose op() const { return Compose{}; }

  // Where codes are of states that are possible, any will do: the first chunk's
  // vector is constant.
  __device__ __forceinline__ uint32_t enter() const { return context_table<uint16_t>(program, kEnter)[start]; }
  static __device__ __forceinline__ uint32_t follow(const Value& v, uint32_t code) { return Vector::follow(v, code); }
  static __device__ __forceinline__ Kept keep(const Value& v) { return Vector::keep(v); }
  static __device__ __forceinline__ uint32_t follow_kept(const Kept& v, uint32_t code) { return Vector::follow_kept(v, code); }
  __device__ __forceinline__ uint32_t leave(uint32_t code, uint32_t before, uint32_t span) const {
    return context_table<uint16_t>(program, kLeave)[before * span + code];
  }
};

template <class Vector, template <class> class Lookup>
struct VectorTracker {
  using Codes = VectorCodes<Vector>;
  using Value = typename Codes::Value;

  Codes codes;
  Lookup<Vector> lookup;

  __device__ __forceinline__ VectorTracker(const Program* p, const Job* job, void* shared)
      : codes(p, job), lookup(p, shared) {}

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
      uint32_t code = context_table<uint16_t>(codes.program, kEnter)[key * codes.program->states + codes.start];
      return Vector::constant(Vector::follow(v.pack(), code));
    }
    v.precede(lookup.row(Lookup<Vector>::kPairs ? lookup.key(before, 0) : 0, key));
    return v.pack();
  }
};

// Elements of the transition monoid. Codes are states.
struct MonoidCodes {
  using Value = uint32_t;
  using Kept = uint8_t;
  static constexpr uint32_t kElements = 256;

  struct Compose {
    const uint8_t* table; // [elements*256]
    __device__ __forceinline__ Value operator()(Value earlier, Value later) const {
      return table[earlier * kElements + later];
    }
    __device__ __forceinline__ Value identity() const { return 0; }
  };

  const Program* program;
  uint32_t start;

  __device__ __forceinline__ MonoidCodes(const Program* p, const Job* job) : program(p), start(job->state) {}

  __device__ __forceinline__ Compose op() const { return Compose{context_table<uint8_t>(program, kMore)}; }
  __device__ __forceinline__ uint32_t enter() const { return start; }
  __device__ __forceinline__ uint32_t follow(Value element, uint32_t state) const {
    return context_table<uint16_t>(program, kLeave)[element * program->states + state];
  }
  static __device__ __forceinline__ Kept keep(Value element) { return Kept(element); }
  __device__ __forceinline__ uint32_t follow_kept(Kept element, uint32_t state) const { return follow(element, state); }
  static __device__ __forceinline__ uint32_t leave(uint32_t state, uint32_t, uint32_t) { return state; }
};

// Shared memory has the groups of symbols and, [group*256 + element], the element
// after a symbol.
struct MonoidTracker {
  using Codes = MonoidCodes;
  using Value = Codes::Value;

  Codes codes;
  const uint8_t* groups;
  const uint8_t* after;

  __device__ __forceinline__ MonoidTracker(const Program* p, const Job* job, void* shared)
      : codes(p, job), groups(static_cast<uint8_t*>(shared)), after(groups + 256) {
    const uint32_t* group_words = context_table<uint32_t>(p, kGroups);
    const uint32_t* after_words = context_table<uint32_t>(p, kRows);
    uint32_t* to = static_cast<uint32_t*>(shared);
    for (uint32_t i = threadIdx.x; i < 256 / 4; i += blockDim.x) to[i] = group_words[i];
    uint32_t n = uint32_t(p->context_words[kRowCount]) * Codes::kElements / 4;
    for (uint32_t i = threadIdx.x; i < n; i += blockDim.x) to[256 / 4 + i] = after_words[i];
  }

  __device__ __forceinline__ Value read(const ChunkView& chunk, uint32_t, bool) const {
    uint32_t element = 0;
#pragma unroll
    for (uint32_t i = 0; i < ChunkView::kVectors; i++) {
      uint4 sixteen = chunk.vector(i);
#pragma unroll
      for (uint32_t w = 0; w < 4; w++) {
        uint32_t word = word_of(sixteen, w);
#pragma unroll
        for (uint32_t b = 0; b < 4; b++) element = after[groups[scaled_byte(word, b, 1, 0)] * Codes::kElements + element];
      }
    }
    return element;
  }
};

} // namespace dfaparse
