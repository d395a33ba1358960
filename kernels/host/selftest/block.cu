// Kernels that hold the host build to what CUDA promises of blocks and warps.
// check.cc runs them and knows the answers.
#include "device.cuh"

namespace dfaparse {

constexpr uint32_t kPoison = 0xb7b7b7b7u;

} // namespace dfaparse

using namespace dfaparse;

// out[i]: the sum of 1..rounds of the values of thread n-1-i, through shared
// memory; threads from nlive on end before the first barrier.
extern "C" __global__ void __launch_bounds__(1024) dfa_test_barrier(uint32_t* out, uint64_t nlive, uint64_t rounds) {
  __shared__ uint32_t cells[1024];
  uint32_t t = threadIdx.x, sum = 0;
  if (t >= nlive) return;
  for (uint32_t round = 1; round <= rounds; round++) {
    cells[t] = t * round;
    __syncthreads();
    sum += cells[nlive - 1 - t];
    __syncthreads();
  }
  uint32_t count = __syncthreads_count(t % 3 == 0);
  bool any = __syncthreads_or(t == 5), all = __syncthreads_and(t != 5), none = __syncthreads_or(0);
  out[t] = sum + count * 1000000 + (any ? 1u << 29 : 0) + (all ? 1u << 30 : 0) + (none ? 1u << 31 : 0);
}

// Nobody waits: in whatever order the threads run, that is the order of out.
extern "C" __global__ void dfa_test_order(uint32_t* out, uint32_t* count) {
  uint32_t block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  uint32_t thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  out[atomicAdd(count, 1u)] = block * 1000 + thread;
}

// What shared memory holds when a block begins, and that a block's own is what
// it wrote. out[b]: bits of what is wrong.
extern "C" __global__ void dfa_test_shared(uint32_t* out, uint64_t nwords) {
  extern __shared__ uint32_t words[];
  extern __shared__ uint4 vectors[];
  __shared__ uint32_t fixed[64];
  uint32_t t = threadIdx.x, wrong = 0;
  if (t < 64 && fixed[t] != kPoison) wrong |= 1;
  for (uint32_t i = t; i < nwords; i += blockDim.x) {
    if (words[i] != kPoison) wrong |= 2;
  }
  __syncthreads();
  if (t < 64) fixed[t] = t;
  for (uint32_t i = t; i < nwords; i += blockDim.x) words[i] = i;
  __syncthreads();
  if (t < 64 && fixed[63 - t] != 63 - t) wrong |= 4;
  for (uint32_t i = t; i < nwords / 4; i += blockDim.x) {
    uint4 v = vectors[i];
    if (v.x != 4 * i || v.w != 4 * i + 3) wrong |= 8;
  }
  if ((const void*)words != (const void*)vectors) wrong |= 16;
  if (wrong != 0) atomicOr(&out[blockIdx.x], wrong);
}

// Per thread, 16 words at out[16*t].
extern "C" __global__ void dfa_test_shuffle(uint64_t* out, uint64_t width, uint64_t by) {
  uint32_t t = threadIdx.x, w = (uint32_t)width, n = (uint32_t)by;
  uint64_t* o = out + 16 * t;
  o[0] = __shfl_sync(0xffffffffu, t, (int)n, (int)w);
  o[1] = __shfl_up_sync(0xffffffffu, t, n, (int)w);
  o[2] = __shfl_down_sync(0xffffffffu, t, n, (int)w);
  o[3] = __shfl_xor_sync(0xffffffffu, t, (int)n, (int)w);
  o[4] = __shfl_up_sync(0xffffffffu, (uint64_t)t << 40 | t, n, (int)w);
  o[5] = (uint64_t)(int64_t)__shfl_down_sync(0xffffffffu, -(int64_t)t - 1, n, (int)w);
  o[6] = (uint64_t)__double_as_longlong(__shfl_xor_sync(0xffffffffu, t + 0.5, (int)n, (int)w));
  o[7] = __float_as_uint(__shfl_sync(0xffffffffu, t + 0.25f, (int)n, (int)w));
  o[8] = (uint64_t)(int64_t)__shfl_sync(0xffffffffu, -(int)t, (int)t + 1, (int)w); // from another lane each
  o[9] = __ballot_sync(0xffffffffu, t % 3 == n % 3);
  o[10] = (uint64_t)(__any_sync(0xffffffffu, t % 32 == 7) + 2 * __any_sync(0xffffffffu, 0) +
                     4 * __all_sync(0xffffffffu, 1) + 8 * __all_sync(0xffffffffu, t % 32 != 7));
  o[11] = __match_any_sync(0xffffffffu, t % 5);
  int all;
  o[12] = __match_all_sync(0xffffffffu, t / 32, &all);
  o[13] = (uint64_t)all;
  o[14] = __match_all_sync(0xffffffffu, t, &all);
  o[15] = (uint64_t)all;
}

