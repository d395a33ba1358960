// One map of a column, by one thread: an automaton takes it apart into keys and values. The twin
// is that of pairs.cu.
#pragma once

#include "marks.cuh"

namespace dfaparse {

// These comparisons, in registers.
struct SteppedSymbols {
  uint32_t mask[3], value[3];

  __device__ explicit SteppedSymbols(const Pairs& pairs) {
#pragma unroll
    for (uint32_t i = 0; i < 3; i++) mask[i] = pairs.stepped_mask[i], value[i] = pairs.stepped_value[i];
  }
  // Which of the four symbols of a word, and of those behind them, have to be stepped: a bit each.
  __device__ __forceinline__ uint32_t find(uint32_t word, uint32_t behind) const {
    uint32_t found = 0;
#pragma unroll
    for (uint32_t i = 0; i < 3; i++) {
      const uint32_t x = (word | mask[i]) ^ value[i];
      found |= (x - 0x01010101) & ~x; // bit 7 of a byte that is null, and perhaps of some above it
    }
    return __funnelshift_l((found & 0x80808080) * 0x00204081, behind, 4);
  }
};

constexpr uint32_t kPairThreads = 256; // of a block

// Automata of up to so many states are stepped in shared memory, with up to so many emissions.
constexpr uint32_t kPairStates = 16, kPairEmissions = 64;

// Symbols of a map that a lane takes at once.
constexpr uint32_t kPairSymbols = 32;

// What of a map is not data is listed first, and gone through when some lane of the warp has so many, or no room. An event
// has its symbol's place, which is below kLongestMap, in place of its transition's next state.
constexpr uint32_t kPairEvents = 20, kManyPairEvents = 12;
static_assert(kLongestMap <= kNextMask + 1, "there is room for places");

// In shared memory a transition has between its kind and its next state, which is below kPairStates, what Pairs.run
// has of that one.
constexpr uint32_t kRunShift = 4, kRunMask = 0x1f;

// What a block has in shared memory.
struct PairShared {
  Transition table[kPairStates * 256];
  Emission emissions[kPairEmissions];
  uint32_t symbols[kPairSymbols / 4 * kPairThreads]; // of a thread, kPairThreads words apart
  uint32_t events[kPairEvents * kPairThreads];       // as these
};
static_assert(sizeof(Pairs::run) == kPairStates, "each state may have a run");

// What of the automaton is not in shared memory, if there is no room for it there.
struct FarPairs {
  const Program& program;
  static constexpr bool near = false;

  __device__ __forceinline__ Transition step(uint32_t state, uint32_t symbol) const { return program.flat[state * 256 + symbol]; }
  __device__ __forceinline__ const Emission& emission(uint32_t i) const { return program.emissions[i]; }
};

struct NearPairs {
  const PairShared& shared;
  static constexpr bool near = true;

  __device__ __forceinline__ Transition step(uint32_t state, uint32_t symbol) const { return shared.table[state * 256 + symbol]; }
  __device__ __forceinline__ const Emission& emission(uint32_t i) const { return shared.emissions[i]; }
};

// A map as far as its events have been gone through.
struct MapWalk {
  uint32_t column, first, end; // the field: its data symbols so far are first to end-1
  uint32_t at;                 // the symbol behind the last event
  uint32_t open;               // levels whose keys are there
  bool value, copied;

