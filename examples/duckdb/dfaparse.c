/* dfaparse in DuckDB: select * from dfaparse('access.log', format := 'apache_combined').
 *
 *     duckdb ──bind──▶ dfaparse_open, of no column: the schema
 *            ──init──▶ dfaparse_open, of the columns that the query needs
 *            ──scan──▶ dfaparse_next ──▶ a vector of each column, 2,048 rows at a time
 *
 * What it shows is how the two fit together: it reads numbers, booleans, dates, time stamps and
 * texts, by one thread of DuckDB's and all of dfaparse's. docs/duckdb.md says how it is
 * built, and what one that is complete needs.
 */
#define DUCKDB_EXTENSION_NAME dfaparse
#include "duckdb_extension.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* duckdb.h names Arrow's structures without defining them. */
#include "dfaparse.h"

DUCKDB_EXTENSION_EXTERN

/* A column: how Arrow and DuckDB have it. */
typedef struct {
  char *name;
  char *shown; /* how DuckDB calls it */
  char format; /* the first letter of Arrow's, 'b' for one that is bits */
  duckdb_type type;
  size_t width; /* bytes of a value, 0 of texts and bits */
} column;

typedef struct {
  char *path;
  dfaparse_format format;
  int n;
  column *columns;
} binding;

typedef struct {
  dfaparse_reader reader;
  int n;
  int *wanted; /* numbers of columns, in the order of the vectors */
  struct ArrowArray batch;
  int64_t at; /* row of the batch */
} scan;

static void free_binding(void *p) {
  binding *b = p;
  for (int i = 0; i < b->n; i++) free(b->columns[i].name), free(b->columns[i].shown);
  dfaparse_format_release(b->format);
  free(b->columns);
  free(b->path);
  free(b);
}

static void free_scan(void *p) {
  scan *s = p;
  if (s->batch.release) s->batch.release(&s->batch);
  dfaparse_release(s->reader);
  free(s->wanted);
  free(s);
}

/* A growing text of JSON. */
typedef struct {
  char *text;
  size_t size;
  FILE *to;
} json;

static void json_begin(json *j) { j->to = open_memstream(&j->text, &j->size); }

static void json_string(json *j, const char *s) {
  fputc('"', j->to);
  for (; *s; s++) {
    unsigned char c = *s;
    if (c < 0x20)
      fprintf(j->to, "\\u%04x", c);
    else
      fprintf(j->to, c == '"' || c == '\\' ? "\\%c" : "%c", c);
  }
  fputc('"', j->to);
}

static const char *json_end(json *j) {
  fclose(j->to);
  return j->text;
}

