//go:build cuda

#include "handover.h"

#include <stdlib.h>
#include <string.h>

#include "_cgo_export.h"

// What an array keeps.
struct kept {
  uintptr_t owner;
  uintptr_t event; // a CUevent; sync_event points here
};

// A child that somebody has moved out of its array has no release any more; it is
// released by who has it.
static void release(struct ArrowArray *a) {
  for (int64_t i = 0; i < a->n_children; i++) {
    if (a->children[i] == NULL) continue;
    if (a->children[i]->release != NULL) a->children[i]->release(a->children[i]);
    free(a->children[i]);
  }
  if (a->dictionary != NULL) {
    if (a->dictionary->release != NULL) a->dictionary->release(a->dictionary);
    free(a->dictionary);
  }
  free(a->children);
  free((void *)a->buffers);
  struct kept *kept = a->private_data;
  uintptr_t owner = kept->owner;
  free(kept);
  a->release = NULL;
  if (owner != 0) dfaparseLetGo(owner);
}

int dfaparse_fill_array(struct ArrowArray *out, int64_t length, int64_t null_count, int64_t n_buffers, int64_t n_sizes, int64_t n_children,
                        int dictionary, uintptr_t owner, uintptr_t event) {
  memset(out, 0, sizeof *out);
  struct kept *kept = malloc(sizeof *kept);
  const void **buffers = calloc(n_buffers + 1 + n_sizes, sizeof *buffers); // sizes lie behind
  struct ArrowArray **children = calloc(n_children + 1, sizeof *children);
  struct ArrowArray *entries = dictionary ? calloc(1, sizeof *entries) : NULL;
  int enough = kept != NULL && buffers != NULL && children != NULL && (!dictionary || entries != NULL);
  for (int64_t i = 0; enough && i < n_children; i++) {
    children[i] = calloc(1, sizeof **children);
    enough = children[i] != NULL;
  }
  if (!enough) {
    for (int64_t i = 0; children != NULL && i < n_children; i++) free(children[i]);
    free(kept);
    free((void *)buffers);
    free(children);
    free(entries);
    return 0;
  }
  if (n_sizes > 0) {
    buffers[n_buffers] = buffers + n_buffers + 1;
    n_buffers++;
  }
  kept->owner = owner;
  kept->event = event;
  out->length = length;
  out->null_count = null_count;
  out->n_buffers = n_buffers;
  out->n_children = n_children;
  out->buffers = buffers;
  out->children = n_children > 0 ? children : NULL;
  if (n_children == 0) free(children);
  out->dictionary = entries;
  out->release = release;
  out->private_data = kept;
  return 1;
}

void dfaparse_set_buffer(struct ArrowArray *a, int64_t i, uint64_t address) { a->buffers[i] = (const void *)(uintptr_t)address; }

void dfaparse_set_size(struct ArrowArray *a, int64_t i, int64_t size) { ((int64_t *)a->buffers[a->n_buffers - 1])[i] = size; }

void *dfaparse_event_of(struct ArrowArray *a) { return &((struct kept *)a->private_data)->event; }

void dfaparse_release_array(struct ArrowArray *a) {
  if (a->release != NULL) a->release(a);
}

// A tensor of one dimension, and its shape.
struct tensor {
  DLManagedTensor tensor;
  int64_t shape;
  uintptr_t owner;
};

static void delete_tensor(DLManagedTensor *t) {
  uintptr_t owner = ((struct tensor *)t)->owner;
  free(t);
  dfaparseLetGo(owner);
}

DLManagedTensor *dfaparse_make_tensor(uint64_t address, int32_t device, uint8_t code, uint8_t bits, int64_t n, uintptr_t owner) {
  struct tensor *t = calloc(1, sizeof *t);
  if (t == NULL) return NULL;
  t->shape = n;
  t->owner = owner;
  t->tensor.dl_tensor.data = (void *)(uintptr_t)address;
  t->tensor.dl_tensor.device.device_type = kDLCUDA;
  t->tensor.dl_tensor.device.device_id = device;
  t->tensor.dl_tensor.ndim = 1;
  t->tensor.dl_tensor.dtype.code = code;
  t->tensor.dl_tensor.dtype.bits = bits;
  t->tensor.dl_tensor.dtype.lanes = 1;
  t->tensor.dl_tensor.shape = &t->shape;
  t->tensor.manager_ctx = t;
  t->tensor.deleter = delete_tensor;
  return &t->tensor;
}

void dfaparse_delete_tensor(DLManagedTensor *t) { t->deleter(t); }
