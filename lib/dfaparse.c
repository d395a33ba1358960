// The functions of dfaparse.h. They look whether the process has forked, and only then
// enter Go, which has none of its threads in the child and would wait forever.
#include "block.h"
#include "_cgo_export.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/syscall.h>
#endif

static volatile sig_atomic_t forked;

static void in_child(void) { forked = 1; }

__attribute__((constructor)) static void loaded(void) { pthread_atfork(NULL, NULL, in_child); }

static const char forked_message[] =
    "the process was forked after libdfaparse had been loaded: load it after the fork, or start processes with spawn";

static int fail(dfaparse_error *err, int kind, const char *message) {
  if (err) {
    memset(err, 0, sizeof *err);
    err->kind = kind;
    err->message = strdup(message);
  }
  return kind;
}

static int fail_forked(dfaparse_error *err) { return fail(err, DFAPARSE_FORKED, forked_message); }

// unable says why nothing can be given: there are no threads, or no place for it.
static int unable(const void *out, dfaparse_error *err) {
  if (forked) return fail_forked(err);
  return out ? DFAPARSE_OK : fail(err, DFAPARSE_OPTION, "there is no place for what the function gives: the pointer to it is NULL");
}

void dfaparse_error_clear(dfaparse_error *err) {
  if (!err) return;
  free(err->message);
  free(err->file);
  free(err->field);
  free(err->detail);
  free(err->expected);
  memset(err, 0, sizeof *err);
}

void dfaparse_free(void *text) { free(text); }

char *dfaparse_formats(void) { return forked ? NULL : goFormats(); }

const char *dfaparse_version(void) {
  static char *version;
  if (!version && !forked) version = goVersion();
  return version;
}

int dfaparse_inputs(const char *names, char **out, dfaparse_error *err) {
  int code = unable(out, err);
  return code ? code : goInputs((char *)names, out, err);
}

int dfaparse_format_new(const char *options, const void *data, size_t nbytes, dfaparse_format *out, dfaparse_error *err) {
  int code = unable(out, err);
  return code ? code : goFormatNew((char *)options, (void *)data, nbytes, out, err);
}

void dfaparse_format_release(dfaparse_format f) {
  if (!forked) goFormatRelease(f);
}

char *dfaparse_format_spec(dfaparse_format f) { return forked ? NULL : goFormatSpec(f); }

char *dfaparse_format_said(dfaparse_format f) { return forked ? NULL : goFormatSaid(f); }

char *dfaparse_format_options(dfaparse_format f) { return forked ? NULL : goFormatOptions(f); }

int dfaparse_ready(uint64_t number, int64_t milliseconds, dfaparse_error *err) {
  return forked ? fail_forked(err) : goReady(number, milliseconds, err);
}

int dfaparse_split_new(dfaparse_format f, const char *options, dfaparse_splits *out, dfaparse_error *err) {
  int code = unable(out, err);
  return code ? code : goSplitNew(f, (char *)options, out, err);
}

char *dfaparse_splits_text(dfaparse_splits s) { return forked ? NULL : goSplits(s); }

void dfaparse_splits_release(dfaparse_splits s) {
  if (!forked) goSplitsRelease(s);
}

int dfaparse_open(dfaparse_format f, const char *options, const void *data, size_t nbytes, dfaparse_reader *out, dfaparse_error *err) {
  int code = unable(out, err);
  return code ? code : goOpen(f, (char *)options, (void *)data, nbytes, out, err);
}

int dfaparse_schema(dfaparse_reader r, struct ArrowSchema *out, dfaparse_error *err) {
  int code = unable(out, err);
  return code ? code : goSchema(r, out, err);
}

int dfaparse_next(dfaparse_reader r, struct ArrowArray *out, int64_t milliseconds, dfaparse_error *err) {
  int code = unable(out, err);
  return code ? code : goNext(r, out, milliseconds, err);
}

char *dfaparse_stats(dfaparse_reader r) { return forked ? NULL : goStats(r); }

int dfaparse_rejects(dfaparse_reader r, struct ArrowSchema *schema, struct ArrowArray *out, dfaparse_error *err) {
  int code = unable(schema ? out : NULL, err);
  return code ? code : goRejects(r, schema, out, err);
}

