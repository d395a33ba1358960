// Integer, conversion and floating-point intrinsics of a single thread, as in
// the CUDA Math API, "Integer Intrinsics", "Type Casting Intrinsics" and
// "Double Precision Intrinsics". Where those are silent the PTX instruction
// that the compiler makes of them decides.
#pragma once

#include "vector.h"

// Bits.

inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz((unsigned)x); }
inline int __clzll(long long x) { return x == 0 ? 64 : __builtin_clzll((unsigned long long)x); }

inline unsigned __brev(unsigned x) {
  unsigned r = 0;
  for (int i = 0; i < 32; i++) r |= (x >> i & 1) << (31 - i);
  return r;
}
inline unsigned long long __brevll(unsigned long long x) {
  return (unsigned long long)__brev((unsigned)x) << 32 | __brev((unsigned)(x >> 32));
}

// Byte i of the result is the byte of y:x that the low three bits of nibble i
// of s name. The instruction prmt has a use for the nibble's fourth bit, but
// this function clears it.
inline unsigned __byte_perm(unsigned x, unsigned y, unsigned s) {
  unsigned long long bytes = (unsigned long long)y << 32 | x;
  unsigned r = 0;
  for (int i = 0; i < 4; i++) r |= (unsigned)(bytes >> (s >> 4 * i & 7) * 8 & 0xff) << 8 * i;
  return r;
}

// hi:lo, shifted; the high or the low word of it.
inline unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned shift) {
  return (unsigned)(((unsigned long long)hi << 32 | lo) << (shift & 31) >> 32);
}
inline unsigned __funnelshift_lc(unsigned lo, unsigned hi, unsigned shift) {
  return shift >= 32 ? lo : __funnelshift_l(lo, hi, shift);
}
inline unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned shift) {
  return (unsigned)(((unsigned long long)hi << 32 | lo) >> (shift & 31));
}
inline unsigned __funnelshift_rc(unsigned lo, unsigned hi, unsigned shift) {
  return shift >= 32 ? hi : __funnelshift_r(lo, hi, shift);
}

// Products.

inline unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
  for (int i = 0; i < 32; i += 8) c += (a >> i & 0xff) * (b >> i & 0xff);
  return c;
}
inline int __dp4a(int a, int b, int c) {
  unsigned sum = (unsigned)c;
  for (int i = 0; i < 32; i += 8) sum += (unsigned)((signed char)(a >> i) * (signed char)(b >> i));
  return (int)sum;
}
inline unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((unsigned long long)a * b >> 32); }
inline int __mulhi(int a, int b) { return (int)((long long)a * b >> 32); }
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return (unsigned long long)((unsigned __int128)a * b >> 64);
}
inline long long __mul64hi(long long a, long long b) { return (long long)((__int128)a * b >> 64); }
inline unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffff) * (b & 0xffffff); }
inline unsigned __usad(unsigned a, unsigned b, unsigned c) { return (a > b ? a - b : b - a) + c; }

// Each byte of the result is 0xff where the bytes of a and b compare so, or 0.
#define DFAPARSE_BYTES(NAME, EXPRESSION)                  \
  inline unsigned NAME(unsigned a, unsigned b) {          \
    unsigned r = 0;                                       \
    for (int i = 0; i < 32; i += 8) {                     \
      unsigned x = a >> i & 0xff, y = b >> i & 0xff;      \
      r |= ((unsigned)(EXPRESSION)&0xff) << i;            \
    }                                                     \
    return r;                                             \
  }
DFAPARSE_BYTES(__vcmpeq4, x == y ? 0xff : 0)
DFAPARSE_BYTES(__vcmpne4, x != y ? 0xff : 0)
DFAPARSE_BYTES(__vcmpgeu4, x >= y ? 0xff : 0)
DFAPARSE_BYTES(__vcmpgtu4, x > y ? 0xff : 0)
DFAPARSE_BYTES(__vcmpleu4, x <= y ? 0xff : 0)
DFAPARSE_BYTES(__vcmpltu4, x < y ? 0xff : 0)
DFAPARSE_BYTES(__vadd4, x + y)
DFAPARSE_BYTES(__vsub4, x - y)
DFAPARSE_BYTES(__vminu4, x < y ? x : y)
DFAPARSE_BYTES(__vmaxu4, x > y ? x : y)
#undef DFAPARSE_BYTES

