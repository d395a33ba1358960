// Every atomic function, and every intrinsic of a thread, on given operands.
#include "device.cuh"

template <class T> __device__ void atomics(T* cell, T value, uint64_t* out, bool bits) {
  T* begin = cell;
  *out++ = (uint64_t)atomicAdd(cell, value);
  *out++ = (uint64_t)*cell;
  *out++ = (uint64_t)atomicExch(cell, value);
  *out++ = (uint64_t)*cell;
  *out++ = (uint64_t)atomicCAS(cell, value, (T)(value + 1));
  *out++ = (uint64_t)*cell;
  *out++ = (uint64_t)atomicCAS(cell, value, (T)0);
  *out++ = (uint64_t)*cell;
  if (!bits) return;
  *out++ = (uint64_t)atomicMin(begin, (T)5);
  *out++ = (uint64_t)*cell;
  *out++ = (uint64_t)atomicMax(begin, (T)9);
  *out++ = (uint64_t)*cell;
  *out++ = (uint64_t)atomicAnd(begin, (T)0xc);
  *out++ = (uint64_t)*cell;
  *out++ = (uint64_t)atomicOr(begin, (T)0x3);
  *out++ = (uint64_t)*cell;
  *out++ = (uint64_t)atomicXor(begin, (T)0x5);
  *out++ = (uint64_t)*cell;
}

extern "C" __global__ void dfa_test_atomic(uint32_t* a, uint64_t* b, int* c, uint64_t* out, uint64_t value) {
  atomics<uint32_t>(a, (uint32_t)value, out, true);
  atomics<uint64_t>(b, value, out + 20, true);
  atomics<int>(c, (int)value, out + 40, true);
}

// Every thread adds to the same words.
extern "C" __global__ void dfa_test_count(uint32_t* a, uint64_t* b, float* c, double* d) {
  atomicAdd(a, 1u);
  atomicAdd(b, 1ull << 33);
  atomicAdd(c, 0.5f);
  atomicAdd(d, 0.25);
  atomicMax(a + 1, threadIdx.x);
  atomicMin(a + 2, threadIdx.x);
  atomicInc(a + 3, 9u);
}

// 32 words a thread: in[3*t...] are x, y and s.
extern "C" __global__ void dfa_test_intrinsics(const uint32_t* in, uint64_t* out) {
  uint32_t t = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t x = in[3 * t], y = in[3 * t + 1], s = in[3 * t + 2];
  uint64_t wide = (uint64_t)x << 32 | y, other = (uint64_t)s << 32 | x;
  uint64_t* o = out + 32 * t;
  o[0] = __byte_perm(x, y, s);
  o[1] = __funnelshift_l(x, y, s);
  o[2] = __funnelshift_r(x, y, s);
  o[3] = __funnelshift_lc(x, y, s % 40);
  o[4] = __funnelshift_rc(x, y, s % 40);
  o[5] = __dp4a(x, y, s);
  o[6] = (uint32_t)__dp4a((int)x, (int)y, (int)s);
  o[7] = __umulhi(x, y);
  o[8] = (uint32_t)__mulhi((int)x, (int)y);
  o[9] = __umul64hi(wide, other);
  o[10] = (uint64_t)__mul64hi((int64_t)wide, (int64_t)other);
  o[11] = (uint64_t)__popc(x);
  o[12] = (uint64_t)__popcll(wide);
  o[13] = (uint64_t)__ffs((int)(x & s));
  o[14] = (uint64_t)__ffsll((int64_t)(wide & ~(uint64_t)y));
  o[15] = (uint64_t)__clz((int)(x >> s % 32));
  o[16] = (uint64_t)__clzll((int64_t)(wide >> s % 64));
  o[17] = __brev(x);
  o[18] = __brevll(wide);
  o[19] = __vcmpeq4(x, (x & s) | (y & ~s));
  o[20] = __vcmpgtu4(x, y);
  o[21] = (uint32_t)min((int)x, (int)y);
  o[22] = max(x, y);
  o[23] = __double_as_longlong(__ddiv_rn((double)x, (double)(y | 1)));
  o[24] = __ldg(&in[3 * t]);
  o[25] = __float_as_uint(__uint_as_float(x));
  o[26] = (uint64_t)__double_as_longlong(__hiloint2double((int)x, (int)y));
  o[27] = (uint64_t)__clz(0) << 32 | (uint64_t)__clzll(0);
  o[28] = (uint64_t)__ffs(0) << 32 | (uint64_t)__ffsll(0);
  o[29] = (uint64_t)abs((int)x);
  __stcs(&o[30], wide);
  o[31] = __ldcs(&o[30]);
}
