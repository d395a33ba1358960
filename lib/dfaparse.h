/* libdfaparse: text of any format as Arrow columns, for programs that speak C.
 *
 *     dfaparse_format, made once of a name or a spec
 *          │ dfaparse_open(format, options)
 *          ▼
 *     dfaparse_reader ──dfaparse_next──▶ struct ArrowArray, a batch of rows
 *          └──────────dfaparse_stream──▶ struct ArrowArrayStream, all of them
 *
 * What is delivered lies in memory of C and stays valid until it is released, also
 * after its reader, and in a process that has forked. Functions may be called from any
 * thread; one thread at a time uses a reader.
 *
 * A process that forks has no library in the child: every function there fails with
 * DFAPARSE_FORKED, and what is to be released is. A child that executes another
 * program, or loads the library itself, is not concerned.
 */
#ifndef DFAPARSE_H
#define DFAPARSE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The C Data Interface, https://arrow.apache.org/docs/format/CDataInterface.html */
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

struct ArrowSchema {
  const char *format;
  const char *name;
  const char *metadata;
  int64_t flags;
  int64_t n_children;
  struct ArrowSchema **children;
  struct ArrowSchema *dictionary;
  void (*release)(struct ArrowSchema *);
  void *private_data;
};

struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void **buffers;
  struct ArrowArray **children;
  struct ArrowArray *dictionary;
  void (*release)(struct ArrowArray *);
  void *private_data;
};

#endif

/* The C Stream Interface, https://arrow.apache.org/docs/format/CStreamInterface.html */
#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

struct ArrowArrayStream {
  int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
  int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
  const char *(*get_last_error)(struct ArrowArrayStream *);
  void (*release)(struct ArrowArrayStream *);
  void *private_data;
};

#endif

/* The C Device Data Interface, https://arrow.apache.org/docs/format/CDeviceDataInterface.html */
#ifndef ARROW_C_DEVICE_DATA_INTERFACE
#define ARROW_C_DEVICE_DATA_INTERFACE

typedef int32_t ArrowDeviceType;

#define ARROW_DEVICE_CUDA 2

struct ArrowDeviceArray {
  struct ArrowArray array; /* whose buffers are addresses of the device */
  int64_t device_id;
  ArrowDeviceType device_type;
  void *sync_event; /* a CUevent *: the array is there when it has happened */
  int64_t reserved[3];
};

#endif

#ifndef ARROW_C_DEVICE_STREAM_INTERFACE
#define ARROW_C_DEVICE_STREAM_INTERFACE

struct ArrowDeviceArrayStream {
  ArrowDeviceType device_type;
  int (*get_schema)(struct ArrowDeviceArrayStream *, struct ArrowSchema *out);
  int (*get_next)(struct ArrowDeviceArrayStream *, struct ArrowDeviceArray *out);
  const char *(*get_last_error)(struct ArrowDeviceArrayStream *);
  void (*release)(struct ArrowDeviceArrayStream *);
  void *private_data;
};

#endif

/* What a function gives, and the kind of an error. */
enum {
  DFAPARSE_OK = 0,
  DFAPARSE_WAIT = 1,        /* there is no batch yet: dfaparse_next */
  DFAPARSE_PARSE = -1,      /* the input cannot be read; the error says where */
  DFAPARSE_OPTION = -2,     /* an option that cannot be, or does not fit the input */
  DFAPARSE_SPEC = -3,       /* a format that is not found, or a spec that does not compile */
  DFAPARSE_SYSTEM = -4,     /* of the system; errnum is its number */
  DFAPARSE_CANCELLED = -5,  /* by dfaparse_cancel */
  DFAPARSE_MEMORY = -6,     /* more than the options allow, or than there is */
  DFAPARSE_FORKED = -7,     /* the process was forked after the library was loaded */
  DFAPARSE_OTHER = -8,
};

/* Where something is wrong, and what. A function that fails fills it; the caller
 * clears it with dfaparse_error_clear. Texts are UTF-8, NULL where there is none;
 * the name of a file is as the system has it. */
typedef struct dfaparse_error {
  int32_t kind;
  int32_t errnum;
  char *message;   /* all of it, one line; of specs one line a fault */
  char *file;
  char *field;     /* the column */
  char *detail;    /* what is wrong, with the text in question */
  char *expected;  /* what would have been right */
  int64_t offset;  /* of the byte, from 0 */
  int64_t line;    /* from 1; 0: none is meant */
  int64_t column;  /* of the byte in its line, from 1 */
  int64_t record;  /* data record, from 1; 0: none is meant */
} dfaparse_error;

typedef uint64_t dfaparse_format; /* 0 is none */
typedef uint64_t dfaparse_reader;
typedef uint64_t dfaparse_splits;

void dfaparse_error_clear(dfaparse_error *);
void dfaparse_free(void *text); /* of a text that a function has given */

const char *dfaparse_version(void); /* not to be freed */

/* The built-in formats, one name a line. The caller frees it. */
char *dfaparse_formats(void);

