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

// What a converter says that is called, not inlined: kinds whose code is long
// and whose fields cost a call little.
struct Converted {
  bool is;
  Value value;
};

template <class F>
__device__ __noinline__ Converted convert_address(bool ip, F field) {
  Converted x{false, {0, 0}};
  x.is = ip ? convert_ip(field, &x.value) : convert_uuid(field, &x.value);
  return x;
}

template <class F>
__device__ __noinline__ Maybe convert_span_of_time(const Output& output, F field) {
  int64_t v = 0;
  bool is = convert_duration(output, field, &v);
  return Maybe{is, (uint64_t)v};
}

// What floats and decimals have in common is there once.
template <class F>
__device__ __forceinline__ bool convert_number(const Output& output, const F& field, Value* value) {
  ShortNumber x{0, 0, false};
  bool is_short = short_number(field, (uint32_t)output.options[0], &x);
  if (output.kind == kDecimal) return convert_decimal(output, field, is_short, x, value);
  Maybe v = convert_float(output, field, is_short, x);
  value->lo = v.bits;
  return v.is;
}

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
  case kFloat32:
  case kFloat64:
  case kDecimal: return convert_number(output, field, value);
  case kDate:
  case kTime:
  case kTimestamp: DFAPARSE_CONVERT(convert_clock, int64_t)
  case kDuration: {
    Maybe x = convert_span_of_time(output, field);
    value->lo = x.bits;
    return x.is;
  }
  case kIP:
  case kUUID: {
    Converted x = convert_address(output.kind == kIP, field);
    *value = x.value;
    return x.is;
  }
  case kEnum: DFAPARSE_CONVERT(convert_enum, int32_t)
  }
  return false;
}

#undef DFAPARSE_CONVERT

// Puts a value to its row, of kinds that have a width.
__device__ __forceinline__ void store(const Output& output, uint32_t row, const Value& v) {
  switch (output.width) {
  case 1: ((uint8_t*)output.fixed)[row] = (uint8_t)v.lo; break;
  case 2: ((uint16_t*)output.fixed)[row] = (uint16_t)v.lo; break;
  case 4: ((uint32_t*)output.fixed)[row] = (uint32_t)v.lo; break;
  case 8: ((uint64_t*)output.fixed)[row] = v.lo; break;
  case 16:
    ulonglong2 both;
    both.x = v.lo, both.y = v.hi;
    ((ulonglong2*)output.fixed)[row] = both;
    break;
  }
}

} // namespace dfaparse
