// Strings of a few bytes on their way to the heap: each lane of a warp puts one
// of them, eight bytes at a time, to where it belongs in shared memory; from
// there whole slices go on. Words of shared memory that two lanes have bytes of
// come together by atomics.
#pragma once

#include "slice.cuh"

namespace dfaparse {

constexpr uint32_t kStageBytes = 1088;
constexpr uint32_t kStageWords = kStageBytes / 4;

static_assert(kStageBytes % kSlice == 0, "a stage is of whole slices");

// Bytes base to base+left-1 of a text, of which the first `skip` are others'.
// base is a multiple of kSlice.
struct Staged {
  uint32_t base, skip, left;
};

// The shared memory of a warp's stage; zero whenever nothing is staged.
struct alignas(16) Stage {
  uint32_t words[kStageWords];

  __device__ __forceinline__ void clear() {
    for (uint32_t i = lane_id(); i < kStageWords; i += kWarp) words[i] = 0;
    __syncwarp();
  }

  // Puts 8 bytes to byte `at`; those that are 0 are left as they are.
  __device__ __forceinline__ void put(uint32_t at, uint64_t bytes) {
    uint32_t low = uint32_t(bytes), high = uint32_t(bytes >> 32), shift = 8 * (at & 3);
    uint32_t a = low << shift, b = __funnelshift_l(low, high, shift), c = __funnelshift_l(high, 0, shift);
    uint32_t* to = words + at / 4;
    atomicOr(to, a);
    atomicOr(to + 1, b);
    if (c != 0) atomicOr(to + 2, c);
  }

  // By a whole warp: writes what is staged to a text's bytes, and clears it.
  // slice(bytes) is told of each slice.
  template <class Told>
  __device__ __forceinline__ void flush(uint8_t* text, const Staged& x, const Told& slice) {
    __syncwarp();
    uint8_t* to = text + x.base;
    const uint8_t* bytes = reinterpret_cast<const uint8_t*>(words);
    uint32_t lane = lane_id(), last = x.left & ~(kSlice - 1); // where the slice begins that is not whole
    // Half the warp writes the bytes of the first slice, if others have some of it, half those of the last.
    uint32_t i = lane < kSlice ? lane : last + lane - kSlice;
    bool mine = lane < kSlice ? x.skip != 0 && i >= x.skip && i < x.left : i < x.left && (last != 0 || x.skip == 0);
    if (mine) to[i] = bytes[i];
    __syncwarp();
    for (uint32_t at = lane * kSlice; at < x.left; at += kWarp * kSlice) {
      Bytes16* staged = reinterpret_cast<Bytes16*>(words + at / 4);
      Bytes16 whole = *staged;
      *staged = Bytes16{0, 0};
      slice(whole);
      if (at < last && (at != 0 || x.skip == 0)) *reinterpret_cast<Bytes16*>(to + at) = whole;
    }
    __syncwarp();
  }
};

} // namespace dfaparse