/* The inputs that names stand for, folders and patterns among them (docs/sources.md), as a JSON
 * array, of such an array. The caller frees it. A name that is no UTF-8 has, here and in options,
 * the escape of a lone surrogate for each byte that is none, \udc80 to \udcff, as PEP 383 has it. */
int dfaparse_inputs(const char *names, char **out, dfaparse_error *);

/* Formats, readers and splits are begun at once, and made by other threads: an input may let wait
 * for it, and one whose format is found out is read to its end. dfaparse_ready waits for
 * one, for at most so long where milliseconds is not negative, and gives DFAPARSE_WAIT, or
 * why it cannot be made. Functions that need it wait as long as it takes. */
int dfaparse_ready(uint64_t format_reader_or_splits, int64_t milliseconds, dfaparse_error *);

/* Options are a JSON object, of which these are the formats':
 *   "format"  what "dfaparse -f" takes: a name, the path of a spec or a saved Program
 *   "spec"    the text of a spec
 *   "infer"   an array of inputs' names, whose format is to be found out; with data, none is needed
 *   "encoding"  of inputs, "auto": of each its own; without it UTF-8, or what is found out
 *   "union", "skip_lines", "hive"  as dfaparse_open has them, for what is found out; with "hive",
 *             "types" and "all_strings" are of columns of folders too */
int dfaparse_format_new(const char *options, const void *data, size_t nbytes, dfaparse_format *out, dfaparse_error *);
void dfaparse_format_release(dfaparse_format);

/* The text of its spec, and what was decided where it was inferred, in a sentence;
 * NULL where there is none. The caller frees them. */
char *dfaparse_format_spec(dfaparse_format);
char *dfaparse_format_said(dfaparse_format);

/* The options that make it again, elsewhere. The caller frees them. */
char *dfaparse_format_options(dfaparse_format);

/* Cuts a file into splits for so many readers (docs/splits.md), which reads it once unless
 * it has an index. The options are "path", "n", "skip_lines", "threads" and "shape". The
 * text has a line of JSON each, which is the option "split" of dfaparse_open; NULL where
 * there are none. The caller frees it. */
int dfaparse_split_new(dfaparse_format, const char *options, dfaparse_splits *out, dfaparse_error *);
char *dfaparse_splits_text(dfaparse_splits);
void dfaparse_splits_release(dfaparse_splits);

/* Begins to read, with the header. Where there is data, it is copied, and read;
 * else the options' "paths", as one table. The options are those of docs/python.md:
 *   "paths", "name", "columns", "n_rows", "skip_rows", "skip_lines", "on_error",
 *   "max_rejects", "keep_rejects" (how many are kept; -1: all), "threads",
 *   "batch_size", "memory" (bytes), "shape", "split" (an object: a line of splits),
 *   "union", "hive", "file_column" */
int dfaparse_open(dfaparse_format, const char *options, const void *data, size_t nbytes, dfaparse_reader *out, dfaparse_error *);
int dfaparse_schema(dfaparse_reader, struct ArrowSchema *out, dfaparse_error *);

/* The next batch, whose release is NULL where there is none left. It waits for at most
 * so long, where milliseconds is not negative, and then gives DFAPARSE_WAIT. */
int dfaparse_next(dfaparse_reader, struct ArrowArray *out, int64_t milliseconds, dfaparse_error *);

/* The batches that are left, as a stream. It has a reference of its own to the reader. */
int dfaparse_stream(dfaparse_reader, struct ArrowArrayStream *out, dfaparse_error *);

/* Of a library that was built with -tags cuda: the batches of an input as columns in the memory
 * of a GPU, in its primary context. Each has an event of its own, after which it is there, and
 * its memory until it is released, also when the stream has been; who releases it has
 * waited for what reads it. The input is data, which is copied, or the one of "paths", which is
 * read into memory. The other options are "name", "columns", "skip_lines", "on_error",
 * "threads" and "shape". Other libraries give DFAPARSE_OPTION. */
int dfaparse_device_stream(dfaparse_format, const char *options, const void *data, size_t nbytes, struct ArrowDeviceArrayStream *out,
                           dfaparse_error *);

/* The counts so far, as a JSON object. The caller frees it. */
char *dfaparse_stats(dfaparse_reader);

/* The rejects so far that were kept, as a batch. */
int dfaparse_rejects(dfaparse_reader, struct ArrowSchema *, struct ArrowArray *out, dfaparse_error *);

/* Ends the reading soon, with DFAPARSE_CANCELLED. Any thread may call it. */
void dfaparse_cancel(dfaparse_reader);
void dfaparse_release(dfaparse_reader);

/* For Python: destructors of the capsules "arrow_array_stream" and "arrow_schema", whose
 * structures are freed too. They need no library of Python's to link with. */
void dfaparse_stream_capsule_delete(void *capsule);
void dfaparse_schema_capsule_delete(void *capsule);
struct ArrowArrayStream *dfaparse_stream_new(void); /* zeroed; what deletes the capsule frees it */
struct ArrowSchema *dfaparse_schema_new(void);

#ifdef __cplusplus
}
#endif

#endif
