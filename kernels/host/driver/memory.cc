// Device memory and pinned memory: each allocation by itself, so that the
// address sanitizer sees its edges, filled with a pattern, and known here, so
// that copies are checked without a sanitizer too.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "../report.h"
#include "../shared.h"
#include "queue.h"

namespace host {

namespace {

constexpr size_t kAlignment = 256; // what cuMemAlloc promises
constexpr size_t kEdge = 256;      // behind an allocation, to see that nobody wrote there

#ifdef DFAPARSE_SANITIZE
constexpr size_t kBehind = 0; // the sanitizer's own is better
#else
constexpr size_t kBehind = kEdge;
#endif

void* allocate(size_t nbytes) {
  void* base = nullptr;
  if (posix_memalign(&base, kAlignment, nbytes + kBehind) != 0) return nullptr;
  memset(base, kPoison, nbytes + kBehind);
  return base;
}

void check_edge(const Allocation& a) {
  auto* behind = static_cast<const unsigned char*>(a.base) + a.size;
  for (size_t i = 0; i < kBehind; i++) {
    if (behind[i] != kPoison) fail("somebody wrote behind the end of an allocation");
  }
}

// within tells whether [address, address+nbytes) lies in one of those, of any device
// or of one.
bool within(const std::map<unsigned long long, Allocation>& allocations, unsigned long long address, size_t nbytes, int device = -1) {
  auto after = allocations.upper_bound(address);
  if (after == allocations.begin()) return false;
  const auto& allocation = *--after;
  if (device >= 0 && allocation.second.device != device) return false;
  unsigned long long offset = address - allocation.first;
  return offset <= allocation.second.size && nbytes <= allocation.second.size - offset;
}

unsigned long long number(const void* p) { return reinterpret_cast<unsigned long long>(p); }

// The memory of another device is none: a driver might reach it, but nobody here should.
bool in_device(unsigned long long address, size_t nbytes) {
  std::lock_guard<std::mutex> lock(driver().mutex);
  return within(driver().device, address, nbytes, current_device());
}

CUresult copy(unsigned long long to, unsigned long long from, size_t nbytes) {
  if (CUresult r = inject(Call::kCopy)) return r;
  finish(queue_of(nullptr));
  memmove(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), nbytes);
  return CUDA_SUCCESS;
}

bool is_pinned(const void* memory, size_t nbytes) {
  std::lock_guard<std::mutex> lock(driver().mutex);
  bool pinned = within(driver().pinned, number(memory), nbytes);
  if (!pinned) driver().pageable++;
  return pinned;
}

// overlaps tells whether some of [address, address+nbytes) lies in one of those.
bool overlaps(const std::map<unsigned long long, Allocation>& allocations, unsigned long long address, size_t nbytes) {
  auto after = allocations.lower_bound(address + nbytes);
  if (after == allocations.begin()) return false;
  --after;
  return after->first + after->second.size > address;
}

// pages gives what the memory of a file has, as pages that a device holds: they
// stay what they are where the file becomes shorter, and memory that there is no
// file for (any more) is an error and no signal. nullptr: there is some.
void* pages(const void* memory, size_t nbytes) {
  int file = memfd_create("pages", 0);
  if (file < 0) return nullptr;
  void* found = nullptr;
  size_t n = 0;
  while (n < nbytes) {
    ssize_t written = write(file, static_cast<const char*>(memory) + n, nbytes - n);
    if (written <= 0) break;
    n += written;
  }
  if (n == nbytes) {
    found = mmap(nullptr, nbytes, PROT_READ, MAP_SHARED, file, 0);
    if (found == MAP_FAILED) found = nullptr;
  }
  close(file);
  return found;
}

// pinned_bytes is where the device reads some memory: of a file, the pages that it holds.
const void* pinned_bytes(const void* memory) {
  std::lock_guard<std::mutex> lock(driver().mutex);
  auto after = driver().pinned.upper_bound(number(memory));
  if (after == driver().pinned.begin()) return memory;
  const auto& allocation = *--after;
  unsigned long long offset = number(memory) - allocation.first;
  if (allocation.second.pages == nullptr || offset >= allocation.second.size) return memory;
  return static_cast<const char*>(allocation.second.pages) + offset;
}

// Copies at the call: what goes to the default stream, and waits.

CUresult copy_in(CUdeviceptr to, const void* from, size_t nbytes) {
  if (CUresult r = ready()) return r;
  if (nbytes == 0) return CUDA_SUCCESS;
  if (!in_device(to, nbytes)) return CUDA_ERROR_INVALID_VALUE;
  return copy(to, number(from), nbytes);
}

CUresult copy_out(void* to, CUdeviceptr from, size_t nbytes) {
  if (CUresult r = ready()) return r;
  if (nbytes == 0) return CUDA_SUCCESS;
  if (!in_device(from, nbytes)) return CUDA_ERROR_INVALID_VALUE;
  return copy(number(to), from, nbytes);
}

CUresult copy_within(CUdeviceptr to, CUdeviceptr from, size_t nbytes) {
  if (CUresult r = ready()) return r;
  if (nbytes == 0) return CUDA_SUCCESS;
  if (!in_device(to, nbytes) || !in_device(from, nbytes)) return CUDA_ERROR_INVALID_VALUE;
  return copy(to, from, nbytes);
}

// Copies in a stream. Of pageable memory the driver makes a copy, or waits until
// it is written.

CUresult copy_in(CUdeviceptr to, const void* from, size_t nbytes, CUstream stream) {
  if (CUresult r = ready()) return r;
  if (nbytes == 0) return CUDA_SUCCESS;
  if (!in_device(to, nbytes)) return CUDA_ERROR_INVALID_VALUE;
  if (CUresult r = inject(Call::kCopy)) return r;
  void* target = reinterpret_cast<void*>(to);
  if (is_pinned(from, nbytes) || !lazy()) {
    const void* bytes = pinned_bytes(from);
    enqueue(queue_of(stream), {[=] { memmove(target, bytes, nbytes); }, nullptr, from, nbytes});
    return CUDA_SUCCESS;
  }
  auto bytes = static_cast<const char*>(from);
  std::vector<char> staged(bytes, bytes + nbytes);
  enqueue(queue_of(stream), {[target, staged = std::move(staged)] { memmove(target, staged.data(), staged.size()); }});
  return CUDA_SUCCESS;
}

CUresult copy_out(void* to, CUdeviceptr from, size_t nbytes, CUstream stream) {
  if (CUresult r = ready()) return r;
  if (nbytes == 0) return CUDA_SUCCESS;
  if (!in_device(from, nbytes)) return CUDA_ERROR_INVALID_VALUE;
  if (CUresult r = inject(Call::kCopy)) return r;
  auto* source = reinterpret_cast<const void*>(from);
  auto queue = queue_of(stream);
  enqueue(queue, {[=] { memmove(to, source, nbytes); }, nullptr, to, nbytes});
  if (!is_pinned(to, nbytes)) finish(queue);
  return CUDA_SUCCESS;
}

constexpr size_t kMaxPitch = 0x7fffffff;

// Rows at a pitch, from the device to the host: the other ways nobody takes.
CUresult copy_out(const CUDA_MEMCPY2D& c, CUstream stream) {
  if (CUresult r = ready()) return r;
  if (c.WidthInBytes == 0 || c.Height == 0) return CUDA_SUCCESS;
  if (c.srcMemoryType != CU_MEMORYTYPE_DEVICE || c.dstMemoryType != CU_MEMORYTYPE_HOST) return CUDA_ERROR_NOT_SUPPORTED;
  if (c.srcXInBytes != 0 || c.srcY != 0 || c.dstXInBytes != 0 || c.dstY != 0) return CUDA_ERROR_NOT_SUPPORTED;
  size_t least = std::min(c.srcPitch, c.dstPitch), most = std::max(c.srcPitch, c.dstPitch);
  if (least < c.WidthInBytes || most > kMaxPitch || c.Height > (size_t{1} << 31)) return CUDA_ERROR_INVALID_VALUE;
  if (!in_device(c.srcDevice, (c.Height - 1) * c.srcPitch + c.WidthInBytes)) return CUDA_ERROR_INVALID_VALUE;
  if (CUresult r = inject(Call::kCopy)) return r;
  size_t written = (c.Height - 1) * c.dstPitch + c.WidthInBytes;
  auto queue = queue_of(stream);
  auto run = [c] {
    auto* to = static_cast<char*>(c.dstHost);
    auto* from = reinterpret_cast<const char*>(c.srcDevice);
    for (size_t i = 0; i < c.Height; i++) memmove(to + i * c.dstPitch, from + i * c.srcPitch, c.WidthInBytes);
  };
  enqueue(queue, {run, nullptr, c.dstHost, written});
  if (!is_pinned(c.dstHost, written)) finish(queue);
  return CUDA_SUCCESS;
}

CUresult copy_within(CUdeviceptr to, CUdeviceptr from, size_t nbytes, CUstream stream) {
  if (CUresult r = ready()) return r;
  if (nbytes == 0) return CUDA_SUCCESS;
  if (!in_device(to, nbytes) || !in_device(from, nbytes)) return CUDA_ERROR_INVALID_VALUE;
  if (CUresult r = inject(Call::kCopy)) return r;
  enqueue(queue_of(stream), {[=] { memmove(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), nbytes); }});
  return CUDA_SUCCESS;
}

