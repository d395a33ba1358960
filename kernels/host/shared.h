// Shared memory. Every thread_local variable of the library is one of a kernel,
// and they lie side by side, which the loader knows; the dynamic part is one of
// them, under each name that kernels have for it (build/dynamic.s).
#pragma once

#include <cstddef>

namespace host {

// What memory holds that nobody wrote.
constexpr unsigned char kPoison = 0xb7;

// poison_shared makes shared memory as it is when a block begins: undefined,
// and the dynamic part no larger than dynamic_size.
void poison_shared(size_t dynamic_size);

// static_shared is the size of all variables of all kernels.
size_t static_shared();

} // namespace host
