// The symbols of each column moved together, with what tells its fields apart:
// ParPaRaw's concatenated symbol strings (section 3.3) in its three tagging modes
// (section 4.1), and the index made of each.
//
//   dfa_css_offsets      in  spans, is_data, data_before   out  Css.offsets, counters
//   dfa_css_gather       in  these, Job.data, Job.value    out  Css.symbols, tags or ends
//   dfa_css_gather_long  in  these, the list of strings.cu out  the rest of them
//   dfa_css_utf8         in  Css.symbols                   out  which chunks of them are UTF-8, behind them: see moved_utf8
//   dfa_css_index        in  these                         out  the spans, and where outputs and splits find their values
//
// The paper sorts symbols by their column tags; here the stage partition has
// sorted the fields, so that the place of each symbol is known and none is moved
// twice. What follows reads neither spans nor lengths: like the paper's, the index
// comes from the tags, the terminators or the bits alone.
//
// The twin is runtime/reference, Tag to FieldIndex in partition.go.
#include "css/index.cuh"
#include "css/notes.cuh"
#include "utf8_chunks.cuh"

namespace dfaparse {

// The lengths of a column's fields, and what follows each.
struct ColumnLengths {
  const Job* job;
  const uint32_t* start;
  const uint32_t* end;
  uint32_t* counters;
  uint32_t tail, seen;

  __device__ uint32_t one(uint32_t row) { return of(start[row], end[row]); }
  __device__ Four four(uint32_t row) {
    Four from, to;
#pragma unroll
    for (uint32_t i = 0; i < 4; i++) from.of[i] = start[row + i], to.of[i] = end[row + i];
#pragma unroll
    for (uint32_t i = 0; i < 4; i++) to.of[i] = of(from.of[i], to.of[i]);
    return to;
  }
  __device__ void done() {
    uint32_t absent = __ballot_sync(kAllLanes, (seen & kHasAbsent) != 0), empty = __ballot_sync(kAllLanes, (seen & kHasEmpty) != 0);
    uint32_t all = (absent != 0 ? kHasAbsent : 0) | (empty != 0 ? kHasEmpty : 0);
    if (lane_id() == 0 && all != 0) atomicOr(&counters[kColumnSeen], all);
  }

  __device__ __forceinline__ uint32_t of(uint32_t from, uint32_t to) {
    if (from == kAbsent) {
      seen |= kHasAbsent | kHasEmpty;
      return tail;
    }
    uint32_t n = from & kScattered ? data_count(*job, from & ~kScattered, to) : to - from;
    if (n == 0) seen |= kHasEmpty;
    return n + tail;
  }
};

// The columns as a set of texts.
class ColumnTexts {
 public:
  __device__ ColumnTexts(const Job* job, const Delivery* delivery, const Css* css) : job_(job), delivery_(delivery), css_(css) {}

  __device__ uint32_t count() const { return css_->ncolumns; }
  __device__ uint32_t* offsets(uint32_t i) const { return css_->offsets + uint64_t(i) * css_->pitch; }
  __device__ uint32_t* scanned(uint32_t i) const { return offsets(i); }
  __device__ uint32_t entries(uint32_t, uint32_t rows) const { return rows; }
  __device__ uint32_t* counters(uint32_t i) const { return css_->counters + uint64_t(i) * 8; }
  __device__ uint8_t* heap() const { return css_->symbols; }
  __device__ uint64_t heap_begin() const { return 0; }
  __device__ uint64_t heap_end(uint32_t) const { return min(css_->size, uint64_t(0xffffffffu)); } // a scan counts in 4 bytes

  __device__ ColumnLengths lengths(uint32_t i) const {
    uint64_t first = uint64_t(i) * delivery_->capacity;
    return ColumnLengths{job_, delivery_->span_start + first, delivery_->span_end + first, counters(i), css_->tagging == kTagged ? 0u : 1u, 0};
  }

  __device__ Text text(uint32_t i) const {
    Text text;
    text.offsets = offsets(i);
    text.span_start = delivery_->span_start + uint64_t(i) * delivery_->capacity;
    text.span_end = delivery_->span_end + uint64_t(i) * delivery_->capacity;
    text.source = css_->raw[i] ? job_->data : job_->value;
    text.default_bytes = nullptr;
    return text;
  }