template <class T> CUresult set(CUdeviceptr to, T value, size_t count, CUstream stream) {
  if (CUresult r = ready()) return r;
  if (count == 0) return CUDA_SUCCESS;
  if (to % sizeof(T) != 0 || count > ~size_t{0} / sizeof(T) || !in_device(to, count * sizeof(T))) return CUDA_ERROR_INVALID_VALUE;
  auto* p = reinterpret_cast<T*>(to);
  enqueue(queue_of(stream), {[=] { std::fill(p, p + count, value); }});
  return CUDA_SUCCESS;
}

template <class T> CUresult set(CUdeviceptr to, T value, size_t count) {
  CUresult r = set(to, value, count, nullptr);
  if (r == CUDA_SUCCESS) finish(queue_of(nullptr));
  return r;
}

} // namespace

} // namespace host

using namespace host;

DFAPARSE_API CUresult cuMemAlloc_v2(CUdeviceptr* address, size_t nbytes) {
  if (CUresult r = ready()) return r;
  if (nbytes == 0) return CUDA_ERROR_INVALID_VALUE;
  if (CUresult r = inject(Call::kAlloc)) return r;
  std::lock_guard<std::mutex> lock(driver().mutex);
  int device = current_device();
  if (nbytes > total_memory() - driver().in_use[device]) return CUDA_ERROR_OUT_OF_MEMORY;
  void* base = allocate(nbytes);
  if (base == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
  driver().in_use[device] += nbytes;
  driver().device[number(base)] = {nbytes, base, nullptr, device};
  *address = number(base);
  return CUDA_SUCCESS;
}

// It waits for all that the device does, as drivers do.
DFAPARSE_API CUresult cuMemFree_v2(CUdeviceptr address) {
  if (CUresult r = ready()) return r;
  if (address == 0) return CUDA_SUCCESS;
  finish_all(true);
  std::lock_guard<std::mutex> lock(driver().mutex);
  auto found = driver().device.find(address);
  if (found == driver().device.end() || found->second.device != current_device()) return CUDA_ERROR_INVALID_VALUE;
  check_edge(found->second);
  driver().in_use[found->second.device] -= found->second.size;
  free(found->second.base);
  driver().device.erase(found);
  return CUDA_SUCCESS;
}

DFAPARSE_API CUresult cuMemAllocAsync(CUdeviceptr* address, size_t nbytes, CUstream) { return cuMemAlloc_v2(address, nbytes); }

DFAPARSE_API CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream) {
  finish(queue_of(stream));
  return cuMemFree_v2(address);
}

