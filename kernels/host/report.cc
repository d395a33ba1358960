#include "report.h"

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <pthread.h>
#include <unistd.h>

#include "grid.h"

extern "C" __attribute__((weak)) void __sanitizer_set_death_callback(void (*)());

namespace host {

namespace {

std::atomic<unsigned long long> steps;

void print_position() {
  char where[256];
  describe_position(where, sizeof where);
  if (where[0] != 0) fprintf(stderr, "dfaparse: in %s\n", where);
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
    if (__sanitizer_set_death_callback != nullptr) __sanitizer_set_death_callback(print_position);
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
