// Strings and binaries: how long each is, and whether it may be delivered. Bytes
// are moved, and decoded, by dfa_gather. The twin is internal/convert/text.go.
#pragma once

#include "binary.cuh"
#include "fetch.cuh"
#include "utf8.cuh"

namespace dfaparse {

__device__ inline bool is_text(uint32_t kind) { return kind == kString || kind == kBinary; }

// Of Output.counters, for dfa_convert_long: the last long text's row plus one,
// and the complement of the first one's.
constexpr uint32_t kLastLong = 6, kFirstLong = 7;

__device__ inline Text text_of(const Job& job, const Output& output, Span span, bool scattered) {
  return Text{output.source, scattered ? job.is_data : nullptr, span};
}

// Whether Job.chunk_utf8 says that the text in span, which is not empty, is
// UTF-8. Its chunks are counted from Job.data, wherever the source is; what has
// been moved away from there stands beside other texts, so that it has to begin
// and end between two sequences. Parts of values may be cut anywhere, so that it
// says nothing of them.
__device__ __forceinline__ bool known_utf8(const Job& job, const Output& output, Span span) {
  if (job.chunk_utf8 == nullptr || output.left != nullptr || span.end - span.start > kLongText) return false;
  auto goes_on = [&](uint32_t p) { return (output.source[p] & 0xc0) == 0x80; };
  if (output.source != job.data && (goes_on(span.start) || goes_on(span.end))) return false;
  uint64_t flags = uint64_t(job.chunk_utf8) + uint64_t(int64_t(uint64_t(output.source) - uint64_t(job.data)) / int64_t(kChunk));
  uint64_t first = flags + span.start / kChunk, last = flags + (span.end - 1) / kChunk, at = first & ~uint64_t(7);
  uint64_t some = *reinterpret_cast<const uint64_t*>(at) & ~uint64_t(0) << 8 * (first - at);
  for (; last - at >= 8; at += 8) {
    if (some != 0) return false;
    some = *reinterpret_cast<const uint64_t*>(at + 8);
  }
  return (some & ~uint64_t(0) >> 8 * (7 - (last - at))) == 0;
}

// By a whole warp, a row a lane: checks the texts that x has, makes those rows
// left that are not UTF-8, or not in the column's encoding, and gives the length
// in bytes.
__device__ inline uint32_t convert_text(const Job& job, const Delivery& delivery, const Output& output, uint32_t row, Fetched* x) {
  bool some = x->what == kIsField || x->what == kIsScattered;
  uint32_t n = some ? x->field.n : 0;
  uint32_t encoding = binary_encoding(output);
  if (encoding != kAsIs) {
    bool together = x->what == kIsField && !x->scattered;
    bool right = measure_encoded(encoding, (const uint32_t*)output.source, together, x->field, &n);
    if (some && !right) x->what = kIsLeft;
  } else if (!(output.flags & kKeepUTF8)) {
    bool ask = some && n != 0 && !known_utf8(job, output, x->span);
    bool longer = ask && (n > kShortText || x->what == kIsScattered);
    if (ask && !longer && !is_utf8(x->field)) x->what = kIsLeft;
    uint32_t start = x->span.start, end = x->span.end;
    if (longer && end - start > kLongText) {
      atomicMax(&output.counters[kLastLong], row + 1);
      atomicMax(&output.counters[kFirstLong], ~row);
      longer = false;
    }
    for (uint32_t left = __ballot_sync(0xffffffffu, longer); left != 0; left &= left - 1) {
      int lane = __ffs((int)left) - 1;
      Span span{__shfl_sync(0xffffffffu, start, lane), __shfl_sync(0xffffffffu, end, lane)};
      bool scattered = __shfl_sync(0xffffffffu, (int)x->scattered, lane) != 0;
      bool right = is_utf8_warp(text_of(job, output, span, scattered));
      if (!right && (threadIdx.x & 31) == (uint32_t)lane) x->what = kIsLeft;
    }
  }
  uint64_t at = (uint64_t)output.column * delivery.capacity + row;
  switch (x->what) {
  case kIsDefault: delivery.span_start[at] = kDefaultText; return output.default_length;
  case kIsField:
    if (x->cut) {
      delivery.span_start[at] = x->span.start | (x->scattered ? kScattered : 0);
      delivery.span_end[at] = x->span.end;
    }
    return n;
  case kIsScattered: return n;
  default: return 0;
  }
}

} // namespace dfaparse
