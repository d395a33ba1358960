// Prefix scans over a warp, a block and a grid, for any associative operation,
// commutative or not, on values of up to 32 bytes.
//
// An operation is called for values that do not count too, of lanes that have no
// lane so far below them, and must bear that. It is a type with
//
//   T operator()(const T& earlier, const T& later) const
//   T identity() const
//
// where T is trivial and a multiple of 4 bytes. Blocks have one dimension, of a
// multiple of 32 threads, and every thread of what is scanned arrives.
//
// The scan over a grid is decoupled look-back (Merrill and Garland, "Single-pass
// Parallel Prefix Scan with Decoupled Look-back", NVR-2016-002): a tile
// publishes its aggregate as soon as it has it, then adds up what is published
// of the tiles before it, back to the first that has published all through
// itself. Blocks take tiles in order, by a ticket, so that a tile waits only for
// blocks that run.
#pragma once

#include "device.cuh"

namespace dfaparse {

constexpr uint32_t kWarp = 32;
constexpr uint32_t kAllLanes = 0xffffffffu;

__device__ __forceinline__ uint32_t lane_id() { return threadIdx.x & (kWarp - 1); }
__device__ __forceinline__ uint32_t warp_id() { return threadIdx.x / kWarp; }

// A value as the words that it is made of.
template <class T>
union Words {
  static constexpr uint32_t kCount = sizeof(T) / 4;
  static_assert(sizeof(T) % 4 == 0 && sizeof(T) <= 32, "a scan's value is 1 to 8 words");
  T value;
  uint32_t word[kCount];
};

// The value of another lane of the warp: of one by number, or of the one so many
// lanes below or above, where there is none the lane's own.
template <class T>
__device__ __forceinline__ T shuffle(const T& value, uint32_t lane) {
  Words<T> w;
  w.value = value;
#pragma unroll
  for (uint32_t i = 0; i < Words<T>::kCount; i++) w.word[i] = __shfl_sync(kAllLanes, w.word[i], lane);
  return w.value;
}

template <class T>
__device__ __forceinline__ T shuffle_up(const T& value, uint32_t lanes) {
  Words<T> w;
  w.value = value;
#pragma unroll
  for (uint32_t i = 0; i < Words<T>::kCount; i++) w.word[i] = __shfl_up_sync(kAllLanes, w.word[i], lanes);
  return w.value;
}

template <class T>
__device__ __forceinline__ T shuffle_down(const T& value, uint32_t lanes) {
  Words<T> w;
  w.value = value;
#pragma unroll
  for (uint32_t i = 0; i < Words<T>::kCount; i++) w.word[i] = __shfl_down_sync(kAllLanes, w.word[i], lanes);
  return w.value;
}

// The operation of counts.
struct Sum {
  __device__ __forceinline__ uint32_t operator()(uint32_t earlier, uint32_t later) const { return earlier + later; }
  __device__ __forceinline__ uint64_t operator()(uint64_t earlier, uint64_t later) const { return earlier + later; }
  __device__ __forceinline__ uint32_t identity() const { return 0; }
};

// Lane i gets the values of lanes 0 to i, of which only the first `lanes` count
// (a power of two).
template <uint32_t lanes = kWarp, class T, class Op>
__device__ __forceinline__ T scan_warp(T value, const Op& op) {
#pragma unroll
  for (uint32_t d = 1; d < lanes; d *= 2) {
    T both = op(shuffle_up(value, d), value);
    value = lane_id() >= d ? both : value;
  }
  return value;
}

// Lane i gets the values of lanes 0 to i-1; *total: of all, in every lane.
template <class T, class Op>
__device__ __forceinline__ T scan_warp_exclusive(T value, const Op& op, T* total) {
  value = scan_warp(value, op);
  *total = shuffle(value, kWarp - 1);
  T below = shuffle_up(value, 1);
  return lane_id() == 0 ? T(op.identity()) : below;
}

// All lanes' values, lane 31's the earliest; only lane 0's result is that.
template <class T, class Op>
__device__ __forceinline__ T fold_warp_downwards(T value, const Op& op) {
#pragma unroll
  for (uint32_t d = 1; d < kWarp; d *= 2) {
    T both = op(shuffle_down(value, d), value);
    value = lane_id() + d < kWarp ? both : value;
  }
  return value;
}

__host__ __device__ constexpr uint32_t ceil_power2(uint32_t n) {
  uint32_t p = 1;
  while (p < n) p *= 2;
  return p;
}

// Thread i of a block of `threads` gets the values of threads 0 to i-1; *total:
// of all, in every thread. per_warp is shared memory, one value a warp; before
// it is used again the threads have to meet at a barrier.
template <uint32_t threads, class T, class Op>
__device__ __forceinline__ T scan_block_exclusive(T value, const Op& op, T* per_warp, T* total) {
  constexpr uint32_t warps = threads / kWarp;
  static_assert(threads % kWarp == 0 && warps >= 1 && warps <= kWarp, "a block is 1 to 32 whole warps");
  T sum, before = scan_warp_exclusive(value, op, &sum);
  if (lane_id() == 0) per_warp[warp_id()] = sum;
  __syncthreads();
  T warp = lane_id() < warps ? per_warp[lane_id()] : T(op.identity());
  warp = scan_warp<ceil_power2(warps)>(warp, op);
  *total = shuffle(warp, warps - 1);
  T both = op(shuffle(warp, warp_id() == 0 ? 0 : warp_id() - 1), before);
  return warp_id() == 0 ? before : both;
}

// What tiles have published, in global memory (runtime/gpu/context.go has the same sizes):
//
//   offset 0                 the ticket of the next tile, 4 bytes of 64
//   64                       per tile, 4 bytes: how much is published
//   64 + 4*tiles, rounded up to 64
//                            per tile: aggregate, and inclusive prefix
//
// Ticket and states are zero before the kernel starts; the rest need not be. A
// value of 4 bytes is published together with its state, as 8 bytes, which
// takes one trip to memory in place of two:
//
//   64                       per tile, 8 bytes: value << 32 | state
template <class T, class Op>
class LookBack {
 public:
  static constexpr uint32_t kAggregate = 1, kInclusive = 2;
  static constexpr bool kSingle = sizeof(T) == 4;

