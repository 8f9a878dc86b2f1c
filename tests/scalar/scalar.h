/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A scalar interpreter of PTX: a second opinion on divergence. Threads run one at a time, in a random order, each
 * with a program counter and registers of its own. A warp exists only where the ISA manual speaks of one: in %laneid,
 * in the member masks of .sync operations, and in the arrival of its threads at barriers. Written from the manual
 * alone; nothing is shared with Maniple's own front-end.
 *
 * The interpreter reads the subset of PTX that generate.c writes: integers of up to 64 bits, predicates, one
 * statement per semicolon, no nested scopes.
 */
#ifndef TESTS_SCALAR_SCALAR_H
#define TESTS_SCALAR_SCALAR_H

#include <stdbool.h>
#include <stdint.h>

struct scalar_module;

struct scalar_launch {
    const char *kernel;
    unsigned blocks, shape[2], cluster; /* grid; block's x and y; blocks of a cluster */
    unsigned char *memory;              /* global memory: the kernel's first parameter is its address */
    uint64_t bytes, word;               /* its size; the second parameter */
    uint64_t order;                     /* seed of the order in which threads run */
};

enum { SCALAR_MESSAGE = 200 };

/* Reads a module's text. Returns NULL and a message where it is not of the subset. */
struct scalar_module *scalar_parse(const char *text, char message[SCALAR_MESSAGE]);
void scalar_free(struct scalar_module *module);

/* Runs a kernel to its end. Returns false and a message where threads wait for ever, or the manual leaves a result
 * undefined. */
bool scalar_run(const struct scalar_module *module, const struct scalar_launch *launch, char message[SCALAR_MESSAGE]);

#endif
