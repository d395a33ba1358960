// The stage convert: what the fields of a column mean.
//
//   dfa_convert
//     in   Delivery.span_start, span_end, malformed; Output, its options; the symbols
//     out  Output.fixed, valid, todo; offsets, which are lengths here; counters;
//          of texts, spans that were cut or that the default comes in place of
//   dfa_convert_long
//     in   these; texts that are longer than a warp is for
//     out  Output.todo, valid, offsets and counters where they are not UTF-8
//
// A block takes 256 rows of one output after the other: a thread has a row, and
// all of a block have one kind, so that no warp runs two converters. Since the
// fields of neighbouring columns lie side by side, a block finds most of them in
// its cache. A row that is left is no null, and counts for none.
//
// The twin is internal/convert.
#include "scan.cuh"

#include "convert/text.cuh"
#include "convert/value.cuh"
#include "partly.cuh"

namespace dfaparse {

constexpr uint32_t kConvertRows = 256; // threads a block
constexpr uint32_t kListedOutputs = 512;

// By a whole block: one output of kConvertRows neighbouring rows, a row a
// thread, which is in the delivery and has a span, or not.
__device__ __forceinline__ void convert_rows(const Job& job, const Delivery& delivery, const Output& output, uint32_t row, bool in, Span span) {
  bool text = is_text(output.kind);
  Gathered gathered;
  Fetched x{kIsNothing, {nullptr, 0, 0}, {0, 0}, false, false};
  if (in) x = fetch(job, delivery, output, row, span, text, &gathered);

  Value v{0, 0};
  if (text) {
    uint32_t n = convert_text(job, delivery, output, row, &x);
    if (in) output.offsets[row] = n;
  } else {
    if (x.what == kIsField && !convert_value(output, x.field, &v)) x.what = kIsLeft;
    if (x.what == kIsDefault) v = Value{output.default_value[0], output.default_value[1]};
    if (x.what != kIsField && x.what != kIsDefault) v = Value{0, 0};
    if (in) store(output, row, v);
  }

  bool is = x.what == kIsField || x.what == kIsScattered || x.what == kIsDefault;
  uint32_t valid = __ballot_sync(0xffffffffu, is), todo = __ballot_sync(0xffffffffu, x.what == kIsLeft);
  uint32_t bits = __ballot_sync(0xffffffffu, (v.lo & 1) != 0);
  if (in && (threadIdx.x & 31) == 0) {
    output.valid[row >> 5] = valid;
    output.todo[row >> 5] = todo;
    if (output.kind == kBool) ((uint32_t*)output.fixed)[row >> 5] = bits;
  }
  uint32_t nulls = (uint32_t)__syncthreads_count(x.what == kIsNull), left = (uint32_t)__syncthreads_count(x.what == kIsLeft);
  if (threadIdx.x == 0) {
    if (nulls != 0) atomicAdd(&output.counters[0], nulls);
    if (left != 0) atomicAdd(&output.counters[1], left);
  }
}

// By a whole warp: rows of a text of which the others are done, a row a lane, or none.
__device__ __forceinline__ void convert_undone(const Job& job, const Delivery& delivery, const Output& output, uint32_t row, bool in) {
  Gathered gathered;
  Fetched x{kIsNothing, {nullptr, 0, 0}, {0, 0}, false, false};
  if (in) x = fetch(job, delivery, output, row, span_of(delivery, output, row), true, &gathered);
  const uint32_t n = convert_text(job, delivery, output, row, &x);
  if (in) {
    const uint32_t bit = 1u << (row & 31);
    output.offsets[row] = n;
    add_bytes(unit_bytes(output), row, n);
    if (x.what != kIsLeft) atomicAnd(&output.todo[row >> 5], ~bit);
    if (x.what == kIsField || x.what == kIsScattered || x.what == kIsDefault) atomicOr(&output.valid[row >> 5], bit);
  }
  const uint32_t nulls = uint32_t(__popc(int(__ballot_sync(kAllLanes, x.what == kIsNull))));
  const uint32_t left = uint32_t(__popc(int(__ballot_sync(kAllLanes, x.what == kIsLeft))));
  if (lane_id() == 0) {
    if (nulls != 0) atomicAdd(&output.counters[0], nulls);
    if (left != 0) atomicAdd(&output.counters[1], left);
  }
}

// What of the rows of a text a warp looks at once: those that have a bit in todo are few, and
// wait together.
constexpr uint32_t kUndoneRegion = 16 * 32;

// The same of all rows that have a bit in todo, of outputs that are done in part. Any number of
// blocks: a warp takes kUndoneRegion rows of one output after the other.
__device__ __forceinline__ void convert_all_undone(const Job& job, const Delivery& delivery, uint32_t rows) {
  __shared__ uint32_t listed[kConvertRows / kWarp][kWarp];
  const uint32_t lane = lane_id(), warps = gridDim.x * (kConvertRows / kWarp), regions = (rows + kUndoneRegion - 1) / kUndoneRegion;
  uint32_t* const list = listed[warp_id()];
  for (uint32_t o = 0, of = 0; o < delivery.noutputs; o++) {
    const Output& output = delivery.outputs[o];
    if ((output.flags & kOnHost) || !(output.flags & kPartly) || output.counters[kUndoneRows] == 0) continue;
    // Outputs begin with other warps, since a flight may have few regions.
    const uint32_t warp = (warp_id() * gridDim.x + blockIdx.x + warps - of % warps) % warps;
    of += regions;
    for (uint32_t region = warp; region < regions; region += warps) {
      const uint32_t word = region * (kUndoneRegion / 32) + lane;
      uint32_t bits = lane < kUndoneRegion / 32 && word * 32 < rows ? output.todo[word] : 0;
      if (word * 32 + 32 > rows && bits != 0) bits &= (1u << (rows & 31)) - 1;
      if (__ballot_sync(kAllLanes, bits != 0) == 0) continue;
      uint32_t total, at = scan_warp_exclusive(uint32_t(__popc(int(bits))), Sum(), &total);
#pragma unroll 1
      for (uint32_t first = 0; first < total; first += kWarp) {
        __syncwarp();
        for (; bits != 0 && at < first + kWarp; bits &= bits - 1) list[at++ - first] = word * 32 + uint32_t(__ffs(int(bits))) - 1;
        __syncwarp();
        const bool in = first + lane < total;
        convert_undone(job, delivery, output, in ? list[lane] : 0, in);
      }
    }
  }
}

// Leaves a row that convert_rows did not.
__device__ inline void leave(const Output& output, uint32_t row) {
  uint32_t bit = 1u << (row & 31);
  if (atomicOr(&output.todo[row >> 5], bit) & bit) return;
  atomicAnd(&output.valid[row >> 5], ~bit);
  add_bytes(unit_bytes(output), row, 0 - output.offsets[row]);
  output.offsets[row] = 0;
  atomicAdd(&output.counters[1], 1u);
}

// The span of a text whose length is known: tiles have not written where it ends, see kPartly.
__device__ __forceinline__ Span text_span(const Delivery& delivery, const Output& output, uint32_t row) {
  Span span = span_of(delivery, output, row);
  if (span.start < kScattered) span.end = span.start + output.offsets[row];
  return span;
}

// What of a long text one block checks at once.
constexpr uint32_t kTextSlice = kConvertRows * kTextStep * 4;

// By a whole block: its share of the long text that row has. The shares of a
// row begin with another block than those of the next.
__device__ inline void check_long(const Job& job, const Delivery& delivery, const Output& output, uint32_t row) {
  Span span = text_span(delivery, output, row);
  if (span.start >= kDefaultText) return; // a text of the plan, not of the input
  Text text = text_of(job, output, Span{span.start & ~kScattered, span.end}, (span.start & kScattered) != 0);
  uint32_t first = text.span.start & ~(kTextStep - 1), n = (text.span.end - first + kTextSlice - 1) / kTextSlice;
  bool right = true;
  for (uint32_t i = (blockIdx.x + gridDim.x - row % gridDim.x) % gridDim.x; i < n; i += gridDim.x) {
    uint32_t from = first + i * kTextSlice;
    right &= is_utf8_part(text, from + threadIdx.x * kTextStep, kConvertRows * kTextStep, from + kTextSlice);
  }
  if (!right) leave(output, row);
}

} // namespace dfaparse

