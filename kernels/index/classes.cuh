// What the stage index keeps of every symbol of a tile, so that it can ask
// later for the transition of any of them. There are two ways. Both give a
// thread the masks of its chunk, and keep
//
//   ClassPlane        a byte a symbol, in place of the symbol: its class. The
//                     automaton steps through a table in shared memory.
//   TransitionPlane   4 bytes a symbol: its transition. The automaton steps
//                     through Program.flat. For automata that are too large for
//                     the other; slower, and a tile is a fourth as long.
//
// A class says what kind of transition a symbol had, and, of those that are
// asked for again, which it was, by a slot of a small table:
//
//   bit  7         6       5        4..0
//        boundary  record  special  slot       a record ends; special: see Masks
//        1         0       slot                a field ends
//        0         data    coded    slot       a byte of the value; coded: it stands for another
//        0         0       error    0          control, or no transition
//
// The slots are given out by each block for itself, when it makes its table of
// steps. runtime/gpu/index.go counts whether they suffice.
#pragma once

#include "../layout.cuh"
#include "../scan.cuh"

namespace dfaparse {

constexpr uint32_t kClassBoundary = 0x80, kClassSecond = 0x40, kClassThird = 0x20;
constexpr uint32_t kFieldSlots = 64, kOtherSlots = 32;

// What a thread finds in its chunk; bit i is symbol i. second: of a boundary,
// that it ends a record; of another, that it is data. special: an error, coded
// data, or the end of a record that is not a plain data record, because of its
// kind or because it has an error code. It may be set for the end of a field,
// and says nothing there.
struct Masks {
  uint64_t boundary, second, special;
  __device__ __forceinline__ uint64_t records() const { return boundary & second; }
  __device__ __forceinline__ uint64_t data() const { return second & ~boundary; }
  __device__ __forceinline__ uint64_t errors() const { return special & ~(boundary | second); }
};

// The part of a tile that lies in the partition, and where a chunk begins.
struct Tile {
  uint32_t first;  // offset of its first symbol
  uint32_t size;   // its symbols
};

__device__ __forceinline__ uint32_t kind_of(Transition t) { return t >> kKindShift & kKindMask; }
__device__ __forceinline__ uint32_t emission_of(Transition t) { return t >> kEmissionShift & kEmissionMask; }

// Whether the end of a record needs a closer look than counting it.
__device__ __forceinline__ bool special_record(const Emission& e) { return e.record != kDataRecord || e.code != 0; }

// What a symbol that ends a field, or is coded data, was: its transition, of
// coded data without the next state, and whether it is special.
struct Mark {
  Transition transition;
  bool special;
};

// The dynamic shared memory of a block, which planes lay out.
extern __shared__ uint4 index_shared[];

class ClassPlane {
 public:
  static constexpr uint32_t kThreads = 512;
  static constexpr uint32_t kTile = kThreads * kChunk;
  static constexpr uint32_t kMarks = 256;

  // Shared memory: kTile bytes, kMarks words, and 512 bytes a state.

  // Makes the table of steps: entry state*256+symbol is next state << 8 | class.
  static __device__ void prepare(const Program* program) {
    for (uint32_t i = threadIdx.x; i < kMarks; i += kThreads) marks()[i] = 0;
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < program->states * 256; i += kThreads) {
      Transition t = program->flat[i];
      steps()[i] = uint16_t((t & kNextMask) << 8 | class_of(program, t));
    }
    __syncthreads();
  }

  // Brings the symbols of a tile here. All threads meet at a barrier before
  // anything is overwritten, and at another.
  static __device__ __forceinline__ void load(const uint8_t* data, const Tile& tile) {
    const uint4* from = reinterpret_cast<const uint4*>(data + tile.first) + threadIdx.x;
    uint4 v[kVectors];
    if (tile.size == kTile) {
#pragma unroll
      for (uint32_t k = 0; k < kVectors; k++) v[k] = __ldg(from + k * kThreads);
    } else {
#pragma unroll
      for (uint32_t k = 0; k < kVectors; k++) {
        v[k] = (k * kThreads + threadIdx.x) * 16 < tile.size ? __ldg(from + k * kThreads) : make_uint4(0, 0, 0, 0);
      }
    }
    __syncthreads();
#pragma unroll
    for (uint32_t k = 0; k < kVectors; k++) index_shared[swizzle(k * kThreads + threadIdx.x)] = v[k];
    __syncthreads();
  }

  // Runs the automaton over this thread's n symbols, from *state on. *state
  // becomes the state after them.
  static __device__ __forceinline__ Masks simulate(const Program*, const uint8_t*, const Tile&, uint32_t n, uint32_t* state) {
    if (n != kChunk) return partial(n, state);
    return whole(state);
  }

  // The symbol at a place of the tile.
  static __device__ __forceinline__ Mark mark(const Program*, uint32_t at) {
    uint32_t c = class_at(at);
    return {marks()[c], (c & kClassThird) != 0};
  }

