// What the stage context finds in Program.context_words: offsets of tables from
// Program.context, and sizes. runtime/gpu/track.go makes them.
#pragma once

#include "../layout.cuh"

namespace dfaparse {

enum ContextWord : uint32_t {
  kEnter = 0,    // table of codes, see Tracker.enter
  kLeave = 1,    // table of states, see Tracker.leave
  kRows = 2,     // rows of transitions; of a monoid, elements after a symbol
  kRowCount = 3, // how many
  kCopiesLog = 4, // how often a row lies in shared memory: a power of 2
  kGroups = 5,   // [256] symbol -> symbol group, or LookupRegisters
  kSpan = 6,     // entries of kLeave a symbol; 0 where it does not depend on the symbol
  kStride = 7,   // bytes of all copies of a row
  kMore = 7,     // of the tracking, where there are no rows
  // Of kTrackWalk, beside the tables of kTrackVector and kCopiesLog:
  kSyncSymbol = 1 + kMore, // the symbol that tells the state, or kNoSymbol
  kSyncState = 2 + kMore,  // the state after it
  kWalkRows = 3 + kMore,  // [state]: words of next states, by group
  kWalkState = 4 + kMore, // the state in which a segment is begun
};

// A table of the stage context.
template <class T>
__device__ __forceinline__ const T* context_table(const Program* program, ContextWord word) {
  return reinterpret_cast<const T*>(static_cast<const uint8_t*>(program->context) + program->context_words[word]);
}

// The registers of dfa.LookupRegisters, in place of those that it has not got the
// first again. Rows are in the order of their bytes; that of what matches none,
// number 4*count, is the last.
struct LookupRegisters {
  uint32_t count;
  uint32_t symbols[4];
};

} // namespace dfaparse
