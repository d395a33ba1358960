// The driver as the self test calls it.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "../driver/api.h"

#ifndef DFAPARSE_CUDA_HEADERS
extern "C" {
CUresult cuInit(unsigned);
CUresult cuDevicePrimaryCtxRetain(CUcontext*, CUdevice);
CUresult cuDevicePrimaryCtxRelease_v2(CUdevice);
CUresult cuDevicePrimaryCtxGetState(CUdevice, unsigned*, int*);
CUresult cuCtxSetCurrent(CUcontext);
CUresult cuCtxGetCurrent(CUcontext*);
CUresult cuCtxSynchronize(void);
CUresult cuModuleLoadData(CUmodule*, const void*);
CUresult cuModuleUnload(CUmodule);
CUresult cuModuleGetFunction(CUfunction*, CUmodule, const char*);
CUresult cuFuncSetAttribute(CUfunction, CUfunction_attribute, int);
CUresult cuFuncGetAttribute(int*, CUfunction_attribute, CUfunction);
CUresult cuMemAlloc_v2(CUdeviceptr*, size_t);
CUresult cuMemFree_v2(CUdeviceptr);
CUresult cuMemGetInfo_v2(size_t*, size_t*);
CUresult cuMemHostAlloc(void**, size_t, unsigned);
CUresult cuMemFreeHost(void*);
CUresult cuMemcpyHtoD_v2(CUdeviceptr, const void*, size_t);
CUresult cuMemcpyDtoH_v2(void*, CUdeviceptr, size_t);
CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr, const void*, size_t, CUstream);
CUresult cuMemcpyDtoHAsync_v2(void*, CUdeviceptr, size_t, CUstream);
CUresult cuMemsetD8_v2(CUdeviceptr, unsigned char, size_t);
CUresult cuMemsetD8Async(CUdeviceptr, unsigned char, size_t, CUstream);
CUresult cuStreamCreate(CUstream*, unsigned);
CUresult cuStreamDestroy_v2(CUstream);
CUresult cuStreamSynchronize(CUstream);
CUresult cuStreamQuery(CUstream);
CUresult cuStreamWaitEvent(CUstream, CUevent, unsigned);
CUresult cuEventCreate(CUevent*, unsigned);
CUresult cuEventDestroy_v2(CUevent);
CUresult cuEventRecord(CUevent, CUstream);
CUresult cuEventQuery(CUevent);
CUresult cuEventSynchronize(CUevent);
CUresult cuEventElapsedTime(float*, CUevent, CUevent);
CUresult cuLaunchKernel(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream, void**, void**);
CUresult cuGetErrorName(CUresult, const char**);
}
#endif

extern "C" {
void dfaparse_host_fail(int kind, unsigned long long n, int after, int result);
unsigned long long dfaparse_host_pageable(void);
void dfaparse_host_in_use(unsigned long long* device_nbytes, unsigned long long* npinned);
}

// check ends the test unless something holds.
inline void check(bool holds, const char* what, int line) {
  if (holds) return;
  fprintf(stderr, "line %d: not so: %s\n", line, what);
  exit(1);
}
#define CHECK(...) check((__VA_ARGS__), #__VA_ARGS__, __LINE__)
#define OK(call) check((call) == CUDA_SUCCESS, #call, __LINE__)

// Memory of the device, with what a vector had.
template <class T> struct Buffer {
  CUdeviceptr address = 0;
  size_t n;

  explicit Buffer(const std::vector<T>& values) : n(values.size()) {
    OK(cuMemAlloc_v2(&address, n * sizeof(T)));
    OK(cuMemcpyHtoD_v2(address, values.data(), n * sizeof(T)));
  }
  explicit Buffer(std::initializer_list<T> values) : Buffer(std::vector<T>(values)) {}
  explicit Buffer(size_t n) : Buffer(std::vector<T>(n)) {}
  Buffer(const Buffer&) = delete;
  ~Buffer() { OK(cuMemFree_v2(address)); }

  std::vector<T> read() const {
    std::vector<T> values(n);
    OK(cuMemcpyDtoH_v2(values.data(), address, n * sizeof(T)));
    return values;
  }
};

struct Grid {
  unsigned x = 1, y = 1, z = 1;
};

CUfunction find(const char* name);

// launch runs a kernel; parameters are addresses and numbers.
template <class... P> CUresult try_launch(const char* name, Grid grid, Grid block, unsigned shared, P... parameters) {
  uint64_t values[] = {static_cast<uint64_t>(parameters)..., 0};
  void* addresses[sizeof...(P) + 1];
  for (size_t i = 0; i < sizeof...(P); i++) addresses[i] = &values[i];
  return cuLaunchKernel(find(name), grid.x, grid.y, grid.z, block.x, block.y, block.z, shared, nullptr, addresses, nullptr);
}
template <class... P> void launch(const char* name, Grid grid, Grid block, unsigned shared, P... parameters) {
  OK(try_launch(name, grid, block, shared, parameters...));
  OK(cuCtxSynchronize());
}

// A test has a name, by which main is asked for it.
struct Test {
  const char* name;
  void (*run)();
};
extern const std::vector<Test> block_tests, thread_tests, driver_tests, faulty_tests;
