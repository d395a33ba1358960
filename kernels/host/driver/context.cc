// Contexts: a device's primary one and others. A thread has a stack of them,
// of which the top is current. Which it is says whose memory is meant, and which
// device a call that is to fail is of.
#include <pthread.h>
#include <vector>

#include "queue.h"

DFAPARSE_API CUresult cuDeviceGetCount(int* count);

struct CUctx_st {
  CUdevice device;
  unsigned retained; // of a primary one
};

namespace host {

namespace {

CUctx_st primary[kDevices];

// Not thread_local: that is shared memory here.
using Stack = std::vector<CUcontext>;
pthread_key_t key;
Stack& stack() {
  static const int made = pthread_key_create(&key, [](void* p) { delete static_cast<Stack*>(p); });
  (void)made;
  auto* found = static_cast<Stack*>(pthread_getspecific(key));
  if (found == nullptr) {
    found = new Stack;
    pthread_setspecific(key, found);
  }
  return *found;
}

CUcontext current() { return stack().empty() ? nullptr : stack().back(); }

CUctx_st* primary_of(CUdevice device) {
  int count = 0;
  return cuDeviceGetCount(&count) == CUDA_SUCCESS && device >= 0 && device < count && device < kDevices ? &primary[device]
                                                                                                       : nullptr;
}

} // namespace

int current_device() { return current() == nullptr ? -1 : current()->device; }

CUresult ready() {
  if (!driver().initialised) return CUDA_ERROR_NOT_INITIALIZED;
  return current() == nullptr ? CUDA_ERROR_INVALID_CONTEXT : CUDA_SUCCESS;
}

} // namespace host

using namespace host;

DFAPARSE_API CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  if (!driver().initialised) return CUDA_ERROR_NOT_INITIALIZED;
  CUctx_st* found = primary_of(device);
  if (found == nullptr) return CUDA_ERROR_INVALID_DEVICE;
  std::lock_guard<std::mutex> lock(driver().mutex);
  found->device = device;
  found->retained++;
  *context = found;
  return CUDA_SUCCESS;
}

DFAPARSE_API CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  CUctx_st* found = primary_of(device);
  if (found == nullptr) return CUDA_ERROR_INVALID_DEVICE;
  std::lock_guard<std::mutex> lock(driver().mutex);
  if (found->retained == 0) return CUDA_ERROR_INVALID_CONTEXT;
  found->retained--;
  return CUDA_SUCCESS;
}

DFAPARSE_API CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned* flags, int* active) {
  CUctx_st* found = primary_of(device);
  if (found == nullptr) return CUDA_ERROR_INVALID_DEVICE;
  std::lock_guard<std::mutex> lock(driver().mutex);
  *flags = 0;
  *active = found->retained != 0;
  return CUDA_SUCCESS;
}

DFAPARSE_API CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned) {
  return primary_of(device) == nullptr ? CUDA_ERROR_INVALID_DEVICE : CUDA_SUCCESS;
}

DFAPARSE_API CUresult cuCtxCreate_v2(CUcontext* context, unsigned, CUdevice device) {
  if (primary_of(device) == nullptr) return CUDA_ERROR_INVALID_DEVICE;
  *context = new CUctx_st{device, 0};
  stack().push_back(*context);
  return CUDA_SUCCESS;
}

DFAPARSE_API CUresult cuCtxDestroy_v2(CUcontext context) {
  if (context == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  if (current() == context) stack().pop_back();
  delete context;
  return CUDA_SUCCESS;
}

DFAPARSE_API CUresult cuCtxSetCurrent(CUcontext context) {
  if (!driver().initialised) return CUDA_ERROR_NOT_INITIALIZED;
  if (!stack().empty()) stack().pop_back();
  if (context != nullptr) stack().push_back(context);
  return CUDA_SUCCESS;
}

DFAPARSE_API CUresult cuCtxGetCurrent(CUcontext* context) {
  if (!driver().initialised) return CUDA_ERROR_NOT_INITIALIZED;
  *context = current();
  return CUDA_SUCCESS;
}

DFAPARSE_API CUresult cuCtxPushCurrent_v2(CUcontext context) {
  if (context == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  stack().push_back(context);
  return CUDA_SUCCESS;
}

DFAPARSE_API CUresult cuCtxPopCurrent_v2(CUcontext* context) {
  if (CUresult r = ready()) return r;
  if (context != nullptr) *context = current();
  stack().pop_back();
  return CUDA_SUCCESS;
}

DFAPARSE_API CUresult cuCtxGetDevice(CUdevice* device) {
  if (CUresult r = ready()) return r;
  *device = current()->device;
  return CUDA_SUCCESS;
}

DFAPARSE_API CUresult cuCtxSynchronize(void) {
  if (CUresult r = ready()) return r;
  finish_all(true);
  return inject(Call::kSync);
}

DFAPARSE_API CUresult cuCtxGetApiVersion(CUcontext, unsigned* version) {
  *version = 12090;
  return CUDA_SUCCESS;
}

DFAPARSE_API CUresult cuCtxSetCacheConfig(CUfunc_cache) { return ready(); }
