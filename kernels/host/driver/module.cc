// Modules and launches. Whatever image is loaded, the kernels are those that
// are linked in here; an entry is looked up by its name among them.
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <vector>

#include "../grid.h"
#include "../shared.h"
#include "queue.h"

struct CUmod_st {};

struct CUfunc_st {
  const host::Entry* entry;
  size_t max_dynamic_shared = host::kDefaultShared;
};

namespace host {

namespace {

// Functions live as long as the process, like the kernels: one for each, so
// that its attributes hold wherever it was looked up.
CUfunction function(const Entry* entry) {
  static std::map<const Entry*, std::unique_ptr<CUfunc_st>> functions;
  std::lock_guard<std::mutex> lock(driver().mutex);
  auto& found = functions[entry];
  if (found == nullptr) found = std::make_unique<CUfunc_st>(CUfunc_st{entry});
  return found.get();
}

unsigned max_threads(const Entry* entry) { return entry->max_threads == 0 ? kMaxThreads : entry->max_threads; }

} // namespace

} // namespace host

using namespace host;

// DFAPARSE_HOST_REFUSE: what is not loaded, as by a driver that is older: cubin,
// which is machine code, or ptx, or both.
static bool refused(const void* image) {
  const char* what = getenv("DFAPARSE_HOST_REFUSE");
  auto begin = static_cast<const char*>(image);
  bool elf = begin[0] == 0x7f && begin[1] == 'E', ptx = begin[0] == '/';
  return what != nullptr && ((elf && strstr(what, "cubin") != nullptr) || (ptx && strstr(what, "ptx") != nullptr));
}

DFAPARSE_API CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  if (CUresult r = ready()) return r;
  if (image == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (refused(image)) return CUDA_ERROR_NO_BINARY_FOR_GPU;
  *module = new CUmod_st;
  return CUDA_SUCCESS;
}

DFAPARSE_API CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned, CUjit_option*, void**) {
  return cuModuleLoadData(module, image);
}

DFAPARSE_API CUresult cuModuleUnload(CUmodule module) {
  if (module == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  delete module;
  return CUDA_SUCCESS;
}

DFAPARSE_API CUresult cuModuleGetFunction(CUfunction* out, CUmodule module, const char* name) {
  if (CUresult r = ready()) return r;
  if (module == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  const Entry* entry = find_entry(name);
  if (entry == nullptr) return CUDA_ERROR_NOT_FOUND;
  *out = function(entry);
  return CUDA_SUCCESS;
}

DFAPARSE_API CUresult cuFuncSetAttribute(CUfunction f, CUfunction_attribute attribute, int value) {
  if (f == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) {
    if (value < 0 || static_cast<size_t>(value) > kMaxShared) return CUDA_ERROR_INVALID_VALUE;
    f->max_dynamic_shared = static_cast<size_t>(value);
    return CUDA_SUCCESS;
  }
  return attribute == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

DFAPARSE_API CUresult cuFuncGetAttribute(int* value, CUfunction_attribute attribute, CUfunction f) {
  if (f == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  switch (static_cast<int>(attribute)) {
  case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = static_cast<int>(max_threads(f->entry)); break;
  case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: *value = static_cast<int>(f->max_dynamic_shared); break;
  case CU_FUNC_ATTRIBUTE_NUM_REGS: *value = 32; break;
  case CU_FUNC_ATTRIBUTE_PTX_VERSION:
  case CU_FUNC_ATTRIBUTE_BINARY_VERSION: *value = 90; break;
  default: *value = 0; break;
  }
  return CUDA_SUCCESS;
}

DFAPARSE_API CUresult cuFuncSetCacheConfig(CUfunction f, CUfunc_cache) {
  return f == nullptr ? CUDA_ERROR_INVALID_HANDLE : CUDA_SUCCESS;
}

DFAPARSE_API CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* nblocks, CUfunction f, int block_size, size_t shared_size) {
  if (f == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (block_size <= 0) return CUDA_ERROR_INVALID_VALUE;
  size_t by_threads = 2048 / static_cast<size_t>(block_size);
  size_t by_shared = kMaxShared / (shared_size + 1024);
  *nblocks = static_cast<int>(by_threads < by_shared ? by_threads : by_shared);
  return CUDA_SUCCESS;
}

DFAPARSE_API CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* nblocks, CUfunction f, int block_size,
                                                                           size_t shared_size, unsigned) {
  return cuOccupancyMaxActiveBlocksPerMultiprocessor(nblocks, f, block_size, shared_size);
}

DFAPARSE_API CUresult cuLaunchKernel(CUfunction f, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                                     unsigned block_y, unsigned block_z, unsigned shared_size, CUstream stream,
                                     void** parameters, void** extra) {
  if (CUresult r = ready()) return r;
  if (f == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (CUresult r = inject(Call::kLaunch)) return r;
  if (extra != nullptr || (parameters == nullptr && f->entry->parameters != 0)) return CUDA_ERROR_INVALID_VALUE;
  if (grid_x == 0 || grid_y == 0 || grid_z == 0 || grid_x > 0x7fffffff || grid_y > 65535 || grid_z > 65535) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (block_x == 0 || block_y == 0 || block_z == 0 || block_x > kMaxThreads || block_y > kMaxThreads || block_z > 64) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  size_t nthreads = size_t{block_x} * block_y * block_z;
  if (nthreads > kMaxThreads || nthreads > max_threads(f->entry)) return CUDA_ERROR_INVALID_VALUE;
  if (shared_size > f->max_dynamic_shared) return CUDA_ERROR_INVALID_VALUE;
  std::vector<unsigned long long> values;
  for (unsigned i = 0; i < f->entry->parameters; i++) values.push_back(*static_cast<unsigned long long*>(parameters[i]));
  enqueue(queue_of(stream), {[=]() mutable {
            std::vector<void*> addresses;
            for (unsigned long long& value : values) addresses.push_back(&value);
            run_grid(*f->entry, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_size, addresses.data());
          }});
  return CUDA_SUCCESS;
}