  // Which of this thread's n symbols end a field, once more.
  static __device__ __noinline__ uint64_t boundaries(uint32_t n) {
    uint64_t m = 0;
    for (uint32_t i = 0; i < n; i++) m |= uint64_t(class_at(threadIdx.x * kChunk + i) >> 7) << i;
    return m;
  }

  // The kind of a symbol of the tile, if that is kRecord or kError.
  static __device__ __forceinline__ uint32_t kind(uint32_t at) {
    uint32_t c = class_at(at);
    if (c >= (kClassBoundary | kClassSecond)) return kRecord;
    return c >> 5 == 1 ? kError : kSkip;
  }

  // Bit i: symbol 16*vector+i of the tile is coded data.
  static __device__ __forceinline__ uint32_t coded16(uint32_t vector) {
    uint4 v = index_shared[swizzle(vector)];
    return coded4(v.x) | coded4(v.y) << 4 | coded4(v.z) << 8 | coded4(v.w) << 12;
  }

 private:
  static constexpr uint32_t kVectors = kChunk / 16;

  static __device__ __forceinline__ uint32_t* marks() { return reinterpret_cast<uint32_t*>(index_shared + kTile / 16); }
  static __device__ __forceinline__ uint16_t* steps() { return reinterpret_cast<uint16_t*>(marks() + kMarks); }

  // Vectors of 16 symbols are permuted so that neither reading a tile, when the
  // threads of a warp take neighbours, nor reading chunks, when they take every
  // fourth, has two threads at one bank at once.
  static __device__ __forceinline__ uint32_t swizzle(uint32_t vector) { return vector ^ (vector >> 3 & 7); }
  static __device__ __forceinline__ uint32_t swizzle_symbol(uint32_t at) { return at ^ (at >> 3 & 0x70); }
  static __device__ __forceinline__ uint32_t class_at(uint32_t at) {
    return reinterpret_cast<const uint8_t*>(index_shared)[swizzle_symbol(at)];
  }

  // Four bits, of the bytes of four classes that have bits 0x80, 0x40 and 0x20.
  // The products' partial sums do not overlap below the four bits on top.
  static __device__ __forceinline__ uint32_t boundary4(uint32_t classes) { return (classes & 0x80808080u) * 0x00204081u; }
  static __device__ __forceinline__ uint32_t second4(uint32_t classes) { return (classes & 0x40404040u) * 0x00408102u; }
  static __device__ __forceinline__ uint32_t third4(uint32_t classes) { return (classes & 0x20202020u) * 0x00810204u; }
  static __device__ __forceinline__ uint32_t coded4(uint32_t classes) {
    return third4(classes & (classes >> 1) & ~(classes >> 2)) >> 28;
  }

