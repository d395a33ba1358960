#include "shared.h"

#include <cstring>
#include <link.h>

#include "grid.h"

#ifdef DFAPARSE_SANITIZE
#include <sanitizer/asan_interface.h>
#endif

// Defined in dynamic.s; the kernels' names for it are others of the same.
extern "C" __thread unsigned char dfaparse_dynamic_shared[host::kMaxShared];

namespace host {

namespace {

struct Block {
  unsigned char* begin = nullptr;
  size_t size = 0;
};

// The variables of this library in the system thread that calls. Their place
// differs from thread to thread.
Block thread_locals() {
  Block found;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* result) {
        auto* block = static_cast<Block*>(result);
        auto* begin = static_cast<unsigned char*>(info->dlpi_tls_data);
        if (begin == nullptr) return 0;
        for (int i = 0; i < info->dlpi_phnum; i++) {
          if (info->dlpi_phdr[i].p_type != PT_TLS) continue;
          size_t size = info->dlpi_phdr[i].p_memsz;
          if (dfaparse_dynamic_shared >= begin && dfaparse_dynamic_shared < begin + size) {
            *block = {begin, size};
            return 1;
          }
        }
        return 0;
      },
      &found);
  return found;
}

} // namespace

void poison_shared(size_t dynamic_size) {
  static Block block;
  static const void* of = nullptr; // the thread whose block it is
  if (of != dfaparse_dynamic_shared) {
    block = thread_locals();
    of = dfaparse_dynamic_shared;
  }
#ifdef DFAPARSE_SANITIZE
  __asan_unpoison_memory_region(dfaparse_dynamic_shared, kMaxShared);
#endif
  unsigned char* dynamic_end = dfaparse_dynamic_shared + kMaxShared;
  memset(block.begin, kPoison, dfaparse_dynamic_shared - block.begin);
  memset(dfaparse_dynamic_shared, kPoison, dynamic_size);
  memset(dynamic_end, kPoison, block.begin + block.size - dynamic_end);
#ifdef DFAPARSE_SANITIZE
  __asan_poison_memory_region(dfaparse_dynamic_shared + dynamic_size, kMaxShared - dynamic_size);
#endif
}

size_t static_shared() { return thread_locals().size - kMaxShared; }

} // namespace host
