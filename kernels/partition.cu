// The stage partition: each row's fields are checked and sorted by column.
//
// ParPaRaw (section 3.3) tags symbols with their columns and moves them by a
// stable radix sort, so that those of a column lie together. Here it is the
// fields that are moved, as the spans of their values: column-major, rows in
// order, 8 bytes a field instead of 5 a symbol. The number of a field in its
// record is its tag, and because rows know where their fields begin, no
// histogram is needed: a thread takes a row and each field to its place.
//
//   in   Job.found, mark, column, record_last, row_record, fault, is_data, data_before; Delivery
//   out  Delivery.span_start, span_end, malformed, record_start; Counts.consumed, resume, malformed
//
// The twin is runtime/reference, check.go and shape.go. What it says of a
// problem beyond that there is one is the host's to find out.
#include "scan.cuh"
#include "span.cuh"

namespace dfaparse {

// What the rows of a grid have in common.
struct Shape {
  const Program* program;
  Job job;
  Delivery delivery;
  uint32_t rows;
  bool lags, columns, classes;
};

// A record: its fields are first to last, its symbols start to end-1. plain:
// of so many of its fields, from the first one on, all symbols are data.
struct Record {
  uint32_t first, last;
  uint32_t start, end;
  uint32_t plain;
};

// How far the boundary of a field lies before the symbol that told of it, and
// how far that lies before the field that follows: see dfa.Emission.After.
__device__ __forceinline__ void find_boundary(const Shape& shape, uint32_t field, uint32_t* end, uint32_t* after) {
  uint32_t found = shape.job.found[field];
  *end = found;
  *after = found + 1;
  if (!shape.lags) return;
  Transition mark = shape.job.mark[field];
  if (!(mark & kLagged)) return;
  const Emission& e = shape.program->emissions[mark >> kEmissionShift & kEmissionMask];
  *end = found - e.lag;
  if (e.open != e.lag) *after = found - e.lag + 1;
}

__device__ __forceinline__ Record find_record(const Shape& shape, uint32_t record, uint32_t* next) {
  Record r;
  uint32_t unused;
  r.first = 0;
  r.start = 0;
  r.last = shape.job.record_last[record];
  if (record > 0) {
    uint32_t before = shape.job.record_last[record - 1];
    r.first = before + 1;
    find_boundary(shape, before, &unused, &r.start);
  }
  find_boundary(shape, r.last, &r.end, next);
  r.plain = 0;
  return r;
}

// Without lags, what lies in a record is data, control, or a boundary. So
// counting tells whether there is control at all; if it is one symbol, and the
// record's last, as the \r of a line end, only the last field has it.
__device__ __forceinline__ uint32_t count_plain(const Shape& shape, const Record& r) {
  if (shape.lags) return 0;
  uint32_t fields = r.last - r.first;
  uint32_t data = data_count(shape.job, r.start, r.end);
  uint32_t control = r.end - r.start - data - fields;
  if (control == 0) return fields + 1;
  if (control != 1 || shape.job.is_data[(r.end - 1) >> 5] >> ((r.end - 1) & 31) & 1) return 0;
  return fields == 0 || shape.job.found[r.last - 1] != r.end - 1 ? fields : 0;
}

// How many columns of fixed width n symbols reach into; *end: how many symbols
// these have together.
__device__ inline uint32_t reach(const Delivery& delivery, uint32_t n, uint32_t* end) {
  uint32_t columns = 0, at = 0;
  while (columns < delivery.nwidths && at < n) at += min(delivery.widths[columns++], n - at);
  *end = at;
  return columns;
}

// Whether some field has another class than its column wants.
__device__ inline bool wrong_class(const Shape& shape, const Record& r) {
  for (uint32_t field = r.first; field <= r.last; field++) {
    uint32_t number = shape.columns ? shape.job.column[field] : field - r.first;
    if (number >= shape.delivery.nfields) {
      if (shape.columns) continue;
      return false;
    }
    if (shape.delivery.rest >= 0 && number >= uint32_t(shape.delivery.rest)) return false;
    uint8_t want = shape.delivery.field_class[number];
    if (want == 0) continue;
    Transition mark = shape.job.mark[field];
    if (shape.program->emissions[mark >> kEmissionShift & kEmissionMask].cls != want) return true;
  }
  return false;
}

// Whether the record has a structural problem. *nfields: how many fields it
// has, or columns of fixed width.
__device__ inline bool is_malformed(const Shape& shape, uint32_t record, const Record& r, uint32_t* nfields) {
  const Delivery& delivery = shape.delivery;
  bool bad = r.end - r.start > delivery.max_record || (shape.job.fault[record >> 5] >> (record & 31) & 1) != 0;
  if (delivery.nwidths > 0) {
    uint32_t end;
    *nfields = reach(delivery, r.end - r.start, &end);
    return bad || *nfields < delivery.min_fields || (end < r.end - r.start && !delivery.truncate);
  }
  *nfields = shape.columns ? shape.job.column[r.last] + 1u : r.last - r.first + 1;
  bad = bad || *nfields < delivery.min_fields || (*nfields > delivery.max_fields && !delivery.truncate && delivery.rest < 0);
  return bad || (shape.classes && wrong_class(shape, r));
}

// Whether some field must have a class. By all threads of a block.
__device__ inline bool wants_classes(const Delivery& delivery) {
  if (delivery.field_class == nullptr) return false;
  bool wants = false;
  for (uint32_t i = threadIdx.x; i < delivery.nfields; i += blockDim.x) wants = wants || delivery.field_class[i] != 0;
  return __syncthreads_or(wants) != 0;
}

__device__ __forceinline__ void put_span(const Delivery& delivery, uint32_t column, uint32_t row, Span span) {
  uint64_t at = uint64_t(column) * delivery.capacity + row;
  delivery.span_start[at] = span.start;
  delivery.span_end[at] = span.end;
}

__device__ __forceinline__ void put_absent(const Delivery& delivery, uint32_t column, uint32_t row) {
  put_span(delivery, column, row, Span{kAbsent, 0});
}

// Fields by position: nfields of them. All threads of a warp write the same
// column, of neighbouring rows.
__device__ __forceinline__ void put_by_position(const Shape& shape, uint32_t row, const Record& r, uint32_t nfields) {
  const Delivery& delivery = shape.delivery;
  uint32_t rest = delivery.rest < 0 ? 0xffffffffu : uint32_t(delivery.rest);
  uint32_t known = 0, start = r.start; // where field number known begins
  for (uint32_t c = 0; c < delivery.ncolumns; c++) {
    int32_t field = delivery.column_field[c];
    if (field == kPartField) continue;
    uint32_t number = uint32_t(field);
    Span span = {kAbsent, 0};
    if (number < nfields && number <= rest) {
      uint32_t unused, after;
      if (number == 0) {
        start = r.start;
      } else if (number != known) {
        find_boundary(shape, r.first + number - 1, &unused, &start);
      }
      if (number == rest) {
        span = Span{start, r.end};
        known = number;
      } else {
        uint32_t end;
        find_boundary(shape, r.first + number, &end, &after);
        span = number < r.plain ? Span{start, end} : data_span(shape.job, start, end);
        known = number + 1;
        start = after;
      }
    }
    put_span(delivery, c, row, span);
  }
}

// Fields whose boundaries name their columns. Of two of one number the second
// takes the place of the first.
__device__ inline void put_by_number(const Shape& shape, uint32_t row, const Record& r) {
  const Delivery& delivery = shape.delivery;
  for (uint32_t c = 0; c < delivery.ncolumns; c++) {
    if (delivery.column_field[c] != kPartField) put_absent(delivery, c, row);
  }
  uint32_t start = r.start;
  for (uint32_t field = r.first; field <= r.last; field++) {
    uint32_t number = shape.job.column[field], end, after;
    bool rest = delivery.rest >= 0 && number >= uint32_t(delivery.rest);
    if (rest) number = uint32_t(delivery.rest);
    find_boundary(shape, field, &end, &after);
    int32_t column = number < delivery.nfields ? delivery.field_column[number] : -1;
    if (column >= 0) {
      Span span = {start, r.end};
      if (!rest) span = field - r.first < r.plain ? Span{start, end} : data_span(shape.job, start, end);
      put_span(delivery, uint32_t(column), row, span);
    }
    if (rest) return;
    start = after;
  }
}

// Columns of fixed width, nfields of which the record reaches into.
__device__ inline void put_by_width(const Delivery& delivery, uint32_t row, const Record& r, uint32_t nfields) {
  uint32_t start = r.start;
  for (uint32_t number = 0; number < nfields; number++) {
    uint32_t end = start + min(delivery.widths[number], r.end - start);
    int32_t column = number < delivery.nfields ? delivery.field_column[number] : -1;
    if (column >= 0) put_span(delivery, uint32_t(column), row, Span{start, end});
    start = end;
  }
  for (uint32_t c = 0; c < delivery.ncolumns; c++) {
    int32_t field = delivery.column_field[c];
    if (field != kPartField && uint32_t(field) >= nfields) put_absent(delivery, c, row);
  }
}

// *nbytes: of the row's record with its boundary.
__device__ inline bool take_row(const Shape& shape, uint32_t row, uint32_t* nbytes) {
  const Delivery& delivery = shape.delivery;
  uint32_t record = delivery.row_from + row, nfields, next;
  if (shape.job.row_record != nullptr) record = shape.job.row_record[record];
  Record r = find_record(shape, record, &next);
  *nbytes = min(next, shape.job.size) - r.start;
  if (delivery.record_start != nullptr) {
    delivery.record_start[row] = r.start;
    if (row == shape.rows - 1) delivery.record_start[row + 1] = min(next, shape.job.size);
  }
  if (is_malformed(shape, record, r, &nfields)) {
    for (uint32_t c = 0; c < delivery.ncolumns; c++) {
      if (delivery.column_field[c] != kPartField) put_absent(delivery, c, row);
    }
    return true;
  }
  if (delivery.nwidths > 0) {
    put_by_width(delivery, row, r, nfields);
    return false;
  }
  r.plain = count_plain(shape, r);
  if (shape.columns) {
    put_by_number(shape, row, r);
  } else {
    put_by_position(shape, row, r, nfields);
  }
  return false;
}

// Where the record after the last one begins, and in which state: see
// dfa.Automaton.Resume.
__device__ inline void complete_counts(const Shape& shape) {
  Counts* counts = shape.job.counts;
  if (counts->records == 0) {
    counts->consumed = 0;
    counts->resume = shape.job.state;
    return;
  }
  uint32_t field = shape.job.record_last[counts->records - 1], end, after;
  find_boundary(shape, field, &end, &after);
  counts->consumed = min(after, shape.job.size);
  Transition mark = shape.job.mark[field];
  const Emission& e = shape.program->emissions[mark >> kEmissionShift & kEmissionMask];
  bool anew = (mark & kEndOfInput) != 0 || e.lag > e.open;
  counts->resume = anew ? shape.program->start : mark & kNextMask;
}

} // namespace dfaparse