 private:
  const Job* job_;
  const Delivery* delivery_;
  const Css* css_;
};

// ---- gather ----

// What a warp notes of what is staged.
__device__ __forceinline__ Stage& stage_of_notes() {
  __shared__ Stage notes[kCopyWarps];
  return notes[warp_id()];
}

constexpr uint32_t kWindow = 16384; // symbols

// Symbols from to from+size-1, which a block has at hand.
struct Window {
  uint32_t from, size;
  uint32_t next; // column that a warp takes
  uint32_t low, high;
  Bytes16 symbols[kWindow / kSlice + 2];
};

__device__ __forceinline__ Window& block_window() {
  __shared__ Window window;
  return window;
}

// Where fields are read: in the window, as far as they are there.
struct InWindow {
  uint32_t from, size;

  __device__ __forceinline__ uint64_t load(const uint8_t* source, uint32_t at, uint32_t n) const {
    uint32_t i = at - from;
    if (i >= size || size - i < n) return load8(source + at, n);
    const uint32_t* words = reinterpret_cast<const uint32_t*>(block_window().symbols) + i / 4;
    return shifted8(words[0], words[1], words[2], 8 * (i & 3));
  }
  __device__ __forceinline__ Bytes16 load_more(const uint8_t* source, uint32_t at, uint32_t n) const {
    uint32_t i = at - from, shift = 8 * (i & 3);
    if (i >= size || size - i < n) return load16(source + at, n);
    const uint32_t* words = reinterpret_cast<const uint32_t*>(block_window().symbols) + i / 4;
    return Bytes16{shifted8(words[0], words[1], words[2], shift), shifted8(words[2], words[3], words[4], shift)};
  }
};

// By a whole block: loads the symbols of the rows from first to last, if they are
// not too many. What lies before or behind them is found in memory.
__device__ inline void load_window(const Job& job, const Delivery* delivery, const Css* css, uint32_t first, uint32_t last) {
  Window& window = block_window();
  if (threadIdx.x == 0) {
    window.next = window.high = 0;
    window.low = 0xffffffffu;
  }
  __syncthreads();
  for (uint32_t c = threadIdx.x; c < css->ncolumns; c += blockDim.x) {
    uint64_t column = uint64_t(c) * delivery->capacity;
    uint32_t start = delivery->span_start[column + first];
    if (start != kAbsent) atomicMin(&window.low, start & ~kScattered);
    if (delivery->span_start[column + last] != kAbsent) atomicMax(&window.high, delivery->span_end[column + last]);
  }
  __syncthreads();
  uint32_t from = window.low & ~(kSlice - 1), high = window.high, size = high > from && high - from <= kWindow ? high - from : 0;
  if (threadIdx.x == 0) {
    window.from = from;
    window.size = size;
  }
  const Bytes16* symbols = reinterpret_cast<const Bytes16*>(job.value + from);
  for (uint32_t i = threadIdx.x; i * kSlice < size; i += blockDim.x) window.symbols[i] = symbols[i];
  __syncthreads();
}

// Fills the heap of the columns, but for groups that are listed. A block takes a
// unit of rows, its warps one column of it after the other.
template <class Notes>
__device__ inline void copy_columns(const Job& job, const Delivery* delivery, const Css* css, const ColumnTexts& texts, uint32_t rows, Notes notes) {
  Window& window = block_window();
  uint32_t units = (rows + kUnit - 1) / kUnit;
  for (uint32_t unit = blockIdx.x; unit < units; unit += gridDim.x) {
    load_window(job, delivery, css, unit * kUnit, min(unit * kUnit + kUnit, rows) - 1);
    for (;;) {
      uint32_t c = lane_id() == 0 ? atomicAdd(&window.next, 1u) : 0;
      c = shuffle(c, 0);
      if (c >= css->ncolumns) break;
      if (texts.counters(c)[5] != 0) continue;
      Text text = placed_text(texts, c, rows);
      copy_unit(job, text, c, unit, InWindow{window.from, text.source == job.value ? window.size : 0}, notes);
    }
    __syncthreads();
  }
}

// Of all columns together.
__device__ __forceinline__ uint64_t symbols_of(const Css* css) {
  const uint32_t* last = css->counters + uint64_t(css->ncolumns - 1) * 8;
  return heap_offset(last) + heap_size_of(last[2]);
}

// What Job.chunk_utf8 is to the symbols where they are now: behind them and
// their padding. css.go has it too.
__device__ __forceinline__ uint8_t* moved_utf8(const Css* css) { return css->symbols + ((css->size + kPadding + kChunk - 1) & ~uint64_t(kChunk - 1)); }

__device__ __forceinline__ bool can_know_utf8(const Css* css) { return symbols_of(css) <= min(css->size, uint64_t(0xffff0000u)); }

// Says to outputs and splits where their values are now. A part lies where the
// value does that it is of.
__device__ inline void move_sources(const Delivery* delivery, const Css* css) {
  for (uint32_t i = threadIdx.x; i < delivery->noutputs; i += blockDim.x) {
    Output& output = delivery->outputs[i];
    uint32_t column = output.column;
    for (uint64_t k = 0; output.left != nullptr && k < delivery->nsplits; k++) {
      if (delivery->splits[k].left == output.left) column = delivery->splits[k].column;
    }
    if (column < css->ncolumns) output.source = css->symbols + heap_offset(css->counters + uint64_t(column) * 8);
  }
  for (uint32_t i = threadIdx.x; i < delivery->nsplits; i += blockDim.x) {
    Split& split = delivery->splits[i];
    if (split.column < css->ncolumns) split.source = css->symbols + heap_offset(css->counters + uint64_t(split.column) * 8);
  }
}

} // namespace dfaparse

