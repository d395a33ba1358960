// Bytes on their way to the heap: each lane of a warp puts some of them to where
// they belong in shared memory; from there whole slices go on. Words of shared
// memory that two lanes have bytes of come together by atomics.
#pragma once

#include "text.cuh"

namespace dfaparse {

constexpr uint32_t kStageBytes = 1152;
constexpr uint32_t kStageWords = kStageBytes / 4;
constexpr uint32_t kStagePad = 4; // words before these, so that zeros may be put there

static_assert(kStageBytes % kSlice == 0, "a stage is of whole slices");

// Bytes base to base+left-1 of a text, of which the first `skip` are others'.
// base is a multiple of kSlice.
struct Staged {
  uint32_t base, skip, left;
};

// The shared memory of a warp's stage; zero whenever nothing is staged.
struct alignas(16) Stage {
  uint32_t padded[kStagePad + kStageWords];

  __device__ __forceinline__ uint32_t* words() { return padded + kStagePad; }

  __device__ __forceinline__ void clear() {
    for (uint32_t i = lane_id(); i < kStagePad + kStageWords; i += kWarp) padded[i] = 0;
    __syncwarp();
  }

  // Puts 8 bytes to byte `at`; those that are 0 are left as they are.
  __device__ __forceinline__ void put(uint32_t at, uint64_t bytes) {
    uint32_t low = uint32_t(bytes), high = uint32_t(bytes >> 32), shift = 8 * (at & 3);
    uint32_t a = low << shift, b = __funnelshift_l(low, high, shift), c = __funnelshift_l(high, 0, shift);
    uint32_t* to = words() + at / 4;
    atomicOr(to, a);
    atomicOr(to + 1, b);
    if (c != 0) atomicOr(to + 2, c);
  }

  // Puts 16 bytes to byte `at`, from -15 on; those that would lie before byte 0 are 0.
  __device__ __forceinline__ void put(int32_t at, Bytes16 bytes) {
    uint32_t x[6] = {0, uint32_t(bytes.low), uint32_t(bytes.low >> 32), uint32_t(bytes.high), uint32_t(bytes.high >> 32), 0};
    uint32_t* to = words() + (at >> 2);
#pragma unroll
    for (uint32_t i = 0; i < 5; i++) atomicOr(to + i, __funnelshift_l(x[i], x[i + 1], 8 * (at & 3)));
  }

  __device__ __forceinline__ void put_one(uint32_t at, uint32_t byte) { atomicOr(words() + at / 4, byte << 8 * (at & 3)); }

  // By a whole warp: writes what is staged to a text's bytes, and clears it.
  // slice(bytes) is told of each slice.
  template <class Told>
  __device__ __forceinline__ void flush(uint8_t* text, const Staged& x, const Told& slice) {
    __syncwarp();
    uint8_t* to = text + x.base;
    const uint8_t* bytes = reinterpret_cast<const uint8_t*>(words());
    uint32_t lane = lane_id(), last = x.left & ~(kSlice - 1); // where the slice begins that is not whole
    // Half the warp writes the bytes of the first slice, if others have some of it, half those of the last.
    uint32_t i = lane < kSlice ? lane : last + lane - kSlice;
    bool mine = lane < kSlice ? x.skip != 0 && i >= x.skip && i < x.left : i < x.left && (last != 0 || x.skip == 0);
    if (mine) to[i] = bytes[i];
    __syncwarp();
    for (uint32_t at = lane * kSlice; at < x.left; at += kWarp * kSlice) {
      Bytes16* staged = reinterpret_cast<Bytes16*>(words() + at / 4);
      Bytes16 whole = *staged;
      *staged = Bytes16{0, 0};
      slice(whole);
      if (at < last && (at != 0 || x.skip == 0)) *reinterpret_cast<Bytes16*>(to + at) = whole;
    }
    __syncwarp();
  }
};

} // namespace dfaparse
