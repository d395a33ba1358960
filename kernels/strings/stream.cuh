// Strings whose data symbols lie apart, copied by a whole warp one after the
// other: 256 symbols at a time, 8 a lane. is_data and data_before tell each lane
// where its bytes come, whatever the lanes and symbols before it have. The bytes
// meet in shared memory: whole slices go on to the heap, and what is left over
// waits there for more.
#pragma once

#include "gather.cuh"

namespace dfaparse {

constexpr uint32_t kLaneSymbols = 8;
constexpr uint32_t kWarpSymbols = kWarp * kLaneSymbols;
constexpr uint32_t kStreamSlices = 2 * kWarpSymbols / kSlice + 1; // of shared memory

// Symbols from start to end-1, start < end, whose first is byte `at` of the
// text. Bit 31 of start: only those that is_data says are copied, and byte
// base + data_rank is the one of a symbol; if not, byte base + p is the one of
// symbol p.
struct Stretch {
  uint32_t start, end, base, at;
};

class Stream {
 public:
  __device__ Stream(const Job& job, const Text& text, Bytes16* staged)
      : is_data_(reinterpret_cast<const uint64_t*>(job.is_data)), before_(job.data_before), source_(text.source), to_(text.to),
        staged_(staged), own_(lane_id() * kLaneSymbols) {}

  // Copies a stretch of each lane that is in `lanes`; in the text each begins
  // where the one before it ends. All lanes have the same `lanes`, which is not
  // 0. What the first and the last slice have of others is left as it is.
  __device__ __forceinline__ void copy(uint32_t lanes, const Stretch& mine) {
    uint32_t at = shuffle(mine.at, uint32_t(__ffs(int(lanes))) - 1);
    skip_ = left_ = at % kSlice;
    first_ = at - skip_;
    for (; lanes != 0; lanes &= lanes - 1) {
      uint32_t lane = uint32_t(__ffs(int(lanes))) - 1;
      uint32_t start = shuffle(mine.start, lane), end = shuffle(mine.end, lane), base = shuffle(mine.base, lane);
      bool scattered = start >= kScattered;
      start &= ~kScattered;
      for (uint32_t p = start & ~(kLaneSymbols - 1); p < end; p += 2 * kWarpSymbols) {
        bool more = end - p > kWarpSymbols;
        Octet x = load(scattered, p + own_, end), y = x;
        if (more) y = load(scattered, p + own_ + kWarpSymbols, end);
        put(x, p, start, end, base);
        if (more) put(y, p + kWarpSymbols, start, end, base);
        flush();
      }
    }
    uint32_t lane = lane_id();
    if (lane >= skip_ && lane < left_) to_[first_ + lane] = bytes()[lane];
  }

 private:
  // 8 symbols, and of the chunk that they lie in is_data and data_before; these
  // count all symbols where all are copied.
  struct Octet {
    uint64_t symbols, bits;
    uint32_t before;
  };

  __device__ __forceinline__ uint8_t* bytes() const { return reinterpret_cast<uint8_t*>(staged_); }

  __device__ __forceinline__ Octet load(bool scattered, uint32_t p, uint32_t end) const {
    Octet x = {0, ~uint64_t(0), p & ~(kChunk - 1)};
    if (p < end) {
      x.symbols = *reinterpret_cast<const uint64_t*>(source_ + p);
      if (scattered) {
        x.bits = is_data_[p / kChunk];
        x.before = before_[p / kChunk];
      }
    }
    return x;
  }

  // Stages the octets of the 256 symbols from p on.
  __device__ __forceinline__ void put(const Octet& x, uint32_t p, uint32_t start, uint32_t end, uint32_t base) {
    uint32_t last = min((end - 1 - p) / kLaneSymbols, kWarp - 1);
    p += own_;
    uint32_t from = max(p, start), n = max(min(p + kLaneSymbols, end), from) - from, in_chunk = from % kChunk;
    uint32_t at = base - first_ + x.before + uint32_t(__popcll(x.bits & ~(~uint64_t(0) << in_chunk)));
    uint32_t some = uint32_t(x.bits >> in_chunk) & ((1u << n) - 1);
    uint64_t symbols = x.symbols >> 8 * (from - p);
    left_ = shuffle(at + uint32_t(__popc(some)), last);
    // What is no data is taken out, one symbol of each lane at a time: few have any.
    while (__ballot_sync(kAllLanes, (some & (some + 1)) != 0) != 0) {
      uint32_t below = (~some & (some + 1)) - 1; // bits below the lowest that is not set
      if ((some & (some + 1)) != 0) {
        uint64_t kept = ~(~uint64_t(0) << 8 * __popc(below));
        symbols = (symbols & kept) | (symbols >> 8 & ~kept);
        some = (some & below) | (some >> 1 & ~below);
      }
    }
    uint8_t* to = bytes() + (n != 0 ? at : 0);
    uint32_t low = uint32_t(symbols), high = uint32_t(symbols >> 32);
#pragma unroll
    for (uint32_t i = 0; i < kLaneSymbols; i++) {
      if (some >> i & 1) to[i] = uint8_t((i < 4 ? low : high) >> 8 * (i & 3));
    }
  }

  // Writes the whole slices that are staged.
  __device__ __forceinline__ void flush() {
    __syncwarp();
    uint32_t lane = lane_id(), whole = left_ / kSlice;
    if (whole == 0) return;
    uint8_t* to = to_ + first_;
    if (skip_ != 0 && lane >= skip_ && lane < kSlice) to[lane] = bytes()[lane];
    if (lane < whole && lane >= (skip_ != 0)) reinterpret_cast<Bytes16*>(to)[lane] = staged_[lane];
    __syncwarp();
    if (lane == 0) staged_[0] = staged_[whole];
    __syncwarp();
    skip_ = 0;
    first_ += whole * kSlice;
    left_ -= whole * kSlice;
  }

  const uint64_t* is_data_;
  const uint32_t* before_;
  const uint8_t* source_;
  uint8_t* to_;
  Bytes16* staged_;
  uint32_t own_;         // the lane's first symbol
  uint32_t first_;       // byte of the text at staged[0]
  uint32_t skip_, left_; // bytes there of others, and all
};

} // namespace dfaparse
