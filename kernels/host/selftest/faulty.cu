// Kernels with a fault each, which the host build has to notice.
#include "device.cuh"

// Half of the threads miss a barrier, and wait elsewhere.
extern "C" __global__ void dfa_test_missed_barrier(uint32_t* out) {
  if (threadIdx.x < 32) {
    __syncthreads();
  } else {
    __syncthreads_count(1);
  }
  out[threadIdx.x] = 1;
}

// Lane 3 does not come to what all lanes are named in.
extern "C" __global__ void dfa_test_missed_shuffle(uint32_t* out) {
  if (threadIdx.x != 3) out[threadIdx.x] = __shfl_sync(0xffffffffu, threadIdx.x, 0);
  __syncthreads();
}

extern "C" __global__ void dfa_test_stranger(uint32_t* out) {
  out[threadIdx.x] = __ballot_sync(0x0000ffffu, 1);
}

// Waits for what nobody writes; politely in a barrier's way, or not at all.
extern "C" __global__ void dfa_test_spin(uint32_t* flag, uint64_t polite) {
  while (*(volatile uint32_t*)flag == 0) {
    if (polite) __nanosleep(100);
  }
}

// A barrier is missing between the write and the read: what a thread reads
// depends on who runs first.
extern "C" __global__ void dfa_test_race(uint32_t* out) {
  __shared__ uint32_t cells[256];
  cells[threadIdx.x] = 0;
  __syncthreads();
  cells[threadIdx.x] = threadIdx.x + 1;
  out[threadIdx.x] = cells[(threadIdx.x + 1) % 256];
}

extern "C" __global__ void dfa_test_beyond_dynamic(uint32_t* out, uint64_t index) {
  extern __shared__ uint32_t dynamic[];
  dynamic[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = dynamic[index];
}

extern "C" __global__ void dfa_test_beyond_global(uint32_t* out, uint64_t index) { out[index] = 1; }

extern "C" __global__ void dfa_test_beyond_fixed(uint32_t* out, uint64_t index) {
  __shared__ uint32_t fixed[8];
  fixed[index] = 1;
  out[0] = fixed[index];
}

extern "C" __global__ void dfa_test_misaligned(const uint8_t* in, uint64_t* out) { out[0] = *(const uint32_t*)(in + 1); }

extern "C" __global__ void dfa_test_overflow(int* cell) { *cell = *cell + 0x7fffffff; }

extern "C" __global__ void dfa_test_trap(uint32_t*) {
  if (threadIdx.x == 9) __trap();
}
