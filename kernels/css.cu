// The symbols of each column moved together, with what tells its fields apart:
// ParPaRaw's concatenated symbol strings (section 3.3) in its three tagging modes
// (section 4.1), and the index made of each.
//
//   dfa_css_lengths  in  spans, is_data, data_before   out  Css.offsets: how many symbols each field has
//   dfa_css_offsets  in  these                         out  Css.offsets, counters
//   dfa_css_gather   in  these, Job.data, Job.value    out  Css.symbols, tags or ends
//   dfa_css_index    in  these                         out  the spans, and where outputs and splits find their values
//
// The paper sorts symbols by their column tags; here the stage partition has
// sorted the fields, so that the place of each symbol is known and none is moved
// twice. What follows reads neither spans nor lengths: like the paper's, the index
// comes from the tags, the terminators or the bits alone.
//
// The twin is runtime/cpu/reference, Tag to FieldIndex in partition.go.
#include "strings/gather.cuh"

namespace dfaparse {

// The columns as a set of texts.
class ColumnTexts {
 public:
  __device__ ColumnTexts(const Job* job, const Batch* batch, const Css* css) : job_(job), batch_(batch), css_(css) {}

  __device__ uint32_t count() const { return css_->ncolumns; }
  __device__ uint32_t* offsets(uint32_t i) const { return css_->offsets + uint64_t(i) * css_->pitch; }
  __device__ uint32_t* counters(uint32_t i) const { return css_->counters + uint64_t(i) * 8; }
  __device__ uint8_t* heap() const { return css_->symbols; }
  __device__ uint64_t heap_size() const { return min(css_->size, uint64_t(0xffffffffu)); } // a scan counts in 4 bytes

  __device__ Text text(uint32_t i) const {
    Text text;
    text.offsets = offsets(i);
    text.span_start = batch_->span_start + uint64_t(i) * batch_->capacity;
    text.span_end = batch_->span_end + uint64_t(i) * batch_->capacity;
    text.source = css_->raw[i] ? job_->data : job_->value;
    text.default_bytes = nullptr;
    return text;
  }

 private:
  const Job* job_;
  const Batch* batch_;
  const Css* css_;
};

// ---- gather ----

// Gives each symbol its row.
struct TagNotes {
  static constexpr uint32_t kTail = 0;
  uint32_t* tags;

  __device__ __forceinline__ uint32_t tail() const { return 0; }
  __device__ __forceinline__ void note(uint64_t place, uint32_t n, uint32_t row, bool ends) {
    if (n == kSlice) {
      Four four = {{row, row, row, row}};
      for (uint32_t i = 0; i < kSlice / 4; i++) reinterpret_cast<Four*>(tags + place)[i] = four;
    } else {
      for (uint32_t i = 0; i < n; i++) tags[place + i] = row;
    }
  }
  __device__ __forceinline__ void store(uint64_t place, Bytes16 bytes) {}
};

// Bit i: byte i of x is c.
__device__ __forceinline__ uint32_t matches(uint64_t x, uint32_t c) {
  constexpr uint64_t kOnes = 0x0101010101010101ull, kLow = 0x7f7f7f7f7f7f7f7full;
  uint64_t y = x ^ c * kOnes;
  uint64_t zero = ~(((y & kLow) + kLow) | y | kLow) >> 7; // exact: nothing carries from byte to byte
  return uint32_t((zero * 0x0102040810204080ull) >> 56);
}

__device__ __forceinline__ uint32_t matches(Bytes16 x, uint32_t c) { return matches(x.low, c) | matches(x.high, c) << 8; }

// Puts a symbol behind each field, and looks that no field has it, or says by a
// bit which it is.
template <Tagging tagging>
struct EndNotes {
  static constexpr uint32_t kTail = 1;
  uint32_t terminator;
  uint32_t* failed;
  uint16_t* ends; // a slice's each
  uint32_t marks;

