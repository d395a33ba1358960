// The sum of a column that lies in the device's memory: a kernel as a user of dfaparse
// would write it. make kernels compiles it to sum.ptx.

namespace {

// An Arrow bitmap: bit i&7 of byte i>>3 says that row i is not null.
__device__ bool is_valid(const unsigned char* validity, unsigned long long i) {
  return validity == nullptr || (validity[i >> 3] >> (i & 7) & 1);
}

// Each block writes the sum of what its threads have to its place in sums.
template <class Sum, class Value>
__device__ void sum(const Value* values, const unsigned char* validity, unsigned long long n, Sum* sums) {
  __shared__ Sum of[256];
  Sum own = 0;
  for (unsigned long long i = blockIdx.x * 256ull + threadIdx.x; i < n; i += gridDim.x * 256ull) {
    if (is_valid(validity, i)) own += values[i];
  }
  of[threadIdx.x] = own;
  for (unsigned half = 128; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) of[threadIdx.x] += of[threadIdx.x + half];
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = of[0];
}

} // namespace

extern "C" __global__ void dfa_sum_u16(const unsigned short* values, const unsigned char* validity, unsigned long long n, unsigned long long* sums) {
  sum(values, validity, n, sums);
}

extern "C" __global__ void dfa_sum_i64(const long long* values, const unsigned char* validity, unsigned long long n, long long* sums) {
  sum(values, validity, n, sums);
}

extern "C" __global__ void dfa_sum_f64(const double* values, const unsigned char* validity, unsigned long long n, double* sums) {
  sum(values, validity, n, sums);
}