// Grid: x over tiles of rows, by ticket, y over columns. The scratch memory is
// zero.
extern "C" __global__ void __launch_bounds__(256) dfa_css_offsets(const dfaparse::Job* job, const dfaparse::Delivery* delivery,
    const dfaparse::Css* css) {
  using namespace dfaparse;
  scan_texts(ColumnTexts(job, delivery, css), delivery_rows(job, delivery), delivery->capacity, job->scratch);
}

// Any grid. Css.ends is zero, and so are the second and third words of the scratch
// memory.
extern "C" __global__ void __launch_bounds__(256, 4) dfa_css_gather(const dfaparse::Job* job, const dfaparse::Delivery* delivery,
    const dfaparse::Css* css) {
  using namespace dfaparse;
  ColumnTexts texts(job, delivery, css);
  uint32_t rows = delivery_rows(job, delivery);
  Stage& notes = stage_of_notes();
  warp_shared().stage.clear();
  notes.clear();
  switch (css->tagging) {
  case kTagged: return copy_columns(*job, delivery, css, texts, rows, TagNotes{css->tags, &notes});
  case kTerminated: return copy_columns(*job, delivery, css, texts, rows, TerminatorNotes{css->terminator, css->failed, 0});
  default: copy_columns(*job, delivery, css, texts, rows, BitNotes{css->terminator, css->ends, notes.words()});
  }
}

// Any grid.
extern "C" __global__ void __launch_bounds__(256, 4) dfa_css_gather_long(const dfaparse::Job* job, const dfaparse::Delivery* delivery,
    const dfaparse::Css* css) {
  using namespace dfaparse;
  ColumnTexts texts(job, delivery, css);
  uint32_t rows = delivery_rows(job, delivery);
  Stage& notes = stage_of_notes();
  notes.clear();
  switch (css->tagging) {
  case kTagged: return copy_long<false>(*job, texts, rows, TagNotes{css->tags, &notes});
  case kTerminated: return copy_long<false>(*job, texts, rows, TerminatorNotes{css->terminator, css->failed, 0});
  default: copy_long<false>(*job, texts, rows, BitNotes{css->terminator, css->ends, notes.words()});
  }
}

// Any grid.
extern "C" __global__ void __launch_bounds__(256) dfa_css_utf8(const dfaparse::Css* css) {
  using namespace dfaparse;
  if (css->ncolumns == 0 || !can_know_utf8(css)) return;
  find_utf8(css->symbols, uint32_t(symbols_of(css)), moved_utf8(css));
}

// Grid: x over symbols, y over columns where each has a tag, else 1. The scratch
// memory is zero. Job.chunk_utf8 is set if dfa_css_utf8 has been there.
extern "C" __global__ void __launch_bounds__(256) dfa_css_index(dfaparse::Job* job, const dfaparse::Delivery* delivery, const dfaparse::Css* css,
    uint64_t knows_utf8) {
  using namespace dfaparse;
  uint32_t rows = delivery_rows(job, delivery);
  if (rows == 0 || css->ncolumns == 0) return;
  if (has_failed(css)) {
    if (blockIdx.x == 0 && blockIdx.y == 0 && threadIdx.x == 0) *css->failed = 1;
    return;
  }
  if (blockIdx.x == 0 && blockIdx.y == 0) {
    move_sources(delivery, css);
    if (knows_utf8 != 0 && threadIdx.x == 0 && can_know_utf8(css)) job->chunk_utf8 = moved_utf8(css) - (css->symbols - job->data) / int64_t(kChunk);
  }
  if (css->tagging == kTagged) {
    index_tags(delivery, css, rows);
  } else {
    index_ends(job, delivery, css, rows);
  }
}
