// What is known of maps by symbol: a mark says what each is, 64 at a time.
//
// A map has a slot for each block of 64 symbols of the source that it lies in, the blocks counted from
// the source's begin: block b of row r is slot b+r, so that no two maps share one. A slot is the first 4 words of 64
// bits, of maps of maps all 6, one bit a symbol.
//
//	  a = " x \ " y "   b
//	  K . . . h . . .   K    key: symbols of keys, and those of values that are no data, as the lead of an escape
//	    1                 1  key ends: the symbol behind each key
//	        V V V V          value: symbols of values, and those among them that are no data
//	                1     1  value ends: a symbol behind each value, at or before the next key; of a key
//	                         without one the key's end
#pragma once

#include "../scan.cuh"
#include "../span.cuh"

namespace dfaparse {

// Keys of maps nest so deep at most.
constexpr uint32_t kPairLevels = 2;

// Beyond that many symbols a map is left: the others of its warp would wait.
constexpr uint32_t kLongestMap = 4096;

constexpr uint32_t kMarkBlock = 64; // symbols

enum MarkWord : uint32_t { kMarkKey = 0, kMarkKeyEnd = 1, kMarkValue = 2, kMarkValueEnd = 3, kMarkOuter = 4, kMarkOuterEnd = 5 };
constexpr uint32_t kMarkWords = 4, kNestedMarkWords = 6; // of a slot

// The entries of one level of keys: those of the outermost one belong to rows, others to the entries
// of the level before.
struct PairLevel {
  uint32_t* begins;   // [rows+1] of each row how many entries it has, then where they begin; of level 0 Output.offsets
  uint32_t* counters; // [8] as Output.counters, of begins; zeroed before
  Counts* counts;     // rows: all entries; zeroed before
  uint32_t* inner;    // [capacity+1] where the entries of the level behind begin; nullptr: there is none
  uint32_t capacity;  // entries
  uint32_t reserved;
};

// The keys of a level, or the values.
struct PairTexts {
  uint32_t* bytes;    // [rows+1] of each row, then where they begin
  uint32_t* offsets;  // Output.offsets, of entries
  uint32_t* counters; // Output.counters
  uint8_t* heap;      // Delivery.heap
};

// Which texts are which.
enum PairText : uint32_t { kPairKeys = 0, kPairValues = 1, kPairOuterKeys = 2 };

// Symbols that tell a notation's fields apart, see signs.cuh.
enum PairSign : uint32_t { kSignSeparator = 0, kSignKey = 1, kSignQuote = 2, kSignLead = 3, kSignClose = 4, kSignOpen = 5 };

enum PairNotation : uint32_t { kNoSigns = 0, kFlatSigns = 1, kNestedSigns = 2 };
constexpr uint32_t kHasQuote = 1, kHasLead = 2, kBarred = 4; // flags: there are quotes, leads; what closes is none in a value

// A column of maps.
struct Pairs {
  const Program* program;
  const uint8_t* source; // Job.data
  const uint32_t* start; // [rows] spans of the maps, as dfa_convert leaves those of texts
  const uint32_t* end;
  uint32_t* valid;       // those of Output
  uint32_t* todo;
  uint32_t* counters;
  uint64_t* marks;       // slots
  uint32_t* odd;         // bitmap of rows: they are for the automaton
  uint32_t* any_odd;     // becomes 1 if some are; zeroed before
  uint32_t* value_valid; // bitmap of the values; all ones before
  const PairLevel* level; // [levels] of keys
  const PairTexts* texts; // [levels+1], see PairText
  uint64_t levels;
  uint32_t notation;         // PairNotation: which are found by signs
  uint32_t flags;
  uint32_t sign[6];          // PairSign: a symbol each, in all bytes of a word
  uint32_t itself[8];        // bit c&31 of word c>>5: c stands for itself behind a lead
  // Runs of symbols that are data in most states of the automaton, in which they are passed over.
  uint8_t run[16];          // of a state, where such a run leads; above 15: symbols are stepped one by one
  uint32_t stepped_mask[3]; // a symbol that may be in no run: symbol | mask == value, all four bytes of a word
  uint32_t stepped_value[3];
};

__device__ __forceinline__ bool has_map(const Pairs& pairs, uint32_t row) {
  return (pairs.valid[row >> 5] & ~pairs.todo[row >> 5]) >> (row & 31) & 1;
}

__device__ __forceinline__ uint32_t mark_words(const Pairs& pairs) { return pairs.levels > 1 ? kNestedMarkWords : kMarkWords; }

// In how many blocks n symbols from start on lie, with the one behind them.
__device__ __forceinline__ uint32_t mark_blocks(uint32_t start, uint32_t n) { return (start + n) / kMarkBlock - start / kMarkBlock + 1; }

// The slot of block b of a row.
__device__ __forceinline__ uint64_t* mark_slot(const Pairs& pairs, uint32_t b, uint32_t row, uint32_t words) {
  return pairs.marks + (uint64_t(b) + row) * words;
}

// By a thread, of others than those that leave rows at the same time: leaves one.
__device__ __forceinline__ void leave_map(const Pairs& pairs, uint32_t row) {
  const uint32_t bit = 1u << (row & 31);
  if ((atomicOr(&pairs.todo[row >> 5], bit) & bit) != 0) return;
  atomicAnd(&pairs.valid[row >> 5], ~bit);
  atomicAdd(&pairs.counters[1], 1u);
}

// What a row has.
struct MapCounts {
  uint32_t entries, outer;                       // entries of the last level, and outer ones
  uint32_t key_bytes, value_bytes, outer_bytes;
};

__device__ __forceinline__ void store_counts(const Pairs& pairs, uint32_t row, const MapCounts& n) {
  const uint32_t levels = uint32_t(pairs.levels);
  pairs.level[levels - 1].begins[row] = n.entries;
  pairs.texts[kPairKeys].bytes[row] = n.key_bytes;
  pairs.texts[kPairValues].bytes[row] = n.value_bytes;
  if (levels > 1) {
    pairs.level[0].begins[row] = n.outer;
    pairs.texts[kPairOuterKeys].bytes[row] = n.outer_bytes;
  }
}

__device__ __forceinline__ uint32_t count_bits(uint64_t x) { return uint32_t(__popcll(x)); }

// Adds the marks of a slot to what a row has.
template <bool nested>
__device__ __forceinline__ void count_marks(const uint64_t* mark, MapCounts& n) {
  n.entries += count_bits(mark[kMarkKeyEnd]);
  n.key_bytes += count_bits(mark[kMarkKey] & ~mark[kMarkValue]);
  n.value_bytes += count_bits(mark[kMarkValue] & ~mark[kMarkKey]);
  if (nested) {
    n.outer += count_bits(mark[kMarkOuterEnd]);
    n.outer_bytes += count_bits(mark[kMarkOuter]);
  }
}

// What the rows of a warp have side by side, of which each lane has one row: so all lanes have some, however many a row
// has.
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
