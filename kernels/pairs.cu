// Columns of maps: where keys and values are. What becomes of them is left to the kernels of texts,
// to which each is a row of a delivery of its own.
//
//   dfa_pairs
//     in   Pairs: spans, lengths (where begins of level 0 come), validity of the maps as texts
//     out  PairLevel.begins: how many entries each row has; Pairs.entries, is_data, escaped; rows that are
//          left: Output.todo, valid, counters
//   dfa_pairs_offsets
//     in   PairLevel.begins
//     out  PairLevel.begins: where they begin; counters
//   dfa_pairs_place
//     in   these
//     out  PairLevel.counts, start, end, inner
//   dfa_pairs_lengths
//     in   PairLevel.start, end
//     out  Output.offsets, which are lengths here, valid, counters of keys and values
//
// In dfa_pairs a thread has a row. It leaves a map that is none, one with what would have to be decoded, a long one,
// and one that may have a key twice: keys are compared by their hashes.
//
// The twin is Table.Fields (dfa/fields.go) with maps (internal/convert/map.go).
#include "strings/offsets.cuh"
#include "pairs/walk.cuh"

namespace dfaparse {

// So many keys of one map are compared: of the innermost level, and of the level before.
constexpr uint32_t kMostPairs = 64, kMostOuter = 16;

// The n bytes at p as a number; those that differ mostly have another one.
__device__ inline uint32_t hash_key(const uint8_t* p, uint32_t n) {
  uint64_t hash = n;
#pragma unroll 1
  for (uint32_t i = 0; i < n; i += 8) {
    const uint32_t skip = uint32_t(uint64_t(p + i) & 7), left = min(n - i, 8u);
    const uint64_t* words = reinterpret_cast<const uint64_t*>(p + i - skip);
    uint64_t word = words[0] >> 8 * skip;
    if (skip + left > 8) word |= words[1] << (64 - 8 * skip);
    if (left < 8) word &= (uint64_t(1) << 8 * left) - 1;
    hash = (hash ^ word) * 0x9e3779b97f4a7c15ull;
    hash ^= hash >> 29;
  }
  return uint32_t(hash >> 32) ^ uint32_t(hash);
}

// The keys of a map so far.
template <uint32_t most>
struct KeySet {
  uint64_t some, more, yet; // by bits of a hash: there is one; not of few keys
  uint32_t n;
  uint4* hash; // [most/4]; not in here, so that the others are in registers

  __device__ __forceinline__ void clear() { some = more = yet = n = 0; }
  // False: it may be there, or there are too many.
  __device__ __forceinline__ bool add(uint32_t key) {
    const uint64_t bit = uint64_t(1) << (key & 63), other = uint64_t(1) << (key >> 6 & 63), third = uint64_t(1) << (key >> 12 & 63);
    if (most == kMostOuter || ((some & bit) && (more & other) && (yet & third))) {
#pragma unroll 1
      for (uint32_t i = 0; i < n; i += 4) {
        const uint4 x = hash[i / 4];
        if (x.x == key || (x.y == key && i + 1 < n) || (x.z == key && i + 2 < n) || (x.w == key && i + 3 < n)) return false;
      }
    }
    if (n == most) return false;
    if (most != kMostOuter) {
      some |= bit;
      more |= other;
      yet |= third;
    }
    reinterpret_cast<uint32_t*>(hash)[n++] = key;
    return true;
  }
};

// Notes the entries of a map, and how many there are.
struct NotePairs {
  const Pairs* pairs;
  const uint8_t* from;
  uint32_t map;    // where it starts in the source
  uint64_t* to;    // the map's entries
  uint32_t room;   // for so many
  uint32_t last;   // level
  uint32_t n;      // entries of all levels, of which the last one is not there yet
  uint64_t entry;  // that one
  uint32_t outer;  // of them outer ones
  uint32_t under;  // the last outer one, counted from all
  uint64_t around; // and what it is
  KeySet<kMostPairs> inner;
  KeySet<kMostOuter> outers;

