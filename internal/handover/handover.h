// The structures by which arrays in a device's memory go to other libraries, as their
// pages define them:
//   https://arrow.apache.org/docs/format/CDataInterface.html
//   https://arrow.apache.org/docs/format/CDeviceDataInterface.html
//   https://dmlc.github.io/dlpack/latest/c_api.html
// and how one of Go's is kept for as long as somebody has such a structure.
#pragma once

#include <stdint.h>

struct ArrowArray {
  int64_t length, null_count, offset, n_buffers, n_children;
  const void **buffers;
  struct ArrowArray **children;
  struct ArrowArray *dictionary;
  void (*release)(struct ArrowArray *);
  void *private_data;
};

enum { kArrowDeviceCUDA = 2 };

struct ArrowDeviceArray {
  struct ArrowArray array;
  int64_t device_id;
  int32_t device_type;
  void *sync_event;
  int64_t reserved[3];
};

enum { kDLCUDA = 2 };

typedef struct {
  int32_t device_type, device_id;
} DLDevice;

typedef struct {
  uint8_t code, bits;
  uint16_t lanes;
} DLDataType;

typedef struct {
  void *data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t *shape, *strides;
  uint64_t byte_offset;
} DLTensor;

typedef struct DLManagedTensor {
  DLTensor dl_tensor;
  void *manager_ctx;
  void (*deleter)(struct DLManagedTensor *);
} DLManagedTensor;

// dfaparse_fill_array makes an array with room for so many buffers and children, which
// are zero and to be filled in; 0: there was no memory. If n_sizes is not 0, one buffer more is last,
// in the host's memory, of the sizes of so many. Owner is let go of when it is
// released, and event, if it is not 0, is what *sync_event is to be: it is kept beside.
int dfaparse_fill_array(struct ArrowArray *out, int64_t length, int64_t null_count, int64_t n_buffers, int64_t n_sizes, int64_t n_children,
                        int dictionary, uintptr_t owner, uintptr_t event);
void dfaparse_set_buffer(struct ArrowArray *a, int64_t i, uint64_t address);
void dfaparse_set_size(struct ArrowArray *a, int64_t i, int64_t size);
void *dfaparse_event_of(struct ArrowArray *a);
void dfaparse_release_array(struct ArrowArray *a);

DLManagedTensor *dfaparse_make_tensor(uint64_t address, int32_t device, uint8_t code, uint8_t bits, int64_t n, uintptr_t owner);
void dfaparse_delete_tensor(DLManagedTensor *t);
