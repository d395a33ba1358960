//go:build cuda

#include "driver.h"

// IN makes ctx current and, if that worked, makes the call.
#define IN(ctx, call)                                 \
  do {                                                \
    CUresult r_ = cuCtxSetCurrent(ctx);               \
    return r_ != CUDA_SUCCESS ? r_ : (call);          \
  } while (0)

CUresult dfaparse_mem_info(CUcontext ctx, size_t *nfree, size_t *total) { IN(ctx, cuMemGetInfo(nfree, total)); }

CUresult dfaparse_alloc(CUcontext ctx, CUdeviceptr *address, size_t n) { IN(ctx, cuMemAlloc(address, n)); }

CUresult dfaparse_free_memory(CUcontext ctx, CUdeviceptr address) { IN(ctx, cuMemFree(address)); }

CUresult dfaparse_alloc_host(CUcontext ctx, void **p, size_t n) {
  IN(ctx, cuMemHostAlloc(p, n, CU_MEMHOSTALLOC_PORTABLE)); // pinned for all devices
}

CUresult dfaparse_free_host(CUcontext ctx, void *p) { IN(ctx, cuMemFreeHost(p)); }
CUresult dfaparse_register_host(CUcontext ctx, void *p, size_t n) {
  IN(ctx, cuMemHostRegister(p, n, CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP));
}
CUresult dfaparse_register_read_only(CUcontext ctx, void *p, size_t n) {
  IN(ctx, cuMemHostRegister(p, n, CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_READ_ONLY));
}
CUresult dfaparse_unregister_host(CUcontext ctx, void *p) { IN(ctx, cuMemHostUnregister(p)); }

CUresult dfaparse_load_module(CUcontext ctx, CUmodule *module, const void *image, char *log, unsigned log_size) {
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {log, (void *)(uintptr_t)log_size};
  log[0] = 0;
  IN(ctx, cuModuleLoadDataEx(module, image, 2, options, values));
}

CUresult dfaparse_unload_module(CUcontext ctx, CUmodule module) { IN(ctx, cuModuleUnload(module)); }

CUresult dfaparse_find_function(CUcontext ctx, struct dfaparse_function *f, CUmodule module, const char *name,
                                int max_shared) {
  CUresult r = cuCtxSetCurrent(ctx);
  if (r != CUDA_SUCCESS || (r = cuModuleGetFunction(&f->f, module, name)) != CUDA_SUCCESS) return r;
  struct {
    int *value;
    CUfunction_attribute attribute;
  } asked[] = {
      {&f->registers, CU_FUNC_ATTRIBUTE_NUM_REGS},
      {&f->static_shared, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES},
      {&f->local, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES},
      {&f->max_threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK},
  };
  for (int i = 0; i < 4; i++) {
    if ((r = cuFuncGetAttribute(asked[i].value, asked[i].attribute, f->f)) != CUDA_SUCCESS) return r;
  }
  return cuFuncSetAttribute(f->f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, max_shared - f->static_shared);
}

// Streams do not wait for the default stream, which nobody here uses.
CUresult dfaparse_create_stream(CUcontext ctx, CUstream *stream) {
  IN(ctx, cuStreamCreate(stream, CU_STREAM_NON_BLOCKING));
}

CUresult dfaparse_destroy_stream(CUcontext ctx, CUstream stream) { IN(ctx, cuStreamDestroy(stream)); }

CUresult dfaparse_upload(CUcontext ctx, CUstream stream, CUdeviceptr dst, const void *src, size_t n) {
  IN(ctx, cuMemcpyHtoDAsync(dst, src, n, stream));
}

CUresult dfaparse_download(CUcontext ctx, CUstream stream, void *dst, CUdeviceptr src, size_t n) {
  IN(ctx, cuMemcpyDtoHAsync(dst, src, n, stream));
}

CUresult dfaparse_download_pitched(CUcontext ctx, CUstream stream, void *dst, size_t dst_pitch, CUdeviceptr src,
                                  size_t src_pitch, size_t width, size_t height) {
  CUDA_MEMCPY2D copy = {
      .srcMemoryType = CU_MEMORYTYPE_DEVICE,
      .srcDevice = src,
      .srcPitch = src_pitch,
      .dstMemoryType = CU_MEMORYTYPE_HOST,
      .dstHost = dst,
      .dstPitch = dst_pitch,
      .WidthInBytes = width,
      .Height = height,
  };
  IN(ctx, cuMemcpy2DAsync(&copy, stream));
}

CUresult dfaparse_copy(CUcontext ctx, CUstream stream, CUdeviceptr dst, CUdeviceptr src, size_t n) {
  IN(ctx, cuMemcpyDtoDAsync(dst, src, n, stream));
}

CUresult dfaparse_fill(CUcontext ctx, CUstream stream, CUdeviceptr dst, unsigned char value, size_t n) {
  IN(ctx, cuMemsetD8Async(dst, value, n, stream));
}

CUresult dfaparse_launch(CUcontext ctx, CUstream stream, CUfunction f, const unsigned grid[3], unsigned block,
                         unsigned shared, const uint64_t *args, int nargs) {
  void *params[kMaxArguments];
  if (nargs > kMaxArguments) return CUDA_ERROR_INVALID_VALUE;
  for (int i = 0; i < nargs; i++) params[i] = (void *)&args[i];
  IN(ctx, cuLaunchKernel(f, grid[0], grid[1], grid[2], block, 1, 1, shared, stream, params, NULL));
}

CUresult dfaparse_record(CUcontext ctx, CUstream stream, CUevent event) { IN(ctx, cuEventRecord(event, stream)); }

CUresult dfaparse_wait(CUcontext ctx, CUstream stream, CUevent event) {
  IN(ctx, cuStreamWaitEvent(stream, event, 0));
}

CUresult dfaparse_synchronize(CUcontext ctx, CUstream stream) { IN(ctx, cuStreamSynchronize(stream)); }

CUresult dfaparse_create_event(CUcontext ctx, CUevent *event, int timing) {
  IN(ctx, cuEventCreate(event, timing ? CU_EVENT_DEFAULT : CU_EVENT_DISABLE_TIMING));
}

CUresult dfaparse_destroy_event(CUcontext ctx, CUevent event) { IN(ctx, cuEventDestroy(event)); }

CUresult dfaparse_query_event(CUcontext ctx, CUevent event) { IN(ctx, cuEventQuery(event)); }

CUresult dfaparse_synchronize_event(CUcontext ctx, CUevent event) { IN(ctx, cuEventSynchronize(event)); }

CUresult dfaparse_elapsed(CUcontext ctx, float *ms, CUevent start, CUevent end) {
  IN(ctx, cuEventElapsedTime(ms, start, end));
}
