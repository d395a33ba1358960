// Which converter has a kind of fixed width.
#pragma once

#include "field.cuh"

namespace dfaparse {

// Adds a case: the value's bits are the lowest of what is stored.
#define DFAPARSE_CONVERT(kind, function, type)    \
  case kind: {                                    \
    type v;                                       \
    if (!function(output, field, &v)) return false; \
    value->lo = (uint64_t)v;                      \
    return true;                                  \
  }

// Converts a field to a value of output's kind; false: the row is left. All
// lanes of a warp have the same output.
template <class F>
__device__ bool convert_value(const Output& output, const F& field, Value* value) {
  value->lo = value->hi = 0;
  switch (output.kind) {
  }
  return false;
}

#undef DFAPARSE_CONVERT

} // namespace dfaparse
