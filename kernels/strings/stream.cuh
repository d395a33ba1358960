// Strings whose data symbols lie apart, copied by a whole warp: 512 symbols at a
// time, 16 a lane, of as many strings as they are. is_data and data_before tell each lane
// where its bytes come, whatever the lanes and symbols before it have. The bytes
// meet in shared memory: whole slices go on to the heap, and what is left over
// waits there for more.
#pragma once

#include "gather.cuh"

namespace dfaparse {

constexpr uint32_t kLaneSymbols = 16;
constexpr uint32_t kWarpSymbols = kWarp * kLaneSymbols;
constexpr uint32_t kStreamSlices = kWarpSymbols / kSlice + 1; // of shared memory

// Symbols from start to end-1, start < end, whose first is byte `at` of the
// text. Bit 31 of start: only those that is_data says are copied, and byte
// base + data_rank is the one of a symbol; if not, byte base + p is the one of
// symbol p.
struct Stretch {
  uint32_t start, end, base, at;
};

// The stretches of a warp, a lane each, and how many pieces of
// 16 symbols those before have.
struct Stretches {
  uint32_t before[kWarp], start[kWarp], end[kWarp], base[kWarp];
};

class Stream {
 public:
  __device__ Stream(const Job& job, const Text& text, Bytes16* staged, Stretches& stretches)
      : is_data_(reinterpret_cast<const uint64_t*>(job.is_data)), before_(job.data_before), source_(text.source), to_(text.to),
        staged_(staged), all_(stretches) {}

  // Copies a stretch of each lane that is in `lanes`; in the text each begins
  // where the one before it ends. All lanes have the same `lanes`, which is not
  // 0. What the first and the last slice have of others is left as it is.
  __device__ __forceinline__ void copy(uint32_t lanes, const Stretch& mine) {
    uint32_t lane = lane_id(), at = shuffle(mine.at, uint32_t(__ffs(int(lanes))) - 1), total;
    skip_ = left_ = at % kSlice;
    first_ = at - skip_;
    uint32_t aligned = mine.start & ~kScattered & ~(kLaneSymbols - 1);
    uint32_t pieces = lanes >> lane & 1 ? (mine.end - aligned + kLaneSymbols - 1) / kLaneSymbols : 0;
    all_.before[lane] = scan_warp_exclusive(pieces, Sum(), &total);
    all_.start[lane] = mine.start;
    all_.end[lane] = mine.end;
    all_.base[lane] = mine.base;
    __syncwarp();
    for (uint32_t step = 0; step < total; step += kWarp) {
      put(load(step + lane, total), min(total - 1 - step, kWarp - 1));
      flush();
    }
    if (lane >= skip_ && lane < left_) to_[first_ + lane] = bytes()[lane];
  }

 private:
  // 16 symbols, is_data of the chunk that they lie in, from bit `in_chunk` on,
  // and the byte of the text at which its data symbols begin. Where all are
  // copied, all count. Of them, `skip` are before the string, n through its end.
  struct Piece {
    Bytes16 symbols;
    uint64_t bits;
    uint32_t at, in_chunk, skip, n;
  };

  __device__ __forceinline__ uint8_t* bytes() const { return reinterpret_cast<uint8_t*>(staged_); }

  __device__ __forceinline__ Piece load(uint32_t number, uint32_t total) const {
    Piece x = {{0, 0}, ~uint64_t(0), 0, 0, 0, 0};
    if (number >= total) return x;
    uint32_t i = 0; // the last stretch that begins at number or before it
#pragma unroll
    for (uint32_t d = kWarp / 2; d != 0; d /= 2) {
      if (all_.before[i + d] <= number) i += d;
    }
    uint32_t flagged = all_.start[i], start = flagged & ~kScattered;
    uint32_t p = (start & ~(kLaneSymbols - 1)) + (number - all_.before[i]) * kLaneSymbols;
    x.symbols = *reinterpret_cast<const Bytes16*>(source_ + p);
    x.at = all_.base[i] + (p & ~(kChunk - 1));
    if (flagged != start) {
      x.bits = is_data_[p / kChunk];
      x.at = all_.base[i] + before_[p / kChunk];
    }
    x.in_chunk = p % kChunk;
    x.skip = max(p, start) - p;
    x.n = min(kLaneSymbols, all_.end[i] - p);
    return x;
  }

  // Stages pieces, of which lane `last` has the last.
  __device__ __forceinline__ void put(const Piece& x, uint32_t last) {
    uint32_t at = x.at - first_ + uint32_t(__popcll(x.bits & ~(~uint64_t(0) << (x.in_chunk + x.skip))));
    uint32_t some = uint32_t(x.bits >> x.in_chunk) & ((1u << x.n) - 1) & (~0u << x.skip);
    left_ = shuffle(at + uint32_t(__popc(some)), last);
    if (x.n == 0) at = 0;
    put8(x.symbols.low, some & 0xff, at);
    put8(x.symbols.high, some >> 8, at + uint32_t(__popc(some & 0xff)));
  }

  // Stages those of 8 symbols that are in `some`.
  __device__ __forceinline__ void put8(uint64_t symbols, uint32_t some, uint32_t at) {
    uint32_t skip = some != 0 ? uint32_t(__ffs(int(some))) - 1 : 0;
    symbols >>= 8 * skip;
    some >>= skip;
    // What is no data is taken out, one symbol of each lane at a time: few have any.
    while (__ballot_sync(kAllLanes, (some & (some + 1)) != 0) != 0) {
      uint32_t below = (~some & (some + 1)) - 1; // bits below the lowest that is not set
      if ((some & (some + 1)) != 0) {
        uint64_t kept = ~(~uint64_t(0) << 8 * __popc(below));
        symbols = (symbols & kept) | (symbols >> 8 & ~kept);
        some = (some & below) | (some >> 1 & ~below);
      }
    }
    uint8_t* to = bytes() + at;
    uint32_t low = uint32_t(symbols), high = uint32_t(symbols >> 32);
#pragma unroll
    for (uint32_t i = 0; i < 8; i++) {
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
  Stretches& all_;
  uint32_t first_;       // byte of the text at staged[0]
  uint32_t skip_, left_; // bytes there of others, and all
};

} // namespace dfaparse