// Loads and stores with a hint, which changes nothing here.

template <class T> inline T __ldg(const T* p) { return *p; }
template <class T> inline T __ldca(const T* p) { return *p; }
template <class T> inline T __ldcg(const T* p) { return *p; }
template <class T> inline T __ldcs(const T* p) { return *p; }
template <class T> inline T __ldcv(const T* p) { return *(const volatile T*)p; }
template <class T> inline T __ldlu(const T* p) { return *p; }
template <class T, class V> inline void __stcg(T* p, V v) { *p = v; }
template <class T, class V> inline void __stcs(T* p, V v) { *p = v; }
template <class T, class V> inline void __stwb(T* p, V v) { *p = v; }
template <class T, class V> inline void __stwt(T* p, V v) { *p = v; }

// Floating point. Nothing here is contracted: the build has -ffp-contract=off.

namespace host {
template <class To, class From> inline To bits(From from) {
  static_assert(sizeof(To) == sizeof(From), "as many bits");
  To to;
  __builtin_memcpy(&to, &from, sizeof to);
  return to;
}
} // namespace host

inline int __float_as_int(float x) { return host::bits<int>(x); }
inline unsigned __float_as_uint(float x) { return host::bits<unsigned>(x); }
inline float __int_as_float(int x) { return host::bits<float>(x); }
inline float __uint_as_float(unsigned x) { return host::bits<float>(x); }
inline long long __double_as_longlong(double x) { return host::bits<long long>(x); }
inline double __longlong_as_double(long long x) { return host::bits<double>(x); }
inline int __double2hiint(double x) { return (int)(__double_as_longlong(x) >> 32); }
inline int __double2loint(double x) { return (int)__double_as_longlong(x); }
inline double __hiloint2double(int hi, int lo) {
  return host::bits<double>((unsigned long long)(unsigned)hi << 32 | (unsigned)lo);
}

inline float __fadd_rn(float a, float b) { return a + b; }
inline float __fsub_rn(float a, float b) { return a - b; }
inline float __fmul_rn(float a, float b) { return a * b; }
__attribute__((no_sanitize("float-divide-by-zero"))) inline float __fdiv_rn(float a, float b) { return a / b; }
inline float __fmaf_rn(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline double __dadd_rn(double a, double b) { return a + b; }
inline double __dsub_rn(double a, double b) { return a - b; }
inline double __dmul_rn(double a, double b) { return a * b; }
__attribute__((no_sanitize("float-divide-by-zero"))) inline double __ddiv_rn(double a, double b) { return a / b; }
inline double __fma_rn(double a, double b, double c) { return __builtin_fma(a, b, c); }
inline float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }

// To nearest, ties to even, which is the rounding mode of the host.
inline double __int2double_rn(int x) { return x; }
inline double __uint2double_rn(unsigned x) { return x; }
inline double __ll2double_rn(long long x) { return (double)x; }
inline double __ull2double_rn(unsigned long long x) { return (double)x; }
inline float __int2float_rn(int x) { return (float)x; }
inline float __uint2float_rn(unsigned x) { return (float)x; }
inline float __ll2float_rn(long long x) { return (float)x; }
inline float __ull2float_rn(unsigned long long x) { return (float)x; }
inline float __double2float_rn(double x) { return (float)x; }

// min and max, of any two arithmetic types: in the type of their sum, which is
// what CUDA's overloads come to.
template <class A, class B> constexpr auto min(A a, B b) -> decltype(a + b) {
  using T = decltype(a + b);
  return (T)a < (T)b ? (T)a : (T)b;
}
template <class A, class B> constexpr auto max(A a, B b) -> decltype(a + b) {
  using T = decltype(a + b);
  return (T)a > (T)b ? (T)a : (T)b;
}
inline int abs(int x) { return x < 0 ? (int)(0u - (unsigned)x) : x; }
inline long long llabs(long long x) { return x < 0 ? (long long)(0ull - (unsigned long long)x) : x; }

// Time stands still but for being read.
inline long long clock64() {
  static long long now;
  return ++now;
}
