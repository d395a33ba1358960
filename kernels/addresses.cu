// The texts of IP addresses in a column that stays on the device: Arrow's, or views. The addresses are as
// dfa_convert leaves them, 16 bytes each; nulls have no text.
//
//   dfa_addresses_total
//     in   addresses
//     out  the bytes of all their texts
//   dfa_addresses_offsets, dfa_addresses_scan
//     in   addresses
//     out  where each text begins among those of its tile, and where those of each tile do
//   dfa_addresses_texts
//     in   these
//     out  where each text begins, and the bytes; or views
//
// The twin is internal/convert, address.go and address6.go.
#include "scan.cuh"
#include "view.cuh"

namespace dfaparse {

constexpr uint32_t kAddressThreads = 256;
constexpr uint32_t kAddressRows = 4;                              // neighbouring ones of a thread that counts
constexpr uint32_t kAddressTile = kAddressThreads * kAddressRows; // rows
constexpr uint32_t kAddressBuffer = 0;                            // that views are into

// An IPv4 address is one of IPv6 whose first 12 bytes say so.
__device__ __forceinline__ bool is_ipv4(const uint4& ip) { return (ip.x | ip.y) == 0 && ip.z == 0xffff0000u; }

__device__ __forceinline__ uint32_t decimal_digits(uint32_t octet) { return 1 + (octet > 9) + (octet > 99); }
__device__ __forceinline__ uint32_t hex_digits(uint32_t group) { return (35 - (uint32_t)__clz((int)(group | 1))) / 4; }

// Group i of eight.
__device__ __forceinline__ uint32_t group_of(const uint4& ip, uint32_t i) {
  const uint32_t word = i & 4 ? i & 2 ? ip.w : ip.z : i & 2 ? ip.y : ip.x;
  return __byte_perm(word, 0, i & 1 ? 0x4423 : 0x4401);
}

// The groups that two colons stand for: the first of the longest runs that are 0, if that has more than one (RFC 5952).
struct ZeroGroups {
  uint32_t from, to; // 8, 8: there are none
};
__device__ __forceinline__ ZeroGroups zero_groups(const uint4& ip) {
  ZeroGroups x{8, 8};
  uint32_t run = 0, most = 1;
  for (uint32_t i = 0; i < 8; i++) {
    run = group_of(ip, i) == 0 ? run + 1 : 0;
    if (run > most) {
      most = run;
      x = ZeroGroups{i + 1 - run, i + 1};
    }
  }
  return x;
}

// Calls put(symbol) for each of an address' text.
template <class Put>
__device__ __forceinline__ void write_ipv6(const uint4& ip, const Put& put) {
  const ZeroGroups zeros = zero_groups(ip);
  for (uint32_t i = 0; i < 8;) {
    if (i == zeros.from) {
      put(':');
      i = zeros.to;
      if (i == 8) put(':');
      continue;
    }
    if (i != 0) put(':');
    const uint32_t group = group_of(ip, i++);
    for (uint32_t n = hex_digits(group); n != 0; n--) {
      const uint32_t digit = group >> 4 * (n - 1) & 15;
      put(digit + (digit < 10 ? '0' : 'a' - 10));
    }
  }
}

__device__ __forceinline__ uint32_t address_length(const uint4& ip) {
  if (is_ipv4(ip)) return 3 + decimal_digits(ip.w & 0xff) + decimal_digits(ip.w >> 8 & 0xff) + decimal_digits(ip.w >> 16 & 0xff) + decimal_digits(ip.w >> 24);
  uint32_t n = 0;
  write_ipv6(ip, [&](uint32_t) { n++; });
  return n;
}

// The text of an IPv4 address, the first symbol in the lowest byte.
struct ShortText {
  uint64_t low, high;
  uint32_t n;

  __device__ __forceinline__ void add(uint32_t symbols, uint32_t count) {
    const uint32_t bits = 8 * n;
    if (bits < 64) {
      low |= uint64_t(symbols) << bits;
      if (bits > 32) high |= uint64_t(symbols) >> (64 - bits);
    } else {
      high |= uint64_t(symbols) << (bits - 64);
    }
    n += count;
  }
};
__device__ __forceinline__ ShortText ipv4_text(uint32_t octets) {
  ShortText x{0, 0, 0};
#pragma unroll
  for (uint32_t k = 0; k < 4; k++) {
    const uint32_t octet = octets >> 8 * k & 0xff, hundreds = octet / 100, tens = octet / 10 % 10, ones = octet % 10, n = decimal_digits(octet);
    const uint32_t digits = (hundreds | tens << 8 | ones << 16) + 0x303030;
    x.add((digits >> 8 * (3 - n)) | uint32_t(k < 3 ? '.' : 0) << 8 * n, n + (k < 3));
  }
  return x;
}

struct Addresses {
  const uint4* values;
  const uint32_t* valid; // bits; nullptr: all rows are
  uint64_t rows;

  __device__ __forceinline__ bool has(uint64_t row) const { return row < rows && (valid == nullptr || (valid[row / 32] >> row % 32 & 1) != 0); }
  // Bytes of a row's text; of views, none of one that is in its view.
  __device__ __forceinline__ uint32_t length(uint64_t row, bool views) const {
    const uint32_t n = has(row) ? address_length(values[row]) : 0;
    return views && n <= kInView ? 0 : n;
  }
};

} // namespace dfaparse