DFAPARSE_API CUresult cuMemGetInfo_v2(size_t* available, size_t* total) {
  if (CUresult r = ready()) return r;
  std::lock_guard<std::mutex> lock(driver().mutex);
  *total = total_memory();
  *available = total_memory() - driver().in_use[current_device()];
  return CUDA_SUCCESS;
}

DFAPARSE_API CUresult cuMemGetAddressRange_v2(CUdeviceptr* base, size_t* nbytes, CUdeviceptr address) {
  if (CUresult r = ready()) return r;
  std::lock_guard<std::mutex> lock(driver().mutex);
  auto after = driver().device.upper_bound(address);
  if (!within(driver().device, address, 0)) return CUDA_ERROR_INVALID_VALUE;
  --after;
  if (base != nullptr) *base = after->first;
  if (nbytes != nullptr) *nbytes = after->second.size;
  return CUDA_SUCCESS;
}

// Pinned memory.

DFAPARSE_API CUresult cuMemHostAlloc(void** memory, size_t nbytes, unsigned) {
  if (CUresult r = ready()) return r;
  if (nbytes == 0) return CUDA_ERROR_INVALID_VALUE;
  if (CUresult r = inject(Call::kHostAlloc)) return r;
  void* base = allocate(nbytes);
  if (base == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
  std::lock_guard<std::mutex> lock(driver().mutex);
  driver().pinned[number(base)] = {nbytes, base, nullptr};
  *memory = base;
  return CUDA_SUCCESS;
}

DFAPARSE_API CUresult cuMemAllocHost_v2(void** memory, size_t nbytes) { return cuMemHostAlloc(memory, nbytes, 0); }

DFAPARSE_API CUresult cuMemFreeHost(void* memory) {
  if (CUresult r = ready()) return r;
  std::lock_guard<std::mutex> lock(driver().mutex);
  auto found = driver().pinned.find(number(memory));
  if (found == driver().pinned.end() || found->second.base == nullptr) return CUDA_ERROR_INVALID_VALUE;
  // No driver promises to wait here.
  if (in_use(memory, found->second.size)) fail("pinned memory is freed while an operation that uses it has not run");
  check_edge(found->second);
  free(found->second.base);
  driver().pinned.erase(found);
  return CUDA_SUCCESS;
}

// What may only be read is the memory of a file. DFAPARSE_HOST_REFUSE: "register" and
// "readonly", none of it, or only that.
DFAPARSE_API CUresult cuMemHostRegister_v2(void* memory, size_t nbytes, unsigned flags) {
  if (CUresult r = ready()) return r;
  if (nbytes == 0) return CUDA_ERROR_INVALID_VALUE;
  bool readonly = (flags & CU_MEMHOSTREGISTER_READ_ONLY) != 0;
  const char* refused = getenv("DFAPARSE_HOST_REFUSE");
  if (refused != nullptr && strstr(refused, "register") != nullptr) return CUDA_ERROR_NOT_SUPPORTED;
  if (refused != nullptr && strstr(refused, "readonly") != nullptr && readonly) return CUDA_ERROR_NOT_SUPPORTED;
  if (CUresult r = inject(Call::kHostAlloc)) return r;
  void* held = nullptr;
  if (readonly) {
    if (number(memory) % sysconf(_SC_PAGESIZE) != 0) return CUDA_ERROR_INVALID_VALUE; // a driver takes whole pages; nobody here relies on it
    held = pages(memory, nbytes);
    if (held == nullptr) return CUDA_ERROR_INVALID_VALUE;
  }
  std::lock_guard<std::mutex> lock(driver().mutex);
  if (overlaps(driver().pinned, number(memory), nbytes)) {
    if (held != nullptr) munmap(held, nbytes);
    return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
  }
  driver().pinned[number(memory)] = {nbytes, nullptr, held};
  return CUDA_SUCCESS;
}

DFAPARSE_API CUresult cuMemHostUnregister(void* memory) {
  if (CUresult r = ready()) return r;
  std::lock_guard<std::mutex> lock(driver().mutex);
  auto found = driver().pinned.find(number(memory));
  if (found == driver().pinned.end() || found->second.base != nullptr) return CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
  if (in_use(memory, found->second.size)) fail("pinned memory is given back while an operation that uses it has not run");
  if (found->second.pages != nullptr) munmap(found->second.pages, found->second.size);
  driver().pinned.erase(found);
  return CUDA_SUCCESS;
}

DFAPARSE_API CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr* address, void* memory, unsigned) {
  if (CUresult r = ready()) return r;
  std::lock_guard<std::mutex> lock(driver().mutex);
  if (!within(driver().pinned, number(memory), 0)) return CUDA_ERROR_INVALID_VALUE;
  *address = number(memory);
  return CUDA_SUCCESS;
}