  // The symbols from `at` up to `to` are data.
  __device__ __forceinline__ void data(uint32_t to) {
    if (at >= to) return;
    if (at != end) {
      copied = first < end;
      if (!copied) first = at;
    }
    end = to;
  }
};

// Ends the field of x with e at symbol p; ascii: all symbols through p are ASCII. False: the map is for the host.
template <class Sink>
__device__ __forceinline__ bool end_map_field(MapWalk& x, const Emission& e, uint32_t p, uint32_t levels, const uint8_t* from, uint32_t n, bool ascii, Sink& sink) {
  const uint32_t boundary = p - e.lag, number = e.column == kNextColumn ? x.column : uint32_t(e.column);
  const uint32_t to = min(x.end, boundary), at = min(x.first, to);
  auto goes_on = [&](uint32_t p) { return (from[p] & 0xc0) == 0x80; };
  if (e.code != 0 || (x.copied && x.end > boundary) || number > x.open || number > levels) return false;
  if (!ascii && to > at && (goes_on(at) || (to < n && goes_on(to)))) return false; // half of a symbol of UTF-8
  if (number == levels) {
    if (x.value || !sink.value(at, to)) return false;
    x.value = true;
  } else {
    if (x.copied || !sink.key(number, at, to)) return false;
    x.open = number + 1;
    x.value = false;
  }
  x.column = number + 1;
  x.first = boundary + 1 + e.open;
  x.end = p + 1;
  x.copied = false;
  return true;
}

// By a whole warp, a map a lane, or none: takes the n symbols at `from` apart. symbols and events have room for
// those of the thread, as PairShared. sink is told of keys and values in order, each as offsets
// from `from`, and says whether it takes them; escaped(p) tells it that symbol p, behind data of a field, is none.
// False: the map is for the host, because it is none, or has what would have to be copied.
template <class Automaton, class Sink>
__device__ __forceinline__ bool walk_map(const Automaton& automaton, const Pairs& pairs, const SteppedSymbols& stepped, uint32_t levels, const uint8_t* from, uint32_t n, bool is, uint32_t* symbols, uint32_t* events, Sink& sink) {
  // Places count from the 32 symbols of the source in which the map begins.
  const uint32_t skip = uint32_t(uint64_t(from) % kPairSymbols);
  const uint8_t* const origin = from - skip;
  const Program& program = *pairs.program;
  MapWalk x = {0, 0, 0, 0, 0, false, false};
  uint32_t state = program.start, run = Automaton::near ? pairs.run[state] : kPairStates, at = skip, stop = is ? skip + n : 0, high = 0, listed = 0;
  bool right = true;
  for (uint32_t first = 0; __any_sync(kAllLanes, first < stop); first += kPairSymbols) {
    uint32_t odd = 0;
    if (first < stop) {
      const uint4* const quads = reinterpret_cast<const uint4*>(origin + first);
      const uint4 a = quads[0], b = quads[1];
      const uint32_t words[8] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
#pragma unroll
      for (uint32_t i = 8; i-- > 0;) {
        symbols[i * kPairThreads] = words[i];
        high |= words[i];
        if (Automaton::near) odd = stepped.find(words[i], odd);
      }
    }
    const bool ascii = (high & 0x80808080) == 0;
    uint32_t to = min(first + kPairSymbols, stop);
    bool more;
    do {
#pragma unroll 1
      while (at < to && listed < kPairEvents) {
        const uint32_t left = (run < kPairStates ? odd : ~0u) >> (at - first), next = left != 0 ? min(at + uint32_t(__ffs(int(left))) - 1, to) : to;
        if (next > at) state = run;
        at = next;
        if (at == to) break;
        const uint32_t i = at - first, symbol = symbols[i / 4 * kPairThreads] >> i % 4 * 8 & 0xff;
        const Transition t = automaton.step(state, symbol);
        state = Automaton::near ? t & (kPairStates - 1) : t & kNextMask;
        if (Automaton::near) run = t >> kRunShift & kRunMask;
        if (t & (kKindMask << kKindShift | kCoded)) events[listed++ * kPairThreads] = (t & ~kNextMask) | (at - skip);
        at++;
      }
      __syncwarp();
      more = __any_sync(kAllLanes, at < to);
      if (!more && __any_sync(kAllLanes, first + kPairSymbols < stop) && !__any_sync(kAllLanes, listed >= kManyPairEvents)) break;
      // The lanes meet at keys, and at values.
      uint32_t i = 0;
      for (bool value = false; __any_sync(kAllLanes, i < listed); value = !value) {
        uint32_t place = 0;
        Transition t = 0;
#pragma unroll 1
        while (i < listed) {
          const uint32_t event = events[i * kPairThreads], kind = event >> kKindShift & kKindMask;
          place = event & kNextMask;
          if (kind == kField) {
            const int32_t column = automaton.emission(event >> kEmissionShift & kEmissionMask).column;
            if (((column == kNextColumn ? x.column : uint32_t(column)) >= levels) == value) t = event;
            break;
          }
          i++;
          x.data(place);
          x.at = place + 1;
          right = kind == kSkip && (ascii || from[place] < 0x80);
          if (right && x.first < x.end) sink.escaped(place);
          if (!right) i = listed = stop = to = 0;
        }
        __syncwarp();
        if (t != 0) {
          i++;
          x.data(place);
          x.at = place + 1;
          right = end_map_field(x, automaton.emission(t >> kEmissionShift & kEmissionMask), place, levels, from, n, ascii, sink);
          if (!right) i = listed = stop = to = 0;
        }
        __syncwarp();
      }
      listed = 0;
    } while (more);
  }
  if (!is || !right) return false;
  x.data(n);
  const Emission& e = program.emissions[program.at_eof[state]];
  if (e.kind == kRecord) return e.record == kDataRecord && end_map_field(x, e, n, levels, from, n, (high & 0x80808080) == 0, sink);
  return e.kind == kSkip && e.code == 0;
}

// Marks the entries of a map, and counts them.
class MarkPairs {
 public:
  // n: symbols of the map, from start on
  __device__ __forceinline__ void begin(const Pairs& pairs, uint32_t row, uint32_t start, uint32_t n) {
    words_ = mark_words(pairs);
    last_ = uint32_t(pairs.levels) - 1;
    skip_ = start % kMarkBlock;
    slots_ = mark_slot(pairs, start / kMarkBlock, row, words_);
    blocks_ = mark_blocks(start, n);
    behind_ = 0;
    hole_ = 0;
    lone_ = false;
    for (uint32_t i = 0; i < blocks_ * words_; i++) slots_[i] = 0;
  }
  __device__ __forceinline__ bool key(uint32_t level, uint32_t start, uint32_t end) {
    close();
    drop_holes(end);
    if (end < behind_) return false;
    behind_ = end + 1;
    key_end_ = end;
    lone_ = level == last_;
    const uint32_t word = lone_ ? kMarkKey : kMarkOuter;
    fill(word, start, end, ~uint64_t(0));
    one(word + 1, end);
    return true;
  }
  __device__ __forceinline__ bool value(uint32_t start, uint32_t end) {
    drop_holes(end);
    if (!lone_ || end < behind_) return false;
    lone_ = false;
    behind_ = end + 1;
    fill(kMarkValue, start, end, ~uint64_t(0));
    one(kMarkValueEnd, end);
    return true;
  }
  __device__ __forceinline__ void escaped(uint32_t p) {
    one(kMarkKey, p);
    hole_ = p + 1;
  }
  __device__ __forceinline__ void end() { close(); }

