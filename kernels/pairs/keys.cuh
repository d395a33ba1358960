// Maps that have a key twice, which are left: a lane takes a key, whichever map it is of. Keys are compared by their hashes.
#pragma once

#include "marks.cuh"
#include "../strings/offsets.cuh"

namespace dfaparse {

constexpr uint32_t kKeysThreads = 256;
constexpr uint32_t kKeySlots = 1024;                // of a warp's table
constexpr uint32_t kKeysAtOnce = 4;                // of a lane, whose symbols are asked for at once
constexpr uint32_t kMostKeys = kKeySlots / 4 * 3; // in it

// Up to 8 bytes at p as a number.
__device__ __forceinline__ uint64_t load_bytes(const uint8_t* p, uint32_t n) {
  const uint32_t skip = uint32_t(uint64_t(p) & 7);
  const uint64_t* const words = reinterpret_cast<const uint64_t*>(p - skip);
  uint64_t word = words[0] >> 8 * skip;
  if (skip + n > 8) word |= words[1] << (64 - 8 * skip);
  return n < 8 ? word & ((uint64_t(1) << 8 * n) - 1) : word;
}

// The n bytes at p as a number; those that differ mostly have another one.
__device__ __forceinline__ uint32_t hash_key(const uint8_t* p, uint32_t n) {
  uint64_t hash = (load_bytes(p, min(n, 8u)) ^ n) * 0x9e3779b97f4a7c15ull;
#pragma unroll 1
  for (uint32_t i = 8; i < n; i += 8) {
    hash ^= hash >> 29;
    hash = (hash ^ load_bytes(p + i, min(n - i, 8u))) * 0x9e3779b97f4a7c15ull;
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

  __device__ __forceinline__ uint32_t hash(uint32_t entry) const {
    const uint32_t start = keys.offsets[entry];
    return hash_key(keys.heap + start, keys.offsets[entry + 1] - start);
  }
  // Whether another entry of a group has the hash.
  __device__ inline bool twice(uint32_t group, uint32_t entry, uint32_t of) const {
    for (uint32_t i = begins[group]; i < begins[group + 1]; i++) {
      if (i != entry && hash(i) == of) return true;
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
  // False: it may be there, in few cases another one.
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
__device__ __forceinline__ void compare_keys(const Pairs& pairs, const KeyGroups& groups, KeyTable table) {
  const uint32_t lane = lane_id();
  const uint64_t stride = uint64_t(gridDim.x) * blockDim.x;
  for (uint64_t at = uint64_t(blockIdx.x) * blockDim.x + threadIdx.x; at - lane < groups.count; at += stride) {
    const uint32_t before = uint32_t(at) - lane, group = min(uint32_t(at), groups.count - 1);
    const uint32_t first = groups.begins[group], n = at < groups.count ? groups.begins[group + 1] - first : 0;
    const uint32_t through = scan_warp(n, Sum());
    for (uint32_t from = 0; from < kWarp;) { // groups whose keys the table has room for
      const uint32_t done = from == 0 ? 0 : __shfl_sync(kAllLanes, through, from - 1);
      uint32_t to = from + uint32_t(__popc(int(__ballot_sync(kAllLanes, lane >= from && through - done <= kMostKeys))));
      if (to == from) { // one has too many
        if (lane == from) leave_map(pairs, groups.row(group));
        from++;
        continue;
      }
      const bool in = lane >= from && lane < to;
      const RowEntries keys(in ? n : 0);
      if (__any_sync(kAllLanes, in && n > 1)) {
        table.clear(keys.count());
        for (uint32_t k = 0; k < keys.count(); k += kWarp * kKeysAtOnce) {
          uint32_t owner[kKeysAtOnce], entry[kKeysAtOnce], hash[kKeysAtOnce];
#pragma unroll
          for (uint32_t j = 0; j < kKeysAtOnce; j++) {
            const uint32_t i = min(k + j * kWarp + lane, keys.count() - 1);
            owner[j] = keys.lane_of(i);
            entry[j] = __shfl_sync(kAllLanes, first, owner[j]) + keys.within(i, owner[j]);
          }
#pragma unroll
          for (uint32_t j = 0; j < kKeysAtOnce; j++) hash[j] = groups.hash(entry[j]);
#pragma unroll
          for (uint32_t j = 0; j < kKeysAtOnce; j++) {
            if (k + j * kWarp + lane < keys.count() && !table.add(hash[j], owner[j]) && groups.twice(before + owner[j], entry[j], hash[j])) {
              leave_map(pairs, groups.row(before + owner[j]));
            }
          }
        }
        __syncwarp();
      }
      from = to;
    }
  }
}

} // namespace dfaparse
