// Streams as queues. DFAPARSE_HOST_STREAMS says when what is asked of one is
// done: "eager", at the call, or "lazy", as late as the order of streams and
// events permits: when somebody waits for it, and nothing that he does not wait
// for. Who forgets to wait sees old bytes in one of the two, or has new ones
// sent in place of old.
#pragma once

#include <deque>
#include <functional>
#include <memory>

#include "state.h"

namespace host {

struct Queue;

// An event, when it was recorded.
struct Record {
  std::shared_ptr<Queue> queue;
  unsigned long long number; // of the operation
  bool done = false;
  double milliseconds = 0;
  unsigned queries = 0;
};

struct Operation {
  std::function<void()> run;
  std::shared_ptr<Record> after = {};  // what has to be done before; nullptr: nothing
  const void* memory = nullptr;        // of the host, which it reads or writes
  size_t nbytes = 0;
};

struct Queue {
  unsigned flags = 0;
  unsigned queries = 0;
  unsigned long long issued = 0, done = 0; // operations
  std::deque<Operation> waiting;
};

// What all of these do is done under one lock.

std::shared_ptr<Queue> make_queue(unsigned flags);

// queue_of gives the queue of a stream, the default one's for nullptr.
std::shared_ptr<Queue> queue_of(CUstream stream);

bool lazy();

// enqueue adds an operation, or runs it.
void enqueue(const std::shared_ptr<Queue>& queue, Operation operation);

// finish runs all that is in a queue, and finish_all in all of them; the last
// but those that do not wait for the default stream, if asked so.
void finish(const std::shared_ptr<Queue>& queue);
void finish_all(bool non_blocking);

// Events.
std::shared_ptr<Record> record(const std::shared_ptr<Queue>& queue);
void finish(const std::shared_ptr<Record>& record);

// query tells whether something is done, and does it, so that the next time it
// is: who asks more than once waits.
bool query(const std::shared_ptr<Queue>& queue);
bool query(const std::shared_ptr<Record>& record);

// in_use tells whether an operation that has not run reads or writes some
// memory of the host.
bool in_use(const void* memory, size_t nbytes);

} // namespace host
