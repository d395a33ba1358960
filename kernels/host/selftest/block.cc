// Blocks, warps and shared memory: block.cu.
#include <algorithm>
#include <string>

#include "driver.h"

namespace {

std::string order() {
  const char* asked = getenv("DFAPARSE_HOST_ORDER");
  return asked == nullptr ? "forward" : asked;
}

void barriers() {
  for (unsigned n : {1, 31, 32, 33, 96, 255, 1024}) {
    for (unsigned live : {n, n / 2 + 1, 1u}) {
      const unsigned rounds = 5;
      Buffer<uint32_t> out(n);
      launch("dfa_test_barrier", {3}, {n}, 0, out.address, live, rounds);
      std::vector<uint32_t> got = out.read();
      for (unsigned t = 0; t < live; t++) {
        uint32_t want = (live - 1 - t) * (rounds * (rounds + 1) / 2) + (live + 2) / 3 * 1000000;
        want += live > 5 ? 1u << 29 : 1u << 30;
        CHECK(got[t] == want);
      }
      for (unsigned t = live; t < n; t++) CHECK(got[t] == 0);
    }
  }
}

// Blocks in order of blockIdx, x first; threads in the order asked for.
void orders() {
  Buffer<uint32_t> out(3 * 2 * 2 * 60), count(1);
  launch("dfa_test_order", {3, 2, 2}, {5, 4, 3}, 0, out.address, count.address);
  std::vector<uint32_t> got = out.read();
  bool all_forward = true;
  for (unsigned b = 0; b < 12; b++) {
    std::vector<uint32_t> threads;
    for (unsigned i = 0; i < 60; i++) {
      CHECK(got[b * 60 + i] / 1000 == b);
      threads.push_back(got[b * 60 + i] % 1000);
      if (order() == "forward") CHECK(threads[i] == i);
      if (order() == "reverse") CHECK(threads[i] == 59 - i);
      all_forward = all_forward && threads[i] == i;
    }
    std::sort(threads.begin(), threads.end());
    for (unsigned i = 0; i < 60; i++) CHECK(threads[i] == i);
  }
  CHECK(all_forward == (order() == "forward"));
}

void shared() {
  for (unsigned nwords : {0, 4, 1000, 12288}) {
    Buffer<uint32_t> out(5);
    launch("dfa_test_shared", {5}, {128}, nwords * 4, out.address, nwords);
    for (uint32_t wrong : out.read()) CHECK(wrong == 0);
  }
}

void shuffles() {
  for (unsigned width : {32, 16, 4, 1}) {
    for (unsigned by : {0, 1, 3, 5, 17, 31, 33}) {
      constexpr unsigned n = 64;
      Buffer<uint64_t> out(16 * n);
      launch("dfa_test_shuffle", {1}, {n}, 0, out.address, width, by);
      std::vector<uint64_t> got = out.read();
      for (unsigned t = 0; t < n; t++) {
        const uint64_t* o = &got[16 * t];
        unsigned warp = t - t % 32, lane = t % 32, segment = lane / width * width, delta = by % 32;
        unsigned from = warp + segment + by % width;
        unsigned up = lane >= segment + delta ? t - delta : t;
        unsigned down = lane + delta < segment + width ? t + delta : t;
        unsigned across = (lane ^ delta) < segment + width ? warp + (lane ^ delta) : t;
        CHECK(o[0] == from && o[1] == up && o[2] == down && o[3] == across);
        CHECK(o[4] == (static_cast<uint64_t>(up) << 40 | up));
        CHECK(static_cast<int64_t>(o[5]) == -static_cast<int64_t>(down) - 1);
        double d = across + 0.5;
        float f = static_cast<float>(from) + 0.25f;
        CHECK(__builtin_memcmp(&o[6], &d, 8) == 0 && __builtin_memcmp(&o[7], &f, 4) == 0);
        CHECK(static_cast<int64_t>(o[8]) == -static_cast<int64_t>(warp + segment + (lane + 1) % width));
        uint32_t ballot = 0, match = 0;
        for (unsigned l = 0; l < 32; l++) {
          if ((warp + l) % 3 == by % 3) ballot |= 1u << l;
          if ((warp + l) % 5 == t % 5) match |= 1u << l;
        }
        CHECK(o[9] == ballot && o[10] == 1 + 4 && o[11] == match);
        CHECK(o[12] == 0xffffffffu && o[13] == 1 && o[14] == 0 && o[15] == 0);
      }
    }
  }
}

void parts() {
  Buffer<uint32_t> out(96);
  launch("dfa_test_parts", {1}, {96}, 0, out.address);
  std::vector<uint32_t> got = out.read();
  for (unsigned t = 0; t < 96; t++) {
    unsigned lane = t % 32;
    uint32_t want = 0x3ff00000u;
    if (lane < 10) want = (lane < 8 ? lane ^ 1 : lane) * 7 + 21;
    if (lane >= 10 && lane < 20) want = 15;
    CHECK(got[t] == (lane < 30 ? want + 30 : 0));
  }
}

void lookback() {
  for (size_t n : {1, 255, 256, 257, 100000}) {
    std::vector<uint32_t> in(n);
    for (size_t i = 0; i < n; i++) in[i] = static_cast<uint32_t>(i * 2654435761u >> 20);
    unsigned ntiles = static_cast<unsigned>((n + 255) / 256);
    Buffer<uint32_t> data(in), out(n), ticket(1);
    Buffer<uint64_t> tiles(ntiles);
    launch("dfa_test_lookback", {ntiles}, {256}, 0, data.address, out.address, n, ticket.address, tiles.address);
    std::vector<uint32_t> got = out.read();
    uint32_t sum = 0;
    for (size_t i = 0; i < n; sum += in[i++]) CHECK(got[i] == sum);
  }
}

void handover() {
  Buffer<uint32_t> flag(1), out(1);
  launch("dfa_test_handover", {1}, {64}, 0, flag.address, out.address);
  CHECK(out.read()[0] == 7);
}

} // namespace

const std::vector<Test> block_tests = {
    {"barriers", barriers}, {"orders", orders},     {"shared", shared},     {"shuffles", shuffles},
    {"parts", parts},       {"lookback", lookback}, {"handover", handover},
};
