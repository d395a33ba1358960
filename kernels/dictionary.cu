// The stage dictionary: texts of columns of dictionaries become the numbers of tokens.
//
//   dfa_dictionary
//     in   Delivery.span_start, span_end, Output.source, offsets, which are lengths here,
//          valid, todo, as dfa_convert leaves them; the Dictionary that the output names
//     out  Output.fixed: the number of each row's token from 1 on, 0 where it is null or
//          left; Dictionary: tokens that were not there
//   dfa_dictionary_end
//     in   Dictionary
//     out  Output.counters: how many tokens there are and their words; Output.offsets,
//          which become nullptr, so that no text goes out
//
// A Dictionary lasts as long as its parser: a token has its number in all flights that
// follow, and the host fetches of each flight the tokens that are new. Numbers are given in
// any order; which token comes first is for the host to know, which has the rows in order.
// A hash only says where to look. Where there is no room for another token, the Dictionary
// has failed, and the texts go out as those of any other column, now and from then on.
//
// The twin is internal/columns, token.go.
#include "convert/field.cuh"
#include "group/value.cuh"
#include "span.cuh"

namespace dfaparse {

// The tokens of a column: number n, from 0, has token_at[n].
struct Dictionary {
  uint64_t seed;
  uint64_t* slots;    // 0, or the upper half of a hash and a token's number + 1, or kBeingMade there
  uint64_t* token_at; // [capacity] where its words begin in words, and its bytes << 32; zeroed before the first flight
  uint64_t* words;    // [room] zeros behind the end of each token; zeroed likewise
  uint64_t taken;     // tokens, and their words << 32, that somebody wanted; zeroed before the first flight
  uint32_t mask;      // of slots
  uint32_t capacity, room;
  uint32_t failed;    // not 0: there was no room for some; zeroed before the first flight
};
constexpr uint32_t kBeingMade = 0xffffffffu;
constexpr uint32_t kDictionaryThreads = 512;

// Longer texts, and those whose bytes lie further apart, are no tokens.
constexpr uint32_t kLongestToken = 1024, kWidestToken = 4096;

// So many slots are looked at.
constexpr uint32_t kDictionaryProbes = 256;

// Of Output.counters, once dfa_convert_long is done with them: tokens, kNoDictionary if it has failed, and words.
constexpr uint32_t kTokenCount = 6, kTokenWords = 7;
constexpr uint32_t kNoDictionary = 0xffffffffu;

// The Dictionary of an output; nullptr: it has none.
__device__ __forceinline__ Dictionary* dictionary_of(const Output& output) { return output.kind == kString ? reinterpret_cast<Dictionary*>(output.options[0]) : nullptr; }

// A text whose bytes lie side by side, if they are few: its words of 8 bytes, zeros behind the end.
constexpr uint32_t kShortToken = 32;
struct ShortToken {
  uint64_t words[kShortToken / 8];
  uint32_t size;

  __device__ __forceinline__ explicit ShortToken(const GroupText& text) : size(text.size) {
    GroupWords from(text);
#pragma unroll
    for (uint32_t i = 0; i < kShortToken / 8; i++) words[i] = 8 * i < size ? from.next(i) : 0;
  }

  // Calls f with the words, until it says no; false: it did.
  template <class F>
  __device__ __forceinline__ bool each_word(F f) const {
#pragma unroll
    for (uint32_t i = 0; i < kShortToken / 8; i++)
      if (8 * i < size && !f(words[i])) return false;
    return true;
  }
};

// Any other.
struct LongToken {
  const Job& job;
  const Output& output;
  Span span;
  uint32_t size;

  template <class F>
  __device__ __forceinline__ bool each_word(F f) const {
    if (span.start >= kDefaultText || !(span.start & kScattered)) {
      GroupText text(span.start >= kDefaultText ? output.default_bytes : output.source + span.start, size);
      for (uint32_t i = 0; i < text.nwords(); i++)
        if (!f(text.word(i))) return false;
      return true;
    }
    uint64_t word = 0;
    uint32_t filled = 0;
    for (uint32_t p = span.start & ~kScattered; filled < size && p < span.end; p += 32) {
      for (uint32_t bits = (uint32_t)window_bits(job.is_data, p, min(span.end - p, 32u)); bits != 0 && filled < size; bits &= bits - 1) {
        word |= (uint64_t)output.source[p + (uint32_t)__ffs((int)bits) - 1] << 8 * (filled & 7);
        if ((++filled & 7) != 0) continue;
        if (!f(word)) return false;
        word = 0;
      }
    }
    return (filled & 7) == 0 || f(word);
  }
};

template <class Token>
__device__ __forceinline__ uint64_t hash_of(const Token& token, uint64_t seed) {
  uint64_t hash = seed ^ token.size;
  token.each_word([&](uint64_t word) {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15ull;
    hash ^= hash >> 29;
    return true;
  });
  hash *= 0xff51afd7ed558ccdull;
  return hash ^ hash >> 32;
}

// What the rows of a block have met of short tokens, so that each is looked for in the Dictionary
// once. Nobody waits for a token that another adds: what is not written yet is 0, so words that are
// equal and not 0 are the token's, and one that is not found is the Dictionary's to tell.
struct BlockTokens {
  static constexpr uint32_t kSlots = 2048, kWords = 2048, kProbes = 8;
  // Of a slot: a token's number, 0 as long as there is none; its bytes, where its words begin, and bits of its hash.
  static constexpr uint32_t kSizeBit = 17, kWordBit = 23, kHashBit = 34;
  static constexpr uint64_t kNumber = (1ull << kSizeBit) - 1, kIdentity = ~0ull << kHashBit | (1ull << kWordBit) - (1ull << kSizeBit);
  static_assert(kShortToken < 1u << (kWordBit - kSizeBit) && kWords <= 1u << (kHashBit - kWordBit), "a slot has room for them");

