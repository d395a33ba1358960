// CUDA C++ for g++: what the CUDA compiler defines by itself. device.cuh
// includes it in place of that compiler.
//
// No standard header is included, here or below, so that uint64_t is unsigned
// long long as on the device and overloads resolve alike.
#pragma once

#define __device__
#define __host__
#define __constant__
#define __grid_constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __align__(n) __attribute__((aligned(n)))

// An entry is found by this attribute, in the preprocessed source, and what
// __launch_bounds__ says is read and taken out there: see entries.awk.
#define __global__ __attribute__((used, noinline))

// A variable of the block. thread_local makes it static inside a function too,
// and it may stand beside extern, which static may not. All that is
// thread_local in the library is shared memory: see shared.cc.
#define __shared__ thread_local

using uint8_t = unsigned char;
using uint16_t = unsigned short;
using uint32_t = unsigned int;
using uint64_t = unsigned long long;
using int8_t = signed char;
using int16_t = short;
using int32_t = int;
using int64_t = long long;
using uintptr_t = unsigned long;
using size_t = decltype(sizeof(0));

#include "atomic.h"
#include "block.h"
#include "intrinsics.h"
#include "vector.h"
#include "warp.h"

constexpr int warpSize = 32;

extern "C" {
void* memcpy(void*, const void*, size_t) noexcept;
void* memset(void*, int, size_t) noexcept;
}

inline void __syncthreads() { host::barrier(host::Reduce::kNone, false); }
inline int __syncthreads_or(int value) { return (int)host::barrier(host::Reduce::kOr, value != 0); }
inline int __syncthreads_and(int value) { return (int)host::barrier(host::Reduce::kAnd, value != 0); }
inline int __syncthreads_count(int value) { return (int)host::barrier(host::Reduce::kCount, value != 0); }

inline void __threadfence() { host::tick(); }
inline void __threadfence_block() { host::tick(); }
inline void __threadfence_system() { host::tick(); }
inline void __nanosleep(unsigned) { host::yield(); }
[[noreturn]] inline void __trap() { host::trap("__trap"); }

inline void __builtin_assume(bool holds) {
  if (!holds) host::trap("__builtin_assume of what does not hold");
}
