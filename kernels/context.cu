// Stage context: the state in which each chunk of a partition begins.
//
// In:  Job.data, size, state; Program.context with its words (tables.cuh).
// Out: Job.chunk_state, per chunk of kChunk symbols, one if size is 0.
//
// There is an entry for each way to track states (Tracking); the host launches
// the one of the Program, for kTrackVector five of them. A grid may have any size.
// Those of a single pass need Job.scratch as LookBack lays it out, zeroed; the
// others say in segments.cuh what they have there. The twin is
// runtime/cpu/reference/context.go.
#include "context/segments.cuh"
#include "context/tile.cuh"

using namespace dfaparse;

#define DFAPARSE_CONTEXT(NAME, ...)                                                       \
  extern "C" __global__ void __launch_bounds__(kContextThreads, kContextBlocks) NAME(     \
      const Program* program, Job* job) {                                                 \
    context_tiles<__VA_ARGS__>(program, job);                                             \
  }

DFAPARSE_CONTEXT(dfa_context_4, VectorTracker<Vector4, BySymbol>)
DFAPARSE_CONTEXT(dfa_context_8, VectorTracker<Vector8, BySymbol>)
DFAPARSE_CONTEXT(dfa_context_16, VectorTracker<Vector16, BySymbol>)
DFAPARSE_CONTEXT(dfa_context_registers_4, VectorTracker<Vector4, ByRegisters>)
DFAPARSE_CONTEXT(dfa_context_registers_8, VectorTracker<Vector8, ByRegisters>)
DFAPARSE_CONTEXT(dfa_context_registers_16, VectorTracker<Vector16, ByRegisters>)
DFAPARSE_CONTEXT(dfa_context_live_8, VectorTracker<Vector8, ByPair>)
DFAPARSE_CONTEXT(dfa_context_live_16, VectorTracker<Vector16, ByPair>)
DFAPARSE_CONTEXT(dfa_context_monoid, MonoidTracker)

// The steps of kTrackVector, in this order.
#define DFAPARSE_SEGMENTS(NAME, STEP)                                                                  \
  extern "C" __global__ void __launch_bounds__(kSegmentThreads) NAME(const Program* program, Job* job) { \
    STEP(Segments(program, job));                                                                        \
  }

DFAPARSE_SEGMENTS(dfa_context_segment_vectors, segment_vectors)
DFAPARSE_SEGMENTS(dfa_context_group_vectors, group_vectors)
DFAPARSE_SEGMENTS(dfa_context_group_states, group_states)
DFAPARSE_SEGMENTS(dfa_context_segment_states, segment_states)
DFAPARSE_SEGMENTS(dfa_context_chunk_states, chunk_states)