  unsigned long long slots[kSlots];
  uint64_t words[kWords];
  uint32_t taken; // words

  // By a whole block.
  __device__ void clear() {
    for (uint32_t i = threadIdx.x; i < kSlots; i += blockDim.x) slots[i] = 0;
    for (uint32_t i = threadIdx.x; i < kWords; i += blockDim.x) words[i] = 0;
    if (threadIdx.x == 0) taken = 0;
  }

  __device__ static __forceinline__ uint64_t identity(const ShortToken& token, uint64_t hash) {
    return (hash | 1ull << kHashBit) & ~0ull << kHashBit | (uint64_t)token.size << kSizeBit;
  }

  // The number of a token; 0: it is not known. *open is then the slot that it may have, kSlots if none.
  __device__ __forceinline__ uint32_t find(const ShortToken& token, uint64_t hash, uint32_t* open) const {
    const uint64_t about = identity(token, hash);
    uint32_t i = (uint32_t)hash % kSlots;
    *open = kSlots;
    for (uint32_t probe = 0; probe < kProbes; probe++, i = (i + 1) % kSlots) {
      const uint64_t slot = *(const volatile unsigned long long*)&slots[i];
      if (slot == 0) {
        *open = i;
        return 0;
      }
      if (((slot ^ about) & kIdentity) != 0) continue;
      const volatile uint64_t* from = words + (slot >> kWordBit) % kWords;
      return token.each_word([&](uint64_t word) { return *from++ == word && word != 0; }) ? (uint32_t)(slot & kNumber) : 0;
    }
    return 0;
  }

