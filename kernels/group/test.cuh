// The test of a row: which rows are grouped.
#pragma once

#include "value.cuh"

namespace dfaparse {

// -1, 0, 1: how a row's text compares with another, byte by byte.
__device__ inline int compare_text(const GroupText& t, const uint8_t* with, uint32_t size) {
  GroupText other(with, size);
  uint32_t n = min(t.nwords(), other.nwords());
  for (uint32_t i = 0; i < n; i++) {
    uint64_t a = t.word(i), b = other.word(i);
    if (a == b) continue;
    uint32_t shift = (uint32_t)(__ffsll((long long)(a ^ b)) - 1) & ~7u;
    // Where one text ends its word has zeros, and so has the other if that is its byte: then the lengths decide.
    uint32_t x = (uint32_t)(a >> shift) & 0xff, y = (uint32_t)(b >> shift) & 0xff;
    return x < y ? -1 : 1;
  }
  return t.size < size ? -1 : t.size > size;
}

// Whether the row is wanted; odd as in group_whole.
__device__ inline bool group_wanted(const Group& q, uint32_t row, bool* odd) {
  constexpr uint32_t kFalse = 0, kUnknown = 1, kTrue = 2;
  uint64_t stack = 0; // 2 bits each
  for (uint32_t i = 0; i < q.ntests; i++) {
    const GroupTest& t = q.tests[i];
    uint32_t top = (uint32_t)stack & 3, below = (uint32_t)(stack >> 2) & 3;
    switch (t.kind) {
      case kTestNot: stack = (stack & ~3ull) | (kTrue - top); continue;
      case kTestAll: stack = (stack >> 4 << 2) | min(top, below); continue;
      case kTestAny: stack = (stack >> 4 << 2) | max(top, below); continue;
    }
    const GroupColumn& c = q.columns[t.column];
    bool valid = group_valid(c, row);
    uint32_t says = kUnknown;
    if (t.kind == kTestNull) {
      says = valid != (bool)t.holds ? kTrue : kFalse;
    } else if (valid) {
      bool in = false;
      switch (t.kind) {
        case kTestSigned: {
          int64_t v = group_whole(c, row, odd);
          in = v >= (int64_t)t.low && v <= (int64_t)t.high;
          break;
        }
        case kTestUnsigned: {
          uint64_t v = (uint64_t)group_whole(c, row, odd);
          in = v >= t.low && v <= t.high;
          break;
        }
        case kTestWide: {
          const uint64_t* v = (const uint64_t*)c.values + 2 * (uint64_t)row;
          int64_t high = (int64_t)v[1];
          in = (high > (int64_t)t.low_above || (high == (int64_t)t.low_above && v[0] >= t.low)) && (high < (int64_t)t.high_above || (high == (int64_t)t.high_above && v[0] <= t.high));
          break;
        }
        case kTestFloat: {
          double v = group_float(c, row), w = __longlong_as_double((long long)t.low);
          uint64_t a = order_of(v + 0.0), b = order_of(w + 0.0);
          in = t.holds >> (a < b ? 0 : a == b ? 1 : 2) & 1;
          break;
        }
        case kTestText: {
          int order = compare_text(group_text(c, row), t.text, t.size);
          in = t.holds >> (order + 1) & 1;
          break;
        }
      }
      if (t.kind != kTestFloat && t.kind != kTestText) in = in == (bool)t.holds;
      says = in ? kTrue : kFalse;
    }
    stack = stack << 2 | says;
  }
  return q.ntests == 0 || (stack & 3) == kTrue;
}

} // namespace dfaparse