  __device__ __forceinline__ uint32_t tail() const { return terminator; }
  __device__ __forceinline__ void note(uint64_t place, uint32_t n, uint32_t row, bool ends) {
    if (ends) marks |= 1u << ((place + n - 1) % kSlice);
  }
  __device__ __forceinline__ void store(uint64_t place, Bytes16 bytes) {
    if (tagging == kDelimited) {
      ends[place / kSlice] = uint16_t(marks);
    } else if (matches(bytes, terminator) != marks) {
      *failed = 1;
    }
  }
};

// ---- index ----

constexpr uint32_t kIndexThreads = 256;
constexpr uint32_t kIndexTile = kIndexThreads * kChunk; // symbols that a block takes at once: css.go has it too

// By all threads of a block: whether there is nothing to make an index of.
__device__ inline bool has_failed(const Css* css) {
  bool failed = threadIdx.x == 0 && *css->failed != 0;
  for (uint32_t i = threadIdx.x; i < css->ncolumns; i += blockDim.x) failed = failed || css->counters[uint64_t(i) * 8 + 5] != 0;
  return __syncthreads_or(failed) != 0;
}

// kTagged: a symbol whose tag is not that of the one before begins its field.
// Fields without symbols have no tag; that they are there is known.
__device__ inline void index_tags(const Batch* batch, const Css* css, uint32_t rows) {
  uint64_t stride = uint64_t(gridDim.x) * blockDim.x, thread = uint64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  for (uint32_t c = blockIdx.y; c < css->ncolumns; c += gridDim.y) {
    const uint32_t* offsets = css->offsets + uint64_t(c) * css->pitch;
    const uint32_t* counters = css->counters + uint64_t(c) * 8;
    uint32_t* start = batch->span_start + uint64_t(c) * batch->capacity;
    uint32_t* end = batch->span_end + uint64_t(c) * batch->capacity;
    for (uint64_t row = thread; row < rows; row += stride) {
      if (offsets[row] == offsets[row + 1]) {
        if (start[row] != kAbsent) start[row] = 0;
        end[row] = 0;
      }
    }
    const uint32_t* tags = css->tags + heap_offset(counters);
    uint32_t n = counters[2];
    for (uint64_t i = thread; i < n; i += stride) {
      uint32_t tag = tags[i];
      if (i == 0 || tags[i - 1] != tag) start[tag] = uint32_t(i);
      if (i == n - 1 || tags[i + 1] != tag) end[tag] = uint32_t(i) + 1;
    }
  }
}

// The bits of the symbols from chunk `chunk` on that are behind a field.
__device__ __forceinline__ uint64_t chunk_ends(const Css* css, uint64_t chunk) {
  if (css->tagging == kDelimited) return uint64_t(css->ends[2 * chunk + 1]) << 32 | css->ends[2 * chunk];
  const Bytes16* slices = reinterpret_cast<const Bytes16*>(css->symbols + chunk * kChunk);
  uint64_t bits = 0;
#pragma unroll
  for (uint32_t i = 0; i < kChunk / kSlice; i++) bits |= uint64_t(matches(slices[i], css->terminator)) << (kSlice * i);
  return bits;
}

// kTerminated, kDelimited: each column has one such symbol a row, so that the
// number of one among all says of which column and row it is.
__device__ inline void index_ends(const Job* job, const Batch* batch, const Css* css, uint32_t rows) {
  __shared__ uint32_t slot, per_warp[kIndexThreads / kWarp], before_tile;
  const uint32_t* last = css->counters + uint64_t(css->ncolumns - 1) * 8;
  uint64_t size = heap_offset(last) + heap_size_of(last[2]);
  uint32_t tiles = uint32_t((size + kIndexTile - 1) / kIndexTile);
  LookBack<uint32_t, Sum> look_back(job->scratch, tiles, Sum());
  for (;;) {
    uint32_t tile = look_back.take(&slot);
    if (tile >= tiles) return;
    uint64_t chunk = uint64_t(tile) * kIndexThreads + threadIdx.x;
    uint64_t bits = chunk * kChunk < size ? chunk_ends(css, chunk) : 0;
    uint32_t total, k = scan_block_exclusive<kIndexThreads>(uint32_t(__popcll(bits)), Sum(), per_warp, &total);
    if (warp_id() == 0) {
      uint32_t before = look_back.prefix(tile, total, 0);
      if (lane_id() == 0) before_tile = before;
    }
    __syncthreads();
    k += before_tile;
    uint32_t c = k / rows, row = k % rows;
    for (; bits != 0; bits &= bits - 1) {
      uint64_t place = heap_offset(css->counters + uint64_t(c) * 8);
      uint32_t at = uint32_t(chunk * kChunk + uint32_t(__ffsll((long long)bits)) - 1 - place);
      uint32_t* start = batch->span_start + uint64_t(c) * batch->capacity;
      batch->span_end[uint64_t(c) * batch->capacity + row] = at;
      if (row == 0 && start[0] != kAbsent) start[0] = 0;
      if (row + 1 < rows && start[row + 1] != kAbsent) start[row + 1] = at + 1;
      if (++row == rows) {
        row = 0;
        c++;
      }
    }
    __syncthreads(); // what is shared is used again
  }
}

// Says to outputs and splits where their values are now. A part lies where the
// value does that it is of.
__device__ inline void move_sources(const Batch* batch, const Css* css) {
  for (uint32_t i = threadIdx.x; i < batch->noutputs; i += blockDim.x) {
    Output& output = batch->outputs[i];
    uint32_t column = output.column;
    for (uint64_t k = 0; output.left != nullptr && k < batch->nsplits; k++) {
      if (batch->splits[k].left == output.left) column = batch->splits[k].column;
    }
    if (column < css->ncolumns) output.source = css->symbols + heap_offset(css->counters + uint64_t(column) * 8);
  }
  for (uint32_t i = threadIdx.x; i < batch->nsplits; i += blockDim.x) {
    Split& split = batch->splits[i];
    if (split.column < css->ncolumns) split.source = css->symbols + heap_offset(css->counters + uint64_t(split.column) * 8);
  }
}

} // namespace dfaparse

