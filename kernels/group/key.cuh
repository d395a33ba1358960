// Keys: words that are equal where the values are. First a bit for each null, then of each
// column that is not null its word; two of 16 bytes; of texts how long they are, and their
// bytes, zeros behind. No key is the beginning of another.
#pragma once

#include "value.cuh"

namespace dfaparse {

// Calls f with each word of a row's key, until it says no. Of a text, f.room is told how many words come, and then
// f.more of each, which cannot say no: so lanes with texts of different lengths stay together, and what is loaded for one
// word does not wait for what is done with the word before.
template <class F> __device__ __forceinline__ bool each_word(const Group& q, uint32_t row, bool* odd, F& f) {
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
        const uint32_t nwords = t.nwords();
        if (c.form != kFormBytes && !f((uint64_t)t.size)) return false;
        if (!f.room(nwords)) return false;
        GroupWords words(t);
#pragma unroll 4
        for (uint32_t i = 0; i < nwords; i++) f.more(words.next(i));
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

  __device__ __forceinline__ void more(uint64_t word) {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15ull;
    hash ^= hash >> 29;
  }
  __device__ __forceinline__ bool room(uint32_t n) { return n <= kMostKeyWords && (nwords += n) <= kMostKeyWords; }
  __device__ __forceinline__ bool operator()(uint64_t word) {
    more(word);
    return room(1);
  }
};

// Compares with the key at from.
struct GroupEqual {
  const uint64_t* from;
  uint64_t differ;

  __device__ __forceinline__ void more(uint64_t word) { differ |= __ldcg((const unsigned long long*)from++) ^ word; }
  __device__ __forceinline__ bool room(uint32_t) const { return differ == 0; } // and so its texts have as many words
  __device__ __forceinline__ bool operator()(uint64_t word) {
    more(word);
    return differ == 0;
  }
};

// Copies to a place with room.
struct GroupCopy {
  uint64_t* to;

  __device__ __forceinline__ void more(uint64_t word) { *to++ = word; }
  __device__ __forceinline__ bool room(uint32_t) const { return true; }
  __device__ __forceinline__ bool operator()(uint64_t word) {
    more(word);
    return true;
  }
};

// Whether a row's key is that at from.
__device__ __forceinline__ bool same_key(const Group& q, uint32_t row, const uint64_t* from) {
  bool odd = false;
  GroupEqual f{from, 0};
  return each_word(q, row, &odd, f) && f.differ == 0;
}

} // namespace dfaparse