void dfaparse_cancel(dfaparse_reader r) {
  if (!forked) goCancel(r);
}

void dfaparse_release(dfaparse_reader r) {
  if (!forked) goRelease(r);
}

// Python, if the process is one. Its functions are found when they are needed.
static struct {
  int (*is_initialized)(void);
  int (*ensure)(void);
  void (*release)(int);
  int (*interrupted)(void);
  void (*interrupt)(void);
  void *(*pointer)(void *, const char *);
  const char *(*name)(void *);
} python;

static void find_python(void) {
  *(void **)&python.ensure = dlsym(RTLD_DEFAULT, "PyGILState_Ensure");
  *(void **)&python.release = dlsym(RTLD_DEFAULT, "PyGILState_Release");
  *(void **)&python.interrupted = dlsym(RTLD_DEFAULT, "PyOS_InterruptOccurred");
  *(void **)&python.interrupt = dlsym(RTLD_DEFAULT, "PyErr_SetInterrupt");
  *(void **)&python.pointer = dlsym(RTLD_DEFAULT, "PyCapsule_GetPointer");
  *(void **)&python.name = dlsym(RTLD_DEFAULT, "PyCapsule_GetName");
  *(void **)&python.is_initialized = dlsym(RTLD_DEFAULT, "Py_IsInitialized");
}

static pthread_once_t python_once = PTHREAD_ONCE_INIT;

// interrupted reports whether somebody has pressed ^C, and leaves it so that Python raises
// KeyboardInterrupt once it is asked again. Only the main thread asks: others might wait
// for a lock of Python's whose holder waits for them.
static int interrupted(void) {
#ifdef __linux__
  if (syscall(SYS_gettid) != getpid()) return 0;
  pthread_once(&python_once, find_python);
  if (!python.ensure || !python.release || !python.interrupted || !python.interrupt) return 0;
  if (!python.is_initialized || !python.is_initialized()) return 0;
  int state = python.ensure();
  int yes = python.interrupted();
  if (yes) python.interrupt();
  python.release(state);
  return yes;
#else
  return 0;
#endif
}

struct stream {
  dfaparse_reader reader;
  dfaparse_error err;
  int stopped;    // an error has been given: it is given again
  int64_t looked; // when, see due
};

// So often the main thread looks for ^C, in milliseconds.
enum { LOOK = 100 };

// due reports whether it is time to look again.
static int due(struct stream *s) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  int64_t now = (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
  if (now - s->looked < LOOK) return 0;
  s->looked = now;
  return 1;
}

static int code_of(struct stream *s) {
  switch (s->err.kind) {
    case DFAPARSE_SYSTEM: return s->err.errnum ? s->err.errnum : EIO;
    case DFAPARSE_CANCELLED: return EINTR;
    case DFAPARSE_MEMORY: return ENOMEM;
    case DFAPARSE_PARSE:
    case DFAPARSE_OPTION:
    case DFAPARSE_SPEC: return EINVAL;
    default: return EIO;
  }
}

// stop_interrupted ends the reading as ^C does.
static void stop_interrupted(struct stream *s) {
  dfaparse_cancel(s->reader);
  s->err.kind = DFAPARSE_CANCELLED;
  s->err.message = strdup("interrupted");
}

static int stream_schema(struct ArrowArrayStream *st, struct ArrowSchema *out) {
  struct stream *s = st->private_data;
  dfaparse_error_clear(&s->err);
  out->release = NULL;
  int code;
  while ((code = dfaparse_ready(s->reader, LOOK, &s->err)) == DFAPARSE_WAIT) {
    if (interrupted()) {
      stop_interrupted(s);
      return code_of(s);
    }
  }
  if (code == DFAPARSE_OK) code = dfaparse_schema(s->reader, out, &s->err);
  return code ? code_of(s) : 0;
}

