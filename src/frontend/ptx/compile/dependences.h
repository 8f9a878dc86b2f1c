/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Dependences between operations of a basic block: registers, and the order of memory accesses that the PTX memory
 * model requires of one thread (ISA 9.0, chapter 8).
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
    uint32_t count; /* operations */
    /* first edge of each operation, to a later one that depends on it; PTX_NONE: none */
    uint32_t first[PTX_PIECE_OPS];
    uint32_t waits[PTX_PIECE_OPS];  /* dependences that each one is the later one of */
    uint8_t latency[PTX_PIECE_OPS]; /* cycles from an operation's issue to that of a user of its result */
    struct mnp_array edges;         /* struct ptx_dependence */
    uint8_t memory;                 /* the caller's: cycles that a load from other than shared memory is taken for */
};

struct ptx_history;

/* State of the search: last writers and readers; shared by all pieces of a function. */
struct ptx_history *ptx_history_make(const struct ptx_live_sets *sets);
void ptx_history_free(struct ptx_history *history);

/* Whether nothing may pass an operation, in either direction. */
bool ptx_divides(const struct execute_op *op);

/* Finds the dependences of `count` operations from `first` on in code.ops, none of which is a divider. `dependences` is
 * overwritten but for `memory`; the caller frees its edges. */
void ptx_find_dependences(struct ptx_dependences *dependences, struct ptx_history *history,
                          const struct execute_code *code, uint32_t first, uint32_t count);

#endif