// One thread a row, in strides of the grid.
extern "C" __global__ void __launch_bounds__(256, 5) dfa_partition(const dfaparse::Program* program, const dfaparse::Job* job,
    const dfaparse::Delivery* delivery) {
  using namespace dfaparse;
  Shape shape;
  shape.program = program;
  shape.job = *job;
  shape.delivery = *delivery;
  shape.rows = delivery_rows(job, delivery);
  shape.lags = (program->flags & kHasLag) != 0;
  shape.columns = (program->flags & kHasColumns) != 0;
  shape.classes = wants_classes(*delivery);
  uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x;
  if (thread == 0) complete_counts(shape);
  bool others = shape.job.counts->records != shape.job.counts->rows;

  uint64_t stride = uint64_t(gridDim.x) * blockDim.x;
  for (uint64_t row = thread; row - lane_id() < shape.delivery.capacity; row += stride) {
    uint32_t nbytes = 0;
    bool malformed = row < shape.rows && take_row(shape, uint32_t(row), &nbytes);
    if (others) {
      for (uint32_t n = kWarp / 2; n > 0; n /= 2) nbytes += __shfl_down_sync(kAllLanes, nbytes, n);
      if (lane_id() == 0) atomicAdd(&shape.job.counts->row_bytes, nbytes);
    }
    uint32_t bits = __ballot_sync(kAllLanes, malformed);
    if (lane_id() == 0) {
      shape.delivery.malformed[row >> 5] = bits;
      if (bits != 0) atomicAdd(&shape.job.counts->malformed, uint32_t(__popc(bits)));
    }
  }
}
