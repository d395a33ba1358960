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
//   dfa_views
//     in   as dfa_offsets, and spans, is_data, of outputs that have views
//     out  Output.views, and, of some strings that are not as their symbols lie, Delivery.heap; but of others:
//          Output.counters says that there are some
//   dfa_views_of_heap
//     in   what comes of these by dfa_offsets and dfa_gather
//     out  their views
//
// The twin is runtime/reference, view in convert.go, with internal/convert,
// copy.go.
#include "strings/records.cuh"
#include "strings/views.cuh"

namespace dfaparse {

// The strings of a delivery's outputs.
class OutputTexts {
 public:
  __device__ OutputTexts(const Job* job, const Delivery* delivery) : job_(job), delivery_(delivery) {}

  __device__ uint32_t count() const { return delivery_->noutputs; }
  __device__ HeapLengths lengths(uint32_t i) const {
    return HeapLengths{text(i), scanned(i), views(i) != nullptr, viewed(i)};
  }
  __device__ uint32_t* offsets(uint32_t i) const {
    const Output& output = delivery_->outputs[i];
    return output.flags & kOfMaps || (output.views != nullptr && output.counters[kSomeInHeap] == 0) ? nullptr : output.offsets;
  }
  __device__ bool viewed(uint32_t i) const { return (delivery_->outputs[i].flags & kViewed) != 0; }
  __device__ uint4* views(uint32_t i) const { return static_cast<uint4*>(delivery_->outputs[i].views); }
  __device__ uint32_t* scanned(uint32_t i) const {
    uint32_t* units = unit_bytes(delivery_->outputs[i]);
    return units != nullptr ? units : delivery_->outputs[i].offsets;
  }
  __device__ uint32_t entries(uint32_t i, uint32_t rows) const { return unit_bytes(delivery_->outputs[i]) != nullptr ? (rows + kUnit - 1) / kUnit : rows; }
  __device__ uint32_t* counters(uint32_t i) const { return delivery_->outputs[i].counters; }
  __device__ uint8_t* heap() const { return delivery_->heap; }
  __device__ uint64_t heap_begin() const { return (4 * uint64_t(job_->counts->reserved[kHeapWords]) + kHeapAlign - 1) & ~(kHeapAlign - 1); }
  __device__ uint64_t heap_end(uint32_t i) const { return views(i) != nullptr ? min(delivery_->heap_size, uint64_t(kMostText)) : delivery_->heap_size; }

  __device__ Text text(uint32_t i) const {
    const Output& output = delivery_->outputs[i];
    Text text;
    text.offsets = output.offsets;
    text.units = unit_bytes(output);
    text.span_start = spans(delivery_->span_start, output);
    text.span_end = spans(delivery_->span_end, output);
    text.source = output.source;
    text.default_bytes = output.default_bytes;
    text.encoding = binary_encoding(output);
    return text;
  }

 private:
  __device__ const uint32_t* spans(const uint32_t* of, const Output& output) const { return of + uint64_t(output.column) * delivery_->capacity; }

  const Job* job_;
  const Delivery* delivery_;
};

} // namespace dfaparse

// Grid: x over tiles of rows, by ticket, y over outputs. The scratch memory is
// zero.
extern "C" __global__ void __launch_bounds__(256) dfa_offsets(const dfaparse::Job* job, const dfaparse::Delivery* delivery) {
  using namespace dfaparse;
  scan_texts(OutputTexts(job, delivery), delivery_rows(job, delivery), delivery->capacity, job->scratch);
}

// Any grid. The second and third words of the scratch memory are zero.
extern "C" __global__ void __launch_bounds__(256, 4) dfa_gather(const dfaparse::Job* job, const dfaparse::Delivery* delivery) {
  using namespace dfaparse;
  copy_texts(*job, OutputTexts(job, delivery), delivery_rows(job, delivery));
}

// As dfa_gather. record_end: [rows] where records end; room: symbols, a multiple of 16, that the
// block has shared memory for, beside kWindowBefore and kWindowBehind bytes. Any grid.
extern "C" __global__ void __launch_bounds__(256, 4) dfa_gather_records(const dfaparse::Job* job, const dfaparse::Delivery* delivery, const uint32_t* record_end, uint64_t room) {
  using namespace dfaparse;
  copy_all_records(*job, OutputTexts(job, delivery), delivery_rows(job, delivery), record_end, uint32_t(room));
}

// Any grid.
extern "C" __global__ void __launch_bounds__(256, 4) dfa_gather_long(const dfaparse::Job* job, const dfaparse::Delivery* delivery) {
  using namespace dfaparse;
  copy_long<false>(*job, OutputTexts(job, delivery), delivery_rows(job, delivery), NoNotes());
}

// The same behind dfa_gather_records.
extern "C" __global__ void __launch_bounds__(256, 4) dfa_gather_holes(const dfaparse::Job* job, const dfaparse::Delivery* delivery) {
  using namespace dfaparse;
  copy_long<true>(*job, OutputTexts(job, delivery), delivery_rows(job, delivery), NoNotes());
}

namespace dfaparse {

// put_unit of output i: few units have something to put.
__device__ __noinline__ void put_unit_of(const Job* job, const Delivery* delivery, uint32_t i, uint32_t first) {
  const OutputTexts set(job, delivery);
  Text text = set.text(i);
  text.rows = delivery_rows(job, delivery);
  put_unit(*job, text, ViewHeap{delivery->heap, delivery->heap_size, &job->counts->reserved[kHeapWords]}, set.views(i), first);
}

} // namespace dfaparse

// Any grid.
extern "C" __global__ void __launch_bounds__(256) dfa_views(const dfaparse::Job* job, const dfaparse::Delivery* delivery) {
  using namespace dfaparse;
  const OutputTexts set(job, delivery);
  const uint32_t rows = delivery_rows(job, delivery);
  each_unit<kUnit>(
      set.count(), rows, [&](uint32_t i) { return set.views(i) != nullptr && !(set.viewed(i) && set.counters(i)[kUndoneRows] == 0); },
      [&](uint32_t i, uint32_t unit) {
        Text text = set.text(i);
        text.rows = rows;
        const uint32_t left = view_unit(text, set.views(i), unit * kUnit, set.viewed(i));
        if (left & kLeftToPut) put_unit_of(job, delivery, i, unit * kUnit);
        if ((left & kLeftToGather) && lane_id() == 0) set.counters(i)[kSomeInHeap] = 1;
      });
}

// Any grid.
extern "C" __global__ void __launch_bounds__(256) dfa_views_of_heap(const dfaparse::Job* job, const dfaparse::Delivery* delivery) {
  using namespace dfaparse;
  const OutputTexts set(job, delivery);
  const uint32_t rows = delivery_rows(job, delivery);
  for (uint32_t i = threadIdx.x; blockIdx.x == 0 && i < set.count(); i += blockDim.x) {
    if (set.views(i) != nullptr && set.offsets(i) == nullptr) set.counters(i)[2] = 0; // see kUndoneRows
  }
  each_unit<kUnit>(
      set.count(), rows, [&](uint32_t i) { return set.views(i) != nullptr && has_bytes(set, i); },
      [&](uint32_t i, uint32_t unit) { view_unit_of_heap(placed_text(set, i, rows), set.views(i), unit * kUnit); });
}
