// A fiber: a stack of its own, run by whoever switches to it.
#pragma once

#include <cstddef>

#if !defined(__x86_64__) || defined(DFAPARSE_UCONTEXT)
#define DFAPARSE_FIBER_UCONTEXT
#include <ucontext.h>
#endif

namespace host {

class Fiber {
public:
  // The stack that calls: it can be switched away from and back to.
  Fiber() = default;
  Fiber(const Fiber&) = delete;

  // start gives the fiber a stack, [bottom, bottom+size), on which run will be
  // called at the first switch to it. run never returns.
  void start(void* bottom, size_t size, void (*run)());

  // switch_to leaves this fiber, which must be the one that runs, for another.
  // It returns when something switches back.
  void switch_to(Fiber& to);

private:
  static void enter();
  void arrive();

  const void* bottom_ = nullptr; // of the stack; of the calling one, known once left
  size_t size_ = 0;
  void* fake_stack_ = nullptr;   // of the address sanitizer
  void (*run_)() = nullptr;
#ifdef DFAPARSE_FIBER_UCONTEXT
  ucontext_t context_;
#else
  void* stack_pointer_ = nullptr;
#endif
};

} // namespace host
