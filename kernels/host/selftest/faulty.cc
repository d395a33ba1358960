// Faults that have to be noticed: faulty.cu. Each test ends the process with a
// report, or writes what it saw.
#include "driver.h"

namespace {

template <unsigned threads = 64> void one(const char* name, unsigned shared = 0, uint64_t value = 0) {
  Buffer<uint32_t> out(256);
  launch(name, {2}, {threads}, shared, out.address, value);
}

void race() {
  Buffer<uint32_t> out(256);
  launch("dfa_test_race", {1}, {256}, 0, out.address);
  unsigned seen = 0;
  for (uint32_t value : out.read()) seen += value != 0;
  printf("%u\n", seen);
}

void misaligned() {
  Buffer<uint32_t> in(4), out(4);
  launch("dfa_test_misaligned", {1}, {1}, 0, in.address, out.address);
}

void overflow() {
  Buffer<uint32_t> cell({5});
  launch("dfa_test_overflow", {1}, {1}, 0, cell.address);
}

void freed_early() {
  void* host;
  CUstream stream;
  Buffer<uint32_t> device(4);
  OK(cuStreamCreate(&stream, 1));
  OK(cuMemHostAlloc(&host, 16, 0));
  OK(cuMemcpyDtoHAsync_v2(host, device.address, 16, stream));
  OK(cuMemFreeHost(host));
}

} // namespace

const std::vector<Test> faulty_tests = {
    {"missed barrier", [] { one("dfa_test_missed_barrier"); }},
    {"missed shuffle", [] { one("dfa_test_missed_shuffle"); }},
    {"stranger", [] { one("dfa_test_stranger"); }},
    {"spin", [] { one<1>("dfa_test_spin", 0, 0); }},
    {"polite spin", [] { one("dfa_test_spin", 0, 1); }},
    {"race", race},
    {"trap", [] { one("dfa_test_trap"); }},
    {"beyond dynamic", [] { one("dfa_test_beyond_dynamic", 256, 64); }},
    {"beyond global", [] { one<1>("dfa_test_beyond_global", 0, 256); }},
    {"beyond fixed", [] { one<1>("dfa_test_beyond_fixed", 0, 8); }},
    {"misaligned", misaligned},
    {"overflow", overflow},
    {"freed early", freed_early},
};
