// What the parts of the stand-in driver share.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>

#include "api.h"

namespace host {

// Device memory, and host memory that is pinned, by address.
struct Allocation {
  size_t size;
  void* base;     // what to free; nullptr: it is registered
  void* pages;    // what a device holds of the memory of a file, see pages; else nullptr
  int device = 0; // of device memory
};

constexpr int kDevices = 64; // at most

struct Driver {
  std::mutex mutex; // of what follows
  bool initialised = false;
  std::map<unsigned long long, Allocation> device, pinned;
  size_t in_use[kDevices] = {}; // bytes of each device's memory
  unsigned long long pageable = 0; // asynchronous copies from or to memory that is not pinned
};

Driver& driver();

// The kinds of calls that can be made to fail, see failure.cc.
enum class Call { kAlloc, kHostAlloc, kLaunch, kCopy, kSync, kCount };

// inject counts a call, and gives the error that it is to fail with, or
// CUDA_SUCCESS.
CUresult inject(Call call);

// ready gives an error if the driver cannot be called: no cuInit, no context.
CUresult ready();

// current_device is that of the thread's context, -1 if it has none.
int current_device();

// total_memory is that of each device: DFAPARSE_HOST_MEMORY bytes, or 1 GiB.
size_t total_memory();

} // namespace host
