// Failures on demand, and counts of what a test wants to know.
//
// DFAPARSE_HOST_FAIL is a list such as "launch:3=719,alloc:10+=2": the third
// launch fails with CUresult 719, the tenth allocation and all after it with 2.
// Kinds: alloc, hostalloc, launch, copy, sync, and any, which is all of them.
// "any@1:40+=719": of device 1 the fortieth call and all after it, which is how a
// device is lost; without @ calls of all devices count. The functions do the same
// within a process; a test declares them weak, since no real driver has them.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "state.h"

namespace host {

namespace {

struct Plan {
  int kind = kAny;              // a Call, or kAny
  int device = -1;              // -1: of any
  unsigned long long at = 0;    // the call that fails, from 1; 0: none
  bool after = false;           // and all after it
  CUresult result = CUDA_SUCCESS;
  unsigned long long calls = 0; // until now

  static constexpr int kAny = static_cast<int>(Call::kCount);

  bool same(const Plan& p) const { return kind == p.kind && device == p.device; }
};

const char* const kinds[] = {"alloc", "hostalloc", "launch", "copy", "sync", "any"};

struct Plans {
  std::mutex mutex;
  std::vector<Plan> all;

  Plans() {
    const char* text = getenv("DFAPARSE_HOST_FAIL");
    while (text != nullptr && *text != 0) {
      const char* colon = strchr(text, ':');
      if (colon == nullptr) break;
      size_t length = strcspn(text, "@:");
      for (int i = 0; i <= Plan::kAny; i++) {
        if (strlen(kinds[i]) != length || strncmp(text, kinds[i], length) != 0) continue;
        Plan plan;
        plan.kind = i;
        if (text[length] == '@') plan.device = atoi(text + length + 1);
        char* end;
        plan.at = strtoull(colon + 1, &end, 10);
        plan.after = *end == '+';
        const char* equals = strchr(end, '=');
        plan.result = static_cast<CUresult>(equals == nullptr ? 999 : atoi(equals + 1));
        all.push_back(plan);
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
  int device = current_device();
  Plans& plan = plans();
  std::lock_guard<std::mutex> lock(plan.mutex);
  CUresult result = CUDA_SUCCESS;
  for (Plan& p : plan.all) {
    if ((p.kind != static_cast<int>(call) && p.kind != Plan::kAny) || (p.device >= 0 && p.device != device)) continue;
    p.calls++;
    if (p.at != 0 && (p.calls == p.at || (p.after && p.calls > p.at)) && result == CUDA_SUCCESS) result = p.result;
  }
  return result;
}

} // namespace host

// dfaparse_host_fail_on makes the nth call from now of a kind (index in kinds), of
// a device (-1: of any), fail with a result, and all after it if after is not 0;
// n = 0: none.
DFAPARSE_API void dfaparse_host_fail_on(int device, int kind, unsigned long long n, int after, int result) {
  if (kind < 0 || kind > host::Plan::kAny) return;
  host::Plan made;
  made.kind = kind;
  made.device = device;
  made.at = n;
  made.after = after != 0;
  made.result = static_cast<CUresult>(result);
  host::Plans& plan = host::plans();
  std::lock_guard<std::mutex> lock(plan.mutex);
  plan.all.erase(std::remove_if(plan.all.begin(), plan.all.end(), [&](const host::Plan& p) { return p.same(made); }), plan.all.end());
  if (n != 0) plan.all.push_back(made);
}

// dfaparse_host_fail does so for calls of any device.
DFAPARSE_API void dfaparse_host_fail(int kind, unsigned long long n, int after, int result) {
  dfaparse_host_fail_on(-1, kind, n, after, result);
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
  *device_nbytes = 0;
  for (size_t nbytes : host::driver().in_use) *device_nbytes += nbytes;
  *npinned = host::driver().pinned.size();
}
