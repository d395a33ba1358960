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
// A hash only says where to look. A block has short tokens that it has met in its own memory, too,
// so that in most rows nobody looks into the table. Where there is no room for another token, the Dictionary
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
  uint64_t* token_at; // [capacity] where its words begin in words, and its bytes << 32
  uint64_t* words;    // [room] zeros behind the end of each token
  uint64_t taken;     // tokens, and their words << 32, that somebody wanted; zeroed before the first flight
  uint32_t mask;      // of slots
  uint32_t capacity, room;
  uint32_t failed;    // not 0: there was no room for some; zeroed before the first flight
};
constexpr uint32_t kBeingMade = 0xffffffffu;
constexpr uint32_t kDictionaryThreads = 256;
constexpr uint32_t kDictionaryBlocks = 8; // a multiprocessor

// Longer texts, and those whose bytes lie further apart, are no tokens.
constexpr uint32_t kLongestToken = 1024, kWidestToken = 4096;

// So many slots are looked at.
constexpr uint32_t kDictionaryProbes = 256;

// Of Output.counters, once dfa_convert_long is done with them: tokens, kNoDictionary if it has failed, and words.
constexpr uint32_t kTokenCount = 6, kTokenWords = 7;
constexpr uint32_t kNoDictionary = 0xffffffffu;

// The Dictionary of an output; nullptr: it has none.
__device__ __forceinline__ Dictionary* dictionary_of(const Output& output) { return output.kind == kString ? reinterpret_cast<Dictionary*>(output.options[0]) : nullptr; }

// Calls f with the words of a text of n bytes, until it says no; false: it did.
template <class F>
__device__ __forceinline__ bool each_token_word(const Job& job, const Output& output, Span span, uint32_t n, F f) {
  if (span.start >= kDefaultText || !(span.start & kScattered)) {
    GroupText text(span.start >= kDefaultText ? output.default_bytes : output.source + span.start, n);
    for (uint32_t i = 0; i < text.nwords(); i++)
      if (!f(text.word(i))) return false;
    return true;
  }
  uint64_t word = 0;
  uint32_t filled = 0;
  for (uint32_t p = span.start & ~kScattered; filled < n && p < span.end; p += 32) {
    for (uint32_t bits = (uint32_t)window_bits(job.is_data, p, min(span.end - p, 32u)); bits != 0 && filled < n; bits &= bits - 1) {
      word |= (uint64_t)output.source[p + (uint32_t)__ffs((int)bits) - 1] << 8 * (filled & 7);
      if ((++filled & 7) != 0) continue;
      if (!f(word)) return false;
      word = 0;
    }
  }
  return (filled & 7) == 0 || f(word);
}

// A text that is looked for, and its first two words.
struct Wanted {
  Span span;
  uint32_t n; // bytes
  uint64_t hash, words[2];
};

__device__ __forceinline__ Wanted wanted(uint64_t seed, const Job& job, const Output& output, Span span, uint32_t n) {
  Wanted x{span, n, seed ^ n, {0, 0}};
  uint32_t i = 0;
  each_token_word(job, output, span, n, [&](uint64_t word) {
    if (i == 0) x.words[0] = word;
    if (i == 1) x.words[1] = word;
    i++;
    x.hash = (x.hash ^ word) * 0x9e3779b97f4a7c15ull;
    x.hash ^= x.hash >> 29;
    return true;
  });
  x.hash *= 0xff51afd7ed558ccdull;
  x.hash ^= x.hash >> 32;
  return x;
}

// The number of a text's token plus one, which is made if there is none; 0: there is no room.
__device__ __noinline__ uint32_t token_of(Dictionary* d, const Job& job, const Output& output, const Wanted& x) {
  if (*(volatile uint32_t*)&d->failed) return 0;
  const Span span = x.span;
  const uint32_t n = x.n;
  const uint64_t hash = x.hash;
  auto* slots = (unsigned long long*)d->slots;
  uint64_t tag = hash & ~0xffffffffull;
  uint32_t mask = d->mask, i = (uint32_t)hash & mask;
  for (uint32_t probe = 0; probe < kDictionaryProbes; probe++, i = (i + 1) & mask) {
    uint64_t slot = __ldcg(slots + i);
    if (slot == 0) slot = atomicCAS(slots + i, 0ull, (unsigned long long)(tag | kBeingMade));
    if (slot == 0) {
      uint32_t nwords = (n + 7) / 8;
      uint64_t old = atomicAdd((unsigned long long*)&d->taken, (unsigned long long)((uint64_t)nwords << 32 | 1));
      uint32_t number = (uint32_t)old, at = (uint32_t)(old >> 32);
      bool fits = number < d->capacity && at < d->room && nwords <= d->room - at;
      if (fits) {
        uint64_t* to = d->words + at;
        each_token_word(job, output, span, n, [&](uint64_t word) {
          *to++ = word;
          return true;
        });
        d->token_at[number] = (uint64_t)n << 32 | at;
        __threadfence();
      }
      atomicExch(slots + i, fits ? (unsigned long long)(tag | (number + 1)) : 0ull);
      return fits ? number + 1 : 0;
    }
    if ((slot & ~0xffffffffull) != tag) continue;
    while ((uint32_t)slot == kBeingMade) {
      __nanosleep(20);
      slot = atomicAdd(slots + i, 0ull);
    }
    if (slot == 0) return 0; // there was no room for it
    __threadfence();
    uint64_t about = __ldcg((const unsigned long long*)d->token_at + (uint32_t)slot - 1);
    if (about >> 32 != n) continue;
    const auto* from = (const unsigned long long*)d->words + (uint32_t)about;
    if (each_token_word(job, output, span, n, [&](uint64_t word) { return __ldcg(from++) == word; })) return (uint32_t)slot;
  }
  return 0;
}

