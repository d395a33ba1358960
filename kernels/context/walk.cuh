// Contexts by one state a thread, which is guessed and then verified.
//
//   segment   symbols that a lane of a warp steps: walk_length(size) of them, a
//             multiple of 4 chunks, so that there is one for each thread of a large device
//
// A lane begins some way before its segment, in a state that is likely there. Most
// automata soon forget in which state they began: line ends lead to one state from
// every state in most logs, and to few that become one in the others. So the state
// in which the segment begins is right as a rule, and one table is looked up for each
// symbol, however many states there are. Then the state in which each segment was
// begun is compared with the one in which the segment before it ended. Where they
// differ, the segment is stepped again from there, until a chunk of it begins as it
// did before; that is done in kMendRounds rounds. If then all are the same, all are right, for the
// first segment begins in the partition's state. If not, *long_walk is set, and the kernels of
// segments.cuh, which come next and do nothing otherwise, find all contexts anew, by
// vectors.
//
// How far before its segment a lane begins: kWalkBefore symbols; or, where states do not
// become one but a symbol is likely to tell the state, behind the last of these, up to
// kWalkReach symbols before.
//
// Job.scratch: see Walk; the first word is long_walk. Behind it what segments.cuh
// needs.
#pragma once

#include "../async.cuh"
#include "../equal.cuh"
#include "../scan.cuh"
#include "lookup.cuh"
#include "tracker.cuh"

namespace dfaparse {

constexpr uint32_t kWalkThreads = 1024;       // of a block at most, one a multiprocessor
constexpr uint32_t kWalkTile = 2 * kChunk;    // bytes of shared memory that a thread has, beside the table
constexpr uint32_t kWalkLanes = 128 << 10;    // of a large device
constexpr uint32_t kWalkUnit = 4 * kChunk;    // a segment is a multiple of it: states are stored by four
constexpr uint32_t kWalkLeast = 2 * kWalkUnit;
constexpr uint32_t kWalkBefore = 4 * kChunk;
constexpr uint32_t kWalkReach = 64 * kChunk;
constexpr uint32_t kWalkHeader = 64;          // bytes
constexpr uint32_t kMendRounds = 3;
constexpr uint32_t kMendThreads = 128;
constexpr uint32_t kNoSymbol = 256;           // in place of one that tells the state

__host__ __device__ constexpr uint32_t walk_length(uint32_t size) {
  const uint32_t each = ((size + kWalkLanes - 1) / kWalkLanes + kWalkUnit - 1) / kWalkUnit * kWalkUnit;
  return each < kWalkLeast ? kWalkLeast : each;
}

// What the kernels of this file share.
struct WalkSegments {
  uint32_t chunks, length, count;
  uint32_t* long_walk;
  volatile uint16_t* begun; // [count] the state in which a segment was begun
  volatile uint16_t* ended; // [count] and the one behind it

  __device__ __forceinline__ explicit WalkSegments(const Job* job) {
    chunks = job->size == 0 ? 1 : (job->size - 1) / kChunk + 1;
    length = walk_length(job->size);
    count = (chunks - 1) / (length / kChunk) + 1;
    long_walk = static_cast<uint32_t*>(job->scratch);
    begun = reinterpret_cast<volatile uint16_t*>(static_cast<uint8_t*>(job->scratch) + kWalkHeader);
    ended = begun + count;
  }
  // All bytes of it.
  __device__ __forceinline__ uint64_t bytes() const { return kWalkHeader + ((uint64_t(count) * 4 + 63) & ~uint64_t(63)); }
};

// The automaton in shared memory, in copies of which lanes read different banks.
//
//   symbols   [256] words: where in a row a symbol's entry is, an offset from the
//             begin of shared memory in the row of state 0, of this lane's copy
//   rows      [states*stride]: words of several entries, each the next state
//
// Copies lie side by side, word by word.
template <class Entry>
struct WalkTable {
  static constexpr uint32_t kEach = 4 / sizeof(Entry); // entries of a word
  const uint8_t* shared;
  uint32_t factor; // bytes of all copies of a word
  uint32_t mine;   // offset of this lane's copy of symbol 0
  uint32_t stride; // bytes of all copies of a row

