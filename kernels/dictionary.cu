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
  uint64_t* token_at; // [capacity] where its words begin in words, and its bytes << 32
  uint64_t* words;    // [room] zeros behind the end of each token
  uint64_t taken;     // tokens, and their words << 32, that somebody wanted; zeroed before the first flight
  uint32_t mask;      // of slots
  uint32_t capacity, room;
  uint32_t failed;    // not 0: there was no room for some; zeroed before the first flight
};
constexpr uint32_t kBeingMade = 0xffffffffu;
constexpr uint32_t kDictionaryThreads = 256;

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

// The number of a text's token plus one, which is made if there is none; 0: there is no room.
__device__ inline uint32_t token_of(Dictionary* d, const Job& job, const Output& output, Span span, uint32_t n) {
  if (n > kLongestToken || (span.start < kDefaultText && span.end - (span.start & ~kScattered) > kWidestToken)) return 0;
  uint64_t hash = d->seed ^ n;
  each_token_word(job, output, span, n, [&](uint64_t word) {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15ull;
    hash ^= hash >> 29;
    return true;
  });
  hash *= 0xff51afd7ed558ccdull;
  hash ^= hash >> 32;
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

} // namespace dfaparse

// Grid: x over rows, of any size, y over outputs.
extern "C" __global__ void __launch_bounds__(256) dfa_dictionary(const dfaparse::Job* job, const dfaparse::Delivery* delivery) {
  using namespace dfaparse;
  uint32_t rows = delivery_rows(job, delivery);
  if (job->counts->rows > delivery->capacity) return; // the host takes the flight
  for (uint32_t o = blockIdx.y; o < delivery->noutputs; o += gridDim.y) {
    const Output& output = delivery->outputs[o];
    Dictionary* d = dictionary_of(output);
    if (d == nullptr) continue;
    const uint32_t* start = delivery->span_start + (uint64_t)output.column * delivery->capacity;
    const uint32_t* end = delivery->span_end + (uint64_t)output.column * delivery->capacity;
    for (uint32_t row = blockIdx.x * blockDim.x + threadIdx.x; row < rows; row += gridDim.x * blockDim.x) {
      if (*(volatile uint32_t*)&d->failed) break;
      uint32_t number = 0;
      if ((output.valid[row >> 5] & ~output.todo[row >> 5]) >> (row & 31) & 1) {
        number = token_of(d, *job, output, Span{start[row], end[row]}, output.offsets[row]);
        if (number == 0) *(volatile uint32_t*)&d->failed = 1;
      }
      ((uint32_t*)output.fixed)[row] = number;
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