// Adds the bytes of all texts to *total. Any grid.
extern "C" __global__ void __launch_bounds__(256) dfa_addresses_total(const uint4* values, const uint32_t* valid, uint64_t rows, uint64_t views, uint64_t* total) {
  using namespace dfaparse;
  const Addresses all{values, valid, rows};
  uint32_t n = 0;
  for (uint64_t row = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; row < rows; row += (uint64_t)gridDim.x * blockDim.x) n += all.length(row, views != 0);
#pragma unroll
  for (uint32_t d = kWarp / 2; d != 0; d /= 2) n += shuffle_down(n, d);
  if (lane_id() == 0 && n != 0) atomicAdd(reinterpret_cast<unsigned long long*>(total), (unsigned long long)n);
}

// offsets: [rows+1] where texts begin in their tile; tiles: how many bytes those of each have. Any grid.
extern "C" __global__ void __launch_bounds__(256)
    dfa_addresses_offsets(uint32_t* offsets, uint32_t* tiles, const uint4* values, const uint32_t* valid, uint64_t rows, uint64_t views) {
  using namespace dfaparse;
  __shared__ uint32_t sums[kAddressThreads / kWarp];
  const Addresses all{values, valid, rows};
  for (uint64_t tile = blockIdx.x; tile * kAddressTile < rows; tile += gridDim.x) {
    const uint64_t first = tile * kAddressTile + threadIdx.x * kAddressRows;
    uint32_t n[kAddressRows], mine = 0, total;
#pragma unroll
    for (uint32_t k = 0; k < kAddressRows; k++) {
      n[k] = all.length(first + k, views != 0);
      mine += n[k];
    }
    uint32_t at = scan_block_exclusive<kAddressThreads>(mine, Sum(), sums, &total);
#pragma unroll
    for (uint32_t k = 0; k < kAddressRows; k++) {
      if (first + k < rows) offsets[first + k] = at;
      at += n[k];
    }
    if (threadIdx.x == 0) tiles[tile] = total;
    __syncthreads(); // sums are used again
  }
}

// tiles: [n+1] where the texts of each begin, and the last ones end. One block.
extern "C" __global__ void __launch_bounds__(256) dfa_addresses_scan(uint32_t* tiles, uint64_t n) {
  using namespace dfaparse;
  __shared__ uint32_t sums[kAddressThreads / kWarp];
  uint32_t before = 0; // of those of the rounds before
  for (uint64_t first = 0; first < n; first += kAddressThreads) {
    const uint64_t i = first + threadIdx.x;
    uint32_t total;
    const uint32_t at = before + scan_block_exclusive<kAddressThreads>(i < n ? tiles[i] : 0, Sum(), sums, &total);
    if (i < n) tiles[i] = at;
    before += total;
    __syncthreads(); // sums are used again
  }
  if (threadIdx.x == 0) tiles[n] = before;
}

// offsets: what dfa_addresses_offsets has made of them, and then where texts begin in bytes. views: nullptr, or one a row, into bytes.
// Any grid.
extern "C" __global__ void __launch_bounds__(256)
    dfa_addresses_texts(uint32_t* offsets, uint8_t* bytes, uint4* views, const uint32_t* tiles, const uint4* values, const uint32_t* valid, uint64_t rows) {
  using namespace dfaparse;
  const Addresses all{values, valid, rows};
  for (uint64_t row = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; row < rows; row += (uint64_t)gridDim.x * blockDim.x) {
    const uint32_t at = offsets[row] + tiles[row / kAddressTile];
    offsets[row] = at;
    if (row == rows - 1) offsets[rows] = tiles[row / kAddressTile + 1];
    uint4 view = make_uint4(0, 0, 0, 0);
    if (all.has(row)) {
      const uint4 ip = values[row];
      uint8_t* to = bytes + at;
      if (is_ipv4(ip)) {
        const ShortText x = ipv4_text(ip.w);
        view = view_of(x.n, uint32_t(x.low), uint32_t(x.low >> 32), uint32_t(x.high), kAddressBuffer, at);
        if (views == nullptr || x.n > kInView) {
#pragma unroll
          for (uint32_t i = 0; i < 15; i++) {
            if (i < x.n) to[i] = uint8_t((i < 8 ? x.low : x.high) >> 8 * (i & 7));
          }
        }
      } else {
        const uint32_t n = address_length(ip);
        const bool put = views == nullptr || n > kInView;
        uint32_t i = 0, words[3] = {0, 0, 0};
        write_ipv6(ip, [&](uint32_t symbol) {
          if (put) to[i] = uint8_t(symbol);
#pragma unroll
          for (uint32_t k = 0; k < 3; k++) {
            if (i / 4 == k) words[k] |= symbol << 8 * (i & 3);
          }
          i++;
        });
        view = view_of(n, words[0], words[1], words[2], kAddressBuffer, at);
      }
    }
    if (views != nullptr) views[row] = view;
  }
}
