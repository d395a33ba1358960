// What a run of symbols adds to the index, and its scan over the tiles.
#pragma once

#include "../scan.cuh"

namespace dfaparse {

// Counts within a tile, in 16 bits each: a tile has at most 32 Ki symbols.
struct Packed {
  static __device__ __forceinline__ uint64_t of(uint32_t fields, uint32_t records, uint32_t rows, uint32_t data) {
    return uint64_t(data << 16 | rows) << 32 | (records << 16 | fields);
  }
};

struct Offsets {
  uint32_t fields, records, rows, data;

  static __device__ __forceinline__ Offsets unpack(uint64_t x) {
    uint32_t lo = uint32_t(x), hi = uint32_t(x >> 32);
    return {lo & 0xffff, lo >> 16, hi & 0xffff, hi >> 16};
  }
  __device__ __forceinline__ Offsets operator+(const Offsets& o) const {
    return {fields + o.fields, records + o.records, rows + o.rows, data + o.data};
  }
};

// The number of the field being read, after a run of symbols (ParPaRaw, section
// 3.2): set to N by a run that says which, bit 31 of it is set then, increased by
// N by any other.
struct ColumnRun {
  static constexpr uint32_t kAbsolute = 1u << 31;
  __device__ __forceinline__ uint32_t operator()(uint32_t earlier, uint32_t later) const {
    return later & kAbsolute ? later : earlier + later;
  }
  __device__ __forceinline__ uint32_t identity() const { return 0; }
};

// Decoupled look-back (see scan.cuh) over Offsets that travel as two words of 64
// bits, each with its own state, so that no fence stands between a value and
// its state, and none between the words:
//
//   bit  63..62  61..31   30..0
//        state   records  fields
//        state   data     rows
//
// None exceeds the size of a partition. Of a tile the two words are read until their states agree.
class OffsetsLookBack {
 public:
  static constexpr uint32_t kHeader = 64, kPerTile = 16;

  // Bytes of scratch, zeroed before the kernel starts: the ticket, and two words
  // a tile (runtime/gpu/index.go has the same sizes).
  static __device__ __forceinline__ uint64_t size(uint32_t tiles) { return kHeader + uint64_t(kPerTile) * tiles; }

  __device__ explicit OffsetsLookBack(void* scratch) : ticket_(static_cast<uint32_t*>(scratch)) {
    words_ = reinterpret_cast<volatile uint64_t*>(static_cast<uint8_t*>(scratch) + kHeader);
  }

  // The next tile, for one thread.
  __device__ __forceinline__ uint32_t take() { return atomicAdd(ticket_, 1u); }

  // For one thread: publishes what the tile adds.
  __device__ __forceinline__ void announce(uint32_t tile, const Offsets& own) {
    publish(tile, tile == 0 ? kInclusive : kAggregate, own);
  }

  // For one warp of the block, all its lanes, when the tile is announced: what
  // the tiles before it come to, in every lane.
  __device__ __forceinline__ Offsets prefix(uint32_t tile, const Offsets& own) {
    Offsets before = {0, 0, 0, 0};
    for (uint32_t end = tile; end != 0; end -= kWarp) { // tiles [end, tile) are in before
      uint64_t a = kInclusive, b = kInclusive;
      if (lane_id() < end) read(end - 1 - lane_id(), &a, &b);
      while (__ballot_sync(kAllLanes, !agree(a, b)) != 0) {
        if (!agree(a, b)) read(end - 1 - lane_id(), &a, &b);
      }
      uint32_t whole = __ballot_sync(kAllLanes, (a & kStates) == kInclusive);
      uint32_t last = whole == 0 ? kWarp : uint32_t(__ffs(int(whole))) - 1; // the nearest that is a whole prefix
      a = lane_id() > last ? 0 : a & ~kStates;
      b = lane_id() > last ? 0 : b & ~kStates;
#pragma unroll
      for (uint32_t d = kWarp / 2; d != 0; d /= 2) {
        a += shuffle_down(a, d);
        b += shuffle_down(b, d);
      }
      a = shuffle(a, 0);
      b = shuffle(b, 0);
      before = before + Offsets{uint32_t(a) & kLow, uint32_t(a >> 31), uint32_t(b) & kLow, uint32_t(b >> 31)};
      if (whole != 0) break;
    }
    if (lane_id() == 0 && tile != 0) publish(tile, kInclusive, before + own);
    __syncwarp();
    return before;
  }

 private:
  static constexpr uint64_t kAggregate = 1ull << 62, kInclusive = 2ull << 62, kStates = 3ull << 62;
  static constexpr uint32_t kLow = (1u << 31) - 1;

  static __device__ __forceinline__ bool agree(uint64_t a, uint64_t b) { return a >> 62 != 0 && a >> 62 == b >> 62; }

  __device__ __forceinline__ void publish(uint32_t tile, uint64_t state, const Offsets& x) {
    words_[2 * uint64_t(tile)] = state | uint64_t(x.records & kLow) << 31 | (x.fields & kLow);
    words_[2 * uint64_t(tile) + 1] = state | uint64_t(x.data & kLow) << 31 | (x.rows & kLow);
  }
  __device__ __forceinline__ void read(uint32_t tile, uint64_t* a, uint64_t* b) {
    *a = words_[2 * uint64_t(tile)];
    *b = words_[2 * uint64_t(tile) + 1];
  }

  uint32_t* ticket_;
  volatile uint64_t* words_;
};

} // namespace dfaparse