// Any number of blocks. Each has a run of items, an output of so many rows
// each, all outputs of some rows before the next rows. The spans of an item are
// loaded while the one before it is converted.
extern "C" __global__ void __launch_bounds__(256, 4) dfa_convert(const dfaparse::Program*, const dfaparse::Job* job, const dfaparse::Delivery* delivery) {
  using namespace dfaparse;
  uint32_t rows = delivery_rows(job, delivery), outputs = delivery->noutputs;
  if (job->counts->reserved[kUndone] != 0) convert_all_undone(*job, *delivery, rows); // mostly there is nothing to do
  auto whole = [=](uint32_t o) { return !(delivery->outputs[o].flags & (kOnHost | kPartly)); };
  // Those that have rows to do, unless they are too many to be listed.
  __shared__ uint16_t list[kListedOutputs];
  const bool listed = outputs <= kListedOutputs;
  if (listed) {
    uint32_t n = 0;
    for (uint32_t first = 0; first < outputs; first += 32) {
      const uint32_t o = first + (threadIdx.x & 31);
      const bool is = o < outputs && whole(o);
      const uint32_t bits = __ballot_sync(0xffffffffu, is);
      if (is && threadIdx.x < 32) list[n + (uint32_t)__popc(bits & ((1u << (threadIdx.x & 31)) - 1))] = (uint16_t)o;
      n += (uint32_t)__popc(bits);
    }
    outputs = n;
    __syncthreads();
  }
  if (outputs == 0) return;
  uint64_t items = (uint64_t)((rows + kConvertRows - 1) / kConvertRows) * outputs;
  uint64_t item = items * blockIdx.x / gridDim.x, end = items * (blockIdx.x + 1) / gridDim.x;
  if (item == end) return;
  uint32_t row = (uint32_t)(item / outputs) * kConvertRows + threadIdx.x, o = (uint32_t)(item % outputs);
  const uint16_t* numbers = listed ? list : nullptr;
  auto output_of = [=](uint32_t o) -> const Output& { return delivery->outputs[numbers != nullptr ? numbers[o] : o]; };
  auto load = [=](uint32_t o, uint32_t row) {
    const Output& output = output_of(o);
    return row < rows && !(output.flags & kOnHost) ? span_of(*delivery, output, row) : Span{0, 0};
  };
  Span next = load(o, row);
  for (; item < end; item++) {
    const Output& output = output_of(o);
    uint32_t now = row;
    Span span = next;
    if (++o == outputs) {
      o = 0;
      row += kConvertRows;
    }
    if (item + 1 < end) next = load(o, row);
    if (output.flags & (kOnHost | kPartly)) continue;
    convert_rows(*job, *delivery, output, now, now < rows, span);
  }
}