// The parts of a warp go their own ways, each with its mask; lanes from 30 on
// have ended, though one mask names them.
extern "C" __global__ void dfa_test_parts(uint32_t* out) {
  uint32_t t = threadIdx.x, lane = t % 32, sum = 0;
  if (lane >= 30) return;
  if (lane < 10) {
    for (uint32_t i = 0; i < 7; i++) sum += __shfl_xor_sync(0x3ffu, lane + i, lane < 8 ? 1 : 0);
  } else if (lane < 20) {
    for (uint32_t i = 0; i < 3; i++) sum += (uint32_t)__popc(__ballot_sync(0xffc00u, lane & 1));
  } else {
    sum = __ballot_sync(0xfff00000u, 1);
  }
  __syncwarp();
  out[t] = sum + __popc(__ballot_sync(0xffffffffu, 1));
}

// The exclusive sums of a sequence, a tile a block, by decoupled look-back.
extern "C" __global__ void dfa_test_lookback(const uint32_t* in, uint32_t* out, uint64_t n, uint32_t* ticket,
                                             uint64_t* tiles) {
  __shared__ uint32_t tile, before, sums[8];
  if (threadIdx.x == 0) tile = atomicAdd(ticket, 1u);
  __syncthreads();
  uint64_t i = (uint64_t)tile * blockDim.x + threadIdx.x;
  uint32_t value = i < n ? in[i] : 0, inclusive = value, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (uint32_t d = 1; d < 32; d *= 2) {
    uint32_t left = __shfl_up_sync(0xffffffffu, inclusive, d);
    if (lane >= d) inclusive += left;
  }
  if (lane == 31) sums[warp] = inclusive;
  __syncthreads();
  uint32_t offset = 0, all = 0;
  for (uint32_t w = 0; w < blockDim.x / 32; w++) {
    if (w < warp) offset += sums[w];
    all += sums[w];
  }
  if (threadIdx.x == 0) {
    uint32_t sum = 0;
    atomicExch(&tiles[tile], (uint64_t)1 << 32 | all);
    for (uint32_t p = tile; p-- > 0;) {
      uint64_t state;
      while ((state = atomicAdd(&tiles[p], 0ull)) == 0) __nanosleep(20);
      sum += (uint32_t)state;
      if (state >> 32 == 2) break;
    }
    __threadfence();
    atomicExch(&tiles[tile], (uint64_t)2 << 32 | (sum + all));
    before = sum;
  }
  __syncthreads();
  if (i < n) out[i] = before + offset + inclusive - value;
}

// A thread waits for another of its block, which comes after it.
extern "C" __global__ void dfa_test_handover(uint32_t* flag, uint32_t* out) {
  if (threadIdx.x == 0) {
    while (atomicAdd(flag, 0u) == 0) {
    }
    out[0] = 7;
  } else if (threadIdx.x == blockDim.x - 1) {
    atomicExch(flag, 1u);
  }
}
