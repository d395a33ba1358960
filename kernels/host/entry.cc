#include "entry.h"

#include <cstring>
#include <deque>

#include "grid.h"

namespace host {

namespace {

// Filled before main, by the static objects of each kernel file.
std::deque<Entry>& entries() {
  static std::deque<Entry> all;
  return all;
}

} // namespace

void add_entry(const char* name, void (*call)(void (*)(), void**), void (*function)(), unsigned parameters,
               unsigned max_threads) {
  entries().push_back({name, call, function, parameters, max_threads});
}

const Entry* find_entry(const char* name) {
  for (const Entry& entry : entries()) {
    if (strcmp(entry.name, name) == 0) return &entry;
  }
  return nullptr;
}

} // namespace host