  __device__ __forceinline__ void begin(const Pairs& of, uint32_t start, uint32_t symbols) {
    map = start;
    from = of.source + start;
    to = of.entries + start / 2;
    room = (symbols + 1) / 2;
    n = outer = under = 0;
    entry = around = 0;
    inner.clear();
    outers.clear();
  }
  __device__ __forceinline__ bool key(uint32_t level, uint32_t start, uint32_t end) {
    if (n != 0) to[n - 1] = entry;
    const uint32_t hash = hash_key(from + start, end - start);
    entry = start | uint64_t(end) << PairEntry::kKeyEnd;
    if (n == room) return false;
    if (level == last) {
      n++;
      return inner.add(hash);
    }
    close();
    under = n++;
    outer++;
    around = entry |= PairEntry::kOuter;
    inner.clear();
    return outers.add(hash);
  }
  __device__ __forceinline__ void value(uint32_t start, uint32_t end, bool copied) {
    entry |= uint64_t(start) << PairEntry::kStart | uint64_t(end) << PairEntry::kEnd | PairEntry::kValue | (copied ? PairEntry::kCopied : 0);
    if (copied) *pairs->escaped = 1;
  }
  __device__ __forceinline__ void escaped(uint32_t p) {
    if (pairs->is_data == nullptr) return;
    p += map;
    atomicAnd(&pairs->is_data[p >> 5], ~(1u << (p & 31)));
  }
  // How many inner entries the last outer one has is known.
  __device__ __forceinline__ void close() {
    if (outer != 0) to[under] = around | uint64_t(n - under - 1) << PairEntry::kStart;
  }
  __device__ __forceinline__ void end() {
    if (n != 0) to[n - 1] = entry;
    close();
  }
};

// By a whole block: whether there is room for the automaton, which is there then.
__device__ __forceinline__ bool load_pair_table(const Pairs& pairs, PairShared& shared) {
  const Program& program = *pairs.program;
  if (program.states > kPairStates || program.nemissions > kPairEmissions) return false;
  for (uint32_t i = threadIdx.x; i < program.states * 256; i += blockDim.x) {
    const Transition t = program.flat[i];
    shared.table[i] = t | min(uint32_t(pairs.run[t & (kPairStates - 1)]), kPairStates) << kRunShift;
  }
  for (uint32_t i = threadIdx.x; i < program.nemissions; i += blockDim.x) shared.emissions[i] = program.emissions[i];
  __syncthreads();
  return true;
}

__device__ __forceinline__ bool has_map(const Pairs& pairs, uint32_t row) {
  return (pairs.valid[row >> 5] & ~pairs.todo[row >> 5]) >> (row & 31) & 1;
}

// The maps' levels as a set of texts, which have as many bytes as there are entries.
class PairBegins {
 public:
  __device__ explicit PairBegins(const Pairs* pairs) : pairs_(pairs) {}

  __device__ uint32_t count() const { return uint32_t(pairs_->levels); }
  __device__ StoredLengths lengths(uint32_t i) const { return StoredLengths{pairs_->level[i].begins}; }
  __device__ uint32_t* offsets(uint32_t i) const { return pairs_->level[i].begins; }
  __device__ uint32_t* counters(uint32_t i) const { return pairs_->level[i].counters; }
  __device__ uint64_t heap_size() const { return ~uint64_t(0); }

