/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is live where blocks of a decoded function begin, of one thread: lanes write only their own part of a register,
 * and a write under a guard keeps the old value, which it so reads. References are virtual (builder.h), and counted
 * from 0 on over all classes.
 */
#ifndef FRONTEND_PTX_COMPILE_LIVE_SETS_H
#define FRONTEND_PTX_COMPILE_LIVE_SETS_H

#include "frontend/ptx/compile/flow.h"
#include "frontend/ptx/compile/references.h"

struct ptx_live_sets {
    struct ptx_graph graph;
    uint32_t start[PTX_CLASS_COUNT]; /* number of a class's first reference */
    uint32_t count;
    size_t words;                  /* of a set */
    uint64_t *in, *used, *defined; /* [blocks][words]: live at the start; read before it is written; written for all */
};

/* The number of a reference into the frame; PTX_NONE: a constant, a special register, or none at all. */
uint32_t ptx_reference_number(const struct ptx_live_sets *sets, uint32_t ref);

/* Of the decoder's present function, which is complete. False: the sets would be too large, and only `start`, `count`
 * and the graph are there. */
bool ptx_live_sets_make(struct ptx_live_sets *sets, const struct ptx_decoder *decoder);
void ptx_live_sets_free(struct ptx_live_sets *sets);
/* What is live at a block's end, into `out` [words]. */
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