  __device__ __forceinline__ MapCounts count() const {
    MapCounts n = {0, 0, 0, 0, 0};
    for (uint32_t b = 0; b < blocks_; b++) {
      if (last_ != 0) {
        count_marks<true>(slots_ + b * words_, n);
      } else {
        count_marks<false>(slots_ + b * words_, n);
      }
    }
    return n;
  }

 private:
  // The last key has no value.
  __device__ __forceinline__ void close() {
    if (lone_) one(kMarkValueEnd, key_end_);
    lone_ = false;
  }
  // Those from the end of a field on are in none.
  __device__ __forceinline__ void drop_holes(uint32_t end) {
    if (hole_ > end) fill(kMarkKey, end, hole_, 0);
    hole_ = 0;
  }
  __device__ __forceinline__ void one(uint32_t word, uint32_t p) {
    p += skip_;
    slots_[p / kMarkBlock * words_ + word] |= uint64_t(1) << p % kMarkBlock;
  }
  // Symbols from start up to end become as bits say.
  __device__ __forceinline__ void fill(uint32_t word, uint32_t start, uint32_t end, uint64_t bits) {
    for (uint32_t p = start + skip_, to = end + skip_; p < to;) {
      const uint32_t n = min(kMarkBlock - p % kMarkBlock, to - p);
      const uint64_t mask = (~uint64_t(0) >> (kMarkBlock - n)) << p % kMarkBlock;
      uint64_t& x = slots_[p / kMarkBlock * words_ + word];
      x = (x & ~mask) | (bits & mask);
      p += n;
    }
  }

  uint64_t* slots_ = nullptr; // of the map
  uint32_t words_ = 0, blocks_ = 0;
  uint32_t skip_ = 0;    // symbols of its first block that are before it
  uint32_t last_ = 0;    // level
  uint32_t behind_ = 0;  // no next field ends before
  uint32_t key_end_ = 0; // of the last key
  uint32_t hole_ = 0;    // behind the last symbol of a field that is no data
  bool lone_ = false;    // that key has no value so far
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

// Marks the odd maps of the rows of a grid, a row a lane.
template <class Automaton>
__device__ __forceinline__ void walk_maps(const Pairs& pairs, uint32_t rows, const Automaton& automaton, uint32_t* symbols, uint32_t* events) {
  const SteppedSymbols stepped(pairs);
  const uint32_t levels = uint32_t(pairs.levels);
  MarkPairs marks;
  const uint64_t stride = uint64_t(gridDim.x) * blockDim.x;
  for (uint64_t at = uint64_t(blockIdx.x) * blockDim.x + threadIdx.x; at - lane_id() < rows; at += stride) {
    const uint32_t row = uint32_t(at), some = pairs.odd[(row - lane_id()) >> 5];
    if (some == 0) continue;
    const bool is = some >> lane_id() & 1;
    const uint32_t start = is ? pairs.start[row] : 0, n = is ? pairs.end[row] - start : 0;
    if (is) marks.begin(pairs, row, start, n);
    const bool right = walk_map(automaton, pairs, stepped, levels, pairs.source + start, n, is, symbols, events, marks);
    if (right) {
      marks.end();
      store_counts(pairs, row, marks.count());
    }
    if (is && !right) leave_map(pairs, row);
  }
}

} // namespace dfaparse
