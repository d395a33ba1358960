/* Reads an input to the memory of a GPU and says what came:
 *
 *     device FORMAT OPTIONS
 *
 * For each batch it waits for its event, copies its columns to the host by the driver, and adds up
 * the first, of int64, and the lengths of the second, of texts. One child is moved out of its
 * batch and read after the stream and the batch have been released. */
#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dfaparse.h"

typedef int (*call)();
static call from_device, wait_for, retain, make_current, device_of;

static void must(int code, const char *what) {
  if (code == 0) return;
  fprintf(stderr, "%s: error %d\n", what, code);
  exit(1);
}

static void fetch(void *to, const void *address, size_t nbytes) { must(from_device(to, (uintptr_t)address, nbytes), "cuMemcpyDtoH"); }

static int64_t sum(const struct ArrowArray *a) {
  int64_t total = 0, *values = malloc(8 * a->length + 1);
  fetch(values, a->buffers[1], 8 * a->length);
  for (int64_t i = 0; i < a->length; i++) total += values[i];
  free(values);
  return total;
}

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  void *driver = dlopen("libcuda.so.1", RTLD_NOW);
  if (!driver) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  *(void **)&from_device = dlsym(driver, "cuMemcpyDtoH_v2");
  *(void **)&wait_for = dlsym(driver, "cuEventSynchronize");
  *(void **)&retain = dlsym(driver, "cuDevicePrimaryCtxRetain");
  *(void **)&make_current = dlsym(driver, "cuCtxSetCurrent");
  *(void **)&device_of = dlsym(driver, "cuDeviceGet");

  dfaparse_error err = {0};
  dfaparse_format format;
  struct ArrowDeviceArrayStream stream;
  if (dfaparse_format_new(argv[1], NULL, 0, &format, &err) || dfaparse_device_stream(format, argv[2], NULL, 0, &stream, &err)) {
    fprintf(stderr, "%s\n", err.message);
    return 1;
  }
  dfaparse_format_release(format);
  int device;
  void *context;
  must(device_of(&device, 0), "cuDeviceGet");
  must(retain(&context, device), "cuDevicePrimaryCtxRetain");
  must(make_current(context), "cuCtxSetCurrent");

  struct ArrowSchema schema;
  must(stream.get_schema(&stream, &schema), "get_schema");
  printf("%s", schema.format);
  for (int64_t i = 0; i < schema.n_children; i++) printf(" %s:%s", schema.children[i]->name, schema.children[i]->format);
  printf("\n");
  schema.release(&schema);

  int64_t rows = 0, total = 0, bytes = 0, last = 0;
  struct ArrowArray kept = {0};
  for (;;) {
    struct ArrowDeviceArray batch;
    int code = stream.get_next(&stream, &batch);
    if (code) {
      printf("error %s\n", stream.get_last_error(&stream));
      break;
    }
    if (!batch.array.release) break;
    if (batch.device_type != ARROW_DEVICE_CUDA || batch.device_type != stream.device_type || batch.device_id != 0 || !batch.sync_event) return 3;
    must(wait_for(*(void **)batch.sync_event), "cuEventSynchronize");
    struct ArrowArray *numbers = batch.array.children[0], *texts = batch.array.children[1];
    rows += batch.array.length;
    last = sum(numbers);
    total += last;
    int32_t end;
    fetch(&end, (const int32_t *)texts->buffers[1] + texts->length, sizeof end);
    bytes += end;
    if (kept.release) kept.release(&kept);
    kept = *numbers; /* moved */
    numbers->release = NULL;
    batch.array.release(&batch.array);
  }
  stream.release(&stream);
  printf("%" PRId64 " rows, sum %" PRId64 ", %" PRId64 " bytes of text\n", rows, total, bytes);
  if (kept.release) {
    if (sum(&kept) != last) return 4; /* it is still there */
    kept.release(&kept);
  }
  return 0;
}
