// States: what groups have come to. All of it comes to the same in any order: whole numbers
// are summed in more bits than they have, floats exactly.
#pragma once

#include "value.cuh"

namespace dfaparse {

// Digits of 32 bits of a sum of floats, each a signed number of 64: so 2^31 values are added without
// a carry. The unit is 2^-1074, as that of internal/aggregate/exactsum.go.
constexpr uint32_t kFloatDigits = 70; // the largest float has 66, a cell's window reaches beyond
constexpr uint32_t kFloatWords = 1 + kFloatDigits; // what was met, see GroupMet, then digits
// In a cell: what was met, and one more than the first digit << kCellFirstShift; then a window of
// so many digits, a signed number.
constexpr uint32_t kCellDigits = 8;
constexpr uint32_t kCellFloatWords = 1 + kCellDigits / 2;
constexpr uint32_t kCellFirstShift = 8;
enum GroupMet : uint32_t { kMetInf = 1, kMetMinusInf = 2, kMetNaN = 4 };

// Adds n digits, and a sign's above them, to a number of size digits, in a block's memory.
// Whoever makes a digit overflow carries: so the sum is right when all have added.
__device__ __forceinline__ void add_digits(uint32_t* to, uint32_t size, uint64_t low, uint64_t high, uint32_t sign) {
  uint32_t carry = 0;
  for (uint32_t i = 0; i < size; i++) {
    uint32_t digit = i == 0 ? (uint32_t)low : i == 1 ? (uint32_t)(low >> 32) : i == 2 ? (uint32_t)high : i == 3 ? (uint32_t)(high >> 32) : sign;
    uint32_t with = digit + carry;
    carry = with < carry; // then with is 0
    if (with != 0) {
      uint32_t old = atomicAdd(to + i, with);
      carry += old + with < with;
    }
  }
}

// The same of the table, in words.
__device__ __forceinline__ void add_words(uint64_t* to, uint32_t size, uint64_t low, uint64_t high, uint64_t sign) {
  uint64_t carry = 0;
  for (uint32_t i = 0; i < size; i++) {
    uint64_t with = (i == 0 ? low : i == 1 ? high : sign) + carry;
    carry = with < carry;
    if (with != 0) {
      uint64_t old = atomicAdd((unsigned long long*)to + i, (unsigned long long)with);
      carry += old + with < with;
    }
  }
}

template <bool kCell> __device__ __forceinline__ uint64_t look(const uint64_t* at) {
  if (kCell) return *(const volatile uint64_t*)at;
  return __ldcg((const unsigned long long*)at);
}

// Bounds change seldom, so they are looked at before.
template <bool kCell> __device__ __forceinline__ void bound_signed(uint64_t* s, int64_t low, int64_t high) {
  if (low < (int64_t)look<kCell>(s)) atomicMin((long long*)s, (long long)low);
  if (high > (int64_t)look<kCell>(s + 1)) atomicMax((long long*)s + 1, (long long)high);
}
template <bool kCell> __device__ __forceinline__ void bound_unsigned(uint64_t* s, uint64_t low, uint64_t high) {
  if (low < look<kCell>(s)) atomicMin((unsigned long long*)s, (unsigned long long)low);
  if (high > look<kCell>(s + 1)) atomicMax((unsigned long long*)s + 1, (unsigned long long)high);
}

template <bool kCell> __device__ __forceinline__ void add_count(uint64_t* s, uint64_t n) {
  if (kCell) atomicAdd((uint32_t*)s, (uint32_t)n); // a block has fewer rows
  else atomicAdd((unsigned long long*)s, (unsigned long long)n);
}

template <bool kCell> __device__ __forceinline__ void add_sum(uint64_t* s, uint32_t words, uint64_t low, uint64_t high, uint64_t sign) {
  if (kCell) add_digits((uint32_t*)s, 2 * words, low, high, (uint32_t)sign);
  else add_words(s, words, low, high, sign);
}

// A finite float as digits: m[0..2] at the digit given.
__device__ __forceinline__ uint32_t float_digits(uint64_t b, uint32_t m[3]) {
  uint32_t exponent = (uint32_t)(b >> 52) & 0x7ff;
  uint64_t mantissa = b & ((1ull << 52) - 1);
  if (exponent > 0) {
    mantissa |= 1ull << 52;
    exponent--;
  }
  uint32_t shift = exponent & 31;
  uint64_t low = mantissa << shift;
  m[0] = (uint32_t)low;
  m[1] = (uint32_t)(low >> 32);
  m[2] = shift == 0 ? 0 : (uint32_t)(mantissa >> (64 - shift));
  return exponent >> 5;
}

// Adds to the sum of the table.
__device__ __forceinline__ void add_float(uint64_t* s, double v) {
  uint64_t b = (uint64_t)__double_as_longlong(v);
  if ((b >> 52 & 0x7ff) == 0x7ff) {
    uint32_t met = b << 12 ? kMetNaN : b >> 63 ? kMetMinusInf : kMetInf;
    if (!(look<false>(s) & met)) atomicOr((unsigned long long*)s, (unsigned long long)met);
    return;
  }
  uint32_t m[3], at = float_digits(b, m);
  for (uint32_t i = 0; i < 3; i++)
    if (m[i]) atomicAdd((unsigned long long*)s + 1 + at + i, b >> 63 ? 0ull - m[i] : (unsigned long long)m[i]);
}

// Adds to that of a cell, if its window has room; false: nothing was added.
__device__ __forceinline__ bool add_cell_float(uint64_t* s, double v) {
  uint64_t b = (uint64_t)__double_as_longlong(v);
  uint32_t* met = (uint32_t*)s;
  if ((b >> 52 & 0x7ff) == 0x7ff) {
    atomicOr(met, b << 12 ? (uint32_t)kMetNaN : b >> 63 ? (uint32_t)kMetMinusInf : (uint32_t)kMetInf);
    return true;
  }
  if (b << 1 == 0) return true;
  uint32_t m[3], at = float_digits(b, m);
  uint32_t first = ((const volatile uint32_t*)met)[1];
  if (first == 0) {
    uint32_t mine = (at > 2 ? at - 2 : 0) + 1;
    first = atomicCAS(met + 1, 0u, mine);
    if (first == 0) first = mine;
  }
  first--;
  if (at < first || at + 3 > first + kCellDigits - 2) return false; // a digit and more for carries
  uint32_t* to = met + 2;
  uint32_t carry = 0;
  if (b >> 63) { // the complement, and 1
    m[0] = ~m[0];
    m[1] = ~m[1];
    m[2] = ~m[2];
    carry = 1;
  }
  uint32_t sign = b >> 63 ? ~0u : 0;
  for (uint32_t i = at - first; i < kCellDigits; i++) {
    uint32_t k = i - (at - first);
    uint32_t digit = k < 3 ? m[k] : sign;
    uint32_t with = digit + carry;
    carry = with < carry;
    if (with != 0) {
      uint32_t old = atomicAdd(to + i, with);
      carry += old + with < with;
    }
    if (k >= 2 && sign == 0 && carry == 0) break;
    // Of a negative number, what a carry makes of the digits above is nothing: ~0 and 1.
    if (k >= 2 && sign != 0 && carry == 1) break;
  }
  return true;
}

// Adds a row to a state, or to a block's cell; where the cell has no room, to the state of its
// group, which there gives.
template <bool kCell, class F> __device__ __forceinline__ void add_row(const Group& q, uint32_t row, uint64_t* state, bool* odd, F there) {
  if (q.counts_rows) add_count<kCell>(state, 1);
  for (uint32_t i = 0; i < q.ntallies; i++) {
    const GroupTally& t = q.tallies[i];
    const GroupColumn& c = q.columns[t.column];
    if (!group_valid(c, row)) continue;
    uint64_t* s = state + (kCell ? t.cell : t.at);
    add_count<kCell>(s++, 1);
    switch (t.kind) {
      case kTallyWhole: {
        int64_t v = group_whole(c, row, odd);
        if (t.parts & kTallySums) {
          uint64_t sign = (uint64_t)(v >> 63);
          add_sum<kCell>(s, 2, (uint64_t)v, sign, sign);
          s += 2;
        }
        if (t.parts & kTallyBounds) bound_signed<kCell>(s, v, v);
        break;
      }
      case kTallyUnsigned: {
        uint64_t v = (uint64_t)group_whole(c, row, odd);
        if (t.parts & kTallySums) {
          add_sum<kCell>(s, 3, v, 0, 0);
          s += 3;
        }
        if (t.parts & kTallyBounds) bound_unsigned<kCell>(s, v, v);
        break;
      }
      case kTallyWide: {
        const uint64_t* v = (const uint64_t*)c.values + 2 * (uint64_t)row;
        if (t.parts & kTallySums) add_sum<kCell>(s, 3, v[0], v[1], (uint64_t)((int64_t)v[1] >> 63));
        break;
      }
      case kTallyFloat: {
        double v = group_float(c, row);
        if (t.parts & kTallySums) {
          if (!kCell) add_float(s, v);
          else if (!add_cell_float(s, v)) add_float(there() + t.at + 1, v);
          s += kCell ? kCellFloatWords : kFloatWords;
        }
        if (t.parts & kTallyBounds) {
          uint64_t o = order_of(v);
          bound_unsigned<kCell>(s, o, o);
        }
        break;
      }
    }
  }
}

// Adds what a cell has come to.
__device__ inline void add_cell(const Group& q, uint64_t* state, const uint64_t* cell) {
  if (q.counts_rows && cell[0]) add_count<false>(state, cell[0]);
  for (uint32_t i = 0; i < q.ntallies; i++) {
    const GroupTally& t = q.tallies[i];
    uint64_t* s = state + t.at;
    const uint64_t* from = cell + t.cell;
    if (*from == 0) continue;
    add_count<false>(s++, *from++);
    if (t.parts & kTallySums) switch (t.kind) {
        case kTallyWhole:
          add_words(s, 2, from[0], from[1], 0);
          s += 2, from += 2;
          break;
        case kTallyUnsigned:
        case kTallyWide:
          add_words(s, 3, from[0], from[1], from[2]);
          s += 3, from += 3;
          break;
        case kTallyFloat: {
          const uint32_t* digits = (const uint32_t*)from;
          uint32_t met = digits[0], first = digits[1];
          if (met) atomicOr((unsigned long long*)s, (unsigned long long)met);
          if (first != 0) {
            uint64_t* to = s + first;
            for (uint32_t k = 0; k < kCellDigits; k++) {
              uint32_t digit = digits[2 + k];
              uint64_t v = k + 1 < kCellDigits ? (uint64_t)digit : (uint64_t)(int64_t)(int32_t)digit;
              if (v != 0) atomicAdd((unsigned long long*)to + k, (unsigned long long)v);
            }
          }
          s += kFloatWords, from += kCellFloatWords;
          break;
        }
      }
    if (t.parts & kTallyBounds) {
      if (t.kind == kTallyWhole) bound_signed<false>(s, (int64_t)from[0], (int64_t)from[1]);
      else bound_unsigned<false>(s, from[0], from[1]);
    }
  }
}

} // namespace dfaparse
