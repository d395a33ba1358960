// What a row has for a column: a field, null, or something that the host has to
// look at. The twin is Converter.value (internal/convert/converter.go).
#pragma once

#include "../span.cuh"
#include "tokens.cuh"

namespace dfaparse {

// The longest field that does not lie side by side and is made to.
constexpr uint32_t kLongestGathered = 64;

// The symbols that it may be spread over.
constexpr uint32_t kWidestGathered = 4096;

// So many blanks around a field are cut off.
constexpr uint32_t kMostBlanks = 1024;

// Of Output.flags, beside OutputFlags: it matters how a field was written, so that a text
// that is scattered, which may have escapes, is left where it may be a null token.
constexpr uint32_t kWritten = 1u << 30;

enum What : uint32_t {
  kIsNothing,   // there is no such row
  kIsNull,
  kIsDefault,   // null, but a default comes in its place
  kIsField,     // in Fetched.field
  kIsScattered, // a text whose bytes lie here and there in Fetched.span
  kIsLeft,
};

struct Fetched {
  What what;
  Field field;    // of what is scattered, only its length
  Span span;      // of the field in the source, blanks cut off, without kScattered
  bool scattered; // in the source
  bool cut;       // there were blanks
};

// A field's bytes, moved together.
struct Gathered {
  uint32_t words[kLongestGathered / 4 + 4];
};

__device__ inline bool is_blank(uint32_t c) { return c == ' ' || c == '\t'; }

// Cuts off the blanks around field; false: there are too many.
__device__ inline bool trim(Field* field, uint32_t* front, uint32_t* back) {
  uint32_t n = field->n, i = 0, k = 0;
#pragma unroll 1
  while (i < n && is_blank((*field)[i])) {
    if (i++ == kMostBlanks) return false;
  }
#pragma unroll 1
  while (k < n - i && is_blank((*field)[n - 1 - k])) {
    if (k++ == kMostBlanks) return false;
  }
  *front = i;
  *back = k;
  *field = field->from(i).first(n - i - k);
  return true;
}

// Moves the data symbols of span, of which there are n, together.
__device__ inline Field gather(const Job& job, const uint8_t* source, Span span, uint32_t n, Gathered* gathered) {
  uint32_t filled = 0, word = 0;
  for (uint32_t p = span.start; filled < n; p += 32) {
    uint32_t bits = (uint32_t)window_bits(job.is_data, p, min(span.end - p, 32u));
    for (; bits != 0; bits &= bits - 1) {
      uint32_t c = source[p + (uint32_t)__ffs((int)bits) - 1];
      word |= c << (8 * (filled & 3));
      if ((++filled & 3) == 0) {
        gathered->words[filled / 4 - 1] = word;
        word = 0;
      }
    }
  }
  gathered->words[filled / 4] = word;
  return Field{gathered->words, 0, n};
}

// The symbol of span that is its k-th data symbol, from 0.
__device__ inline uint32_t nth_data(const Job& job, Span span, uint32_t k) {
  for (uint32_t p = span.start;; p += 64) {
    uint64_t bits = window_bits(job.is_data, p, min(span.end - p, 64u));
    uint32_t n = (uint32_t)__popcll(bits);
    if (k < n) return p + select_bit(bits, k);
    k -= n;
  }
}

// Whether every null token of output has less than n bytes.
__device__ inline bool longer_than_null_tokens(const Output& output, uint32_t n) {
  const uint32_t* at = (const uint32_t*)output.tokens;
#pragma unroll 1
  for (uint32_t i = 0; i < output.ntokens; i++) {
    if (*at >= n) return false;
    at += 1 + (*at + 3) / 4;
  }
  return true;
}

// Of a span that is scattered. text: any length will do.
__device__ __noinline__ Fetched fetch_scattered(const Job& job, const Output& output, Span span, bool text, Gathered* gathered) {
  span.start &= ~kScattered;
  uint32_t n = data_count(job, span.start, span.end);
  Fetched x{kIsLeft, {nullptr, 0, n}, span, true, false};
  // What was written is no shorter than what it stands for.
  if (text && (output.flags & kWritten) && ((output.flags & kTrim) || !longer_than_null_tokens(output, n))) return x;
  if (text && !(output.flags & kTrim) && !has_null_token(output, n)) {
    x.what = kIsScattered;
    return x;
  }
  if (n > kLongestGathered) {
    uint32_t last = span.end - 1;
    // It mostly begins and ends with a data symbol.
    bool data = (job.is_data[span.start >> 5] >> (span.start & 31) & job.is_data[last >> 5] >> (last & 31) & 1) != 0;
    bool blank = (output.flags & kTrim) && (!data || is_blank(output.source[span.start]) || is_blank(output.source[last]));
    if (text && !blank && !has_null_token(output, n)) x.what = kIsScattered;
    return x;
  }
  if (span.end - span.start > kWidestGathered) return x;
  x.what = kIsField;
  x.field = gather(job, output.source, span, n, gathered);
  if (output.flags & kTrim) {
    uint32_t front = 0, back = 0;
    trim(&x.field, &front, &back); // there are not too many
    x.cut = front + back != 0;
    if (x.field.n == 0) {
      x.span.end = x.span.start;
    } else if (x.cut) {
      x.span.start = nth_data(job, span, front);
      x.span.end = nth_data(job, span, n - back - 1) + 1;
    }
  }
  return x;
}

__device__ __forceinline__ Span span_of(const Delivery& delivery, const Output& output, uint32_t row) {
  uint64_t at = (uint64_t)output.column * delivery.capacity + row;
  return Span{delivery.span_start[at], delivery.span_end[at]};
}

// What row, of that span, has for output, whose kind is of texts, or not.
// gathered is for the field's bytes, if they do not lie side by side.
__device__ __forceinline__ Fetched fetch(const Job& job, const Delivery& delivery, const Output& output, uint32_t row, Span span, bool text, Gathered* gathered) {
  uint32_t flags = output.flags;
  Fetched x{kIsField, {(const uint32_t*)output.source, span.start, span.end - span.start}, span, false, false};
  if (output.left && output.left[row >> 5] >> (row & 31) & 1) {
    x.what = kIsLeft;
    return x;
  }
  if (span.start >= kDefaultText) {
    x.what = kIsNull;
  } else {
    if (span.start & kScattered) {
      x = fetch_scattered(job, output, span, text, gathered);
      if (x.what != kIsField) return x;
    } else if (flags & kTrim) {
      uint32_t front = 0, back = 0;
      if (!trim(&x.field, &front, &back)) {
        x.what = kIsLeft;
        return x;
      }
      x.cut = front + back != 0;
      x.span.start += front;
      x.span.end -= back;
    }
    if ((x.field.n == 0 && (flags & kEmptyIsNull)) || (output.ntokens != 0 && is_null_token(output, x.field))) x.what = kIsNull;
  }
  if (x.what == kIsNull && (flags & (kHasDefault | kRequired))) {
    if (flags & kHasDefault) {
      x.what = kIsDefault;
    } else if (!(delivery.malformed[row >> 5] >> (row & 31) & 1)) {
      x.what = kIsLeft; // of what is malformed, no field is looked at
    }
  }
  return x;
}

} // namespace dfaparse
