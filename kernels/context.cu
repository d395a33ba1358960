// Stage context: the state in which each chunk of a partition begins.
//
// In:  Job.data, size, state; Program.context with its words (tables.cuh).
// Out: Job.chunk_state, per chunk of kChunk symbols, one if size is 0.
//
// The host launches the kernels of the Program's way to track states (Tracking),
// one after the other: of strips.cuh three, of segments.cuh five, of walk.cuh
// some and these. A grid may have any size. Job.scratch need not be cleared but for
// the first word of what walk.cuh has. The twin is
// runtime/reference/context.go.
#include "context/segments.cuh"
#include "context/strips.cuh"
#include "context/walk.cuh"

using namespace dfaparse;

#define DFAPARSE_CONTEXT(NAME, ...)                                                       \
  extern "C" __global__ void __launch_bounds__(kContextThreads, kContextBlocks) NAME(     \
      const Program* program, Job* job) {                                                 \
    read_strips<__VA_ARGS__>(program, job);                                               \
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

#define DFAPARSE_CONTEXT_CODES(NAME, ...)                                                                           \
  extern "C" __global__ void __launch_bounds__(kScanThreads) dfa_context_strips_##NAME(const Program* program, Job* job) { \
    scan_strips<__VA_ARGS__>(program, job);                                                                         \
  }                                                                                                                 \
  extern "C" __global__ void __launch_bounds__(kFinishThreads) dfa_context_chunks_##NAME(const Program* program, Job* job) { \
    finish_chunks<__VA_ARGS__>(program, job);                                                                       \
  }

DFAPARSE_CONTEXT_CODES(4, VectorCodes<Vector4>)
DFAPARSE_CONTEXT_CODES(8, VectorCodes<Vector8>)
DFAPARSE_CONTEXT_CODES(16, VectorCodes<Vector16>)
DFAPARSE_CONTEXT_CODES(monoid, MonoidCodes)

// The kernels of kTrackVector, in this order; those of kTrackWalk after its own.
#define DFAPARSE_SEGMENTS(NAME, STEP)                                                                  \
  extern "C" __global__ void __launch_bounds__(kSegmentThreads) NAME(const Program* program, Job* job) { \
    const Segments segments(program, job);                                                               \
    if (segments.asked) STEP(segments);                                                                  \
  }

#define DFAPARSE_WALK(NAME, ENTRY)                                                                                             \
  extern "C" __global__ void __launch_bounds__(kWalkThreads) NAME(const Program* program, Job* job) { \
    walk_segments<ENTRY>(program, job);                                                                                        \
  }

DFAPARSE_WALK(dfa_context_walk, uint8_t)
DFAPARSE_WALK(dfa_context_walk_wide, uint16_t)

extern "C" __global__ void __launch_bounds__(kMendThreads) dfa_context_mend(const Program* program, Job* job) {
  mend_segments(program, job, false);
}

extern "C" __global__ void __launch_bounds__(kMendThreads) dfa_context_mend_runs(const Program* program, Job* job) {
  mend_segments(program, job, true);
}

extern "C" __global__ void __launch_bounds__(kMendThreads) dfa_context_verify(const Program*, Job* job) { verify_segments(job); }

DFAPARSE_SEGMENTS(dfa_context_segment_vectors, segment_vectors)
DFAPARSE_SEGMENTS(dfa_context_group_vectors, group_vectors)
DFAPARSE_SEGMENTS(dfa_context_group_states, group_states)
DFAPARSE_SEGMENTS(dfa_context_segment_states, segment_states)
DFAPARSE_SEGMENTS(dfa_context_chunk_states, chunk_states)
