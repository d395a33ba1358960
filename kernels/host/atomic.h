// Atomic functions. One thread runs at a time and none is interrupted, so a
// plain read and write will do. The overloads are those of compute_75.
#pragma once

#include "block.h"

namespace host {

template <class T, class F> inline T update(T* address, F next) {
  tick();
  T old = *address;
  *address = next(old);
  return old;
}

// Integers wrap around.
template <class T> inline T add(T* address, T value) {
  return update(address, [=](T old) { return (T)((unsigned long long)old + (unsigned long long)value); });
}

} // namespace host

inline float atomicAdd(float* address, float value) {
  return host::update(address, [=](float old) { return old + value; });
}
inline double atomicAdd(double* address, double value) {
  return host::update(address, [=](double old) { return old + value; });
}
inline float atomicExch(float* address, float value) {
  return host::update(address, [=](float) { return value; });
}
inline unsigned atomicInc(unsigned* address, unsigned limit) {
  return host::update(address, [=](unsigned old) { return old >= limit ? 0 : old + 1; });
}
inline unsigned atomicDec(unsigned* address, unsigned limit) {
  return host::update(address, [=](unsigned old) { return old == 0 || old > limit ? limit : old - 1; });
}

#define DFAPARSE_ADDS(T)                                                                  \
  inline T atomicAdd(T* address, T value) { return host::add(address, value); }           \
  inline T atomicExch(T* address, T value) {                                              \
    return host::update(address, [=](T) { return value; });                               \
  }                                                                                       \
  inline T atomicCAS(T* address, T expected, T value) {                                   \
    return host::update(address, [=](T old) { return old == expected ? value : old; });   \
  }
DFAPARSE_ADDS(int)
DFAPARSE_ADDS(unsigned)
DFAPARSE_ADDS(unsigned long long)
#undef DFAPARSE_ADDS

inline int atomicSub(int* address, int value) { return host::add(address, (int)(0u - (unsigned)value)); }
inline unsigned atomicSub(unsigned* address, unsigned value) { return host::add(address, 0u - value); }

#define DFAPARSE_BITS(T)                                                                  \
  inline T atomicMin(T* address, T value) {                                               \
    return host::update(address, [=](T old) { return old < value ? old : value; });       \
  }                                                                                       \
  inline T atomicMax(T* address, T value) {                                               \
    return host::update(address, [=](T old) { return old > value ? old : value; });       \
  }                                                                                       \
  inline T atomicAnd(T* address, T value) {                                               \
    return host::update(address, [=](T old) { return old & value; });                     \
  }                                                                                       \
  inline T atomicOr(T* address, T value) {                                                \
    return host::update(address, [=](T old) { return old | value; });                     \
  }                                                                                       \
  inline T atomicXor(T* address, T value) {                                               \
    return host::update(address, [=](T old) { return old ^ value; });                     \
  }
DFAPARSE_BITS(int)
DFAPARSE_BITS(unsigned)
DFAPARSE_BITS(long long)
DFAPARSE_BITS(unsigned long long)
#undef DFAPARSE_BITS
