// Keys: words that are equal where the values are. First a bit for each null, then of each
// column that is not null its word; two of 16 bytes; of texts how long they are, and their
// bytes, zeros behind. No key is the beginning of another.
#pragma once

#include "value.cuh"

namespace dfaparse {

// Calls f with each word of a row's key, until it says no.
template <class F> __device__ __forceinline__ bool each_word(const Group& q, uint32_t row, bool* odd, F f) {
  uint32_t nulls = 0;
  for (uint32_t k = 0; k < q.nkeys; k++) nulls |= (uint32_t)!group_valid(q.columns[q.keys[k]], row) << k;
  if (!f((uint64_t)nulls)) return false;
  for (uint32_t k = 0; k < q.nkeys; k++) {
    const GroupColumn& c = q.columns[q.keys[k]];
    if (nulls >> k & 1) continue;
    switch (c.form) {
      case kFormTexts:
      case kFormCodes:
      case kFormBytes: {
        GroupText t = group_text(c, row);
        if (c.form != kFormBytes && !f((uint64_t)t.size)) return false;
        for (uint32_t i = 0, n = t.nwords(); i < n; i++)
          if (!f(t.word(i))) return false;
        break;
      }
      case kFormFloat:
        if (!f(order_of(group_float(c, row) + 0.0))) return false; // -0 is 0
        break;
      case kFormWide: {
        const uint64_t* v = (const uint64_t*)c.values + 2 * (uint64_t)row;
        if (!f(v[0]) || !f(v[1])) return false;
        break;
      }
      default:
        if (!f((uint64_t)group_whole(c, row, odd))) return false;
    }
  }
  return true;
}

struct GroupHash {
  uint64_t hash;
  uint32_t nwords;

  __device__ __forceinline__ bool operator()(uint64_t word) {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15ull;
    hash ^= hash >> 29;
    return ++nwords <= kMostKeyWords;
  }
};

// Whether a row's key is that at from.
__device__ __forceinline__ bool same_key(const Group& q, uint32_t row, const uint64_t* from) {
  bool odd = false;
  return each_word(q, row, &odd, [&](uint64_t word) { return __ldcg((const unsigned long long*)from++) == word; });
}

} // namespace dfaparse