// Tokens of a block, of up to two words.
constexpr uint32_t kTokenCells = 512;
constexpr uint32_t kShortToken = 16;
struct TokenCells {
  uint64_t words[2][kTokenCells];
  uint32_t number[kTokenCells];
  uint32_t state[kTokenCells]; // 0: free, 1: is being made, or the token's bytes + 2
};

// token_of by way of a block's cells.
__device__ __forceinline__ uint32_t token_by_cells(TokenCells& cells, Dictionary* d, const Job& job, const Output& output, const Wanted& x) {
  if (x.n > kShortToken) return token_of(d, job, output, x);
  uint32_t at = (uint32_t)(x.hash >> 20) & (kTokenCells - 1), vacant = kTokenCells;
#pragma unroll
  for (uint32_t probe = 0; probe < 2; probe++) {
    uint32_t i = at ^ probe, state = *(volatile uint32_t*)&cells.state[i];
    if (state == x.n + 2) {
      __threadfence_block();
      if (cells.words[0][i] == x.words[0] && cells.words[1][i] == x.words[1]) return cells.number[i];
    }
    if (state == 0 && vacant == kTokenCells) vacant = i;
  }
  uint32_t number = token_of(d, job, output, x);
  if (number != 0 && vacant != kTokenCells && atomicCAS(&cells.state[vacant], 0u, 1u) == 0) {
    cells.words[0][vacant] = x.words[0];
    cells.words[1][vacant] = x.words[1];
    cells.number[vacant] = number;
    __threadfence_block();
    *(volatile uint32_t*)&cells.state[vacant] = x.n + 2;
  }
  return number;
}

} // namespace dfaparse

// Grid: x over rows, of any size, y over outputs.
extern "C" __global__ void __launch_bounds__(256) dfa_dictionary(const dfaparse::Job* job, const dfaparse::Delivery* delivery) {
  using namespace dfaparse;
  __shared__ TokenCells cells;
  uint32_t rows = delivery_rows(job, delivery);
  if (job->counts->rows > delivery->capacity) return; // the host takes the flight
  for (uint32_t o = blockIdx.y; o < delivery->noutputs; o += gridDim.y) {
    const Output& output = delivery->outputs[o];
    Dictionary* d = dictionary_of(output);
    if (d == nullptr) continue;
    const uint32_t* start = delivery->span_start + (uint64_t)output.column * delivery->capacity;
    const uint32_t* end = delivery->span_end + (uint64_t)output.column * delivery->capacity;
    __syncthreads(); // the cells are used again
    for (uint32_t i = threadIdx.x; i < kTokenCells; i += blockDim.x) cells.state[i] = 0;
    __syncthreads();
    const uint32_t *valid = output.valid, *todo = output.todo, *length = output.offsets;
    uint32_t* fixed = (uint32_t*)output.fixed;
    const uint64_t seed = d->seed;
    for (uint32_t row = blockIdx.x * blockDim.x + threadIdx.x; row < rows; row += gridDim.x * blockDim.x) {
      uint32_t number = 0;
      if ((valid[row >> 5] & ~todo[row >> 5]) >> (row & 31) & 1) {
        const Span span{start[row], end[row]};
        const uint32_t n = length[row];
        if (n <= kLongestToken && (span.start >= kDefaultText || span.end - (span.start & ~kScattered) <= kWidestToken)) number = token_by_cells(cells, d, *job, output, wanted(seed, *job, output, span, n));
        if (number == 0) *(volatile uint32_t*)&d->failed = 1;
      }
      fixed[row] = number;
    }
  }
}

// One block.
extern "C" __global__ void __launch_bounds__(256) dfa_dictionary_end(const dfaparse::Job*, const dfaparse::Delivery* delivery) {
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
