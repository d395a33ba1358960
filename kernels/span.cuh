// The data symbols of a field: how many there are, where they lie, and the
// span that holds them: is_data is looked at through windows of 64 symbols, and beyond
// that data_before tells, where it is there.
#pragma once

#include "layout.cuh"

namespace dfaparse {

// The rows of delivery: what has an entry per row has so many.
__device__ __forceinline__ uint32_t delivery_rows(const Job* job, const Delivery* delivery) {
  uint32_t to = min(delivery->row_to, job->counts->rows);
  return to > delivery->row_from ? min(to - delivery->row_from, delivery->capacity) : 0;
}

// The is_data bits of chunk i, symbol 0 lowest.
__device__ __forceinline__ uint64_t chunk_bits(const uint32_t* is_data, uint32_t i) {
  return uint64_t(is_data[2 * i + 1]) << 32 | is_data[2 * i];
}

// The lowest n bits, n <= 64.
__device__ __forceinline__ uint64_t low_bits(uint32_t n) { return n >= 64 ? ~uint64_t(0) : (uint64_t(1) << n) - 1; }

// The is_data bits of the n symbols from p on, 1 <= n <= 64.
__device__ __forceinline__ uint64_t window_bits(const uint32_t* is_data, uint32_t p, uint32_t n) {
  uint32_t w = p >> 5, last = (p + n - 1) >> 5, shift = p & 31;
  uint64_t low = uint64_t(is_data[min(w + 1, last)]) << 32 | is_data[w];
  uint64_t high = is_data[min(w + 2, last)];
  uint64_t bits = shift == 0 ? low : low >> shift | high << (64 - shift);
  return bits & low_bits(n);
}

// Data symbols before p, p <= size.
__device__ __forceinline__ uint32_t data_rank(const Job& job, uint32_t p) {
  uint32_t before = job.data_before[p / kChunk];
  if (p % kChunk == 0) return before;
  return before + uint32_t(__popcll(chunk_bits(job.is_data, p / kChunk) & low_bits(p % kChunk)));
}

// The place of the bit of bits that has k set bits below it.
__device__ __forceinline__ uint32_t select_bit(uint64_t bits, uint32_t k) {
  uint32_t at = 0;
#pragma unroll
  for (uint32_t width = 32; width != 0; width /= 2) {
    uint32_t below = uint32_t(__popcll(bits & low_bits(width)));
    if (k >= below) {
      k -= below;
      bits >>= width;
      at += width;
    }
  }
  return at;
}

// Data symbols from start to end-1: told by what is before chunks, or counted where that is not known.
__device__ inline uint32_t data_count(const Job& job, uint32_t start, uint32_t end) {
  if (job.data_before != nullptr) return data_rank(job, end) - data_rank(job, start);
  uint32_t n = 0;
  for (uint32_t chunk = start / kChunk; chunk * kChunk < end; chunk++) {
    uint64_t bits = chunk_bits(job.is_data, chunk) & low_bits(end - chunk * kChunk);
    if (chunk * kChunk < start) bits &= ~low_bits(start % kChunk);
    n += uint32_t(__popcll(bits));
  }
  return n;
}

// The first data symbol from p on, and the end of the last one before it: there are some.
__device__ inline uint32_t first_data(const Job& job, uint32_t p) {
  uint32_t chunk = p / kChunk;
  uint64_t bits = chunk_bits(job.is_data, chunk) & ~low_bits(p % kChunk);
  while (bits == 0) bits = chunk_bits(job.is_data, ++chunk);
  return chunk * kChunk + uint32_t(__ffsll((long long)bits)) - 1;
}
__device__ inline uint32_t end_of_data(const Job& job, uint32_t p) {
  uint32_t chunk = (p - 1) / kChunk;
  uint64_t bits = chunk_bits(job.is_data, chunk) & low_bits(p - chunk * kChunk);
  while (bits == 0) bits = chunk_bits(job.is_data, --chunk);
  return chunk * kChunk + 64 - uint32_t(__clzll((long long)bits));
}

// Where a value lies, as Delivery.span_start and span_end have it.
struct Span {
  uint32_t start, end;
};

__device__ __forceinline__ Span data_span_of(uint32_t first, uint32_t end, uint32_t count) {
  Span span;
  span.start = end - first == count ? first : first | kScattered;
  span.end = end;
  return span;
}

// data_span of more than 64 symbols.
__device__ inline Span long_data_span(const Job& job, uint32_t start, uint32_t end) {
  const uint32_t count = data_count(job, start, end);
  if (count == end - start) return Span{start, end};
  if (count == 0) return Span{start, start};
  return data_span_of(first_data(job, start), end_of_data(job, end), count);
}

// The span of the data symbols that bits, up to 64 from start on, say; without
// any, it is empty and begins at start.
__device__ __forceinline__ Span bits_span(uint32_t start, uint64_t bits) {
  if (bits == 0) return Span{start, start};
  uint32_t first = uint32_t(__ffsll((long long)bits)) - 1, last = 63 - uint32_t(__clzll((long long)bits));
  return data_span_of(start + first, start + last + 1, uint32_t(__popcll(bits)));
}

// The span of the data symbols among start to end-1, what is not data cut off
// at both ends.
__device__ __forceinline__ Span data_span(const Job& job, uint32_t start, uint32_t end) {
  uint32_t n = end - start;
  if (n > 64) return long_data_span(job, start, end);
  if (n == 0) return Span{start, start};
  return bits_span(start, window_bits(job.is_data, start, n));
}

} // namespace dfaparse
