// Strings: where each begins, and their bytes. Both stages are balanced by what
// they write, so that one long value does not hold up a thread.
//
//   dfa_offsets
//     in   Output.offsets: a length per row
//     out  Output.offsets: Arrow's; Output.counters: bytes, heap offset, whether they fit
//   dfa_gather
//     in   these, Batch.span_start, span_end, Output.source, is_data, data_before
//     out  Batch.heap, but for the strings that are listed
//   dfa_gather_long
//     in   these, the list
//     out  Batch.heap
//
// The twin is runtime/reference, view in convert.go, with internal/convert,
// copy.go.
#include "strings/copy.cuh"

namespace dfaparse {

// The strings of a batch's outputs.
class OutputTexts {
 public:
  __device__ explicit OutputTexts(const Batch* batch) : batch_(batch) {}

  __device__ uint32_t count() const { return batch_->noutputs; }
  __device__ StoredLengths lengths(uint32_t i) const { return StoredLengths{batch_->outputs[i].offsets}; }
  __device__ uint32_t* offsets(uint32_t i) const { return batch_->outputs[i].offsets; }
  __device__ uint32_t* counters(uint32_t i) const { return batch_->outputs[i].counters; }
  __device__ uint8_t* heap() const { return batch_->heap; }
  __device__ uint64_t heap_size() const { return batch_->heap_size; }

  __device__ Text text(uint32_t i) const {
    const Output& output = batch_->outputs[i];
    Text text;
    text.offsets = output.offsets;
    text.span_start = batch_->span_start + uint64_t(output.column) * batch_->capacity;
    text.span_end = batch_->span_end + uint64_t(output.column) * batch_->capacity;
    text.source = output.source;
    text.default_bytes = output.default_bytes;
    text.encoding = binary_encoding(output);
    return text;
  }

 private:
  const Batch* batch_;
};

} // namespace dfaparse

// Grid: x over tiles of rows, by ticket, y over outputs. The scratch memory is
// zero.
extern "C" __global__ void __launch_bounds__(256) dfa_offsets(const dfaparse::Job* job, const dfaparse::Batch* batch) {
  using namespace dfaparse;
  scan_texts(OutputTexts(batch), batch_rows(job, batch), batch->capacity, job->scratch);
}

// Any grid. The second and third words of the scratch memory are zero.
extern "C" __global__ void __launch_bounds__(256, 4) dfa_gather(const dfaparse::Job* job, const dfaparse::Batch* batch) {
  using namespace dfaparse;
  copy_texts(*job, OutputTexts(batch), batch_rows(job, batch));
}

// Any grid.
extern "C" __global__ void __launch_bounds__(256, 4) dfa_gather_long(const dfaparse::Job* job, const dfaparse::Batch* batch) {
  using namespace dfaparse;
  copy_long(*job, OutputTexts(batch), batch_rows(job, batch), NoNotes());
}
