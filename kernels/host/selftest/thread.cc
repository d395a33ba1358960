// Atomics and intrinsics: thread.cu. Each is compared with a definition that
// is as plain as can be.
#include <cstring>

#include "driver.h"

namespace {

// What a cell holds and what each function gives, in the type of the cell.
template <class T> std::vector<uint64_t> expected(T cell, T value) {
  std::vector<uint64_t> out;
  auto step = [&](T next) {
    out.push_back(static_cast<uint64_t>(cell));
    cell = next;
    out.push_back(static_cast<uint64_t>(cell));
  };
  step(static_cast<T>(static_cast<uint64_t>(cell) + static_cast<uint64_t>(value)));
  step(value);
  step(static_cast<T>(value + 1));
  step(cell == value ? T{0} : cell);
  step(cell < 5 ? cell : T{5});
  step(cell > 9 ? cell : T{9});
  step(cell & T{0xc});
  step(cell | T{0x3});
  step(cell ^ T{0x5});
  return out;
}

void atomics() {
  for (uint64_t value : {uint64_t{1}, uint64_t{0x7ffffff0}, uint64_t{0xfffffff000000003}}) {
    Buffer<uint32_t> a({100});
    Buffer<uint64_t> b({0xffffffffffffff00}), out(60);
    Buffer<int> c({0x7fffffff});
    launch("dfa_test_atomic", {1}, {1}, 0, a.address, b.address, c.address, out.address, value);
    std::vector<uint64_t> got = out.read();
    auto same = [&](size_t at, const std::vector<uint64_t>& want) {
      return memcmp(&got[at], want.data(), want.size() * 8) == 0;
    };
    CHECK(same(0, expected<uint32_t>(100, static_cast<uint32_t>(value))));
    CHECK(same(20, expected<uint64_t>(0xffffffffffffff00, value)));
    CHECK(same(40, expected<int>(0x7fffffff, static_cast<int>(value))));
  }
}

void counts() {
  Buffer<uint32_t> a({0, 0, 1000, 3});
  Buffer<uint64_t> b(1);
  Buffer<float> c(1);
  Buffer<double> d(1);
  launch("dfa_test_count", {7}, {192}, 0, a.address, b.address, c.address, d.address);
  constexpr unsigned n = 7 * 192;
  CHECK(a.read() == std::vector<uint32_t>{n, 191, 0, (3 + n) % 10});
  CHECK(b.read()[0] == uint64_t{n} << 33 && c.read()[0] == n * 0.5f && d.read()[0] == n * 0.25);
}

unsigned byte(uint64_t x, unsigned i) { return static_cast<unsigned>(x >> 8 * i & 0xff); }
bool bit(uint64_t x, unsigned i) { return (x >> i & 1) != 0; }

void intrinsics() {
  constexpr unsigned n = 4096;
  std::vector<uint32_t> in;
  uint64_t random = 1;
  for (unsigned i = 0; i < 3 * n; i++) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    auto word = static_cast<uint32_t>(random >> 32);
    in.push_back(i < 24 ? (i % 2 == 0 ? 0xffffffffu : 0x80000000u) : i < 48 ? i % 3 : word);
  }
  Buffer<uint32_t> operands(in);
  Buffer<uint64_t> out(32 * n);
  launch("dfa_test_intrinsics", {n / 128}, {128}, 0, operands.address, out.address);
  std::vector<uint64_t> got = out.read();
  for (unsigned t = 0; t < n; t++) {
    const uint64_t* o = &got[32 * t];
    uint32_t x = in[3 * t], y = in[3 * t + 1], s = in[3 * t + 2];
    uint64_t wide = uint64_t{x} << 32 | y, other = uint64_t{s} << 32 | x, both = uint64_t{y} << 32 | x;

    uint32_t permuted = 0, dot = s, signed_dot = s, reversed = 0, equal = 0, greater = 0;
    unsigned ones = 0, many = 0;
    for (unsigned i = 0; i < 4; i++) {
      permuted |= byte(both, s >> 4 * i & 7) << 8 * i;
      dot += byte(x, i) * byte(y, i);
      signed_dot += static_cast<uint32_t>(static_cast<int8_t>(byte(x, i)) * static_cast<int8_t>(byte(y, i)));
      equal |= (byte(x, i) == byte((x & s) | (y & ~s), i) ? 0xffu : 0) << 8 * i;
      greater |= (byte(x, i) > byte(y, i) ? 0xffu : 0) << 8 * i;
    }
    uint64_t reversed_wide = 0;
    for (unsigned i = 0; i < 64; i++) {
      if (i < 32 && bit(x, i)) ones++, reversed |= 1u << (31 - i);
      if (bit(wide, i)) many++, reversed_wide |= uint64_t{1} << (63 - i);
    }
    CHECK(o[0] == permuted && o[5] == dot && o[6] == signed_dot && o[19] == equal && o[20] == greater);
    CHECK(o[11] == ones && o[12] == many && o[17] == reversed && o[18] == reversed_wide);

    unsigned k = s % 32, kc = s % 40;
    CHECK(o[1] == (k == 0 ? y : (y << k | x >> (32 - k))) && o[2] == (k == 0 ? x : (x >> k | y << (32 - k))));
    CHECK(o[3] == (kc >= 32 ? x : kc == 0 ? y : (y << kc | x >> (32 - kc))));
    CHECK(o[4] == (kc >= 32 ? y : kc == 0 ? x : (x >> kc | y << (32 - kc))));

    CHECK(o[7] == uint64_t{x} * y >> 32);
    auto sx = static_cast<int32_t>(x), sy = static_cast<int32_t>(y);
    CHECK(o[8] == static_cast<uint32_t>(static_cast<uint64_t>(static_cast<int64_t>(sx) * sy) >> 32));
    // By halves: hi*hi, and the carries of the cross products.
    uint64_t low = uint64_t{y} * x, cross1 = uint64_t{x} * x, cross2 = uint64_t{y} * s;
    uint64_t middle = (low >> 32) + (cross1 & 0xffffffff) + (cross2 & 0xffffffff);
    uint64_t high = uint64_t{x} * s + (cross1 >> 32) + (cross2 >> 32) + (middle >> 32);
    CHECK(o[9] == high);
    CHECK(o[10] == high - (bit(wide, 63) ? other : 0) - (bit(other, 63) ? wide : 0));

    auto first = [](uint64_t v) { // from 1; 0: none
      unsigned i = 0;
      while (i < 64 && !bit(v, i)) i++;
      return i == 64 ? 0 : i + 1;
    };
    auto leading = [](uint64_t v, unsigned width) {
      unsigned i = 0;
      while (i < width && !bit(v, width - 1 - i)) i++;
      return i;
    };
    CHECK(o[13] == first(x & s) && o[14] == first(wide & ~uint64_t{y}));
    CHECK(o[15] == leading(x >> s % 32, 32) && o[16] == leading(wide >> s % 64, 64));
    CHECK(o[21] == static_cast<uint32_t>(sx < sy ? sx : sy) && o[22] == (x > y ? x : y));
    double quotient = static_cast<double>(x) / static_cast<double>(y | 1);
    CHECK(memcmp(&o[23], &quotient, 8) == 0);
    CHECK(o[24] == x && o[25] == x && o[26] == wide && o[30] == wide && o[31] == wide);
    CHECK(o[27] == (uint64_t{32} << 32 | 64) && o[28] == 0);
    CHECK(static_cast<uint32_t>(o[29]) == (sx < 0 ? 0u - x : x));
  }
}

} // namespace

const std::vector<Test> thread_tests = {{"atomics", atomics}, {"counts", counts}, {"intrinsics", intrinsics}};
