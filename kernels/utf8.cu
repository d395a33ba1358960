// Which chunks are UTF-8 whatever fields they hold.
//
//   in   Job.data
//   out  Job.chunk_utf8
//
// Where only ASCII symbols end fields or are left out of them, a text is UTF-8
// if all chunks are in which it has a symbol: dfa_convert then need not read it.
// A sequence may go on in the next chunk: then both are right, or neither.
#include "utf8_chunks.cuh"

// Any number of blocks.
extern "C" __global__ void __launch_bounds__(256) dfa_utf8(const dfaparse::Job* job) {
  using namespace dfaparse;
  find_utf8(job->data, job->size, job->chunk_utf8);
}
