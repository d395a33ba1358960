#include "fiber.h"

#include <cstdint>

#ifdef DFAPARSE_SANITIZE
#include <sanitizer/common_interface_defs.h>
#endif

namespace host {

namespace {
Fiber* left;    // by the switch that is going on
Fiber* entered; // by it
} // namespace

// arrive runs on the new stack, first thing.
void Fiber::arrive() {
#ifdef DFAPARSE_SANITIZE
  const void* bottom;
  size_t size;
  __sanitizer_finish_switch_fiber(fake_stack_, &bottom, &size);
  if (left->run_ == nullptr) { // a stack of the system's, that only the sanitizer knows
    left->bottom_ = bottom;
    left->size_ = size;
  }
#endif
}

void Fiber::enter() {
  Fiber* self = entered;
  self->arrive();
  self->run_();
  __builtin_trap();
}

#ifdef DFAPARSE_FIBER_UCONTEXT

void Fiber::start(void* bottom, size_t size, void (*run)()) {
  bottom_ = bottom;
  size_ = size;
  run_ = run;
  getcontext(&context_);
  context_.uc_stack.ss_sp = bottom;
  context_.uc_stack.ss_size = size;
  context_.uc_link = nullptr;
  makecontext(&context_, enter, 0);
}

#else

extern "C" void dfaparse_host_switch(void** save, void* load);

// Callee-saved registers of the System V ABI, in the frame that start makes.
asm(R"(
  .text
  .hidden dfaparse_host_switch
  .globl dfaparse_host_switch
  .type dfaparse_host_switch, @function
dfaparse_host_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
  .size dfaparse_host_switch, .-dfaparse_host_switch
)");

void Fiber::start(void* bottom, size_t size, void (*run)()) {
  bottom_ = bottom;
  size_ = size;
  run_ = run;
  // From high to low: padding, a return address of 0 that ends backtraces,
  // enter, six registers. A function begins with rsp 8 below a multiple of 16.
  auto top = (reinterpret_cast<uintptr_t>(bottom) + size) & ~uintptr_t{15};
  auto frame = reinterpret_cast<uintptr_t*>(top - 16);
  *frame-- = 0;
  *frame-- = 0;
  *frame = reinterpret_cast<uintptr_t>(&enter);
  for (int i = 0; i < 6; i++) *--frame = 0;
  stack_pointer_ = frame;
}

#endif

void Fiber::switch_to(Fiber& to) {
  left = this;
  entered = &to;
#ifdef DFAPARSE_SANITIZE
  __sanitizer_start_switch_fiber(&fake_stack_, to.bottom_, to.size_);
#endif
#ifdef DFAPARSE_FIBER_UCONTEXT
  swapcontext(&context_, &to.context_);
#else
  dfaparse_host_switch(&stack_pointer_, to.stack_pointer_);
#endif
  arrive();
}

} // namespace host
