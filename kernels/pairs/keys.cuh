// Maps that have a key twice, which are left: a lane takes a key, whichever map it is of. Keys are compared by their hashes.
#pragma once

#include "marks.cuh"
#include "../strings/offsets.cuh"

namespace dfaparse {

constexpr uint32_t kKeysThreads = 128;
constexpr uint32_t kKeysAtOnce = 4;              // of a lane
constexpr uint32_t kMostKeys = 512;              // that a warp compares at once
constexpr uint32_t kKeyBytes = kLongestMap + 48; // in a warp's memory
constexpr uint32_t kSeenWords = 8;               // of a group

// What a warp has in shared memory.
struct alignas(16) KeyShared {
  uint32_t seen[2][kWarp * kSeenWords]; // of each group, by some bits of a hash, and by others: there is one
  uint32_t hash[kMostKeys];
  uint32_t bytes[kKeyBytes / 4];     // of keys side by side
};

// The n bytes behind `at` of words as a number; those that differ mostly have another one.
__device__ __forceinline__ uint32_t hash_key(const uint32_t* words, uint32_t at, uint32_t n) {
  constexpr uint32_t kFactors[4] = {0x9e3779b1, 0x85ebca77, 0xc2b2ae3d, 0x27d4eb2f}; // odd
  words += at / 4;
  auto four = [&](uint32_t i) { // from the i-th on, or those that there are, as the last ones of a word
    const int32_t missing = 32 - 8 * (int32_t(n) - 4 * int32_t(i));
    return __funnelshift_lc(0, __funnelshift_r(words[i], words[i + 1], at % 4 * 8), uint32_t(min(max(missing, 0), 32)));
  };
  uint32_t hash = n * 0x165667b1;
#pragma unroll
  for (uint32_t i = 0; i < 4; i++) hash += four(i) * kFactors[i];
#pragma unroll 1
  for (uint32_t i = 4; 4 * i < n; i++) hash = (hash ^ hash >> 15) * kFactors[0] + four(i);
  hash = (hash ^ hash >> 16) * kFactors[1];
  return hash;
}

// What has keys that are compared: rows, or outer entries.
struct KeyGroups {
  const uint32_t* begins; // [count+1] its keys
  uint32_t count;
  PairTexts keys;
  const uint32_t* of;     // [rows+1] the groups of rows; nullptr: these are rows
  uint32_t rows;

  __device__ __forceinline__ uint32_t row(uint32_t group) const {
    if (of == nullptr) return group;
    uint32_t low = 0, high = rows; // of[low] <= group < of[high]
    while (high - low > 1) {
      const uint32_t middle = (low + high) / 2;
      (of[middle] <= group ? low : high) = middle;
    }
    return low;
  }
};

// Leaves the rows of a grid that have a key twice in a group.
__device__ __forceinline__ void compare_keys(const Pairs& pairs, const KeyGroups& groups, KeyShared& shared) {
  const uint32_t* const offsets = groups.keys.offsets;
  const uint32_t lane = lane_id();
  const uint64_t stride = uint64_t(gridDim.x) * blockDim.x;
  for (uint64_t at = uint64_t(blockIdx.x) * blockDim.x + threadIdx.x; at - lane < groups.count; at += stride) {
    const uint32_t before = uint32_t(at) - lane, group = min(uint32_t(at), groups.count - 1);
    const uint32_t first = groups.begins[group], end = groups.begins[group + 1], n = at < groups.count ? end - first : 0;
    if (!__any_sync(kAllLanes, n > 1)) continue;
    const uint32_t begins_at = offsets[first], ends_at = offsets[end];
    for (uint32_t from = 0; from < kWarp;) { // groups whose keys there is room for
      const uint32_t first_of = __shfl_sync(kAllLanes, first, from), base = __shfl_sync(kAllLanes, begins_at, from) & ~15u;
      const bool fits = lane >= from && end - first_of <= kMostKeys && ends_at - base <= kLongestMap;
      const uint32_t all = __ballot_sync(kAllLanes, fits), to = from + uint32_t(__popc(int(all)));
      if (to == from) { // one has too many
        if (lane == from && n > 1) leave_map(pairs, groups.row(group));
        from++;
        continue;
      }
      const RowEntries keys(lane >= from && lane < to ? n : 0);
      const uint32_t through = __shfl_sync(kAllLanes, ends_at, to - 1);
      __syncwarp();
      for (uint32_t i = lane * 16; i < through - base; i += kWarp * 16) reinterpret_cast<uint4*>(shared.bytes)[i / 16] = *reinterpret_cast<const uint4*>(groups.keys.heap + base + i);
      for (uint32_t i = lane; i < 2 * kWarp * kSeenWords / 4; i += kWarp) reinterpret_cast<uint4*>(shared.seen)[i] = make_uint4(0, 0, 0, 0);
      __syncwarp();
      for (uint32_t k = 0; k < keys.count(); k += kWarp * kKeysAtOnce) {
        uint32_t owner[kKeysAtOnce], hash[kKeysAtOnce];
#pragma unroll
        for (uint32_t j = 0; j < kKeysAtOnce; j++) {
          const uint32_t i = min(k + j * kWarp + lane, keys.count() - 1), start = offsets[first_of + i];
          owner[j] = keys.lane_of(i);
          hash[j] = hash_key(shared.bytes, start - base, offsets[first_of + i + 1] - start);
          shared.hash[i] = hash[j];
        }
        __syncwarp();
#pragma unroll
        for (uint32_t j = 0; j < kKeysAtOnce; j++) {
          const uint32_t i = k + j * kWarp + lane;
          const uint32_t of = __shfl_sync(kAllLanes, first, owner[j]) - first_of, behind = min(__shfl_sync(kAllLanes, end, owner[j]) - first_of, k + kWarp * kKeysAtOnce);
          auto seen = [&](uint32_t by, uint32_t bits) {
            const uint32_t bit = 1u << (bits & 31);
            return (atomicOr(&shared.seen[by][owner[j] * kSeenWords + bits / 32 % kSeenWords], bit) & bit) != 0;
          };
          if (i >= keys.count() || !(int(seen(0, hash[j])) & int(seen(1, hash[j] >> 16)))) continue;
          bool twice = false;
#pragma unroll 1
          for (uint32_t other = of; other < behind; other++) twice = twice || (other != i && shared.hash[other] == hash[j]);
          if (twice) leave_map(pairs, groups.row(before + owner[j]));
        }
        __syncwarp();
      }
      from = to;
    }
  }
}

} // namespace dfaparse
