// Strings: where each begins, and their bytes. Both stages are balanced by what
// they write, so that one long value does not hold up a thread.
//
//   dfa_offsets
//     in   Output.offsets: a length per row; or their sums, see kUnitBytes
//     out  Output.offsets: Arrow's; Output.counters: bytes, heap offset, whether they fit
//   dfa_gather
//     in   these, Delivery.span_start, span_end, Output.source, is_data, data_before
//     out  Delivery.heap, but for the strings that are listed; Output.offsets, where they are lengths still
//   dfa_gather_records
//     as dfa_gather, where records lie side by side; dfa_gather_holes is its dfa_gather_long
//   dfa_gather_long
//     in   these, the list
//     out  Delivery.heap
//
// The twin is runtime/reference, view in convert.go, with internal/convert,
// copy.go.
#include "strings/records.cuh"

namespace dfaparse {

// The strings of a delivery's outputs.
class OutputTexts {
 public:
  __device__ explicit OutputTexts(const Delivery* delivery) : delivery_(delivery) {}

  __device__ uint32_t count() const { return delivery_->noutputs; }
  __device__ StoredLengths lengths(uint32_t i) const { return StoredLengths{scanned(i)}; }
  __device__ uint32_t* offsets(uint32_t i) const { return delivery_->outputs[i].flags & kOfMaps ? nullptr : delivery_->outputs[i].offsets; }
  __device__ uint32_t* scanned(uint32_t i) const {
    uint32_t* units = unit_bytes(delivery_->outputs[i]);
    return units != nullptr ? units : delivery_->outputs[i].offsets;
  }
  __device__ uint32_t entries(uint32_t i, uint32_t rows) const { return unit_bytes(delivery_->outputs[i]) != nullptr ? (rows + kUnit - 1) / kUnit : rows; }
  __device__ uint32_t* counters(uint32_t i) const { return delivery_->outputs[i].counters; }
  __device__ uint8_t* heap() const { return delivery_->heap; }
  __device__ uint64_t heap_size() const { return delivery_->heap_size; }

  __device__ Text text(uint32_t i) const {
    const Output& output = delivery_->outputs[i];
    Text text;
    text.offsets = output.offsets;
    text.units = unit_bytes(output);
    text.span_start = delivery_->span_start + uint64_t(output.column) * delivery_->capacity;
    text.span_end = delivery_->span_end + uint64_t(output.column) * delivery_->capacity;
    text.source = output.source;
    text.default_bytes = output.default_bytes;
    text.encoding = binary_encoding(output);
    return text;
  }

 private:
  const Delivery* delivery_;
};

} // namespace dfaparse

// Grid: x over tiles of rows, by ticket, y over outputs. The scratch memory is
// zero.
extern "C" __global__ void __launch_bounds__(256) dfa_offsets(const dfaparse::Job* job, const dfaparse::Delivery* delivery) {
  using namespace dfaparse;
  scan_texts(OutputTexts(delivery), delivery_rows(job, delivery), delivery->capacity, job->scratch);
}

// Any grid. The second and third words of the scratch memory are zero.
extern "C" __global__ void __launch_bounds__(256, 4) dfa_gather(const dfaparse::Job* job, const dfaparse::Delivery* delivery) {
  using namespace dfaparse;
  copy_texts(*job, OutputTexts(delivery), delivery_rows(job, delivery));
}

// As dfa_gather. record_end: [rows] where records end; room: symbols, a multiple of 16, that the
// block has shared memory for, beside kWindowBefore and kWindowBehind bytes. Any grid.
extern "C" __global__ void __launch_bounds__(256, 4) dfa_gather_records(const dfaparse::Job* job, const dfaparse::Delivery* delivery, const uint32_t* record_end, uint64_t room) {
  using namespace dfaparse;
  copy_all_records(*job, OutputTexts(delivery), delivery_rows(job, delivery), record_end, uint32_t(room));
}

// Any grid.
extern "C" __global__ void __launch_bounds__(256, 4) dfa_gather_long(const dfaparse::Job* job, const dfaparse::Delivery* delivery) {
  using namespace dfaparse;
  copy_long<false>(*job, OutputTexts(delivery), delivery_rows(job, delivery), NoNotes());
}

// The same behind dfa_gather_records.
extern "C" __global__ void __launch_bounds__(256, 4) dfa_gather_holes(const dfaparse::Job* job, const dfaparse::Delivery* delivery) {
  using namespace dfaparse;
  copy_long<true>(*job, OutputTexts(delivery), delivery_rows(job, delivery), NoNotes());
}
