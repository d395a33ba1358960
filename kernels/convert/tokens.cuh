// Tokens: the words that stand for null, and those that a type knows by heart.
#pragma once

#include "field.cuh"

namespace dfaparse {

// The 4 bytes of field from byte i on, i a multiple of 4, zero from its end on.
template <class F>
__device__ inline uint32_t padded4(const F& field, uint32_t i) {
  uint32_t w = field.load4(i), left = field.n - i;
  return left >= 4 ? w : w & ((1u << 8 * left) - 1);
}

// Whether field is the token whose bytes are words, zero from its end on, and
// whose length is the field's.
template <class F>
__device__ inline bool is_token(const F& field, const uint32_t* words) {
#pragma unroll 1
  for (uint32_t i = 0; i < field.n; i += 4) {
    if (padded4(field, i) != words[i >> 2]) return false;
  }
  return true;
}

// Whether some null token of output has n bytes.
__device__ inline bool has_null_token(const Output& output, uint32_t n) {
  const uint32_t* at = (const uint32_t*)output.tokens;
#pragma unroll 1
  for (uint32_t i = 0; i < output.ntokens; i++) {
    if (*at == n) return true;
    at += 1 + (*at + 3) / 4;
  }
  return false;
}

// Whether field is one of output's null tokens.
template <class F>
__device__ inline bool is_null_token(const Output& output, const F& field) {
  const uint32_t* at = (const uint32_t*)output.tokens;
#pragma unroll 1
  for (uint32_t i = 0; i < output.ntokens; i++) {
    uint32_t n = *at++;
    if (n == field.n && is_token(field, at)) return true;
    at += (n + 3) / 4;
  }
  return false;
}

// The tokens of a type, found by their hash: open addressing in a power of two
// of slots. The host chooses the seed so that most are where they belong.
struct TokenTable {
  uint32_t seed;
  uint32_t bits;    // of a slot's number, 1 to 31
  uint32_t longest; // bytes of the longest token
  uint32_t reserved;

  // After it: [1<<bits] offsets of tokens, in words from the table's begin, 0:
  // none. There: the length, the value, the bytes, zero to a whole word.
  __device__ const uint32_t* words() const { return (const uint32_t*)this; }
  __device__ uint32_t slot(uint32_t i) const { return words()[sizeof(TokenTable) / 4 + i]; }
};

// The hash of a field: of its words, its length last.
template <class F>
__device__ inline uint32_t hash_of(const F& field, uint32_t seed) {
  uint32_t h = seed;
#pragma unroll 1
  for (uint32_t i = 0; i < field.n; i += 4) {
    h = (h ^ padded4(field, i)) * 0x9e3779b1u;
    h ^= h >> 15;
  }
  return (h ^ field.n) * 0x85ebca77u;
}

// The value of the token that field is; false: it is none.
template <class F>
__device__ bool find_token(const TokenTable* table, const F& field, uint32_t* value) {
  if (field.n > table->longest) return false;
  uint32_t mask = (1u << table->bits) - 1;
  for (uint32_t i = hash_of(field, table->seed) >> (32 - table->bits);; i = (i + 1) & mask) {
    uint32_t at = table->slot(i);
    if (at == 0) return false;
    const uint32_t* token = table->words() + at;
    if (token[0] == field.n && is_token(field, token + 2)) {
      *value = token[1];
      return true;
    }
  }
}

// One of the type's tokens, its index. Output.type is a TokenTable.
template <class F>
__device__ bool convert_enum(const Output& output, const F& field, int32_t* value) {
  uint32_t index;
  if (!find_token((const TokenTable*)output.type, field, &index)) return false;
  *value = (int32_t)index;
  return true;
}

} // namespace dfaparse
