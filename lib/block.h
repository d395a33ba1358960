/* Blocks of C's memory: one holds all that a batch or a schema consists of, the
 * structures of Arrow's C Data Interface in front and the buffers behind. Every structure
 * in it has a reference, since a consumer may move a child out and release it later than
 * the rest. All of it is C, so that releasing needs no Go: a process that has forked
 * still can. */
#ifndef DFAPARSE_BLOCK_H
#define DFAPARSE_BLOCK_H

#include "dfaparse.h"

#define DFA_BLOCK_HEAD 64 /* bytes in front of a block's content, which is aligned to as many */

void *dfa_block_new(size_t nbytes, int64_t refs); /* the content; NULL: there is no memory */
uintptr_t dfa_array_releaser(void);
uintptr_t dfa_schema_releaser(void);
void dfa_array_release(struct ArrowArray *);
void dfa_schema_release(struct ArrowSchema *);
int64_t dfa_blocks(void); /* that are not freed, for tests */

#endif
