// Operations of a warp, as in the CUDA C++ Programming Guide, "Warp Vote
// Functions", "Warp Match Functions" and "Warp Shuffle Functions".
//
// A shuffle from a lane that is not in the mask, or that has exited, gives
// 0xb7b7...: the guide leaves it undefined.
#pragma once

#include "block.h"
#include "intrinsics.h"

inline void __syncwarp(unsigned mask = 0xffffffffu) { host::warp(host::Vote::kSync, mask, 0, 0); }

inline unsigned __ballot_sync(unsigned mask, int predicate) {
  return (unsigned)host::warp(host::Vote::kBallot, mask, predicate != 0, 0);
}
inline int __any_sync(unsigned mask, int predicate) { return __ballot_sync(mask, predicate) != 0; }
inline int __all_sync(unsigned mask, int predicate) { return __ballot_sync(mask, !predicate) == 0; }

namespace host {

// Values travel as 64 bits.
template <class T> inline unsigned long long pack(T value) {
  unsigned long long bits = 0;
  __builtin_memcpy(&bits, &value, sizeof value);
  return bits;
}
template <class T> inline T unpack(unsigned long long bits) {
  T value;
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
}

template <class T> inline T shuffle(unsigned mask, T value, unsigned source) {
  return unpack<T>(warp(Vote::kShuffle, mask, pack(value), source));
}

// The first and the last lane of the segment of width lanes around a lane.
inline unsigned first(unsigned lane, int width) { return lane & ~((unsigned)width - 1) & 31; }
inline unsigned last(unsigned lane, int width) { return first(lane, width) + (unsigned)width - 1; }

template <class T> inline T shuffle_idx(unsigned mask, T value, int from, int width) {
  return shuffle(mask, value, first(lane(), width) | ((unsigned)from & ((unsigned)width - 1)));
}
template <class T> inline T shuffle_up(unsigned mask, T value, unsigned delta, int width) {
  unsigned own = lane();
  delta &= 31;
  return shuffle(mask, value, own < first(own, width) + delta ? own : own - delta);
}
template <class T> inline T shuffle_down(unsigned mask, T value, unsigned delta, int width) {
  unsigned own = lane();
  delta &= 31;
  return shuffle(mask, value, own + delta > last(own, width) ? own : own + delta);
}
template <class T> inline T shuffle_xor(unsigned mask, T value, int bits, int width) {
  unsigned own = lane(), from = own ^ ((unsigned)bits & 31);
  return shuffle(mask, value, from > last(own, width) ? own : from);
}

} // namespace host

// Overloads, not templates: the types that CUDA has, and no others.
#define DFAPARSE_SHUFFLES(T)                                                        \
  inline T __shfl_sync(unsigned mask, T value, int from, int width = 32) {          \
    return host::shuffle_idx<T>(mask, value, from, width);                          \
  }                                                                                 \
  inline T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32) { \
    return host::shuffle_up<T>(mask, value, delta, width);                          \
  }                                                                                 \
  inline T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32) { \
    return host::shuffle_down<T>(mask, value, delta, width);                        \
  }                                                                                 \
  inline T __shfl_xor_sync(unsigned mask, T value, int bits, int width = 32) {      \
    return host::shuffle_xor<T>(mask, value, bits, width);                          \
  }

#define DFAPARSE_MATCHES(T)                                                         \
  inline unsigned __match_any_sync(unsigned mask, T value) {                        \
    return (unsigned)host::warp(host::Vote::kMatchAny, mask, host::pack(value), 0); \
  }                                                                                 \
  inline unsigned __match_all_sync(unsigned mask, T value, int* all) {              \
    unsigned same = __match_any_sync(mask, value);                                  \
    *all = same == __ballot_sync(mask, 1);                                          \
    return *all ? same : 0;                                                         \
  }

DFAPARSE_SHUFFLES(int)
DFAPARSE_SHUFFLES(unsigned)
DFAPARSE_SHUFFLES(long)
DFAPARSE_SHUFFLES(unsigned long)
DFAPARSE_SHUFFLES(long long)
DFAPARSE_SHUFFLES(unsigned long long)
DFAPARSE_SHUFFLES(float)
DFAPARSE_SHUFFLES(double)
DFAPARSE_MATCHES(int)
DFAPARSE_MATCHES(unsigned)
DFAPARSE_MATCHES(long)
DFAPARSE_MATCHES(unsigned long)
DFAPARSE_MATCHES(long long)
DFAPARSE_MATCHES(unsigned long long)
DFAPARSE_MATCHES(float)
DFAPARSE_MATCHES(double)

#undef DFAPARSE_SHUFFLES
#undef DFAPARSE_MATCHES
