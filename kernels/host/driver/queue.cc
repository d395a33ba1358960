#include "queue.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <vector>

#include "../report.h"

namespace host {

namespace {

// Queues with operations outlive their streams.
struct Queues {
  std::recursive_mutex mutex;
  std::vector<std::shared_ptr<Queue>> all;
};

Queues& queues() {
  static Queues* one = new Queues;
  return *one;
}

using Lock = std::lock_guard<std::recursive_mutex>;

// run_through runs a queue until it has done n operations, and what those wait
// for. That was issued before they were, so there is no circle.
void run_through(const std::shared_ptr<Queue>& queue, unsigned long long n) {
  while (queue->done < n) {
    Operation operation = std::move(queue->waiting.front());
    queue->waiting.pop_front();
    if (operation.after != nullptr && !operation.after->done) run_through(operation.after->queue, operation.after->number);
    operation.run();
    queue->done++;
  }
}

double now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) * 1e-6;
}

} // namespace

bool lazy() {
  static const bool asked = [] {
    const char* streams = getenv("DFAPARSE_HOST_STREAMS");
    if (streams == nullptr || strcmp(streams, "eager") == 0) return false;
    if (strcmp(streams, "lazy") != 0) fail("DFAPARSE_HOST_STREAMS is eager or lazy");
    return true;
  }();
  return asked;
}

std::shared_ptr<Queue> make_queue(unsigned flags) {
  auto queue = std::make_shared<Queue>();
  queue->flags = flags;
  Lock lock(queues().mutex);
  auto& all = queues().all;
  // Those that only this list knows, and that have nothing to do, go.
  auto idle = [](const auto& q) { return q.use_count() == 1 && q->waiting.empty(); };
  all.erase(std::remove_if(all.begin(), all.end(), idle), all.end());
  all.push_back(queue);
  return queue;
}

void enqueue(const std::shared_ptr<Queue>& queue, Operation operation) {
  if (!lazy()) {
    operation.run();
    return;
  }
  Lock lock(queues().mutex);
  queue->issued++;
  queue->queries = 0;
  queue->waiting.push_back(std::move(operation));
}

void finish(const std::shared_ptr<Queue>& queue) {
  Lock lock(queues().mutex);
  run_through(queue, queue->issued);
}

void finish_all(bool non_blocking) {
  constexpr unsigned kNonBlocking = 1;
  Lock lock(queues().mutex);
  for (size_t i = 0; i < queues().all.size(); i++) {
    auto queue = queues().all[i];
    if (non_blocking || (queue->flags & kNonBlocking) == 0) finish(queue);
  }
}

std::shared_ptr<Record> record(const std::shared_ptr<Queue>& queue) {
  auto record = std::make_shared<Record>();
  Lock lock(queues().mutex);
  record->queue = queue;
  record->number = queue->issued + 1;
  enqueue(queue, {[record] {
                    record->milliseconds = now();
                    record->done = true;
                  }});
  return record;
}

void finish(const std::shared_ptr<Record>& record) {
  Lock lock(queues().mutex);
  if (!record->done) run_through(record->queue, record->number);
}

bool query(const std::shared_ptr<Queue>& queue) {
  Lock lock(queues().mutex);
  if (queue->waiting.empty()) return true;
  if (queue->queries++ != 0) finish(queue);
  return queue->waiting.empty();
}

bool query(const std::shared_ptr<Record>& record) {
  Lock lock(queues().mutex);
  if (!record->done && record->queries++ != 0) finish(record);
  return record->done;
}

bool in_use(const void* memory, size_t nbytes) {
  Lock lock(queues().mutex);
  auto from = static_cast<const char*>(memory);
  for (const auto& queue : queues().all) {
    for (const Operation& operation : queue->waiting) {
      auto p = static_cast<const char*>(operation.memory);
      if (p != nullptr && p < from + nbytes && from < p + operation.nbytes) return true;
    }
  }
  return false;
}

} // namespace host
