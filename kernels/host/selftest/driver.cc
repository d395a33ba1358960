// The driver itself.
#include <cstring>

#include "driver.h"

namespace {

enum { kFailAlloc, kFailHostAlloc, kFailLaunch, kFailCopy, kFailSync };

void limits() {
  Buffer<uint32_t> out(4096);
  auto with = [&](Grid grid, Grid block, unsigned shared) {
    return try_launch("dfa_test_order", grid, block, shared, out.address, out.address);
  };
  CHECK(with({0}, {32}, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(with({1, 65536}, {32}, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(with({1}, {0}, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(with({1}, {1025}, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(with({1}, {32, 33}, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(with({1}, {1, 1, 65}, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(with({1}, {32}, 48 * 1024 + 1) == CUDA_ERROR_INVALID_VALUE);
  CUfunction f = find("dfa_test_shared");
  CHECK(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 227 * 1024 + 1) == CUDA_ERROR_INVALID_VALUE);
  OK(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 200 * 1024));
  OK(cuMemsetD8_v2(out.address, 0, 8));
  launch("dfa_test_shared", {2}, {64}, 200 * 1024, out.address, 50 * 1024);
  CHECK(out.read()[0] == 0);
  int value;
  OK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, find("dfa_test_barrier")));
  CHECK(value == 1024);
  CUfunction none;
  CUmodule module;
  OK(cuModuleLoadData(&module, ""));
  CHECK(cuModuleGetFunction(&none, module, "dfa_test_nothing") == CUDA_ERROR_NOT_FOUND);
  OK(cuModuleUnload(module));
}

void memory() {
  size_t available, total, now;
  OK(cuMemGetInfo_v2(&available, &total));
  CHECK(available == total);
  CUdeviceptr a, b;
  OK(cuMemAlloc_v2(&a, 1001));
  OK(cuMemGetInfo_v2(&now, &total));
  CHECK(now == available - 1001 && a % 256 == 0);
  CHECK(cuMemAlloc_v2(&b, total) == CUDA_ERROR_OUT_OF_MEMORY && cuMemAlloc_v2(&b, 0) == CUDA_ERROR_INVALID_VALUE);
  std::vector<unsigned char> bytes(1001);
  OK(cuMemcpyDtoH_v2(bytes.data(), a, 1001));
  for (unsigned char c : bytes) CHECK(c == 0xb7);
  CHECK(cuMemcpyDtoH_v2(bytes.data(), a + 1, 1001) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuMemcpyHtoD_v2(a + 1001, bytes.data(), 1) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuMemsetD8_v2(a + 1000, 1, 2) == CUDA_ERROR_INVALID_VALUE);
  OK(cuMemsetD8_v2(a + 1000, 1, 1));
  OK(cuMemcpyDtoH_v2(bytes.data(), a + 1000, 1));
  CHECK(bytes[0] == 1);
  CHECK(cuMemFree_v2(a + 256) == CUDA_ERROR_INVALID_VALUE);
  OK(cuMemFree_v2(a));
  CHECK(cuMemFree_v2(a) == CUDA_ERROR_INVALID_VALUE);
  unsigned long long nbytes, npinned;
  dfaparse_host_in_use(&nbytes, &npinned);
  CHECK(nbytes == 0 && npinned == 0);
}

void pinned() {
  CUstream stream;
  void* host;
  std::vector<unsigned char> pageable(64);
  Buffer<unsigned char> device(64);
  OK(cuStreamCreate(&stream, 1));
  OK(cuMemHostAlloc(&host, 64, 0));
  unsigned long long before = dfaparse_host_pageable();
  memset(host, 3, 64);
  OK(cuMemcpyHtoDAsync_v2(device.address, host, 64, stream));
  OK(cuMemcpyDtoHAsync_v2(host, device.address, 64, stream));
  OK(cuStreamSynchronize(stream));
  CHECK(dfaparse_host_pageable() == before && device.read()[63] == 3);
  OK(cuMemcpyDtoHAsync_v2(pageable.data(), device.address, 64, stream));
  OK(cuStreamSynchronize(stream));
  CHECK(dfaparse_host_pageable() == before + 1 && pageable[63] == 3);
  OK(cuMemFreeHost(host));
  CHECK(cuMemFreeHost(host) == CUDA_ERROR_INVALID_VALUE);
  OK(cuStreamDestroy_v2(stream));
}

void failures() {
  CUdeviceptr a, b;
  dfaparse_host_fail(kFailAlloc, 2, 0, CUDA_ERROR_OUT_OF_MEMORY);
  OK(cuMemAlloc_v2(&a, 8));
  CHECK(cuMemAlloc_v2(&b, 8) == CUDA_ERROR_OUT_OF_MEMORY);
  OK(cuMemAlloc_v2(&b, 8));
  dfaparse_host_fail(kFailLaunch, 1, 1, CUDA_ERROR_LAUNCH_FAILED);
  for (int i = 0; i < 3; i++) {
    CHECK(try_launch("dfa_test_order", {1}, {1}, 0, a, b) == CUDA_ERROR_LAUNCH_FAILED);
  }
  dfaparse_host_fail(kFailLaunch, 0, 0, 0);
  OK(cuMemsetD8_v2(b, 0, 8));
  OK(try_launch("dfa_test_order", {1}, {1}, 0, a, b));
  OK(cuMemFree_v2(a));
  OK(cuMemFree_v2(b));
  const char* name;
  OK(cuGetErrorName(CUDA_ERROR_LAUNCH_FAILED, &name));
  CHECK(strcmp(name, "CUDA_ERROR_LAUNCH_FAILED") == 0);
}

void contexts() {
  CUcontext context, other;
  unsigned flags;
  int active;
  OK(cuCtxGetCurrent(&context));
  OK(cuDevicePrimaryCtxRetain(&other, 0));
  CHECK(other == context);
  OK(cuDevicePrimaryCtxGetState(0, &flags, &active));
  CHECK(active == 1);
  OK(cuDevicePrimaryCtxRelease_v2(0));
  OK(cuCtxSetCurrent(nullptr));
  CUdeviceptr a;
  CHECK(cuMemAlloc_v2(&a, 8) == CUDA_ERROR_INVALID_CONTEXT);
  OK(cuCtxSetCurrent(context));
  CHECK(cuDevicePrimaryCtxRetain(&other, 7) == CUDA_ERROR_INVALID_DEVICE);
}

void events() {
  CUevent from, to, untimed;
  OK(cuEventCreate(&from, 0));
  OK(cuEventCreate(&to, 0));
  OK(cuEventCreate(&untimed, CU_EVENT_DISABLE_TIMING));
  float ms;
  CHECK(cuEventElapsedTime(&ms, from, to) == CUDA_ERROR_INVALID_HANDLE);
  OK(cuEventRecord(from, nullptr));
  OK(cuEventRecord(to, nullptr));
  OK(cuEventRecord(untimed, nullptr));
  OK(cuEventSynchronize(to));
  OK(cuEventQuery(to));
  OK(cuEventElapsedTime(&ms, from, to));
  CHECK(ms >= 0 && ms < 60000);
  CHECK(cuEventElapsedTime(&ms, from, untimed) == CUDA_ERROR_INVALID_HANDLE);
  OK(cuStreamWaitEvent(nullptr, to, 0));
  OK(cuEventDestroy_v2(from));
  OK(cuEventDestroy_v2(to));
  OK(cuEventDestroy_v2(untimed));
}

} // namespace

const std::vector<Test> driver_tests = {
    {"limits", limits},     {"memory", memory},     {"pinned", pinned},
    {"failures", failures}, {"contexts", contexts}, {"events", events},
};
