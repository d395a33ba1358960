// Which rows the device leaves to the host, and where their records are: the
// rows with a structural problem, and those that some converter left.
#include "layout.cuh"

namespace dfaparse {

__device__ inline uint32_t record_begin(const Program* program, const Job* job, uint32_t record, uint32_t* state) {
  if (record == 0) {
    *state = job->state;
    return 0;
  }
  uint32_t field = job->record_last[record - 1];
  Transition mark = job->mark[field];
  uint32_t at = job->found[field];
  *state = mark & kNextMask;
  if (mark & kLagged) {
    const Emission& e = program->emissions[mark >> kEmissionShift & kEmissionMask];
    if (e.open < e.lag) {
      *state = program->start;
      return at - e.lag + 1;
    }
  }
  return at + 1;
}

} // namespace dfaparse

// Lists the rows of delivery that are malformed or left by an output: n[0] counts
// them, list has the first capacity of them, in no order. n[0] is zeroed
// before. One thread a word of 32 rows, so that words without any cost little.
extern "C" __global__ void __launch_bounds__(256) dfa_leftover(const dfaparse::Program* program, const dfaparse::Job* job,
    const dfaparse::Delivery* delivery, dfaparse::Leftover* list, uint32_t* n, uint64_t capacity) {
  using namespace dfaparse;
  uint32_t to = min(delivery->row_to, job->counts->rows);
  uint32_t rows = to > delivery->row_from ? min(to - delivery->row_from, delivery->capacity) : 0;
  uint32_t words = (rows + 31) / 32;
  for (uint32_t w = blockIdx.x * blockDim.x + threadIdx.x; w < words; w += gridDim.x * blockDim.x) {
    uint32_t set = delivery->malformed[w];
    for (uint32_t o = 0; o < delivery->noutputs; o++) {
      const Output& output = delivery->outputs[o];
      if (!(output.flags & kOnHost) && output.counters[1] != 0) set |= output.todo[w];
    }
    if (set == 0) continue;
    uint32_t at = atomicAdd(n, (uint32_t)__popc(set));
    for (; set != 0; set &= set - 1, at++) {
      if (at >= capacity) return;
      uint32_t row = w * 32 + (uint32_t)__ffs((int)set) - 1;
      uint32_t record = job->row_record ? job->row_record[delivery->row_from + row] : delivery->row_from + row;
      Leftover x;
      x.row = row;
      x.start = record_begin(program, job, record, &x.state);
      x.end = job->found[job->record_last[record]] + 1;
      list[at] = x;
    }
  }
}
