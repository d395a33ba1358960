// bench/sort.cu measures the kernels of kernels/sort.cu beside CUB's DeviceRadixSort, in one run:
//   nvcc -O3 -std=c++17 -arch=native -o sort bench/sort.cu && ./sort [keys, as a power of two [kinds, a sum of 1, 2, 4 and 8]]
// A row is a distribution: those of increasing skew that Stehle and Jacobsen use, which
// are random keys of which several are and-ed, and others. Both sort the same keys; order, and that
// nothing is lost, are looked at after each.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cub/cub.cuh>
#include <string>
#include <vector>

// The kernels have names of their own for these.
#define uint8_t kernel_uint8_t
#define uint16_t kernel_uint16_t
#define uint32_t kernel_uint32_t
#define uint64_t kernel_uint64_t
#define int8_t kernel_int8_t
#define int16_t kernel_int16_t
#define int32_t kernel_int32_t
#define int64_t kernel_int64_t
#include "../kernels/sort.cu"
#undef uint8_t
#undef uint16_t
#undef uint32_t
#undef uint64_t
#undef int8_t
#undef int16_t
#undef int32_t
#undef int64_t

using namespace dfaparse;
using u32 = unsigned int;
using u64 = unsigned long long;

#define CHECK(x)                                                                             \
  do {                                                                                       \
    cudaError_t e_ = (x);                                                                    \
    if (e_ != cudaSuccess) {                                                                 \
      printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #x, cudaGetErrorString(e_));             \
      exit(1);                                                                               \
    }                                                                                        \
  } while (0)

__device__ u64 mixed(u64 x) {
  x *= 0x9e3779b97f4a7c15ull;
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9ull;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebull;
  return x ^ x >> 31;
}

enum Kind { kAnd, kMasked, kFew, kZipf, kSorted };

// Keys of a distribution: kAnd: random ones, of which so many and one are and-ed; kMasked: random ones and
// parameter; kFew: one of so many; kZipf: ranks of a Zipf distribution of theta 0.75 over so many.
template <class Key> __global__ void fill(Key* keys, u64 n, Kind kind, u64 parameter) {
  for (u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x; i < n; i += (u64)gridDim.x * blockDim.x) {
    u64 r = mixed(i + 1);
    switch (kind) {
      case kAnd:
        for (u64 a = 0; a < parameter; a++) r &= mixed(i + 1 + (a + 1) * 0x123456789abull);
        break;
      case kMasked: r &= parameter; break;
      case kFew: r = mixed(r % parameter + 77); break;
      case kZipf: { // by the inverse of the sum's integral
        double u = (double)(r >> 11) / 9007199254740992.0;
        r = (u64)(pow(u, 4.0) * (double)parameter);
        break;
      }
      case kSorted: r = i * (sizeof(Key) == 8 ? 1ull << 34 : 1) ; break;
    }
    keys[i] = (Key)(sizeof(Key) == 8 ? r : kind == kAnd || (kind == kMasked && parameter >> 32) ? r >> 32 : r);
  }
}
template <class Value> __global__ void number(Value* values, u64 n) {
  for (u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x; i < n; i += (u64)gridDim.x * blockDim.x) values[i] = (Value)i;
}
// What is wrong: keys out of order, equal ones out of theirs, and the sum of all pairs.
template <class Key, class Value> __global__ void look(const Key* keys, const Value* values, u64 n, u64* out) {
  u64 sum = 0, bad = 0;
  for (u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x; i < n; i += (u64)gridDim.x * blockDim.x) {
    u64 v = 0;
    if (i > 0) bad += keys[i - 1] > keys[i];
    if constexpr (HasValue<Value>::value) {
      v = (u64)values[i];
      if (i > 0) bad += keys[i - 1] == keys[i] && values[i - 1] >= values[i];
    }
    sum += mixed((u64)keys[i] + mixed(v));
  }
  atomicAdd(out, sum);
  atomicAdd(out + 1, bad);
}

static int multiprocessors;

