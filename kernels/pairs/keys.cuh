// Maps that have a key twice, which are left: a lane takes a key, whichever map it is of. Keys are compared by their hashes.
#pragma once

#include "marks.cuh"
#include "../strings/offsets.cuh"

namespace dfaparse {

constexpr uint32_t kKeysThreads = 128;
constexpr uint32_t kKeySlots = 1024;                // of a warp's table
constexpr uint32_t kKeysAtOnce = 4;                // of a lane, whose symbols are asked for at once
constexpr uint32_t kMostKeys = kKeySlots / 4 * 3; // in it

constexpr uint32_t kKeyBytes = kLongestMap + 32; // in a warp's memory

// The n bytes behind `at` of words as a number; those that differ mostly have another one.
__device__ __forceinline__ uint32_t hash_key(const uint64_t* words, uint32_t at, uint32_t n) {
  const uint32_t first = at / 8, shift = at % 8 * 8;
  auto bytes = [&](uint32_t i) { // eight from the i-th word on, or those that there are
    const uint64_t low = words[first + i], high = words[first + i + 1], word = low >> shift | (high << 1) << (63 - shift);
    const uint32_t left = n > 8 * i ? n - 8 * i : 0;
    return left >= 8 ? word : word & ((uint64_t(1) << 8 * left) - 1);
  };
  uint64_t hash = (bytes(0) ^ n) * 0x9e3779b97f4a7c15ull;
  hash ^= hash >> 29;
  hash = (hash ^ bytes(1)) * 0x9e3779b97f4a7c15ull;
#pragma unroll 1
  for (uint32_t i = 2; 8 * i < n; i++) {
    hash ^= hash >> 29;
    hash = (hash ^ bytes(i)) * 0x9e3779b97f4a7c15ull;
  }
  return uint32_t(hash >> 32) ^ uint32_t(hash);
}

// What has keys that are compared: rows, or outer entries.
struct KeyGroups {
  const uint32_t* begins; // [count+1] its keys
  uint32_t count;
  PairTexts keys;
  const uint32_t* of;     // [rows+1] the groups of rows; nullptr: these are rows
  uint32_t rows;

  // Whether another key of the group has the hash of an entry. words: bytes of keys, from base on
  __device__ inline bool twice(const uint64_t* words, uint32_t base, uint32_t group, uint32_t entry, uint32_t hash) const {
    for (uint32_t i = begins[group]; i < begins[group + 1]; i++) {
      if (i != entry && hash_key(words, keys.offsets[i] - base, keys.offsets[i + 1] - keys.offsets[i]) == hash) return true;
    }
    return false;
  }
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

struct alignas(16) KeyShared {
  uint32_t slots[kKeySlots];
  uint64_t bytes[kKeyBytes / 8]; // of keys side by side
};

// A warp's table: whether a group has a key of a hash.
class KeyTable {
 public:
  __device__ explicit KeyTable(KeyShared& shared) : slots_(shared.slots) {}

  // By a whole warp: nothing is in it, and so many keys will be.
  __device__ __forceinline__ void clear(uint32_t keys) {
    mask_ = kWarp * 4 - 1;
    while (mask_ + 1 < keys + keys / 3) mask_ = mask_ * 2 + 1;
    for (uint32_t i = lane_id() * 4; i <= mask_; i += kWarp * 4) *reinterpret_cast<uint4*>(slots_ + i) = make_uint4(0, 0, 0, 0);
    __syncwarp();
  }
  // False: it is there, or one of the same bits.
  __device__ __forceinline__ bool add(uint32_t hash, uint32_t group) {
    const uint32_t key = (hash | 1) << 5 | group;
    for (uint32_t i = (hash >> 16 ^ group * 0x9e3779b1u) & mask_;; i = (i + 1) & mask_) {
      const uint32_t old = atomicCAS(&slots_[i], 0u, key);
      if (old == 0) return true;
      if (old == key) return false;
    }
  }

 private:
  uint32_t* slots_; // [kKeySlots]
  uint32_t mask_;
};

// Leaves the rows of a grid that have a key twice in a group.
__device__ __forceinline__ void compare_keys(const Pairs& pairs, const KeyGroups& groups, KeyShared& shared) {
  const uint32_t* const offsets = groups.keys.offsets;
  const uint32_t lane = lane_id();
  KeyTable table(shared);
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
        if (lane == from) leave_map(pairs, groups.row(group));
        from++;
        continue;
      }
      const RowEntries keys(lane >= from && lane < to ? n : 0);
      const uint32_t through = __shfl_sync(kAllLanes, ends_at, to - 1);
      __syncwarp();
      for (uint32_t i = lane * 16; i < through - base; i += kWarp * 16) reinterpret_cast<uint4*>(shared.bytes)[i / 16] = *reinterpret_cast<const uint4*>(groups.keys.heap + base + i);
      table.clear(keys.count());
      for (uint32_t k = 0; k < keys.count(); k += kWarp * kKeysAtOnce) {
        uint32_t owner[kKeysAtOnce], hash[kKeysAtOnce];
#pragma unroll
        for (uint32_t j = 0; j < kKeysAtOnce; j++) {
          const uint32_t i = min(k + j * kWarp + lane, keys.count() - 1), entry = first_of + i, start = offsets[entry];
          owner[j] = keys.lane_of(i);
          hash[j] = hash_key(shared.bytes, start - base, offsets[entry + 1] - start);
        }
#pragma unroll
        for (uint32_t j = 0; j < kKeysAtOnce; j++) {
          const uint32_t i = k + j * kWarp + lane;
          if (i < keys.count() && !table.add(hash[j], owner[j]) && groups.twice(shared.bytes, base, before + owner[j], first_of + i, hash[j])) {
            leave_map(pairs, groups.row(before + owner[j]));
          }
        }
      }
      from = to;
    }
  }
}

} // namespace dfaparse