// Copies.

DFAPARSE_API CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void* from, size_t nbytes) { return copy_in(to, from, nbytes); }

DFAPARSE_API CUresult cuMemcpyDtoH_v2(void* to, CUdeviceptr from, size_t nbytes) { return copy_out(to, from, nbytes); }

DFAPARSE_API CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t nbytes) { return copy_within(to, from, nbytes); }

DFAPARSE_API CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void* from, size_t nbytes, CUstream stream) {
  return copy_in(to, from, nbytes, stream);
}

DFAPARSE_API CUresult cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, size_t nbytes, CUstream stream) {
  return copy_out(to, from, nbytes, stream);
}

DFAPARSE_API CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D* copy, CUstream stream) { return copy_out(*copy, stream); }

DFAPARSE_API CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t nbytes, CUstream stream) {
  return copy_within(to, from, nbytes, stream);
}

// By unified addressing: whatever both are.

DFAPARSE_API CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t nbytes) {
  if (CUresult r = ready()) return r;
  return nbytes == 0 ? CUDA_SUCCESS : copy(to, from, nbytes);
}

DFAPARSE_API CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t nbytes, CUstream stream) {
  bool to_device = in_device(to, nbytes), from_device = in_device(from, nbytes);
  if (to_device && from_device) return copy_within(to, from, nbytes, stream);
  if (to_device) return copy_in(to, reinterpret_cast<const void*>(from), nbytes, stream);
  return copy_out(reinterpret_cast<void*>(to), from, nbytes, stream);
}

DFAPARSE_API CUresult cuMemsetD8_v2(CUdeviceptr to, unsigned char value, size_t count) { return set(to, value, count); }
DFAPARSE_API CUresult cuMemsetD16_v2(CUdeviceptr to, unsigned short value, size_t count) { return set(to, value, count); }
DFAPARSE_API CUresult cuMemsetD32_v2(CUdeviceptr to, unsigned value, size_t count) { return set(to, value, count); }
DFAPARSE_API CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count, CUstream stream) {
  return set(to, value, count, stream);
}
DFAPARSE_API CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t count, CUstream stream) {
  return set(to, value, count, stream);
}
DFAPARSE_API CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t count, CUstream stream) {
  return set(to, value, count, stream);
}