  // All threads of the block take part, and meet at a barrier after it. The tables
  // begin at byte `at` of shared memory.
  __device__ __forceinline__ WalkTable(const Program* program, uint8_t* bytes, uint32_t at) : shared(bytes) {
    const uint32_t log = uint32_t(program->context_words[kCopiesLog]), copies = 1u << log, groups = program->groups;
    const uint32_t words = (groups - 1) / kEach + 1, rows = at + 256 * 4 * copies;
    factor = 4 * copies;
    mine = at + (lane_id() & (copies - 1)) * 4;
    stride = words * factor;
    const uint8_t* group = context_table<uint8_t>(program, kGroups);
    for (uint32_t i = threadIdx.x; i < 256 * copies; i += blockDim.x) {
      const uint32_t g = group[i >> log];
      *reinterpret_cast<uint32_t*>(bytes + at + 4 * i) = rows + g / kEach * factor + (i & (copies - 1)) * 4 + g % kEach * sizeof(Entry);
    }
    const uint32_t* from = context_table<uint32_t>(program, kWalkRows);
    for (uint32_t i = threadIdx.x; i < program->states * words * copies; i += blockDim.x) {
      *reinterpret_cast<uint32_t*>(bytes + rows + 4 * i) = from[i >> log];
    }
  }

  // Where the entry of the symbol in byte b of word is in the row of state 0.
  __device__ __forceinline__ uint32_t place(uint32_t word, uint32_t b) const {
    return *reinterpret_cast<const uint32_t*>(shared + scaled_byte(word, b, factor, mine));
  }
  __device__ __forceinline__ uint32_t next(uint32_t place, uint32_t s) const {
    return *reinterpret_cast<const Entry*>(shared + place + s * stride);
  }

  // The state after a chunk that begins in s. Where `told` is the place of a symbol,
  // the state is `after` behind it.
  template <bool tells>
  __device__ __forceinline__ uint32_t step(const ChunkView& chunk, uint32_t s, uint32_t told, uint32_t after) const {
#pragma unroll
    for (uint32_t i = 0; i < ChunkView::kVectors; i++) {
      const uint4 sixteen = chunk.vector(i);
      uint32_t places[16];
#pragma unroll
      for (uint32_t w = 0; w < 4; w++) {
#pragma unroll
        for (uint32_t b = 0; b < 4; b++) places[4 * w + b] = place(word_of(sixteen, w), b);
      }
#pragma unroll
      for (uint32_t k = 0; k < 16; k++) {
        s = next(places[k], s);
        if (tells && places[k] == told) s = after;
      }
    }
    return s;
  }
};

// Chunks of the 32 segments of a warp, one of each: four lanes load one, so that what is
// loaded lies side by side. Of the two in shared memory one comes while the other is
// stepped. The first-level cache has no room for what so many warps ask for beside
// tables, and what comes is half a line: it is passed by, and the second level is told
// what comes next.
struct WalkPieces {
  static constexpr uint32_t kLoads = ChunkView::kVectors, kVectors = kWarp * kChunk / sizeof(uint4);
  const uint8_t* data;
  uint4* tiles;
  uint32_t last;   // the last offset that may be read
  uint32_t from;   // offset of what this lane loads, of the first
  uint32_t stride; // from one to the next

  __device__ __forceinline__ WalkPieces(const Job* job, uint4* shared, uint32_t begin, uint32_t length)
      : data(job->data), tiles(shared), last((job->size + kPadding - uint32_t(sizeof(uint4))) & ~15u),
        from(begin + lane_id() / kLoads * length + lane_id() % kLoads * uint32_t(sizeof(uint4))), stride(kWarp / kLoads * length) {}