 private:
  const Pairs* pairs_;
};

// Notes the entries of the rows of a grid, a row a thread.
template <class Automaton>
__device__ __forceinline__ void note_maps(const Pairs* address, uint32_t rows, const Automaton& automaton, uint32_t* symbols, uint32_t* events) {
  const Pairs& pairs = *address;
  const SteppedSymbols stepped(pairs);
  const uint32_t levels = uint32_t(pairs.levels);
  uint4 inner[kMostPairs / 4], outer[kMostOuter / 4];
  NotePairs note;
  note.inner.hash = inner;
  note.outers.hash = outer;
  note.pairs = address;
  note.last = levels - 1;
  const uint64_t stride = uint64_t(gridDim.x) * blockDim.x;
  for (uint64_t at = uint64_t(blockIdx.x) * blockDim.x + threadIdx.x; at - lane_id() < rows; at += stride) {
    const uint32_t row = uint32_t(at);
    const bool is = row < rows && has_map(pairs, row);
    // Of a record that is left as a whole only the length is known, which is 0.
    const uint32_t n = is ? pairs.level[0].begins[row] : 0, start = n != 0 ? pairs.start[row] : 0;
    const bool near = is && n <= kLongestMap && (n == 0 || (start < kScattered && pairs.end[row] - start == n));
    note.begin(pairs, near ? start : 0, n);
    const bool right = walk_map(automaton, pairs, stepped, levels, note.from, n, near, symbols, events, note);
    if (right) note.end();
    if (row < rows) {
      pairs.level[0].begins[row] = !right ? 0 : levels == 1 ? note.n : note.outer;
      if (levels > 1) pairs.level[1].begins[row] = right ? note.n - note.outer : 0;
    }
    const uint32_t bits = __ballot_sync(kAllLanes, is && !right);
    if (lane_id() == 0 && bits != 0) {
      pairs.todo[row >> 5] |= bits;
      pairs.valid[row >> 5] &= ~bits;
      atomicAdd(&pairs.counters[1], uint32_t(__popc(int(bits))));
    }
  }
}

// The entries of a warp's rows side by side, of which each lane has one row: so all lanes have some, however many a row has.
class RowEntries {
 public:
  // n: of this lane's row
  __device__ explicit RowEntries(uint32_t n) {
    const uint32_t through = scan_warp(n, Sum());
    begins_ = through - n;
    all_ = __shfl_sync(kAllLanes, through, kWarp - 1);
  }
  __device__ uint32_t count() const { return all_; }
  // Whose row entry i is of, and which one it is there.
  __device__ __forceinline__ uint32_t lane_of(uint32_t i) const {
    uint32_t lane = 0;
#pragma unroll
    for (uint32_t d = kWarp / 2; d != 0; d /= 2) {
      if (__shfl_sync(kAllLanes, begins_, lane + d) <= i) lane += d;
    }
    return lane;
  }
  __device__ __forceinline__ uint32_t within(uint32_t i, uint32_t lane) const { return i - __shfl_sync(kAllLanes, begins_, lane); }

 private:
  uint32_t begins_, all_;
};

} // namespace dfaparse

// Any grid over rows, of kPairThreads threads.
extern "C" __global__ void __launch_bounds__(256, 3) dfa_pairs(const dfaparse::Job* job, const dfaparse::Delivery* delivery, const dfaparse::Pairs* pairs) {
  using namespace dfaparse;
  __shared__ PairShared shared;
  const uint32_t rows = delivery_rows(job, delivery);
  if (load_pair_table(*pairs, shared)) {
    note_maps(pairs, rows, NearPairs{shared}, shared.symbols + threadIdx.x, shared.events + threadIdx.x);
  } else {
    note_maps(pairs, rows, FarPairs{*pairs->program}, shared.symbols + threadIdx.x, shared.events + threadIdx.x);
  }
}

// Grid: as dfa_offsets. The scratch memory is zero.
extern "C" __global__ void __launch_bounds__(256) dfa_pairs_offsets(const dfaparse::Job* job, const dfaparse::Delivery* delivery, const dfaparse::Pairs* pairs) {
  using namespace dfaparse;
  scan_texts(PairBegins(pairs), delivery_rows(job, delivery), delivery->capacity, job->scratch);
}

