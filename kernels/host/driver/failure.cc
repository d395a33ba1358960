// Failures on demand, and counts of what a test wants to know.
//
// DFAPARSE_HOST_FAIL is a list such as "launch:3=719,alloc:10+=2": the third
// launch fails with CUresult 719, the tenth allocation and all after it with 2.
// Kinds: alloc, hostalloc, launch, copy, sync. The functions do the same within
// a process; a test declares them weak, since no real driver has them.
#include <cstdlib>
#include <cstring>

#include "state.h"

namespace host {

namespace {

struct Plan {
  unsigned long long calls = 0; // until now
  unsigned long long at = 0;    // the call that fails, from 1; 0: none
  bool after = false;           // and all after it
  CUresult result = CUDA_SUCCESS;
};

const char* const kinds[] = {"alloc", "hostalloc", "launch", "copy", "sync"};

struct Plans {
  std::mutex mutex;
  Plan of[static_cast<int>(Call::kCount)];

  Plans() {
    const char* text = getenv("DFAPARSE_HOST_FAIL");
    while (text != nullptr && *text != 0) {
      const char* colon = strchr(text, ':');
      if (colon == nullptr) break;
      for (int i = 0; i < static_cast<int>(Call::kCount); i++) {
        if (strncmp(text, kinds[i], colon - text) != 0 || kinds[i][colon - text] != 0) continue;
        char* end;
        of[i].at = strtoull(colon + 1, &end, 10);
        of[i].after = *end == '+';
        const char* equals = strchr(end, '=');
        of[i].result = static_cast<CUresult>(equals == nullptr ? 999 : atoi(equals + 1));
      }
      text = strchr(colon, ',');
      if (text != nullptr) text++;
    }
  }
};

Plans& plans() {
  static Plans all;
  return all;
}

} // namespace

CUresult inject(Call call) {
  Plans& all = plans();
  std::lock_guard<std::mutex> lock(all.mutex);
  Plan& plan = all.of[static_cast<int>(call)];
  plan.calls++;
  bool fails = plan.at != 0 && (plan.calls == plan.at || (plan.after && plan.calls > plan.at));
  return fails ? plan.result : CUDA_SUCCESS;
}

} // namespace host

// dfaparse_host_fail makes the nth call from now of a kind (index in kinds)
// fail with a result, and all after it if after is not 0; n = 0: none.
DFAPARSE_API void dfaparse_host_fail(int kind, unsigned long long n, int after, int result) {
  if (kind < 0 || kind >= static_cast<int>(host::Call::kCount)) return;
  host::Plans& all = host::plans();
  std::lock_guard<std::mutex> lock(all.mutex);
  host::Plan& plan = all.of[kind];
  plan.at = n == 0 ? 0 : plan.calls + n;
  plan.after = after != 0;
  plan.result = static_cast<CUresult>(result);
}

// dfaparse_host_pageable gives the number of asynchronous copies from or to
// host memory that is not pinned.
DFAPARSE_API unsigned long long dfaparse_host_pageable(void) {
  std::lock_guard<std::mutex> lock(host::driver().mutex);
  return host::driver().pageable;
}

// dfaparse_host_in_use gives the bytes of device memory and the number of
// allocations of pinned memory that nobody has freed.
DFAPARSE_API void dfaparse_host_in_use(unsigned long long* device_nbytes, unsigned long long* npinned) {
  std::lock_guard<std::mutex> lock(host::driver().mutex);
  *device_nbytes = host::driver().in_use;
  *npinned = host::driver().pinned.size();
}