/* How DuckDB has a type of Arrow's; false where this example does not. */
static bool typed(const char *format, column *c) {
  static const struct {
    const char *format;
    duckdb_type type;
    size_t width;
  } all[] = {
      {"b", DUCKDB_TYPE_BOOLEAN, 0},   {"c", DUCKDB_TYPE_TINYINT, 1},  {"s", DUCKDB_TYPE_SMALLINT, 2}, {"i", DUCKDB_TYPE_INTEGER, 4},
      {"l", DUCKDB_TYPE_BIGINT, 8},    {"C", DUCKDB_TYPE_UTINYINT, 1}, {"S", DUCKDB_TYPE_USMALLINT, 2}, {"I", DUCKDB_TYPE_UINTEGER, 4},
      {"L", DUCKDB_TYPE_UBIGINT, 8},   {"f", DUCKDB_TYPE_FLOAT, 4},    {"g", DUCKDB_TYPE_DOUBLE, 8},   {"u", DUCKDB_TYPE_VARCHAR, 0},
      {"z", DUCKDB_TYPE_BLOB, 0},      {"tdD", DUCKDB_TYPE_DATE, 4},   {"ttu", DUCKDB_TYPE_TIME, 8},   {"tsu:", DUCKDB_TYPE_TIMESTAMP, 8},
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (!strcmp(format, all[i].format)) {
      c->format = *format, c->type = all[i].type, c->width = all[i].width;
      return true;
    }
  if (!strncmp(format, "tsu:", 4)) { /* with a time zone */
    c->format = 't', c->type = DUCKDB_TYPE_TIMESTAMP_TZ, c->width = 8;
    return true;
  }
  return false;
}

/* Opens the input for some columns; all, if wanted is NULL. */
static dfaparse_reader opened(const binding *b, const int *wanted, int n, dfaparse_error *err) {
  json j;
  json_begin(&j);
  fputs("{\"paths\": [", j.to);
  json_string(&j, b->path);
  fputs("]", j.to);
  if (wanted) {
    fputs(", \"columns\": [", j.to);
    for (int i = 0; i < n; i++) {
      if (i) fputc(',', j.to);
      json_string(&j, b->columns[wanted[i]].name);
    }
    fputs("]", j.to);
  }
  fputs("}", j.to);
  dfaparse_reader r = 0;
  dfaparse_open(b->format, json_end(&j), NULL, 0, &r, err);
  free(j.text);
  return r;
}

/* Whether one of n columns is called like this in DuckDB, to which "a" and "A" are one name. */
static bool taken(const column *columns, int n, const char *shown) {
  for (int i = 0; i < n; i++)
    if (!strcasecmp(columns[i].shown, shown)) return true;
  return false;
}

/* How DuckDB calls column n: by its name, with a number behind it if that is taken. */
static char *shown(const column *columns, int n) {
  const char *name = columns[n].name;
  char *s = malloc(strlen(name) + 16);
  strcpy(s, name);
  for (int k = 1; taken(columns, n, s); k++) sprintf(s, "%s_%d", name, k);
  return s;
}

static void bind(duckdb_bind_info info) {
  duckdb_value path = duckdb_bind_get_parameter(info, 0), format = duckdb_bind_get_named_parameter(info, "format");
  if (duckdb_is_null_value(path)) {
    duckdb_bind_set_error(info, "the path is null");
    duckdb_destroy_value(&path);
    if (format) duckdb_destroy_value(&format);
    return;
  }
  binding *b = calloc(1, sizeof *b);
  dfaparse_error err = {0};
  char *text = duckdb_get_varchar(path);
  b->path = strdup(text);
  duckdb_free(text);
  json j;
  json_begin(&j);
  if (format && !duckdb_is_null_value(format)) {
    text = duckdb_get_varchar(format);
    fprintf(j.to, "{\"%s\": ", strchr(text, '{') ? "spec" : "format");
    json_string(&j, text);
    duckdb_free(text);
  } else {
    fputs("{\"infer\": [", j.to);
    json_string(&j, b->path);
    fputs("]", j.to);
  }
  fputs("}", j.to);
  duckdb_destroy_value(&path);
  if (format) duckdb_destroy_value(&format);
  struct ArrowSchema schema = {0};
  dfaparse_reader r = 0;
  int code = dfaparse_format_new(json_end(&j), NULL, 0, &b->format, &err);
  free(j.text);
  if (!code) code = dfaparse_ready(b->format, -1, &err);
  if (!code) {
    r = opened(b, NULL, 0, &err);
    code = err.kind ? err.kind : dfaparse_schema(r, &schema, &err);
  }
  dfaparse_release(r);
  if (code) {
    duckdb_bind_set_error(info, err.message);
    dfaparse_error_clear(&err);
    free_binding(b);
    return;
  }
  b->n = schema.n_children;
  b->columns = calloc(b->n, sizeof *b->columns);
  for (int i = 0; i < b->n; i++) {
    const struct ArrowSchema *child = schema.children[i];
    column *c = &b->columns[i];
    c->name = strdup(child->name);
    c->shown = shown(b->columns, i);
    if (child->dictionary || !typed(child->format, c)) {
      char message[300];
      snprintf(message, sizeof message, "column \"%.100s\" is of a type that this example does not read: Arrow's \"%.60s\"", child->name, child->format);
      duckdb_bind_set_error(info, message);
      continue;
    }
    duckdb_logical_type t = duckdb_create_logical_type(c->type);
    duckdb_bind_add_result_column(info, c->shown, t);
    duckdb_destroy_logical_type(&t);
  }
  schema.release(&schema);
  duckdb_bind_set_bind_data(info, b, free_binding);
}

static void init(duckdb_init_info info) {
  const binding *b = duckdb_init_get_bind_data(info);
  scan *s = calloc(1, sizeof *s);
  s->n = duckdb_init_get_column_count(info);
  s->wanted = calloc(s->n + 1, sizeof *s->wanted);
  int known = 0;
  for (int i = 0; i < s->n; i++) {
    idx_t c = duckdb_init_get_column_index(info, i);
    s->wanted[i] = c < (idx_t)b->n ? (int)c : -1; /* the number of a row, of count(*) */
    known += s->wanted[i] >= 0;
  }
  dfaparse_error err = {0};
  s->reader = opened(b, known == s->n ? s->wanted : NULL, s->n, &err);
  if (err.kind) {
    duckdb_init_set_error(info, err.message);
    dfaparse_error_clear(&err);
  }
  if (known < s->n) s->n = 0; /* only how many rows there are is asked for */
  duckdb_init_set_max_threads(info, 1);
  duckdb_init_set_init_data(info, s, free_scan);
}

static bool bit(const void *bits, int64_t i) { return ((const uint8_t *)bits)[i / 8] >> i % 8 & 1; }

/* Copies rows of a column. */
static void fill(duckdb_vector to, const column *c, const struct ArrowArray *a, int64_t from, int64_t n) {
  from += a->offset;
  if (a->null_count != 0 && a->buffers[0]) {
    duckdb_vector_ensure_validity_writable(to);
    uint64_t *validity = duckdb_vector_get_validity(to);
    for (int64_t i = 0; i < n; i++) duckdb_validity_set_row_validity(validity, i, bit(a->buffers[0], from + i));
  }
  if (c->width) {
    memcpy(duckdb_vector_get_data(to), (const char *)a->buffers[1] + from * c->width, n * c->width);
  } else if (c->format == 'b') {
    bool *out = duckdb_vector_get_data(to);
    for (int64_t i = 0; i < n; i++) out[i] = bit(a->buffers[1], from + i);
  } else {
    const int32_t *offsets = (const int32_t *)a->buffers[1] + from;
    for (int64_t i = 0; i < n; i++)
      duckdb_vector_assign_string_element_len(to, i, (const char *)a->buffers[2] + offsets[i], offsets[i + 1] - offsets[i]);
  }
}

static void next(duckdb_function_info info, duckdb_data_chunk out) {
  const binding *b = duckdb_function_get_bind_data(info);
  scan *s = duckdb_function_get_init_data(info);
  while (!s->batch.release || s->at == s->batch.length) {
    if (s->batch.release) s->batch.release(&s->batch);
    memset(&s->batch, 0, sizeof s->batch);
    dfaparse_error err = {0};
    if (dfaparse_next(s->reader, &s->batch, -1, &err)) {
      duckdb_function_set_error(info, err.message);
      dfaparse_error_clear(&err);
      return;
    }
    s->at = 0;
    if (!s->batch.release) {
      duckdb_data_chunk_set_size(out, 0);
      return;
    }
  }
  int64_t n = s->batch.length - s->at;
  if (n > (int64_t)duckdb_vector_size()) n = duckdb_vector_size();
  for (int i = 0; i < s->n; i++) fill(duckdb_data_chunk_get_vector(out, i), &b->columns[s->wanted[i]], s->batch.children[i], s->at, n);
  s->at += n;
  duckdb_data_chunk_set_size(out, n);
}

DUCKDB_EXTENSION_ENTRYPOINT(duckdb_connection connection, duckdb_extension_info info, struct duckdb_extension_access *access) {
  duckdb_table_function f = duckdb_create_table_function();
  duckdb_logical_type text = duckdb_create_logical_type(DUCKDB_TYPE_VARCHAR);
  duckdb_table_function_set_name(f, "dfaparse");
  duckdb_table_function_add_parameter(f, text);
  duckdb_table_function_add_named_parameter(f, "format", text);
  duckdb_destroy_logical_type(&text);
  duckdb_table_function_set_bind(f, bind);
  duckdb_table_function_set_init(f, init);
  duckdb_table_function_set_function(f, next);
  duckdb_table_function_supports_projection_pushdown(f, true);
  duckdb_state state = duckdb_register_table_function(connection, f);
  duckdb_destroy_table_function(&f);
  if (state == DuckDBError) access->set_error(info, "the function dfaparse could not be registered");
  return state == DuckDBSuccess;
}
