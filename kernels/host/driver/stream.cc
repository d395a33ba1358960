// Streams and events, on the queues of queue.h.
#include "queue.h"

struct CUstream_st {
  std::shared_ptr<host::Queue> queue;
};

struct CUevent_st {
  unsigned flags;
  std::shared_ptr<host::Record> last; // nullptr: never recorded
};

namespace host {

std::shared_ptr<Queue> queue_of(CUstream stream) {
  static const std::shared_ptr<Queue> none = make_queue(0);
  if (stream == nullptr) finish_all(false);
  return stream == nullptr ? none : stream->queue;
}

namespace {

// The one lock of events: they are few.
std::mutex events;

std::shared_ptr<Record> last(CUevent event) {
  std::lock_guard<std::mutex> lock(events);
  return event->last;
}

} // namespace

} // namespace host

using namespace host;

DFAPARSE_API CUresult cuStreamCreate(CUstream* stream, unsigned flags) {
  if (CUresult r = ready()) return r;
  *stream = new CUstream_st{make_queue(flags)};
  return CUDA_SUCCESS;
}

DFAPARSE_API CUresult cuStreamCreateWithPriority(CUstream* stream, unsigned flags, int) { return cuStreamCreate(stream, flags); }

// What is in the queue stays there until somebody waits for all or for an event.
DFAPARSE_API CUresult cuStreamDestroy_v2(CUstream stream) {
  if (stream == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  delete stream;
  return CUDA_SUCCESS;
}

DFAPARSE_API CUresult cuStreamSynchronize(CUstream stream) {
  if (CUresult r = ready()) return r;
  finish(queue_of(stream));
  return inject(Call::kSync);
}

DFAPARSE_API CUresult cuStreamQuery(CUstream stream) {
  if (CUresult r = ready()) return r;
  return query(queue_of(stream)) ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

DFAPARSE_API CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned) {
  if (event == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (CUresult r = ready()) return r;
  if (auto record = last(event)) enqueue(queue_of(stream), {[] {}, record});
  return CUDA_SUCCESS;
}

DFAPARSE_API CUresult cuEventCreate(CUevent* event, unsigned flags) {
  if (CUresult r = ready()) return r;
  *event = new CUevent_st{flags, nullptr};
  return CUDA_SUCCESS;
}

DFAPARSE_API CUresult cuEventDestroy_v2(CUevent event) {
  if (event == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  delete event;
  return CUDA_SUCCESS;
}

DFAPARSE_API CUresult cuEventRecord(CUevent event, CUstream stream) {
  if (event == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (CUresult r = ready()) return r;
  auto made = record(queue_of(stream));
  std::lock_guard<std::mutex> lock(events);
  event->last = made;
  return CUDA_SUCCESS;
}

DFAPARSE_API CUresult cuEventSynchronize(CUevent event) {
  if (event == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (auto record = last(event)) finish(record);
  return inject(Call::kSync);
}

DFAPARSE_API CUresult cuEventQuery(CUevent event) {
  if (event == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  auto record = last(event);
  return record == nullptr || query(record) ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

DFAPARSE_API CUresult cuEventElapsedTime(float* milliseconds, CUevent from, CUevent to) {
  if (from == nullptr || to == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (((from->flags | to->flags) & CU_EVENT_DISABLE_TIMING) != 0) return CUDA_ERROR_INVALID_HANDLE;
  auto begin = last(from), end = last(to);
  if (begin == nullptr || end == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (!begin->done || !end->done) return CUDA_ERROR_NOT_READY;
  *milliseconds = static_cast<float>(end->milliseconds - begin->milliseconds);
  return CUDA_SUCCESS;
}