// Grid: x over rows, y over columns.
extern "C" __global__ void __launch_bounds__(256) dfa_css_lengths(const dfaparse::Job* job, const dfaparse::Batch* batch,
    const dfaparse::Css* css) {
  using namespace dfaparse;
  uint32_t rows = batch_rows(job, batch), tail = css->tagging == kTagged ? 0 : 1;
  uint64_t stride = uint64_t(gridDim.x) * blockDim.x;
  for (uint32_t c = blockIdx.y; c < css->ncolumns; c += gridDim.y) {
    for (uint64_t row = uint64_t(blockIdx.x) * blockDim.x + threadIdx.x; row < rows; row += stride) {
      uint32_t start = batch->span_start[uint64_t(c) * batch->capacity + row], n = 0;
      if (start != kAbsent) {
        uint32_t end = batch->span_end[uint64_t(c) * batch->capacity + row];
        n = start & kScattered ? data_rank(*job, end) - data_rank(*job, start & ~kScattered) : end - start;
      }
      css->offsets[uint64_t(c) * css->pitch + row] = n + tail;
    }
  }
}

// Grid: x over tiles of rows, by ticket, y over columns. The scratch memory is
// zero.
extern "C" __global__ void __launch_bounds__(256) dfa_css_offsets(const dfaparse::Job* job, const dfaparse::Batch* batch,
    const dfaparse::Css* css) {
  using namespace dfaparse;
  scan_texts(ColumnTexts(job, batch, css), batch_rows(job, batch), batch->capacity, job->scratch);
}

// Any grid: see strings/gather.cuh.
extern "C" __global__ void __launch_bounds__(256) dfa_css_gather(const dfaparse::Job* job, const dfaparse::Batch* batch,
    const dfaparse::Css* css) {
  using namespace dfaparse;
  ColumnTexts texts(job, batch, css);
  uint32_t rows = batch_rows(job, batch);
  switch (css->tagging) {
  case kTagged:
    gather_texts(*job, texts, rows, TagNotes{css->tags});
    break;
  case kTerminated:
    gather_texts(*job, texts, rows, EndNotes<kTerminated>{css->terminator, css->failed, nullptr, 0});
    break;
  default:
    gather_texts(*job, texts, rows, EndNotes<kDelimited>{css->terminator, css->failed, reinterpret_cast<uint16_t*>(css->ends), 0});
  }
}

// Grid: x over symbols, y over columns where each has a tag, else 1. The scratch
// memory is zero.
extern "C" __global__ void __launch_bounds__(256) dfa_css_index(const dfaparse::Job* job, const dfaparse::Batch* batch,
    const dfaparse::Css* css) {
  using namespace dfaparse;
  uint32_t rows = batch_rows(job, batch);
  if (rows == 0 || css->ncolumns == 0) return;
  if (has_failed(css)) {
    if (blockIdx.x == 0 && blockIdx.y == 0 && threadIdx.x == 0) *css->failed = 1;
    return;
  }
  if (blockIdx.x == 0 && blockIdx.y == 0) move_sources(batch, css);
  if (css->tagging == kTagged) {
    index_tags(batch, css, rows);
  } else {
    index_ends(job, batch, css, rows);
  }
}
