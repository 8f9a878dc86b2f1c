/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What an operation must wait for among those before it in a piece of straight code: registers, and the order of
 * accesses to memory that the PTX memory model asks of one thread (ISA 9.0, chapter 8).
 */
#ifndef FRONTEND_PTX_COMPILE_DEPENDENCES_H
#define FRONTEND_PTX_COMPILE_DEPENDENCES_H

#include "frontend/ptx/compile/live_sets.h"

/* Operations of a piece at most; longer code is cut. Keeps the comparison of all accesses with all cheap. */
enum { PTX_PIECE_OPS = 1024 };

struct ptx_dependence {
    uint32_t to;      /* the later operation */
    uint32_t next;    /* the next one of the same earlier operation, or PTX_NONE */
    uint32_t latency; /* cycles from the earlier one's issue to the later one's */
};

struct ptx_dependences {
    uint32_t count;                 /* operations */
    uint32_t first[PTX_PIECE_OPS];  /* of each one's dependences, those on which later ones depend; PTX_NONE: none */
    uint32_t waits[PTX_PIECE_OPS];  /* dependences that each one is the later one of */
    uint8_t latency[PTX_PIECE_OPS]; /* cycles from each one's issue to that of one that uses its result */
    struct mnp_array edges;         /* struct ptx_dependence */
};

struct ptx_history;

/* Remembers who wrote and read what; for all pieces of a function. */
struct ptx_history *ptx_history_make(const struct ptx_live_sets *sets);
void ptx_history_free(struct ptx_history *history);

/* Whether nothing may pass an operation, in either direction. */
bool ptx_divides(const struct execute_op *op);

/* Those of `count` operations from `first` on in code.ops, none of which divides. `dependences` is filled in anew; its
 * edges are the caller's to free. */
void ptx_find_dependences(struct ptx_dependences *dependences, struct ptx_history *history,
                          const struct execute_code *code, uint32_t first, uint32_t count);

#endif
