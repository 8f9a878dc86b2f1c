/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Liveness at the beginning of the blocks of a decoded function, for one thread: lanes write only their own part of a
 * register, and a guarded write preserves the old value, i.e. also reads it. References are virtual (builder.h), and
 * numbered from 0 on through all classes.
 */
#ifndef FRONTEND_PTX_COMPILE_LIVE_SETS_H
#define FRONTEND_PTX_COMPILE_LIVE_SETS_H

#include "frontend/ptx/compile/flow.h"
#include "frontend/ptx/compile/references.h"

struct ptx_live_sets {
    struct ptx_graph graph;
    uint32_t start[PTX_CLASS_COUNT]; /* number of a class's first reference */
    uint32_t count;
    size_t words;                  /* size of a set */
    uint64_t *in, *used, *defined; /* [blocks][words]: live at the start; read before it is written; written for all */
};

/* The number of a reference into the frame; PTX_NONE: a constant, a special register, or none at all. */
uint32_t ptx_reference_number(const struct ptx_live_sets *sets, uint32_t ref);

/* Computes the sets of the decoder's current function, which is complete. Returns false if the sets would be too large;
 * only `start`, `count` and the graph are then valid. */
bool ptx_live_sets_make(struct ptx_live_sets *sets, const struct ptx_decoder *decoder);
void ptx_live_sets_free(struct ptx_live_sets *sets);
/* Computes the live set at a block's end, into `out` [words]. */
void ptx_live_out(const struct ptx_live_sets *sets, uint32_t block, uint64_t *out);

static inline void ptx_set_bit(uint64_t *set, uint32_t number)
{
    set[number / 64] |= UINT64_C(1) << number % 64;
}

static inline void ptx_clear_bit(uint64_t *set, uint32_t number)
{
    set[number / 64] &= ~(UINT64_C(1) << number % 64);
}

static inline bool ptx_has_bit(const uint64_t *set, uint32_t number)
{
    return set[number / 64] >> number % 64 & 1;
}

#endif
