// The devices: one, or as many as are asked for, of compute capability 0.0, by which the engine knows that the
// kernels are here already. In all else it looks like a small one of 9.0.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "../grid.h"
#include "state.h"

namespace host {

Driver& driver() {
  static Driver* one = new Driver; // never destroyed: threads may outlive main
  return *one;
}

size_t total_memory() {
  static const size_t size = [] {
    const char* nbytes = getenv("DFAPARSE_HOST_MEMORY");
    return nbytes == nullptr ? size_t{1} << 30 : static_cast<size_t>(strtoull(nbytes, nullptr, 10));
  }();
  return size;
}

namespace {

// setting is a number that is set by a variable, and asked for again each time.
int setting(const char* name, int otherwise) {
  const char* n = getenv(name);
  return n == nullptr ? otherwise : atoi(n);
}

// DFAPARSE_HOST_DEVICES: how many there are.
int ndevices() { return std::min(setting("DFAPARSE_HOST_DEVICES", 1), kDevices); }

// DFAPARSE_HOST_CAPABILITY: the compute capability that the device claims to
// have, 90 for 9.0. It is then given machine code or PTX, as a GPU is.
int capability() { return setting("DFAPARSE_HOST_CAPABILITY", 0); }

CUresult check(CUdevice device) {
  if (!driver().initialised) return CUDA_ERROR_NOT_INITIALIZED;
  return device >= 0 && device < ndevices() ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

} // namespace

} // namespace host

using namespace host;

DFAPARSE_API CUresult cuInit(unsigned flags) {
  if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
  if (ndevices() == 0) return CUDA_ERROR_NO_DEVICE;
  driver().initialised = true;
  return CUDA_SUCCESS;
}

DFAPARSE_API CUresult cuDriverGetVersion(int* version) {
  *version = 12090;
  return CUDA_SUCCESS;
}

DFAPARSE_API CUresult cuDeviceGetCount(int* count) {
  if (!driver().initialised) return CUDA_ERROR_NOT_INITIALIZED;
  *count = ndevices();
  return CUDA_SUCCESS;
}

DFAPARSE_API CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  if (CUresult r = check(ordinal)) return r;
  *device = ordinal;
  return CUDA_SUCCESS;
}

DFAPARSE_API CUresult cuDeviceGetName(char* name, int size, CUdevice device) {
  if (CUresult r = check(device)) return r;
  if (size <= 0) return CUDA_ERROR_INVALID_VALUE;
  snprintf(name, size, "dfaparse host build");
  return CUDA_SUCCESS;
}

DFAPARSE_API CUresult cuDeviceGetUuid_v2(CUuuid* uuid, CUdevice device) {
  if (CUresult r = check(device)) return r;
  memset(uuid, 0, sizeof *uuid);
  uuid->bytes[0] = 'h';
  uuid->bytes[15] = static_cast<char>(device);
  return CUDA_SUCCESS;
}

DFAPARSE_API CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice device) { return cuDeviceGetUuid_v2(uuid, device); }

DFAPARSE_API CUresult cuDeviceTotalMem_v2(size_t* nbytes, CUdevice device) {
  if (CUresult r = check(device)) return r;
  *nbytes = total_memory();
  return CUDA_SUCCESS;
}

DFAPARSE_API CUresult cuDeviceGetPCIBusId(char* id, int size, CUdevice device) {
  if (CUresult r = check(device)) return r;
  if (size < 13) return CUDA_ERROR_INVALID_VALUE;
  snprintf(id, size, "0000:%02x:00.0", device & 0xff);
  return CUDA_SUCCESS;
}

DFAPARSE_API CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
  if (CUresult r = check(device)) return r;
  switch (static_cast<int>(attribute)) {
  case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
  case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X:
  case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y: *value = kMaxThreads; break;
  case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z: *value = 64; break;
  case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X: *value = 0x7fffffff; break;
  case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y:
  case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z: *value = 65535; break;
  case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK: *value = kDefaultShared; break;
  case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN: *value = kMaxShared; break;
  case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR: *value = kMaxShared + 1024; break;
  case CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY: *value = 65536; break;
  case CU_DEVICE_ATTRIBUTE_WARP_SIZE: *value = 32; break;
  case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK:
  case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR: *value = 65536; break;
  case CU_DEVICE_ATTRIBUTE_CLOCK_RATE: *value = 1000000; break;
  case CU_DEVICE_ATTRIBUTE_GPU_OVERLAP:
  case CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY:
  case CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS:
  case CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING:
  case CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED: *value = 1; break;
  case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT: *value = 2; break;
  case CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE: *value = 1000000; break;
  case CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH: *value = 64; break;
  case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE: *value = 1 << 20; break;
  case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR: *value = 2048; break;
  case CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR: *value = 32; break;
  case CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT: *value = 2; break;
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR: *value = capability() / 10; break;
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR: *value = capability() % 10; break;
  // Memory that is allocated pinned has edges that are looked at; so that is what is
  // usual here.
  case CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM: *value = setting("DFAPARSE_HOST_REGISTERED", 0); break;
  case CU_DEVICE_ATTRIBUTE_READ_ONLY_HOST_REGISTER_SUPPORTED: *value = setting("DFAPARSE_HOST_READONLY", 1); break;
  case CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID: *value = device; break;
  default: *value = 0; break;
  }
  return CUDA_SUCCESS;
}