// Any grid over rows. Where there is no room for all entries, none is put.
extern "C" __global__ void __launch_bounds__(256) dfa_pairs_place(const dfaparse::Job* job, const dfaparse::Delivery* delivery, const dfaparse::Pairs* pairs) {
  using namespace dfaparse;
  const uint32_t rows = delivery_rows(job, delivery);
  if (rows == 0) return;
  const Pairs of = *pairs;
  const uint32_t levels = uint32_t(of.levels);
  for (uint32_t level = 0; level < levels; level++) {
    if (of.level[level].counters[2] > of.level[level].capacity) return;
  }
  if (blockIdx.x == 0 && threadIdx.x < levels) of.level[threadIdx.x].counts->rows = of.level[threadIdx.x].counters[2];
  const PairLevel outer = of.level[0], inner = of.level[levels - 1];
  const uint32_t lane = lane_id(), below = (1u << lane) - 1;
  const uint64_t stride = uint64_t(gridDim.x) * blockDim.x;
  for (uint64_t at = uint64_t(blockIdx.x) * blockDim.x + threadIdx.x; at - lane < rows; at += stride) {
    const uint32_t row = min(uint32_t(at), rows - 1);
    uint32_t outers = outer.begins[row], place = inner.begins[row], n = 0;
    if (at < rows) n = inner.begins[row + 1] - place + (levels > 1 ? outer.begins[row + 1] - outers : 0);
    const uint32_t map = n != 0 ? of.start[row] : 0;
    const RowEntries entries(n);
    outers = __shfl_sync(kAllLanes, outers, 0);
    place = __shfl_sync(kAllLanes, place, 0);
    for (uint32_t first = 0; first < entries.count(); first += kWarp) {
      const uint32_t i = first + lane, owner = entries.lane_of(min(i, entries.count() - 1)), start = __shfl_sync(kAllLanes, map, owner);
      const uint32_t nth = entries.within(i, owner);
      const bool in = i < entries.count();
      const PairEntry entry = {in ? of.entries[start / 2 + nth] : 0};
      const bool around = (entry.bits & PairEntry::kOuter) != 0;
      const uint32_t all_outer = __ballot_sync(kAllLanes, around), all_inner = __ballot_sync(kAllLanes, in && !around);
      if (around) {
        const uint32_t i = outers + uint32_t(__popc(int(all_outer & below)));
        outer.start[i] = start + entry.get(0);
        outer.end[i] = start + entry.get(PairEntry::kKeyEnd);
        outer.inner[i] = entry.get(PairEntry::kStart);
      } else if (in) {
        const uint32_t i = place + uint32_t(__popc(int(all_inner & below))), v = inner.capacity + i;
        inner.start[i] = start + entry.get(0);
        inner.end[i] = start + entry.get(PairEntry::kKeyEnd);
        inner.start[v] = entry.bits & PairEntry::kValue ? (start + entry.get(PairEntry::kStart)) | (entry.bits & PairEntry::kCopied ? kScattered : 0) : kAbsent;
        inner.end[v] = start + entry.get(PairEntry::kEnd);
      }
      outers += uint32_t(__popc(int(all_outer)));
      place += uint32_t(__popc(int(all_inner)));
    }
  }
}

namespace dfaparse {

// The lengths of the texts of one column of a level, a row a thread.
__device__ __forceinline__ void measure_entries(const Job& job, const Delivery& delivery, const Output& output) {
  const uint32_t rows = delivery_rows(&job, &delivery);
  const uint32_t* const starts = delivery.span_start + uint64_t(output.column) * delivery.capacity;
  const uint32_t* const ends = delivery.span_end + uint64_t(output.column) * delivery.capacity;
  const uint64_t stride = uint64_t(gridDim.x) * blockDim.x;
  uint32_t nulls = 0;
  for (uint64_t at = uint64_t(blockIdx.x) * blockDim.x + threadIdx.x; at - lane_id() < rows; at += stride) {
    const uint32_t row = uint32_t(at), start = at < rows ? starts[row] : kAbsent;
    if (start != kAbsent) {
      const uint32_t end = ends[row];
      output.offsets[row] = start & kScattered ? data_rank(job, end) - data_rank(job, start & ~kScattered) : end - start;
    } else if (at < rows) {
      output.offsets[row] = 0;
      nulls++;
    }
    const uint32_t valid = __ballot_sync(kAllLanes, start != kAbsent);
    if (lane_id() == 0) output.valid[row >> 5] = valid;
  }
  if (nulls != 0) atomicAdd(&output.counters[0], nulls);
}

} // namespace dfaparse

// In place of dfa_convert for the entries of maps: the lengths of their texts, and which are null. Any grid over
// rows.
extern "C" __global__ void __launch_bounds__(256) dfa_pairs_lengths(const dfaparse::Job* job, const dfaparse::Delivery* delivery) {
  using namespace dfaparse;
  for (uint32_t o = 0; o < delivery->noutputs; o++) measure_entries(*job, *delivery, delivery->outputs[o]);
}
