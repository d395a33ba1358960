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

// Of three streams, one sends, one counts, and one fetches. Whoever waits gets
// what was sent; whoever does not, what was there if streams are lazy.
void streams() {
  const char* asked = getenv("DFAPARSE_HOST_STREAMS");
  bool lazy = asked != nullptr && strcmp(asked, "lazy") == 0;
  CUstream in, run, out;
  CUevent sent, counted;
  void *source, *target;
  for (CUstream* s : {&in, &run, &out}) OK(cuStreamCreate(s, 1));
  for (CUevent* e : {&sent, &counted}) OK(cuEventCreate(e, 0));
  OK(cuMemHostAlloc(&source, 4, 0));
  OK(cuMemHostAlloc(&target, 4, 0));
  auto *from = static_cast<uint32_t*>(source), *to = static_cast<uint32_t*>(target);
  for (bool waits : {true, false}) {
    Buffer<uint32_t> count(1), order(2);
    *from = 0, *to = 99;
    OK(cuMemsetD8Async(count.address, 0xff, 4, in));
    OK(cuMemcpyHtoDAsync_v2(count.address, source, 4, in));
    OK(cuEventRecord(sent, in));
    if (waits) OK(cuStreamWaitEvent(run, sent, 0));
    uint64_t values[] = {order.address, count.address};
    void* parameters[] = {&values[0], &values[1]};
    if (waits) OK(cuLaunchKernel(find("dfa_test_order"), 1, 1, 1, 2, 1, 1, 0, run, parameters, nullptr));
    values[0] = values[1] = 0; // taken at the call
    OK(cuEventRecord(counted, run));
    if (waits) OK(cuStreamWaitEvent(out, counted, 0));
    OK(cuMemcpyDtoHAsync_v2(target, count.address, 4, out));
    CHECK(*to == (lazy ? 99u : waits ? 2u : 0u));
    if (lazy) {
      CHECK(cuStreamQuery(in) == CUDA_ERROR_NOT_READY && cuEventQuery(counted) == CUDA_ERROR_NOT_READY);
      float ms;
      CHECK(cuEventElapsedTime(&ms, sent, counted) == CUDA_ERROR_NOT_READY);
    }
    if (!waits && lazy) *from = 7; // too early: it is this that is sent
    OK(cuStreamSynchronize(out));
    CHECK(*to == (waits ? 2 : 0));
    OK(cuEventSynchronize(sent));
    OK(cuEventQuery(sent));
    OK(cuCtxSynchronize());
    CHECK(count.read()[0] == (waits ? 2u : lazy ? 7u : 0u));
  }
  OK(cuMemFreeHost(source));
  OK(cuMemFreeHost(target));
  for (CUstream s : {in, run, out}) OK(cuStreamDestroy_v2(s));
  for (CUevent e : {sent, counted}) OK(cuEventDestroy_v2(e));
}

} // namespace

const std::vector<Test> driver_tests = {
    {"limits", limits},     {"memory", memory},     {"pinned", pinned},
    {"failures", failures}, {"contexts", contexts}, {"events", events},
    {"streams", streams},
};
