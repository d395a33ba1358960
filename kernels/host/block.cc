// The threads of a block, as fibers. One runs at a time, until it waits or
// ends; which one is next is a matter of order (DFAPARSE_HOST_ORDER).
#include "block.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <sys/mman.h>

#include "fiber.h"
#include "grid.h"
#include "report.h"
#include "shared.h"

extern "C" {
uint3 threadIdx, blockIdx;
dim3 blockDim, gridDim;
}

namespace host {

namespace {

constexpr unsigned kWarp = 32;

#ifdef DFAPARSE_SANITIZE
constexpr size_t kStack = 256 << 10;
#else
constexpr size_t kStack = 64 << 10;
#endif

enum class Wait : unsigned char { kNone, kWarp, kBarrier, kExited };

struct Thread {
  Fiber fiber;
  uint3 index;
  Wait wait;
  Vote vote;
  Reduce reduce;
  unsigned mask, source;
  unsigned long long value, result;
};

enum class Order { kForward, kReverse, kShuffled };

// The block that runs.
struct Block {
  const Entry* entry = nullptr;
  void** parameters = nullptr;
  Fiber launcher;
  unsigned nthreads = 0, nlive = 0;
  unsigned current = 0;            // thread
  unsigned at_barrier = 0;         // threads that wait there
  unsigned barrier_sum = 0;        // how many of them came with true
  unsigned runnable[kWarp] = {};   // bit l of word w: thread 32w+l can run
  unsigned live[kWarp] = {};       // likewise: it has not ended
  unsigned waiting[kWarp] = {};    // likewise: it waits for its warp
  unsigned ticks = 0; // of the current thread, since it was entered
  unsigned idle = 0;  // how often threads have yielded since one came to what others wait for
  Order order = Order::kForward;
  unsigned long long random = 0;
};

Thread threads[kMaxThreads];
unsigned nstacks;
Block block;
std::mutex launching;

void run_thread();

void set_runnable(unsigned thread) { block.runnable[thread / kWarp] |= 1u << thread % kWarp; }

// Stacks lie side by side, with a page between that nobody may touch.
void make_stacks(unsigned count) {
  constexpr size_t kGuard = 4096;
  for (; nstacks < count; nstacks++) {
    void* place = mmap(nullptr, kStack + kGuard, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (place == MAP_FAILED) fail("no memory for the stack of a thread");
    mprotect(place, kGuard, PROT_NONE);
    threads[nstacks].fiber.start(static_cast<char*>(place) + kGuard, kStack, run_thread);
  }
}

// next gives a thread that can run, nthreads if none can: the first one after
// the current one, around, in the order asked for.
unsigned next() {
  unsigned nwarps = (block.nthreads + kWarp - 1) / kWarp;
  unsigned from = block.current;
  if (block.order == Order::kShuffled) {
    block.random = block.random * 6364136223846793005u + 1442695040888963407u;
    from = static_cast<unsigned>(block.random >> 33) % block.nthreads;
  }
  unsigned warp = from / kWarp, lane = from % kWarp;
  if (block.order == Order::kReverse) {
    unsigned bits = block.runnable[warp] & ((1u << lane) - 1);
    for (unsigned i = 0; i <= nwarps; i++) {
      if (bits != 0) return warp * kWarp + 31 - __builtin_clz(bits);
      warp = warp == 0 ? nwarps - 1 : warp - 1;
      bits = block.runnable[warp];
    }
    return block.nthreads;
  }
  unsigned bits = block.runnable[warp] & ~((2u << lane) - 1);
  for (unsigned i = 0; i <= nwarps; i++) {
    if (bits != 0) return warp * kWarp + __builtin_ctz(bits);
    warp = warp + 1 == nwarps ? 0 : warp + 1;
    bits = block.runnable[warp];
  }
  return block.nthreads;
}

const char* name_of(const Thread& thread) {
  if (thread.wait == Wait::kBarrier) {
    static const char* const names[] = {"__syncthreads", "__syncthreads_or", "__syncthreads_and", "__syncthreads_count"};
    return names[static_cast<unsigned>(thread.reduce)];
  }
  static const char* const names[] = {"__syncwarp", "__shfl_sync", "a vote", "__match_sync"};
  return names[static_cast<unsigned>(thread.vote)];
}

// Nobody can run, and not all have ended.
[[noreturn]] void hang() {
  std::string text = "threads wait for one another for ever:";
  unsigned nlines = 0;
  auto same = [](const Thread& a, const Thread& b) {
    return a.wait == b.wait &&
           (a.wait == Wait::kExited || (a.wait == Wait::kBarrier && a.reduce == b.reduce) ||
            (a.wait == Wait::kWarp && a.vote == b.vote && a.mask == b.mask));
  };
  for (unsigned i = 0, end; i < block.nthreads; i = end) {
    for (end = i + 1; end < block.nthreads && same(threads[i], threads[end]); end++) {
    }
    if (++nlines > 40) continue;
    char line[160];
    int n = snprintf(line, sizeof line, "\n  threads %u to %u ", i, end - 1);
    const Thread& t = threads[i];
    if (t.wait == Wait::kExited) {
      snprintf(line + n, sizeof line - n, "have ended");
    } else if (t.wait == Wait::kBarrier) {
      snprintf(line + n, sizeof line - n, "are at %s", name_of(t));
    } else {
      snprintf(line + n, sizeof line - n, "are at %s of mask %#010x", name_of(t), t.mask);
    }
    text += line;
  }
  if (nlines > 40) text += "\n  ...";
  fail(text.c_str());
}

void enter(unsigned thread) {
  block.current = thread;
  block.ticks = 0;
  progress();
  threadIdx = threads[thread].index;
}

// leave runs something else: until the current thread can run again, or for
// ever if it has ended.
void leave() {
  unsigned from = block.current, to = next();
  if (to == block.nthreads) {
    if (block.nlive != 0) hang();
    threads[from].fiber.switch_to(block.launcher);
    return; // as a thread of another block
  }
  if (to == from) return;
  enter(to);
  threads[from].fiber.switch_to(threads[to].fiber);
}

// complete finishes the operation of a warp that a lane of it waits for, if all
// have come, and gives whether it did.
bool complete(unsigned warp, unsigned mask, Vote vote) {
  Thread* lanes = threads + warp * kWarp;
  unsigned here = mask & block.live[warp];
  if ((here & ~block.waiting[warp]) != 0) return false;
  for (unsigned rest = here; rest != 0; rest &= rest - 1) {
    const Thread& t = lanes[__builtin_ctz(rest)];
    if (t.mask != mask || t.vote != vote) return false;
  }
  unsigned long long ballot = 0;
  if (vote == Vote::kBallot) {
    for (unsigned rest = here; rest != 0; rest &= rest - 1) {
      unsigned lane = __builtin_ctz(rest);
      if (lanes[lane].value != 0) ballot |= 1u << lane;
    }
  }
  for (unsigned rest = here; rest != 0; rest &= rest - 1) {
    Thread& t = lanes[__builtin_ctz(rest)];
    switch (vote) {
    case Vote::kSync:
      break;
    case Vote::kBallot:
      t.result = ballot;
      break;
    case Vote::kShuffle:
      t.result = here >> t.source & 1 ? lanes[t.source].value : 0xb7b7b7b7b7b7b7b7u;
      break;
    case Vote::kMatchAny:
      t.result = 0;
      for (unsigned others = here; others != 0; others &= others - 1) {
        unsigned other = __builtin_ctz(others);
        if (lanes[other].value == t.value) t.result |= 1u << other;
      }
      break;
    }
    t.wait = Wait::kNone;
  }
  block.runnable[warp] |= here;
  block.waiting[warp] &= ~here;
  return true;
}

bool complete_barrier() {
  if (block.at_barrier < block.nlive || block.nlive == 0) return false;
  const Thread* one = nullptr;
  for (unsigned i = 0; i < block.nthreads; i++) {
    const Thread& t = threads[i];
    if (t.wait != Wait::kBarrier) continue;
    if (one == nullptr) one = &t;
    if (t.reduce != one->reduce) hang();
  }
  for (unsigned i = 0; i < block.nthreads; i++) {
    Thread& t = threads[i];
    if (t.wait != Wait::kBarrier) continue;
    t.wait = Wait::kNone;
    set_runnable(i);
    switch (t.reduce) {
    case Reduce::kNone: break;
    case Reduce::kOr: t.result = block.barrier_sum != 0; break;
    case Reduce::kAnd: t.result = block.barrier_sum == block.at_barrier; break;
    case Reduce::kCount: t.result = block.barrier_sum; break;
    }
  }
  block.at_barrier = block.barrier_sum = 0;
  return true;
}

// The body of a fiber: a thread of each block in turn.
void run_thread() {
  for (;;) {
    block.entry->call(block.entry->function, block.parameters);
    unsigned self = block.current, warp = self / kWarp;
    threads[self].wait = Wait::kExited;
    block.nlive--;
    block.idle = 0;
    block.live[warp] &= ~(1u << self % kWarp);
    block.runnable[warp] &= ~(1u << self % kWarp);
    // Who waited for this one alone need not any more.
    complete_barrier();
    for (unsigned rest = block.live[warp]; rest != 0; rest &= rest - 1) {
      const Thread& t = threads[warp * kWarp + __builtin_ctz(rest)];
      if (t.wait == Wait::kWarp) complete(warp, t.mask, t.vote);
    }
    leave();
  }
}

void run_block() {
  unsigned nwarps = (block.nthreads + kWarp - 1) / kWarp;
  for (unsigned w = 0; w < nwarps; w++) {
    unsigned lanes = block.nthreads - w * kWarp;
    block.live[w] = block.runnable[w] = lanes >= kWarp ? 0xffffffffu : (1u << lanes) - 1;
    block.waiting[w] = 0;
  }
  for (unsigned i = 0; i < block.nthreads; i++) threads[i].wait = Wait::kNone;
  block.nlive = block.nthreads;
  block.at_barrier = block.barrier_sum = block.idle = 0;
  block.current = block.order == Order::kReverse ? 0 : block.nthreads - 1; // whose next is the first
  unsigned first = next();
  enter(first);
  block.launcher.switch_to(threads[first].fiber);
}

Order order_asked() {
  const char* order = getenv("DFAPARSE_HOST_ORDER");
  if (order == nullptr || strcmp(order, "forward") == 0) return Order::kForward;
  if (strcmp(order, "reverse") == 0) return Order::kReverse;
  if (strncmp(order, "shuffled", 8) == 0) {
    block.random = order[8] == ':' ? strtoull(order + 9, nullptr, 10) : 1;
    return Order::kShuffled;
  }
  fail("DFAPARSE_HOST_ORDER is forward, reverse or shuffled[:SEED]");
}

} // namespace

unsigned lane() { return block.current % kWarp; }

unsigned long long warp(Vote op, unsigned mask, unsigned long long value, unsigned source) {
  unsigned self = block.current, warp = self / kWarp;
  Thread& t = threads[self];
  block.idle = 0;
  t.wait = Wait::kWarp;
  t.vote = op;
  t.mask = mask;
  t.value = value;
  t.source = source;
  block.waiting[warp] |= 1u << self % kWarp;
  if ((mask >> self % kWarp & 1) == 0) {
    char text[120];
    snprintf(text, sizeof text, "a lane calls %s with mask %#010x, which it is not in", name_of(t), mask);
    fail(text);
  }
  if (!complete(warp, mask, op)) {
    block.runnable[warp] &= ~(1u << self % kWarp);
    leave();
  }
  return t.result;
}

unsigned barrier(Reduce op, bool value) {
  unsigned self = block.current;
  Thread& t = threads[self];
  block.idle = 0;
  t.wait = Wait::kBarrier;
  t.reduce = op;
  block.at_barrier++;
  block.barrier_sum += value;
  block.runnable[self / kWarp] &= ~(1u << self % kWarp);
  // Nobody goes on before it is his turn, so that an order holds across
  // barriers.
  complete_barrier();
  leave();
  return static_cast<unsigned>(t.result);
}

void yield() {
  // Whoever has something to do does it when it is his turn.
  constexpr unsigned kTurns = 1000000;
  if (++block.idle > kTurns) fail("threads spin: nobody writes what they wait for");
  leave();
}

void tick() {
  constexpr unsigned kPatience = 10000;
  if (++block.ticks >= kPatience) {
    block.ticks = 0;
    yield();
  }
}

void trap(const char* what) { fail(what); }

void describe_position(char* text, size_t size) {
  if (block.entry == nullptr) {
    if (size > 0) text[0] = 0;
    return;
  }
  snprintf(text, size, "kernel %s, block (%u,%u,%u) of (%u,%u,%u), thread (%u,%u,%u) of (%u,%u,%u)", block.entry->name,
           blockIdx.x, blockIdx.y, blockIdx.z, gridDim.x, gridDim.y, gridDim.z, threadIdx.x, threadIdx.y, threadIdx.z,
           blockDim.x, blockDim.y, blockDim.z);
}

void run_grid(const Entry& entry, dim3 grid, dim3 size, size_t shared_size, void** parameters) {
  std::lock_guard<std::mutex> lock(launching);
  watch();
  unsigned nthreads = size.x * size.y * size.z;
  make_stacks(nthreads);
  block.order = order_asked();
  block.nthreads = nthreads;
  block.entry = &entry;
  block.parameters = parameters;
  gridDim = grid;
  blockDim = size;
  for (unsigned i = 0; i < nthreads; i++) threads[i].index = {i % size.x, i / size.x % size.y, i / size.x / size.y};
  for (unsigned z = 0; z < grid.z; z++) {
    for (unsigned y = 0; y < grid.y; y++) {
      for (unsigned x = 0; x < grid.x; x++) {
        blockIdx = {x, y, z};
        poison_shared(shared_size);
        run_block();
      }
    }
  }
  block.entry = nullptr;
}

} // namespace host