template <class F> float milliseconds(F f) {
  static cudaEvent_t a, b;
  if (!a) {
    CHECK(cudaEventCreate(&a));
    CHECK(cudaEventCreate(&b));
  }
  CHECK(cudaEventRecord(a));
  f();
  CHECK(cudaEventRecord(b));
  CHECK(cudaEventSynchronize(b));
  CHECK(cudaGetLastError());
  float ms;
  CHECK(cudaEventElapsedTime(&ms, a, b));
  return ms;
}

using Stages = std::vector<std::pair<char, float>>; // what was launched, and its milliseconds
using Entry = void (*)(const Sort*, kernel_uint64_t);
template <class Key, class Value> struct Entries;
#define ENTRIES(NAME, KEY, VALUE)                                                                                                                  \
  template <> struct Entries<KEY, VALUE> {                                                                                                         \
    static constexpr Entry all[5] = {dfa_sort_count_##NAME, dfa_sort_scatter_##NAME, dfa_sort_small_##NAME, dfa_sort_medium_##NAME, dfa_sort_large_##NAME}; \
  };
// Of keys alone: from the last digit on, and values that are counted.
template <class Key> struct EntriesAlone;
#define ENTRIES_ALONE(NAME, KEY)                                                                                                              \
  template <> struct EntriesAlone<KEY> {                                                                                                      \
    static constexpr Entry low = dfa_sort_low_##NAME, few = dfa_sort_few_count_##NAME;                                                        \
    static constexpr Entry tallies[4] = {dfa_sort_tally_begin_##NAME, dfa_sort_tally_count_##NAME, dfa_sort_tally_plan_##NAME, dfa_sort_tally_fill_##NAME}; \
  };
ENTRIES_ALONE(u32, u32)
ENTRIES_ALONE(u64, u64)
ENTRIES(u32, u32, NoValue)
ENTRIES(u64, u64, NoValue)
ENTRIES(u64_u32, u64, u32)
ENTRIES(u64_u64, u64, u64)

template <class Key, class Value> struct Sorting {
  static constexpr bool kNarrow = sizeof(Key) == 8 && !HasValue<Value>::value; // a job of its own sorts keys that become narrow
  Sort* job;
  Sort image;
  Sorting<u32, NoValue>* narrow = nullptr;
  u32* counts;
  int grids[5];
  static constexpr u32 threads[5] = {kSortThreads, AnyOf<Key, Value>::kThreads, kSortSmallThreads, kSortMediumThreads, kSortLargeThreads};
  size_t shared[5];
  int grid_low = 0, grid_few = 0, grid_tally = 0, grid_fill = 0;
  static constexpr int kLowThreads = OrderedOf<Key, Value>::kThreads;
  static constexpr size_t kLowShared = sizeof(ScatterShared<Key, Value, OrderedOf<Key, Value>>);
  size_t bookkeeping = 0;

  template <class T> T* room(u64 n) {
    T* p;
    CHECK(cudaMalloc(&p, n * sizeof(T)));
    bookkeeping += n * sizeof(T);
    return p;
  }

  Sorting(Key* keys, Key* other, void* values, void* other_values, u64 n) {
    Sort q{};
    q.keys = keys, q.other_keys = other, q.values = values, q.other_values = other_values;
    q.n = n, q.key_bits = 8 * sizeof(Key);
    q.most_buckets = sort_most_buckets(n), q.tile = AnyOf<Key, Value>::kTile, q.most_tiles = sort_most_tiles(n, q.tile), q.most_locals = sort_most_locals(n);
    q.counts = counts = room<u32>(kSortCounts);
    q.buckets = room<SortBucket>(2 * q.most_buckets);
    q.digits = room<u32>(2 * q.most_buckets * kSortDigits);
    q.tiles = room<u32>(2 * q.most_tiles);
    q.before = room<u32>(q.most_tiles * kSortDigits);
    q.locals = room<SortLocal>(3 * q.most_locals);
    q.lows = room<u32>(kSortCuts * kSortDigits);
    q.cuts = room<SortCut>(kSortCuts);
    q.tallies = room<SortTally>(q.most_buckets);
    q.tally_tiles = room<SortBegin>(sort_most_tally_tiles(n));
    q.few = room<SortFew>(1);
    q.narrow = room<SortNarrow>(1);
    job = room<Sort>(1);
    image = q;
    prepare_all();
    if constexpr (kNarrow) narrow = new Sorting<u32, NoValue>(q, (u32*)other);
  }

  // Keys that have become narrow, of a job that has given them its other array.
  Sorting(const Sort& wide, u32* keys) {
    image = wide;
    image.keys = keys, image.other_keys = keys + wide.n, image.wide = wide.keys;
    image.key_bits = 32, image.tile = AnyOf<Key, Value>::kTile;
    image.counts = counts = room<u32>(kSortCounts);
    job = room<Sort>(1);
    prepare_all();
  }

  void prepare_all() {
    CHECK(cudaMemcpy(job, &image, sizeof image, cudaMemcpyHostToDevice));
    size_t sizes[5] = {0, sizeof(ScatterShared<Key, Value, AnyOf<Key, Value>>), sizeof(LocalShared<Key, Value, kSortSmallThreads, kSortSmall>),
                       sizeof(LocalShared<Key, Value, kSortMediumThreads, kSortMedium>), sizeof(LocalShared<Key, Value, kSortLargeThreads, kSortLarge>)};
    for (int i = 0; i < 5; i++) {
      shared[i] = sizes[i];
      const void* f = (const void*)Entries<Key, Value>::all[i];
      CHECK(cudaFuncSetAttribute(f, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)sizes[i]));
      int blocks;
      CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f, (int)threads[i], sizes[i]));
      cudaFuncAttributes a;
      CHECK(cudaFuncGetAttributes(&a, f));
      grids[i] = blocks * multiprocessors;
      printf("#   entry %d: %d registers, %zu bytes spilled, %zu shared, %d blocks\n", i, a.numRegs, a.localSizeBytes, sizes[i] + a.sharedSizeBytes, blocks);
    }
    if constexpr (!HasValue<Value>::value) {
      prepare(EntriesAlone<Key>::low, kLowShared, kLowThreads, &grid_low);
      prepare(EntriesAlone<Key>::few, sizeof(FewShared<Key>), kSortThreads, &grid_few);
      prepare(EntriesAlone<Key>::tallies[1], sizeof(TallyShared), kSortTallyThreads, &grid_tally);
      prepare(EntriesAlone<Key>::tallies[3], 0, kSortFillThreads, &grid_fill);
    }
  }

  // How the last entries are launched.
  void prepare(Entry e, size_t dynamic, int nthreads, int* grid) {
    const void* f = (const void*)e;
    CHECK(cudaFuncSetAttribute(f, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)dynamic));
    int blocks;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f, nthreads, dynamic));
    cudaFuncAttributes a;
    CHECK(cudaFuncGetAttributes(&a, f));
    printf("#   of keys alone: %d registers, %zu bytes spilled, %zu shared, %d blocks\n", a.numRegs, a.localSizeBytes, dynamic + a.sharedSizeBytes, blocks);
    *grid = blocks * multiprocessors;
  }

  void run(Stages* stages = nullptr) {
    auto stage = [&](char name, auto f) {
      if (stages) stages->push_back({name, milliseconds(f)});
      else f();
    };
    stage('b', [&] {
      CHECK(cudaMemsetAsync(counts, 0, 4 * kSortCounts));
      dfa_sort_begin<<<multiprocessors, kSortBeginThreads>>>(job);
      if constexpr (!HasValue<Value>::value) {
        if (image.wide != nullptr) return;
        EntriesAlone<Key>::few<<<grid_few, kSortThreads, sizeof(FewShared<Key>)>>>(job, 0);
        dfa_sort_few_plan<<<1, 256>>>(job, 0);
      }
    });
    if constexpr (kNarrow) {
      if (image.n >= kSortSampled) {
        stage('n', [&] {
          dfa_sort_narrow<<<4 * multiprocessors, kSortThreads>>>(job, 0);
          dfa_sort_narrowed<<<1, 32>>>(job, 0);
        });
        narrow->run(stages);
      }
    }
    run_passes(stages);
  }

  void run_passes(Stages* stages) {
    auto stage = [&](char name, auto f) {
      if (stages) stages->push_back({name, milliseconds(f)});
      else f();
    };
    const Entry* e = Entries<Key, Value>::all;
    int passes = sizeof(Key) + 2;
    for (int pass = 0; pass < passes; pass++) {
      stage('c', [&] { e[0]<<<grids[0], kSortThreads>>>(job, pass); });
      if (pass + 1 == passes) break;
      stage('p', [&] { dfa_sort_plan<<<8 * multiprocessors, 256>>>(job, pass); });
      stage('s', [&] {
        e[1]<<<grids[1], threads[1], shared[1]>>>(job, pass);
        if constexpr (!HasValue<Value>::value) EntriesAlone<Key>::low<<<grid_low, kLowThreads, kLowShared>>>(job, pass);
      });
    }
    if constexpr (!HasValue<Value>::value) {
      const Entry* t = EntriesAlone<Key>::tallies;
      stage('t', [&] { t[0]<<<4 * multiprocessors, kSortFillThreads>>>(job, (kernel_uint64_t)grid_tally); });
      stage('t', [&] { t[1]<<<grid_tally, kSortTallyThreads, sizeof(TallyShared)>>>(job, 0); });
      stage('t', [&] { t[2]<<<4 * multiprocessors, kSortFillThreads>>>(job, (kernel_uint64_t)grid_tally); });
      stage('t', [&] { t[3]<<<grid_fill, kSortFillThreads>>>(job, 0); });
    }
    for (int kind = 0; kind < 3; kind++)
      stage('L', [&] { e[2 + kind]<<<grids[2 + kind], threads[2 + kind], shared[2 + kind]>>>(job, kind); });
  }
};

