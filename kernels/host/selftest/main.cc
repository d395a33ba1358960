// main NAME...: runs tests of the host build. Those of faulty_tests end the
// process, or say what they saw on standard output. --list names the others.
#include <cstring>

#include "driver.h"

namespace {
CUmodule module;
} // namespace

CUfunction find(const char* name) {
  CUfunction f;
  OK(cuModuleGetFunction(&f, module, name));
  return f;
}

int main(int argc, char** argv) {
  if (argc == 2 && strcmp(argv[1], "--list") == 0) {
    for (const auto* tests : {&block_tests, &thread_tests, &driver_tests}) {
      for (const Test& test : *tests) puts(test.name);
    }
    return 0;
  }
  CUcontext context;
  OK(cuInit(0));
  OK(cuDevicePrimaryCtxRetain(&context, 0));
  OK(cuCtxSetCurrent(context));
  OK(cuModuleLoadData(&module, ""));
  for (int i = 1; i < argc; i++) {
    bool found = false;
    for (const auto* tests : {&block_tests, &thread_tests, &driver_tests, &faulty_tests}) {
      for (const Test& test : *tests) {
        if (strcmp(test.name, argv[i]) != 0) continue;
        found = true;
        test.run();
      }
    }
    CHECK(found);
  }
  OK(cuModuleUnload(module));
  OK(cuDevicePrimaryCtxRelease_v2(0));
  return 0;
}