static int stream_next(struct ArrowArrayStream *st, struct ArrowArray *out) {
  struct stream *s = st->private_data;
  out->release = NULL;
  if (s->stopped) return code_of(s);
  for (;;) {
    dfaparse_error_clear(&s->err);
    int code = dfaparse_next(s->reader, out, LOOK, &s->err);
    if (code < 0) break;
    if (due(s) && interrupted()) {
      if (out->release) out->release(out);
      out->release = NULL;
      stop_interrupted(s);
      break;
    }
    if (code == DFAPARSE_OK) return 0;
  }
  s->stopped = 1;
  return code_of(s);
}

static const char *stream_error(struct ArrowArrayStream *st) { return ((struct stream *)st->private_data)->err.message; }

static void stream_release(struct ArrowArrayStream *st) {
  struct stream *s = st->private_data;
  dfaparse_release(s->reader);
  dfaparse_error_clear(&s->err);
  free(s);
  st->release = NULL;
}

int dfaparse_stream(dfaparse_reader r, struct ArrowArrayStream *out, dfaparse_error *err) {
  int code = unable(out, err);
  if (code) return code;
  struct stream *s = calloc(1, sizeof *s);
  if (!s) return DFAPARSE_MEMORY;
  if ((code = goRetain(r, err))) {
    free(s);
    return code;
  }
  s->reader = r;
  *out = (struct ArrowArrayStream){stream_schema, stream_next, stream_error, stream_release, s};
  return DFAPARSE_OK;
}

struct device_stream {
  uint64_t columns;
  dfaparse_error err;
  int stopped;
};

static int device_code(struct device_stream *s) {
  struct stream of = {.err = s->err};
  return code_of(&of);
}

static int device_schema(struct ArrowDeviceArrayStream *st, struct ArrowSchema *out) {
  struct device_stream *s = st->private_data;
  out->release = NULL;
  dfaparse_error_clear(&s->err);
  int code = forked ? fail_forked(&s->err) : goDeviceSchema(s->columns, out, &s->err);
  return code ? device_code(s) : 0;
}

static int device_next(struct ArrowDeviceArrayStream *st, struct ArrowDeviceArray *out) {
  struct device_stream *s = st->private_data;
  memset(out, 0, sizeof *out);
  if (s->stopped) return device_code(s);
  dfaparse_error_clear(&s->err);
  int code = forked ? fail_forked(&s->err) : goDeviceNext(s->columns, out, &s->err);
  s->stopped = code != DFAPARSE_OK;
  return code ? device_code(s) : 0;
}

static const char *device_error(struct ArrowDeviceArrayStream *st) { return ((struct device_stream *)st->private_data)->err.message; }

static void device_release(struct ArrowDeviceArrayStream *st) {
  struct device_stream *s = st->private_data;
  if (!forked) goDeviceRelease(s->columns);
  dfaparse_error_clear(&s->err);
  free(s);
  st->release = NULL;
}

int dfaparse_device_stream(dfaparse_format f, const char *options, const void *data, size_t nbytes, struct ArrowDeviceArrayStream *out,
                           dfaparse_error *err) {
  int code = unable(out, err);
  if (code) return code;
  struct device_stream *s = calloc(1, sizeof *s);
  if (!s) return DFAPARSE_MEMORY;
  code = goDeviceOpen(f, (char *)options, (void *)data, nbytes, &s->columns, err);
  if (code) {
    free(s);
    return code;
  }
  *out = (struct ArrowDeviceArrayStream){ARROW_DEVICE_CUDA, device_schema, device_next, device_error, device_release, s};
  return DFAPARSE_OK;
}

struct ArrowArrayStream *dfaparse_stream_new(void) { return calloc(1, sizeof(struct ArrowArrayStream)); }

struct ArrowSchema *dfaparse_schema_new(void) { return calloc(1, sizeof(struct ArrowSchema)); }

static void *content(void *capsule) {
  pthread_once(&python_once, find_python);
  return python.pointer && python.name ? python.pointer(capsule, python.name(capsule)) : NULL;
}

void dfaparse_stream_capsule_delete(void *capsule) {
  struct ArrowArrayStream *s = content(capsule);
  if (s && s->release) s->release(s); // else a consumer has moved it
  free(s);
}

void dfaparse_schema_capsule_delete(void *capsule) {
  struct ArrowSchema *s = content(capsule);
  if (s && s->release) s->release(s);
  free(s);
}
