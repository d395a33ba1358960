// Streams and events. What is asked of a stream is done at the call, so there
// is nothing to wait for; events take the time.
#include <ctime>

#include "state.h"

struct CUstream_st {
  unsigned flags;
};

struct CUevent_st {
  unsigned flags;
  bool recorded;
  double milliseconds;
};

using namespace host;

DFAPARSE_API CUresult cuStreamCreate(CUstream* stream, unsigned flags) {
  if (CUresult r = ready()) return r;
  *stream = new CUstream_st{flags};
  return CUDA_SUCCESS;
}

DFAPARSE_API CUresult cuStreamCreateWithPriority(CUstream* stream, unsigned flags, int) { return cuStreamCreate(stream, flags); }

DFAPARSE_API CUresult cuStreamDestroy_v2(CUstream stream) {
  if (stream == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  delete stream;
  return CUDA_SUCCESS;
}

DFAPARSE_API CUresult cuStreamSynchronize(CUstream) {
  if (CUresult r = ready()) return r;
  return inject(Call::kSync);
}

DFAPARSE_API CUresult cuStreamQuery(CUstream) { return ready(); }

DFAPARSE_API CUresult cuStreamWaitEvent(CUstream, CUevent event, unsigned) {
  return event == nullptr ? CUDA_ERROR_INVALID_HANDLE : ready();
}

DFAPARSE_API CUresult cuEventCreate(CUevent* event, unsigned flags) {
  if (CUresult r = ready()) return r;
  *event = new CUevent_st{flags, false, 0};
  return CUDA_SUCCESS;
}

DFAPARSE_API CUresult cuEventDestroy_v2(CUevent event) {
  if (event == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  delete event;
  return CUDA_SUCCESS;
}

DFAPARSE_API CUresult cuEventRecord(CUevent event, CUstream) {
  if (event == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  event->recorded = true;
  event->milliseconds = static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
  return ready();
}

DFAPARSE_API CUresult cuEventSynchronize(CUevent event) {
  if (event == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  return inject(Call::kSync);
}

DFAPARSE_API CUresult cuEventQuery(CUevent event) { return event == nullptr ? CUDA_ERROR_INVALID_HANDLE : CUDA_SUCCESS; }

DFAPARSE_API CUresult cuEventElapsedTime(float* milliseconds, CUevent from, CUevent to) {
  if (from == nullptr || to == nullptr || !from->recorded || !to->recorded) return CUDA_ERROR_INVALID_HANDLE;
  if (((from->flags | to->flags) & CU_EVENT_DISABLE_TIMING) != 0) return CUDA_ERROR_INVALID_HANDLE;
  *milliseconds = static_cast<float>(to->milliseconds - from->milliseconds);
  return CUDA_SUCCESS;
}
