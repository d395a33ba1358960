// A launch: the blocks of a grid, one after the other.
#pragma once

#include <cstddef>

#include "vector.h"

namespace host {

// An entry point of a kernel file.
struct Entry {
  const char* name;
  void (*call)(void (*function)(), void** parameters); // as one thread
  void (*function)();
  unsigned parameters;  // how many, each of 8 bytes
  unsigned max_threads; // of a block, by __launch_bounds__; 0: not said
};

// find_entry gives nullptr if there is none of that name.
const Entry* find_entry(const char* name);

// run_grid runs a grid to its end. Launches of several system threads wait for
// one another.
void run_grid(const Entry& entry, dim3 grid, dim3 block, size_t shared_size, void** parameters);

// What the stack of a report says about where a kernel is; empty if none runs.
void describe_position(char* text, size_t size);

// Of all devices of compute capability 7.5 and above, but for what 7.5 has of
// shared memory, which is less: 64 KiB.
constexpr unsigned kMaxThreads = 1024;
constexpr size_t kMaxShared = 227 * 1024;
constexpr size_t kDefaultShared = 48 * 1024;

} // namespace host
