// What dfa_quoted_count leaves of each chunk: 64 symbols looked at once for all that
// ends fields and all quotes, so that nobody after it has to.
#pragma once

#include "../tiles/marks.cuh"

namespace dfaparse {

// Of a chunk, bit i for symbol i: whether it, or the last one before, opens quotes, if the
// tile begins outside of them; and whether it ends a field where there are none.
struct alignas(16) QuoteMarks {
  uint64_t open, ends;
};

// Of all chunks: they lie where the index of the general path has its records.
__device__ __forceinline__ QuoteMarks* quote_marks(const Job& job) { return reinterpret_cast<QuoteMarks*>(job.record_last); }

// Transposes bits among four neighbouring lanes: a lane has 16 of each of four chunks, and
// gets all of that with its own number.
__device__ __forceinline__ uint64_t chunk_of_quarters(const uint32_t (&quarters)[4]) {
  const uint32_t j = lane_id() & 3, low = quarters[0] | quarters[1] << 16, high = quarters[2] | quarters[3] << 16;
  const bool upper = (j & 2) != 0, odd = (j & 1) != 0;
  const uint32_t mine = upper ? high : low, got = __shfl_xor_sync(kAllLanes, upper ? low : high, 2);
  const uint32_t first = upper ? got : mine, second = upper ? mine : got; // parts j&1, and two behind it, of two chunks
  const uint32_t own = __byte_perm(first, second, odd ? 0x7632 : 0x5410);
  const uint32_t other = __shfl_xor_sync(kAllLanes, __byte_perm(first, second, odd ? 0x5410 : 0x7632), 1);
  return uint64_t(__byte_perm(own, other, odd ? 0x3276 : 0x7632)) << 32 | __byte_perm(own, other, odd ? 0x1054 : 0x5410);
}

} // namespace dfaparse
