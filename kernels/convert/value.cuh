// Which converter has a kind of fixed width. Field types other than Field serve
// kernels that have the symbols elsewhere.
#pragma once

#include "address.cuh"
#include "bool.cuh"
#include "clock.cuh"
#include "decimal.cuh"
#include "duration.cuh"
#include "field.cuh"
#include "float.cuh"
#include "integer.cuh"
#include "tokens.cuh"

namespace dfaparse {

// A case: the value's bits are the lowest of what is stored.
#define DFAPARSE_CONVERT(function, type)            \
  {                                                 \
    type v;                                         \
    if (!function(output, field, &v)) return false; \
    value->lo = (uint64_t)v;                        \
    return true;                                    \
  }

// Converts a field to a value of output's kind; false: the row is left. All
// lanes of a warp have the same output.
template <class F>
__device__ bool convert_value(const Output& output, const F& field, Value* value) {
  value->lo = value->hi = 0;
  switch (output.kind) {
  case kBool: DFAPARSE_CONVERT(convert_bool, uint32_t)
  case kInt8:
  case kInt16:
  case kInt32:
  case kInt64:
  case kUint8:
  case kUint16:
  case kUint32:
  case kUint64: DFAPARSE_CONVERT(convert_integer, uint64_t)
  case kFloat32: DFAPARSE_CONVERT(convert_float32, uint32_t)
  case kFloat64: DFAPARSE_CONVERT(convert_float64, uint64_t)
  case kDecimal: return convert_decimal(output, field, value);
  case kDate:
  case kTime:
  case kTimestamp: DFAPARSE_CONVERT(convert_clock, int64_t)
  case kDuration: DFAPARSE_CONVERT(convert_duration, int64_t)
  case kIP: return convert_ip(field, value);
  case kUUID: return convert_uuid(field, value);
  case kEnum: DFAPARSE_CONVERT(convert_enum, int32_t)
  }
  return false;
}

#undef DFAPARSE_CONVERT

} // namespace dfaparse