// Any number of blocks.
extern "C" __global__ void __launch_bounds__(256) dfa_convert_long(const dfaparse::Program*, const dfaparse::Job* job, const dfaparse::Delivery* delivery) {
  using namespace dfaparse;
  __shared__ uint32_t rows[kConvertRows];
  __shared__ uint32_t nrows;
  auto has_long = [=](uint32_t o) {
    const Output& output = delivery->outputs[o];
    return !(output.flags & kOnHost) && is_text(output.kind) && output.counters[kLastLong] != 0;
  };
  bool some = false; // mostly there are none; the outputs are asked at once
  for (uint32_t o = threadIdx.x; o < delivery->noutputs; o += kConvertRows) some |= has_long(o);
  if (__syncthreads_count(some) == 0) return;
  for (uint32_t o = 0; o < delivery->noutputs; o++) {
    if (!has_long(o)) continue;
    const Output& output = delivery->outputs[o];
    const uint32_t end = output.counters[kLastLong];
    for (uint32_t first = ~output.counters[kFirstLong]; first < end; first += kConvertRows) {
      if (threadIdx.x == 0) nrows = 0;
      __syncthreads();
      uint32_t row = first + threadIdx.x;
      if (row < end && output.offsets[row] != 0) {
        Span span = text_span(*delivery, output, row);
        if (span.end - (span.start & ~kScattered) > kLongText) rows[atomicAdd(&nrows, 1u)] = row;
      }
      __syncthreads();
      for (uint32_t i = 0; i < nrows; i++) check_long(*job, *delivery, output, rows[i]);
      __syncthreads();
    }
  }
}
