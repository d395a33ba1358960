#include "block.h"

#include <stdatomic.h>
#include <stdlib.h>

struct block {
  _Atomic int64_t refs;
};

static _Atomic int64_t live;

void *dfa_block_new(size_t nbytes, int64_t refs) {
  void *p = NULL;
  if (nbytes > SIZE_MAX - DFA_BLOCK_HEAD || posix_memalign(&p, DFA_BLOCK_HEAD, nbytes + DFA_BLOCK_HEAD) != 0)
    return NULL;
  struct block *b = p;
  atomic_init(&b->refs, refs);
  atomic_fetch_add(&live, 1);
  return (char *)p + DFA_BLOCK_HEAD;
}

static void let_go(void *content) {
  struct block *b = (struct block *)((char *)content - DFA_BLOCK_HEAD);
  if (atomic_fetch_sub(&b->refs, 1) == 1) {
    atomic_fetch_sub(&live, 1);
    free(b);
  }
}

int64_t dfa_blocks(void) { return atomic_load(&live); }

void dfa_array_release(struct ArrowArray *a) {
  for (int64_t i = 0; i < a->n_children; i++)
    if (a->children[i]->release) a->children[i]->release(a->children[i]);
  if (a->dictionary && a->dictionary->release) a->dictionary->release(a->dictionary);
  a->release = NULL;
  let_go(a->private_data);
}

void dfa_schema_release(struct ArrowSchema *s) {
  for (int64_t i = 0; i < s->n_children; i++)
    if (s->children[i]->release) s->children[i]->release(s->children[i]);
  if (s->dictionary && s->dictionary->release) s->dictionary->release(s->dictionary);
  s->release = NULL;
  let_go(s->private_data);
}

uintptr_t dfa_array_releaser(void) { return (uintptr_t)dfa_array_release; }
uintptr_t dfa_schema_releaser(void) { return (uintptr_t)dfa_schema_release; }