  __device__ LookBack(void* scratch, uint32_t tiles, const Op& op) : base_(static_cast<uint8_t*>(scratch)), op_(op) {
    values_ = base_ + 64 + ((uint64_t(tiles) * 4 + 63) & ~uint64_t(63));
  }

  // The number of the tile that this block takes next, in every thread. slot is
  // shared memory. All threads meet at a barrier, after which slot may not be
  // written before they meet at another.
  __device__ __forceinline__ uint32_t take(uint32_t* slot) {
    if (threadIdx.x == 0) *slot = next();
    __syncthreads();
    return *slot;
  }

  // The same for one thread, which tells the others.
  __device__ __forceinline__ uint32_t next() { return atomicAdd(reinterpret_cast<uint32_t*>(base_), 1u); }

  // For one warp of the block, all its lanes: publishes the tile's aggregate and
  // gives what the tiles before it come to, after `seed`, in every lane.
  __device__ T prefix(uint32_t tile, const T& aggregate, const T& seed) {
    if (tile == 0) {
      if (lane_id() == 0) publish(tile, kInclusive, op_(seed, aggregate));
      __syncwarp();
      return seed;
    }
    if (lane_id() == 0) publish(tile, kAggregate, aggregate);
    __syncwarp();
    T before = op_.identity();
    for (uint32_t end = tile;;) { // tiles [end, tile) are in before
      T value = op_.identity();
      uint32_t state = kInclusive;
      if (lane_id() < end) {
        state = read(end - 1 - lane_id(), &value);
      }
      while (__ballot_sync(kAllLanes, state == 0) != 0) {
        if (state == 0) state = read(end - 1 - lane_id(), &value);
      }
      uint32_t whole = __ballot_sync(kAllLanes, state == kInclusive);
      uint32_t last = whole == 0 ? kWarp : uint32_t(__ffs(int(whole))) - 1; // the nearest that is a whole prefix
      if (lane_id() > last) value = op_.identity();
      before = op_(shuffle(fold_warp_downwards(value, op_), 0), before);
      if (whole != 0) break;
      end -= kWarp;
    }
    if (lane_id() == 0) publish(tile, kInclusive, op_(before, aggregate));
    __syncwarp();
    return before;
  }

 private:
  __device__ volatile uint32_t* state_of(uint32_t tile) { return reinterpret_cast<volatile uint32_t*>(base_ + 64) + tile; }
  __device__ volatile uint64_t* single_of(uint32_t tile) { return reinterpret_cast<volatile uint64_t*>(base_ + 64) + tile; }
  __device__ volatile uint32_t* value_of(uint32_t tile, uint32_t state) {
    return reinterpret_cast<volatile uint32_t*>(values_ + (uint64_t(tile) * 2 + (state - 1)) * sizeof(T));
  }

  __device__ __forceinline__ void publish(uint32_t tile, uint32_t state, const T& value) {
    Words<T> w;
    w.value = value;
    if constexpr (kSingle) {
      *single_of(tile) = uint64_t(w.word[0]) << 32 | state;
    } else {
      volatile uint32_t* to = value_of(tile, state);
#pragma unroll
      for (uint32_t i = 0; i < Words<T>::kCount; i++) to[i] = w.word[i];
      __threadfence();
      *state_of(tile) = state;
    }
  }

  // What tile has published; *value is set unless that is nothing, 0.
  __device__ __forceinline__ uint32_t read(uint32_t tile, T* value) {
    Words<T> w;
    uint32_t state;
    if constexpr (kSingle) {
      uint64_t both = *single_of(tile);
      state = uint32_t(both);
      w.word[0] = uint32_t(both >> 32);
    } else {
      state = *state_of(tile);
      if (state == 0) return 0;
      __threadfence();
      volatile uint32_t* from = value_of(tile, state);
#pragma unroll
      for (uint32_t i = 0; i < Words<T>::kCount; i++) w.word[i] = from[i];
    }
    if (state != 0) *value = w.value;
    return state;
  }

  uint8_t* base_;
  uint8_t* values_;
  Op op_;
};

} // namespace dfaparse
