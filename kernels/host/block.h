// What a thread of a kernel asks of the block that it runs in. Both sides
// include it: kernels through cuda.h, and block.cc.
#pragma once

#include "vector.h"

// The thread that runs now. Written at each switch, so never const: a compiler
// must read them again after every call.
extern "C" {
extern uint3 threadIdx, blockIdx;
extern dim3 blockDim, gridDim;
}

namespace host {

// Lane of the thread that runs now.
unsigned lane();

enum class Vote : unsigned { kSync, kShuffle, kBallot, kMatchAny };

// warp waits until every live lane of mask has come with the same operation
// and mask, and gives what the operation makes of their values: of kShuffle
// the value of lane source, of kBallot the lanes whose value is not 0, of
// kMatchAny the lanes with the same value.
unsigned long long warp(Vote op, unsigned mask, unsigned long long value, unsigned source);

enum class Reduce : unsigned { kNone, kOr, kAnd, kCount };

// barrier waits until every live thread of the block has come, and gives the
// reduction of their values.
unsigned barrier(Reduce op, bool value);

// yield lets the other threads of the block run.
void yield();

// tick is called by operations that loops are known to spin on; it yields now
// and then.
void tick();

[[noreturn]] void trap(const char* what);

} // namespace host