  static __device__ __forceinline__ Masks whole(uint32_t* state) {
    const uint16_t* table = steps();
    uint32_t step = *state << 8, seen = 0;
    uint32_t boundary[2], second[2];
#pragma unroll
    for (uint32_t k = 0; k < kVectors; k++) {
      uint32_t at = swizzle(threadIdx.x * kVectors + k);
      uint4 v = index_shared[at];
      uint32_t word[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
      for (uint32_t j = 0; j < 4; j++) {
        // The symbol in place of the class: that is the next entry.
        uint32_t a = table[__byte_perm(word[j], step, 0x7650)];
        uint32_t b = table[__byte_perm(word[j], a, 0x7651)];
        uint32_t c = table[__byte_perm(word[j], b, 0x7652)];
        step = table[__byte_perm(word[j], c, 0x7653)];
        word[j] = __byte_perm(__byte_perm(a, b, 0x0040), __byte_perm(c, step, 0x0040), 0x5410);
        seen |= word[j];
      }
      index_shared[at] = make_uint4(word[0], word[1], word[2], word[3]);
      uint32_t b = 0, s = 0;
#pragma unroll
      for (int j = 3; j >= 0; j--) {
        b = __funnelshift_l(boundary4(word[j]), b, 4);
        s = __funnelshift_l(second4(word[j]), s, 4);
      }
      boundary[k / 2] = k % 2 == 0 ? b : boundary[k / 2] | b << 16;
      second[k / 2] = k % 2 == 0 ? s : second[k / 2] | s << 16;
    }
    *state = step >> 8;
    Masks m;
    m.boundary = uint64_t(boundary[1]) << 32 | boundary[0];
    m.second = uint64_t(second[1]) << 32 | second[0];
    m.special = seen & 0x20202020u ? specials() : 0;
    return m;
  }

  // Most chunks have nothing special, so it is not looked for symbol by symbol.
  static __device__ __noinline__ uint64_t specials() {
    uint64_t special = 0;
    for (uint32_t k = 0; k < kVectors; k++) {
      uint4 v = index_shared[swizzle(threadIdx.x * kVectors + k)];
      uint32_t bits = third4(v.x) >> 28 | third4(v.y) >> 28 << 4 | third4(v.z) >> 28 << 8 | third4(v.w) >> 28 << 12;
      special |= uint64_t(bits) << 16 * k;
    }
    return special;
  }

  // The last chunk of a partition.
  static __device__ __noinline__ Masks partial(uint32_t n, uint32_t* state) {
    Masks m = {0, 0, 0};
    uint32_t step = *state << 8;
    for (uint32_t i = 0; i < n; i++) {
      uint8_t* symbol = reinterpret_cast<uint8_t*>(index_shared) + swizzle_symbol(threadIdx.x * kChunk + i);
      step = steps()[(step & 0xff00) | *symbol];
      *symbol = uint8_t(step);
      m.boundary |= uint64_t(step >> 7 & 1) << i;
      m.second |= uint64_t(step >> 6 & 1) << i;
      m.special |= uint64_t(step >> 5 & 1) << i;
    }
    *state = step >> 8;
    return m;
  }

  static __device__ uint32_t class_of(const Program* program, Transition t) {
    switch (kind_of(t)) {
      case kData: return t & kCoded ? slot(t & ~kNextMask, kClassSecond | kClassThird, kOtherSlots) : kClassSecond;
      case kField: return slot(t, kClassBoundary, kFieldSlots);
      case kRecord: {
        uint32_t special = special_record(program->emissions[emission_of(t)]) ? kClassThird : 0;
        return slot(t, kClassBoundary | kClassSecond | special, kOtherSlots);
      }
      case kError: return kClassThird;
    }
    return 0;
  }

  // The slot that has key, among n from `from` on: a hash table without chains.
  static __device__ uint32_t slot(uint32_t key, uint32_t from, uint32_t n) {
    for (uint32_t i = 0, at = (key * 0x9e3779b1u) >> 26;; i++, at++) {
      uint32_t s = from + (at & (n - 1));
      uint32_t found = atomicCAS(&marks()[s], 0u, key);
      if (found == 0 || found == key || i == n) return s;
    }
  }
};

class TransitionPlane {
 public:
  static constexpr uint32_t kThreads = 128;
  static constexpr uint32_t kTile = kThreads * kChunk;

  // Shared memory: 4*kTile bytes.

  static __device__ void prepare(const Program*) {}
  static __device__ __forceinline__ void load(const uint8_t*, const Tile&) { __syncthreads(); }

  static __device__ Masks simulate(const Program* program, const uint8_t* data, const Tile& tile, uint32_t n, uint32_t* state) {
    Masks m = {0, 0, 0};
    const uint8_t* from = data + tile.first + threadIdx.x * kChunk;
    for (uint32_t i = 0; i < n; i++) {
      Transition t = __ldg(program->flat + (*state * 256 + __ldg(from + i)));
      *state = t & kNextMask;
      transitions()[i * kThreads + threadIdx.x] = t;
      uint32_t kind = kind_of(t);
      m.boundary |= uint64_t(kind == kField || kind == kRecord) << i;
      m.second |= uint64_t(kind == kData || kind == kRecord) << i;
      m.special |= uint64_t(special(program, t)) << i;
    }
    return m;
  }

  static __device__ __forceinline__ Mark mark(const Program* program, uint32_t at) {
    Transition t = transition(at);
    return {t, special(program, t)};
  }

  static __device__ __noinline__ uint64_t boundaries(uint32_t n) {
    uint64_t m = 0;
    for (uint32_t i = 0; i < n; i++) {
      uint32_t kind = kind_of(transition(threadIdx.x * kChunk + i));
      m |= uint64_t(kind == kField || kind == kRecord) << i;
    }
    return m;
  }

  static __device__ __forceinline__ uint32_t kind(uint32_t at) { return kind_of(transition(at)); }

  static __device__ __forceinline__ uint32_t coded16(uint32_t vector) {
    uint32_t bits = 0;
    for (uint32_t i = 0; i < 16; i++) {
      Transition t = transition(vector * 16 + i);
      bits |= uint32_t(kind_of(t) == kData && t & kCoded) << i;
    }
    return bits;
  }

 private:
  static __device__ __forceinline__ uint32_t* transitions() { return reinterpret_cast<uint32_t*>(index_shared); }

  // Symbol i of a chunk lies beside symbol i of the next.
  static __device__ __forceinline__ Transition transition(uint32_t at) {
    return transitions()[at % kChunk * kThreads + at / kChunk];
  }

  static __device__ __forceinline__ bool special(const Program* program, Transition t) {
    switch (kind_of(t)) {
      case kData: return t & kCoded;
      case kRecord: return special_record(program->emissions[emission_of(t)]);
      case kError: return true;
    }
    return false;
  }
};

} // namespace dfaparse