struct Distribution {
  const char* name;
  Kind kind;
  u64 parameter;
  bool narrow; // of 32-bit keys too
};
static const Distribution distributions[] = {
    {"uniform", kAnd, 0, true}, {"and of 2", kAnd, 1, true}, {"and of 3", kAnd, 2, true}, {"and of 4", kAnd, 3, true}, {"and of 5", kAnd, 4, true},
    {"and of 6", kAnd, 5, true}, {"and of 8", kAnd, 7, true}, {"and of 11", kAnd, 10, true}, {"constant", kMasked, 0, true},
    {"32 bits", kMasked, 0xffffffffull, false}, {"24 bits", kMasked, 0xffffff, true}, {"16 bits", kMasked, 0xffff, true}, {"8 bits", kMasked, 0xff, true},
    {"16 bits, far apart", kMasked, 0x8040201008040201ull | 0x4000800100020004ull, false},
    {"1,000 values", kFew, 1000, true}, {"16 values", kFew, 16, true}, {"2 values", kFew, 2, true},
    {"Zipf 0.75, 2^28", kZipf, 1 << 28, true}, {"Zipf 0.75, 2^20", kZipf, 1 << 20, true}, {"sorted", kSorted, 0, true},
};

template <class Key, class Value> void measure(const char* name, u64 n) {
  constexpr bool pairs = HasValue<Value>::value;
  const size_t value_size = pairs ? sizeof(Value) : 0;
  Key *from, *keys, *other;
  Value *numbers = nullptr, *values = nullptr, *other_values = nullptr;
  u64* seen;
  CHECK(cudaMalloc(&from, n * sizeof(Key)));
  CHECK(cudaMalloc(&keys, n * sizeof(Key)));
  CHECK(cudaMalloc(&other, n * sizeof(Key)));
  CHECK(cudaMalloc(&seen, 16));
  if constexpr (pairs) {
    CHECK(cudaMalloc(&numbers, n * value_size));
    CHECK(cudaMalloc(&values, n * value_size));
    CHECK(cudaMalloc(&other_values, n * value_size));
    number<<<2048, 256>>>(numbers, n);
  }
  Sorting<Key, Value> sorting(keys, other, values, other_values, n);
  size_t data = 2 * n * (sizeof(Key) + value_size);
  void* temporary = nullptr;
  size_t size = 0;
  auto cub_sort = [&](cub::DoubleBuffer<Key>& k) {
    if constexpr (pairs) {
      cub::DoubleBuffer<Value> v(values, other_values);
      CHECK(cub::DeviceRadixSort::SortPairs(temporary, size, k, v, (long long)n));
      if (temporary && v.Current() != values) values = v.Current();
    } else {
      CHECK(cub::DeviceRadixSort::SortKeys(temporary, size, k, (long long)n));
    }
  };
  cub::DoubleBuffer<Key> sized(keys, other);
  cub_sort(sized);
  CHECK(cudaMalloc(&temporary, size));
  printf("\n%s, 2^%.0f; bookkeeping %.1f%% of keys, values and as much again; CUB's %.1f%%\n", name, log2((double)n), 100.0 * sorting.bookkeeping / data, 100.0 * size / data);
  printf("%-20s %9s %9s %9s %7s  %s\n", "keys", "CUB ms", "ours ms", "GB/s", "times", "passes: count plan scatter …, tallies, local");
  Value* first_values = values;
  for (const Distribution& d : distributions) {
    if (sizeof(Key) == 4 && !d.narrow) continue;
    fill<<<4096, 256>>>(from, n, d.kind, d.parameter);
    auto restore = [&] {
      CHECK(cudaMemcpy(keys, from, n * sizeof(Key), cudaMemcpyDeviceToDevice));
      if constexpr (pairs) CHECK(cudaMemcpy(values, numbers, n * value_size, cudaMemcpyDeviceToDevice));
    };
    auto looked = [&](const Key* k, const Value* v) {
      u64 h[2];
      CHECK(cudaMemset(seen, 0, 16));
      look<<<2048, 256>>>(k, v, n, seen);
      CHECK(cudaMemcpy(h, seen, 16, cudaMemcpyDeviceToHost));
      return std::pair<u64, u64>(h[0], h[1]);
    };
    u64 want = looked(from, numbers).first;
    std::vector<float> theirs, ours;
    Stages stages;
    std::string wrong;
    for (int r = 0; r < 5; r++) {
      values = first_values;
      restore();
      cub::DoubleBuffer<Key> k(keys, other);
      theirs.push_back(milliseconds([&] { cub_sort(k); }));
      if (r == 0) {
        auto [sum, bad] = looked(k.Current(), values);
        if (sum != want || bad) wrong += " CUB is wrong";
      }
      values = first_values;
      restore();
      ours.push_back(milliseconds([&] { sorting.run(); }));
      auto [sum, bad] = looked(keys, values);
      if (sum != want || bad) wrong += " WRONG: " + std::to_string(bad) + " out of order, sum " + (sum == want ? "right" : "wrong");
    }
    restore();
    sorting.run(&stages);
    std::sort(theirs.begin(), theirs.end());
    std::sort(ours.begin(), ours.end());
    printf("%-20s %9.2f %9.2f %9.0f %7.2f ", d.name, theirs[2], ours[2], n * (sizeof(Key) + value_size) / 1e6 / ours[2], theirs[2] / ours[2]);
    for (auto [name, ms] : stages)
      if (ms > 0.03) printf(" %c%.2f", name, ms);
    printf("%s\n", wrong.c_str());
    fflush(stdout);
  }
  CHECK(cudaFree(from));
  CHECK(cudaFree(keys));
  CHECK(cudaFree(other));
  CHECK(cudaFree(seen));
  CHECK(cudaFree(temporary));
  if constexpr (pairs) {
    CHECK(cudaFree(numbers));
    CHECK(cudaFree(first_values));
    CHECK(cudaFree(other_values));
  }
}

int main(int argc, char** argv) {
  u64 n = 1ull << (argc > 1 ? atoi(argv[1]) : 28);
  cudaDeviceProp p;
  CHECK(cudaGetDeviceProperties(&p, 0));
  multiprocessors = p.multiProcessorCount;
  printf("%s, CUB %d, medians of 5\n", p.name, CUB_VERSION);
  int which = argc > 2 ? atoi(argv[2]) : 15;
  if (which & 1) measure<u64, NoValue>("keys of 64 bits", n);
  if (which & 2) measure<u32, NoValue>("keys of 32 bits", n);
  if (which & 4) measure<u64, u32>("keys of 64 bits with values of 32, stable", n);
  if (which & 8) measure<u64, u64>("keys of 64 bits with values of 64, stable", n);
}
