// What tells the fields of a column's symbols apart, made while they are copied:
// see NoNotes (strings/group.cuh), whose place these take.
#pragma once

#include "../strings/copy.cuh"
#include "matches.cuh"

namespace dfaparse {

// Each symbol gets its row. Staged ones have its number in the unit, a byte each.
struct TagNotes {
  static constexpr uint32_t kTail = 0;
  uint32_t* tags;
  Stage* staged; // of the warp

  __device__ __forceinline__ uint32_t tail() const { return 0; }
  __device__ __forceinline__ void put(uint32_t at, uint32_t n, uint32_t row) {
    static_assert(kUnit <= 256, "a row of a unit is a byte");
    uint64_t rows = uint64_t(row % kUnit) * 0x0101010101010101ull & ~uint64_t(0) >> (64 - 8 * n);
    staged->put(at, rows);
  }
  __device__ __forceinline__ void end(uint32_t at) {}
  __device__ __forceinline__ void slice(Bytes16 bytes) {}
  __device__ __forceinline__ void flush(uint64_t place, const Staged& x, uint32_t first_row, uint32_t strings) {
    uint32_t* to = tags + place + x.base;
    for (uint32_t at = 4 * lane_id(); at < x.left; at += 4 * kWarp) {
      uint32_t rows = staged->words()[at / 4];
      staged->words()[at / 4] = 0;
      Four four;
#pragma unroll
      for (uint32_t i = 0; i < 4; i++) four.of[i] = first_row + (rows >> 8 * i & 0xff);
      if (at >= x.skip && at + 4 <= x.left) {
        *reinterpret_cast<Four*>(to + at) = four;
      } else {
#pragma unroll
        for (uint32_t i = 0; i < 4; i++) {
          if (at + i >= x.skip && at + i < x.left) to[at + i] = four.of[i];
        }
      }
    }
    __syncwarp();
  }
};

// A symbol stands behind each field, and no field has it.
struct TerminatorNotes {
  static constexpr uint32_t kTail = 1;
  uint32_t terminator;
  uint32_t* failed;
  uint32_t found; // among the slices that are flushed

  __device__ __forceinline__ uint32_t tail() const { return terminator; }
  __device__ __forceinline__ void put(uint32_t at, uint32_t n, uint32_t row) {}
  __device__ __forceinline__ void end(uint32_t at) {}
  __device__ __forceinline__ void slice(Bytes16 bytes) { found += count_matches(bytes, terminator); }
  __device__ __forceinline__ void flush(uint64_t place, const Staged& x, uint32_t first_row, uint32_t strings) {
    uint32_t all = found;
#pragma unroll
    for (uint32_t d = kWarp / 2; d != 0; d /= 2) all += shuffle_down(all, d);
    if (lane_id() == 0 && all != strings) *failed = 1;
    found = 0;
  }
};

// A symbol stands behind each field, and a bit says that it does.
struct BitNotes {
  static constexpr uint32_t kTail = 1;
  uint32_t terminator;
  uint32_t* ends;
  uint32_t* staged; // a bit a symbol, of the warp, zero whenever nothing is staged

  __device__ __forceinline__ uint32_t tail() const { return terminator; }
  __device__ __forceinline__ void put(uint32_t at, uint32_t n, uint32_t row) {}
  __device__ __forceinline__ void end(uint32_t at) { atomicOr(&staged[at / 32], 1u << at % 32); }
  __device__ __forceinline__ void slice(Bytes16 bytes) {}
  __device__ __forceinline__ void flush(uint64_t place, const Staged& x, uint32_t first_row, uint32_t strings) {
    for (uint32_t at = lane_id() * kSlice; at < x.left; at += kWarp * kSlice) {
      write(place + x.base + at, staged[at / 32] >> at % 32 & 0xffff, (at != 0 || x.skip == 0) && at + kSlice <= x.left);
    }
    __syncwarp();
    for (uint32_t i = lane_id(); i * 32 < x.left; i += kWarp) staged[i] = 0;
    __syncwarp();
  }

  // The bits of the slice from a place on, which has no other warp's if `whole`.
  __device__ __forceinline__ void write(uint64_t place, uint32_t bits, bool whole) const {
    if (whole) {
      reinterpret_cast<uint16_t*>(ends)[place / kSlice] = uint16_t(bits);
    } else if (bits != 0) {
      atomicOr(&ends[place / 32], bits << place % 32);
    }
  }
};

} // namespace dfaparse
