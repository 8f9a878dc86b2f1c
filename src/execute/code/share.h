/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Common parts of the codes of one kernel on several devices: operations, which a library's kernel may have
 * millions of, and their instructions for models of time. Operations stay as the first device's language has built
 * them; a later device changes its own copy of those that name its addresses, of which the system copies the pages that
 * are written.
 */
#ifndef EXECUTE_SHARE_H
#define EXECUTE_SHARE_H

#include "execute/code/code.h"

struct execute_timing;

struct execute_share {
    uint32_t users;                /* number of codes */
    int file;                      /* holds the operations; -1: each code has operations of its own */
    size_t bytes;                  /* size of the file */
    struct execute_timing *timing; /* in place of code.timing, which is NULL */
};

/* Prepares a code, which has no operations yet, to have `count`, that later codes can take. */
void execute_share_begin(struct execute_code *code, uint32_t count);
/* All of its operations are built: they do not change any more. */
void execute_share_close(struct execute_code *code);
/* The code of the same kernel in another module, for its language to change where that one's addresses are others. */
struct execute_code *execute_share_copy(const struct execute_code *from, const struct execute_module *module,
                                        const char *name);
/* Takes the operations from the code. */
void execute_share_release(struct execute_code *code);

#endif
