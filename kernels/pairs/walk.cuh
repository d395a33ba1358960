// One map of a column, by one thread: an automaton takes it apart into keys and values. The twin
// is that of pairs.cu.
#pragma once

#include "../scan.cuh"
#include "../span.cuh"

namespace dfaparse {

// Keys of maps nest so deep at most.
constexpr uint32_t kPairLevels = 2;

// Beyond that many symbols a map is left: the others of its warp would wait.
constexpr uint32_t kLongestMap = 4096;

// The entries of one level of keys: those of the outermost one belong to rows, others to the entries
// of the level before.
struct PairLevel {
  uint32_t* begins;     // [rows+1] of each row how many entries it has, then where they begin; of level 0 Output.offsets
  uint32_t* counters;   // [8] as Output.counters, of begins; zeroed before
  Counts* counts;       // rows: all entries; zeroed before
  uint32_t* start;      // spans of [capacity] keys, and behind them, of the last level, of as many values
  uint32_t* end;
  uint32_t* inner;      // [capacity] entries of the level behind that each has; nullptr: there is none
  uint32_t capacity;    // entries
  uint32_t reserved;
};

// A column of maps.
struct Pairs {
  const Program* program;
  const uint8_t* source; // Job.data or Job.value
  const uint32_t* start; // [rows] spans of the maps, as dfa_convert leaves those of texts
  const uint32_t* end;
  uint32_t* valid;       // those of Output
  uint32_t* todo;
  uint32_t* counters;
  uint32_t* is_data;     // of the entries' own: bit p&31 of word p>>5; all ones before; nullptr: values have no other symbols
  uint32_t* escaped;     // becomes 1 if some value has a symbol that is no data; zeroed before
  uint64_t* entries;     // those of a map from half of where it starts on, no more than half its symbols, see PairEntry
  const PairLevel* level; // [levels] of keys
  uint64_t levels;
};

// An entry of a map, as dfa_pairs finds it: offsets from where the map starts.
//
//   bit  63     62         61      51..39       38..26         25..13     12..0
//        outer  has value  copied  value's end  value's start  key's end  key's start
//
// Of an outer entry the value's start is how many inner ones it has.
struct PairEntry {
  static constexpr uint64_t kOuter = uint64_t(1) << 63, kValue = uint64_t(1) << 62, kCopied = uint64_t(1) << 61;
  static constexpr uint32_t kKeyEnd = 13, kStart = 26, kEnd = 39;
  static constexpr uint32_t kMask = (1u << 13) - 1;
  uint64_t bits;

  __device__ __forceinline__ uint32_t get(uint32_t shift) const { return uint32_t(bits >> shift) & kMask; }
};

// What of a map is not plain data is listed first, as lines.cu does it, and then gone through: so the lanes of
// a warp meet where a key ends. Each has room for so many.
constexpr uint32_t kPairEvents = 16;
constexpr uint32_t kPairThreads = 256; // of a block

// An event: the symbol's place, below kLongestMap, and of its transition what is above the state.
constexpr uint32_t kPlaceBits = 12;
static_assert(kLongestMap <= 1u << kPlaceBits, "places have so many bits");

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

// Ends the field of x with e at symbol p. False: the map is for the host.
template <class Sink>
__device__ __forceinline__ bool end_map_field(MapWalk& x, const Emission& e, uint32_t p, uint32_t levels, const uint8_t* from, uint32_t n, Sink& sink) {
  const uint32_t boundary = p - e.lag, number = e.column == kNextColumn ? x.column : uint32_t(e.column);
  const uint32_t to = min(x.end, boundary), at = min(x.first, to);
  auto goes_on = [&](uint32_t p) { return (from[p] & 0xc0) == 0x80; };
  if (e.code != 0 || (x.copied && x.end > boundary) || number > x.open || number > levels) return false;
  if (to > at && (goes_on(at) || (to < n && goes_on(to)))) return false; // half of a symbol of UTF-8
  if (number == levels) {
    if (x.value) return false;
    sink.value(at, to, x.copied);
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

// By a whole warp, a map a lane, or none: takes the n symbols at `from` apart. table is Program.flat, or a copy; events has
// room for those of the thread, kPairThreads apart. sink is told of keys and values in order, each as offsets
// from `from`, and says whether it takes a key; escaped(p) tells it that symbol p, within a value, is no
// data. False: the map is for the host, because it is none, or has what would have to be copied.
template <class Sink>
__device__ __forceinline__ bool walk_map(const Program& program, uint32_t levels, const uint8_t* from, uint32_t n, bool is, const Transition* table, uint32_t* events, Sink& sink) {
  MapWalk x = {0, 0, 0, 0, 0, false, false};
  uint32_t state = program.start, p = 0, stop = is ? n : 0;
  uint64_t word = 0; // the symbols from p on, as far as they have been loaded
  bool right = true;
  while (__any_sync(kAllLanes, p < stop)) {
    uint32_t listed = 0;
#pragma unroll 1
    while (p < stop && listed < kPairEvents) {
      const uint32_t skip = uint32_t(uint64_t(from + p) & 7);
      if (skip == 0 || p == 0) word = *reinterpret_cast<const uint64_t*>(from + p - skip) >> 8 * skip;
      const Transition t = table[state * 256 + (uint32_t(word) & 0xff)];
      state = t & kNextMask;
      if (t & (kKindMask << kKindShift | kCoded)) events[listed++ * kPairThreads] = p | t >> kEmissionShift << kPlaceBits;
      word >>= 8;
      p++;
    }
    __syncwarp();
#pragma unroll 1
    for (uint32_t i = 0; i < listed && right; i++) {
      const uint32_t event = events[i * kPairThreads], place = event & ((1u << kPlaceBits) - 1);
      const Transition t = event >> kPlaceBits << kEmissionShift;
      const uint32_t kind = t >> kKindShift & kKindMask;
      x.data(place);
      x.at = place + 1;
      if (kind == kField) {
        right = end_map_field(x, program.emissions[t >> kEmissionShift & kEmissionMask], place, levels, from, n, sink);
      } else if (kind == kSkip) {
        right = from[place] < 0x80;
        if (x.first < x.end) sink.escaped(place);
      } else {
        right = false;
      }
    }
    if (!right) stop = 0;
    __syncwarp();
  }
  if (!is || !right) return false;
  x.data(n);
  const Emission& e = program.emissions[program.at_eof[state]];
  if (e.kind == kRecord) return e.record == kDataRecord && end_map_field(x, e, n, levels, from, n, sink);
  return e.kind == kSkip && e.code == 0;
}

} // namespace dfaparse
