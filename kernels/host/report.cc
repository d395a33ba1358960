#include "report.h"

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <string>
#include <unistd.h>
#include <vector>

#include "grid.h"

namespace host {

namespace {

std::atomic<unsigned long long> steps;

void print_position() {
  char where[256];
  describe_position(where, sizeof where);
  if (where[0] != 0) fprintf(stderr, "dfaparse: in %s\n", where);
}

// Each sanitizer is a library with an end of its own.
void tell_sanitizers() {
#ifdef DFAPARSE_SANITIZE
  std::vector<std::string> libraries;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* result) {
        if (strstr(info->dlpi_name, "san.so") != nullptr) static_cast<decltype(libraries)*>(result)->push_back(info->dlpi_name);
        return 0;
      },
      &libraries);
  for (const std::string& name : libraries) {
    void* library = dlopen(name.c_str(), RTLD_LAZY | RTLD_NOLOAD);
    if (library == nullptr) continue;
    auto set = reinterpret_cast<void (*)(void (*)())>(dlsym(library, "__sanitizer_set_death_callback"));
    if (set != nullptr) set(print_position);
  }
#endif
}

unsigned patience() {
  const char* seconds = getenv("DFAPARSE_HOST_PATIENCE");
  return seconds == nullptr ? 60 : static_cast<unsigned>(atoi(seconds));
}

void* watcher(void*) {
  unsigned limit = patience(), stuck = 0;
  unsigned long long before = 0;
  for (;;) {
    sleep(1);
    char where[256];
    describe_position(where, sizeof where);
    unsigned long long now = steps.load(std::memory_order_relaxed);
    stuck = where[0] != 0 && now == before ? stuck + 1 : 0;
    before = now;
    if (stuck > limit) fail("a thread spins: nobody else can run and write what it waits for");
  }
}

} // namespace

void fail(const char* what) {
  fprintf(stderr, "dfaparse: %s\n", what);
  print_position();
  fflush(stderr);
  abort();
}

void progress() { steps.store(steps.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed); }

void watch() {
  static const bool once = [] {
    tell_sanitizers();
    if (patience() == 0) return true;
    // Signals are for the program's own threads.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_t thread;
    if (pthread_create(&thread, nullptr, watcher, nullptr) == 0) pthread_detach(thread);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return true;
  }();
  (void)once;
}

} // namespace host
