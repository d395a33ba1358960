// The calls of the driver that are made while an input is parsed, and those
// that the Go binding lacks: pinned memory, attributes of functions, modules
// with the log of the compiler, copies and events that wait for nothing.
//
// Each makes ctx the context of the thread that it happens to run on, so that
// callers need not hold theirs, and is one call out of Go. All return the
// driver's result.
#pragma once

#include <cuda.h>
#include <stdint.h>

enum { kMaxArguments = 16 };

CUresult dfaparse_mem_info(CUcontext ctx, size_t *nfree, size_t *total);
CUresult dfaparse_alloc(CUcontext ctx, CUdeviceptr *address, size_t n);
CUresult dfaparse_free_memory(CUcontext ctx, CUdeviceptr address);
CUresult dfaparse_alloc_host(CUcontext ctx, void **p, size_t n);
CUresult dfaparse_free_host(CUcontext ctx, void *p);
CUresult dfaparse_register_host(CUcontext ctx, void *p, size_t n);
CUresult dfaparse_register_read_only(CUcontext ctx, void *p, size_t n);
CUresult dfaparse_unregister_host(CUcontext ctx, void *p);

// The image is machine code, or PTX that ends in a zero; log receives what the driver's compiler says.
CUresult dfaparse_load_module(CUcontext ctx, CUmodule *module, const void *image, char *log, unsigned log_size);
CUresult dfaparse_unload_module(CUcontext ctx, CUmodule module);

// What is asked of a function once.
struct dfaparse_function {
  CUfunction f;
  int registers, static_shared, local, max_threads;
};
// All the shared memory that max_shared leaves can be asked for in launches.
CUresult dfaparse_find_function(CUcontext ctx, struct dfaparse_function *f, CUmodule module, const char *name,
                                int max_shared);

CUresult dfaparse_create_stream(CUcontext ctx, CUstream *stream);
CUresult dfaparse_destroy_stream(CUcontext ctx, CUstream stream);
CUresult dfaparse_upload(CUcontext ctx, CUstream stream, CUdeviceptr dst, const void *src, size_t n);
CUresult dfaparse_download(CUcontext ctx, CUstream stream, void *dst, CUdeviceptr src, size_t n);
// Height rows of width bytes, each the pitch of its side behind the one before.
CUresult dfaparse_download_pitched(CUcontext ctx, CUstream stream, void *dst, size_t dst_pitch, CUdeviceptr src,
                                  size_t src_pitch, size_t width, size_t height);
CUresult dfaparse_copy(CUcontext ctx, CUstream stream, CUdeviceptr dst, CUdeviceptr src, size_t n);
CUresult dfaparse_fill(CUcontext ctx, CUstream stream, CUdeviceptr dst, unsigned char value, size_t n);
// Every parameter is 8 bytes; there are at most kMaxArguments.
CUresult dfaparse_launch(CUcontext ctx, CUstream stream, CUfunction f, const unsigned grid[3], unsigned block,
                         unsigned shared, const uint64_t *args, int nargs);
CUresult dfaparse_record(CUcontext ctx, CUstream stream, CUevent event);
CUresult dfaparse_wait(CUcontext ctx, CUstream stream, CUevent event);
CUresult dfaparse_synchronize(CUcontext ctx, CUstream stream);

CUresult dfaparse_create_event(CUcontext ctx, CUevent *event, int timing);
CUresult dfaparse_destroy_event(CUcontext ctx, CUevent event);
CUresult dfaparse_query_event(CUcontext ctx, CUevent event);
CUresult dfaparse_synchronize_event(CUcontext ctx, CUevent event);
CUresult dfaparse_elapsed(CUcontext ctx, float *ms, CUevent start, CUevent end);

// Of driver/forward.c.
int dfaparse_driver_load(const char **why);
