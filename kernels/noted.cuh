// What kernels note in Counts.reserved, beside what became of a partition.
#pragma once

#include "layout.cuh"

namespace dfaparse {

enum Noted : uint32_t {
  kUndone = 0,      // not 0: of some text that the fused path has made lengths of, rows are left to convert
  kQuotedTiles = 1, // tiles in which not all is found by comparison, see tiles.cu
  kHeapWords = 2,   // words of the heap, from its begin on, that views have taken, whether there is room or not
};

// Of Output.counters: not 0 if kUndone holds of that text, until dfa_offsets has its bytes there.
constexpr uint32_t kUndoneRows = 2;

} // namespace dfaparse