  __device__ __forceinline__ void add(const ShortToken& token, uint64_t hash, uint32_t open, uint32_t number) {
    if (open == kSlots || number > kNumber) return;
    const uint64_t about = identity(token, hash);
    if (atomicCAS(&slots[open], 0ull, (unsigned long long)about) != 0) return;
    const uint32_t at = atomicAdd(&taken, (token.size + 7) / 8);
    if (at + kShortToken / 8 > kWords) return;
    volatile uint64_t* to = words + at;
    token.each_word([&](uint64_t word) {
      *to++ = word;
      return true;
    });
    *(volatile unsigned long long*)&slots[open] = about | (uint64_t)at << kWordBit | number;
  }
};

__device__ __forceinline__ BlockTokens& block_tokens() {
  __shared__ BlockTokens tokens;
  return tokens;
}

// Makes a text the next token, and gives its number plus one; 0: there is no room.
template <class Token>
__device__ __forceinline__ uint32_t make_token(Dictionary* d, const Token& token) {
  const uint32_t nwords = (token.size + 7) / 8;
  const uint64_t old = atomicAdd((unsigned long long*)&d->taken, (unsigned long long)((uint64_t)nwords << 32 | 1));
  const uint32_t number = (uint32_t)old, at = (uint32_t)(old >> 32);
  if (number >= d->capacity || at >= d->room || nwords > d->room - at) return 0;
  uint64_t* to = d->words + at;
  token.each_word([&](uint64_t word) {
    *to++ = word;
    return true;
  });
  d->token_at[number] = (uint64_t)token.size << 32 | at;
  __threadfence();
  return number + 1;
}

// Whether token number n, from 0, is this text; or, if some are asked for before they can be seen, whether
// that is known: all that no token was written to is 0, and then it is not.
template <class Token>
__device__ __forceinline__ bool is_token(const Dictionary* d, uint32_t n, const Token& token, bool seen) {
  const uint64_t about = __ldcg((const unsigned long long*)d->token_at + n);
  if (about >> 32 != token.size || (token.size == 0 && !seen)) return false;
  const auto* from = (const unsigned long long*)d->words + (uint32_t)about;
  return token.each_word([&](uint64_t word) { return __ldcg(from++) == word && (word != 0 || seen); });
}

// The number of a text's token plus one, which is made if there is none; 0: there is no room.
template <class Token>
__device__ __forceinline__ uint32_t token_of(Dictionary* d, const Token& token, uint64_t hash) {
  if (*(volatile uint32_t*)&d->failed) return 0;
  auto* slots = (unsigned long long*)d->slots;
  uint64_t tag = hash & ~0xffffffffull;
  uint32_t mask = d->mask, i = (uint32_t)hash & mask;
  for (uint32_t probe = 0; probe < kDictionaryProbes; probe++, i = (i + 1) & mask) {
    uint64_t slot = __ldcg(slots + i);
    if (slot == 0) slot = atomicCAS(slots + i, 0ull, (unsigned long long)(tag | kBeingMade));
    if (slot == 0) {
      const uint32_t number = make_token(d, token);
      atomicExch(slots + i, number != 0 ? (unsigned long long)(tag | number) : 0ull);
      return number;
    }
    if ((slot & ~0xffffffffull) != tag) continue;
    while ((uint32_t)slot == kBeingMade) {
      __nanosleep(20);
      slot = atomicAdd(slots + i, 0ull);
    }
    if (slot == 0) return 0; // there was no room for it
    const uint32_t number = (uint32_t)slot;
    if (is_token(d, number - 1, token, false)) return number; // mostly; a fence costs more than the rest
    __threadfence();
    if (is_token(d, number - 1, token, true)) return number;
  }
  return 0;
}

// The same of a row's text.
__device__ __forceinline__ uint32_t token_of_row(Dictionary* d, const Job& job, const Output& output, Span span, uint32_t n, uint64_t seed) {
  const bool scattered = span.start >= kScattered && span.start < kDefaultText;
  if (n > kLongestToken || (scattered && span.end - (span.start & ~kScattered) > kWidestToken)) return 0;
  if (n > kShortToken || scattered) {
    const LongToken token{job, output, span, n};
    return token_of(d, token, hash_of(token, seed));
  }
  const ShortToken token(GroupText(span.start >= kDefaultText ? output.default_bytes : output.source + span.start, n));
  const uint64_t hash = hash_of(token, seed);
  BlockTokens& known = block_tokens();
  uint32_t open, number = known.find(token, hash, &open);
  if (number != 0) return number;
  number = token_of(d, token, hash);
  if (number != 0) known.add(token, hash, open, number);
  return number;
}

} // namespace dfaparse

// Grid: x over rows, of any size, y over outputs.
extern "C" __global__ void __launch_bounds__(512, 2) dfa_dictionary(const dfaparse::Job* job, const dfaparse::Delivery* delivery) {
  using namespace dfaparse;
  const uint32_t rows = delivery_rows(job, delivery);
  if (job->counts->rows > delivery->capacity) return; // the host takes the flight
  for (uint32_t o = blockIdx.y; o < delivery->noutputs; o += gridDim.y) {
    const Output& output = delivery->outputs[o];
    Dictionary* d = dictionary_of(output);
    if (d == nullptr) continue;
    __syncthreads();
    block_tokens().clear();
    __syncthreads();
    const uint64_t seed = d->seed;
    const uint32_t* start = delivery->span_start + (uint64_t)output.column * delivery->capacity;
    const uint32_t* end = delivery->span_end + (uint64_t)output.column * delivery->capacity;
    const uint32_t *valid = output.valid, *todo = output.todo, *size = output.offsets;
    auto* numbers = (uint32_t*)output.fixed;
    for (uint32_t row = blockIdx.x * blockDim.x + threadIdx.x; row < rows; row += gridDim.x * blockDim.x) {
      uint32_t number = 0;
      if ((valid[row >> 5] & ~todo[row >> 5]) >> (row & 31) & 1) {
        number = token_of_row(d, *job, output, Span{start[row], end[row]}, size[row], seed);
        if (number == 0) {
          *(volatile uint32_t*)&d->failed = 1;
          break;
        }
      }
      numbers[row] = number;
    }
  }
}

// One block.
extern "C" __global__ void __launch_bounds__(512) dfa_dictionary_end(const dfaparse::Job*, const dfaparse::Delivery* delivery) {
  using namespace dfaparse;
  for (uint32_t o = threadIdx.x; o < delivery->noutputs; o += blockDim.x) {
    Output& output = delivery->outputs[o];
    const Dictionary* d = dictionary_of(output);
    if (d == nullptr) continue;
    output.counters[kTokenCount] = d->failed ? kNoDictionary : (uint32_t)d->taken;
    output.counters[kTokenWords] = (uint32_t)(d->taken >> 32);
    if (!d->failed) output.offsets = nullptr;
  }
}