  // Vector i of those behind the begin of each segment by so much, or before it. What
  // lies before the partition, or far behind it, is not read.
  __device__ __forceinline__ const uint4* vector(uint32_t i, uint32_t at) const {
    return reinterpret_cast<const uint4*>(data + min(from + i * stride + at, last));
  }
  __device__ __forceinline__ void fetch(uint32_t at, uint32_t slot) const {
#pragma unroll
    for (uint32_t i = 0; i < kLoads; i++) copy_async(tiles + slot * kVectors + ChunkView::swizzle(i * kWarp + lane_id()), vector(i, at));
    commit_copies();
  }
  __device__ __forceinline__ ChunkView mine(uint32_t slot) const { return ChunkView{tiles + slot * kVectors, lane_id()}; }
};

// How far before their segments the lanes of a warp begin: until each has the symbol
// behind it, or the partition's begin.
__device__ __forceinline__ uint32_t look_back(const Job* job, const WalkPieces& pieces, uint32_t symbol) {
  constexpr uint32_t all = 0x11111111; // bit 4*j: segment 8*i + j
  uint32_t found[WalkPieces::kLoads] = {}, before = 0;
  while (before < kWalkReach && (found[0] & found[1] & found[2] & found[3]) != all) {
    before += kChunk;
#pragma unroll
    for (uint32_t i = 0; i < WalkPieces::kLoads; i++) {
      const uint32_t at = pieces.from + i * pieces.stride;
      const bool here = at < before || at / kChunk * kChunk >= job->size || any_equal(__ldg(pieces.vector(i, 0u - before)), symbol * 0x01010101u);
      const uint32_t lanes = __ballot_sync(kAllLanes, here);
      found[i] |= (lanes | lanes >> 1 | lanes >> 2 | lanes >> 3) & all;
    }
  }
  return before;
}

// The first kernel. The grid may have any size.
template <class Entry>
__device__ __forceinline__ void walk_segments(const Program* program, const Job* job) {
  extern __shared__ uint4 walk_shared[]; // two chunks for each lane, then the table
  const uint32_t warps = blockDim.x / kWarp;
  const WalkTable<Entry> table(program, reinterpret_cast<uint8_t*>(walk_shared), blockDim.x * kWalkTile);
  __syncthreads();

  const WalkSegments x(job);
  const uint32_t symbol = uint32_t(program->context_words[kSyncSymbol]), after = uint32_t(program->context_words[kSyncState]);
  const bool tells = symbol != kNoSymbol;
  const uint32_t told = tells ? table.place(symbol, 0) : 0;

  for (uint32_t unit = blockIdx.x * warps + warp_id(); unit * kWarp < x.count; unit += gridDim.x * warps) {
    const uint32_t first = unit * kWarp, segment = first + lane_id(), begin = segment * x.length;
    const WalkPieces pieces(job, walk_shared + warp_id() * 2 * WalkPieces::kVectors, first * x.length, x.length);
    const uint32_t before = tells ? look_back(job, pieces, symbol) : kWalkBefore;
    uint32_t s = uint32_t(program->context_words[kWalkState]), slot = 0;
    pieces.fetch(0u - before, 0);
    pieces.fetch(kChunk - before, 1);
    for (uint32_t at = before; at > 0; at -= kChunk) {
      wait_for_copies<1>();
      __syncwarp();
      if (begin == at) s = job->state;
      s = tells ? table.template step<true>(pieces.mine(slot), s, told, after) : table.template step<false>(pieces.mine(slot), s, 0, 0);
      __syncwarp();
      pieces.fetch(2 * kChunk - at, slot);
      slot ^= 1;
    }
    if (segment == 0) s = job->state;
    if (segment < x.count) x.begun[segment] = uint16_t(s);

    uint32_t low = 0, high = 0; // states of four chunks
    for (uint32_t at = 0; at < x.length; at += kChunk) {
      low = low >> 16 | high << 16;
      high = high >> 16 | s << 16;
      if (at % kWalkUnit == kWalkUnit - kChunk) {
        const uint32_t chunk = (begin + at) / kChunk - 3;
        if (segment >= x.count) {
        } else if (chunk + 4 <= x.chunks) {
          *reinterpret_cast<uint2*>(job->chunk_state + chunk) = uint2{low, high};
        } else {
          const uint32_t states[4] = {low & 0xffff, low >> 16, high & 0xffff, high >> 16};
#pragma unroll
          for (uint32_t i = 0; i < 4; i++) {
            if (chunk + i < x.chunks) job->chunk_state[chunk + i] = uint16_t(states[i]);
          }
        }
      }
      wait_for_copies<1>();
      __syncwarp();
      s = table.template step<false>(pieces.mine(slot), s, 0, 0);
      __syncwarp();
      pieces.fetch(at + 2 * kChunk, slot);
      slot ^= 1;
    }
    if (segment < x.count) x.ended[segment] = uint16_t(s);
    wait_for_copies<0>();
    __syncwarp();
  }
}

// Walks a segment again that was not begun as the one before it ended, if so.
__device__ __forceinline__ void mend_segment(const Program* program, const Job* job, const WalkSegments& x, uint32_t segment) {
  uint32_t s = x.ended[segment - 1];
  if (s == x.begun[segment]) return;
  const uint8_t* groups = context_table<uint8_t>(program, kGroups);
  const uint16_t* next = context_table<uint16_t>(program, kRows);
  const uint32_t states = program->states, per_segment = x.length / kChunk, end = min(x.chunks, (segment + 1) * per_segment);
  x.begun[segment] = uint16_t(s);
  for (uint32_t chunk = segment * per_segment; chunk < end; chunk++) {
    if (job->chunk_state[chunk] == s) return; // and so are all behind it
    job->chunk_state[chunk] = uint16_t(s);
    const uint4* symbols = reinterpret_cast<const uint4*>(job->data + uint64_t(chunk) * kChunk);
    for (uint32_t v = 0; v < kChunk / sizeof(uint4); v++) {
      const uint4 sixteen = __ldg(symbols + v);
#pragma unroll
      for (uint32_t b = 0; b < sizeof(uint4); b++) {
        s = next[groups[word_of(sixteen, b / 4) >> (8 * (b % 4)) & 0xff] * states + s];
      }
    }
  }
  x.ended[segment] = uint16_t(s);
}

// The kernels that mend, a thread a segment; the grid may have any size, and so below.
// What another thread has mended meanwhile may be seen or not: each segment ends as it
// does from where it was begun. In the first round all do it at once; in the others the
// threads of a warp one after the other, of which the next sees what the one before did.
__device__ __forceinline__ void mend_segments(const Program* program, const Job* job, bool in_order) {
  const WalkSegments x(job);
  for (uint32_t first = (blockIdx.x * kMendThreads + threadIdx.x) / kWarp * kWarp; first < x.count; first += gridDim.x * kMendThreads) {
    const uint32_t segment = first + lane_id();
    const bool mends = segment > 0 && segment < x.count;
    if (!in_order) {
      if (mends) mend_segment(program, job, x, segment);
      continue;
    }
    uint32_t from = 0; // lanes below it are done
    for (;;) {
      const bool differs = mends && lane_id() >= from && x.ended[segment - 1] != x.begun[segment];
      const uint32_t lanes = __ballot_sync(kAllLanes, differs);
      if (lanes == 0) break;
      const uint32_t lane = uint32_t(__ffs(int(lanes))) - 1;
      if (lane_id() == lane) {
        mend_segment(program, job, x, segment);
        __threadfence();
      }
      __syncwarp();
      from = lane + 1;
    }
  }
}

// The kernel that verifies.
__device__ __forceinline__ void verify_segments(const Job* job) {
  const WalkSegments x(job);
  for (uint32_t segment = blockIdx.x * kMendThreads + threadIdx.x + 1; segment < x.count; segment += gridDim.x * kMendThreads) {
    if (x.ended[segment - 1] != x.begun[segment]) *x.long_walk = 1;
  }
}

} // namespace dfaparse
