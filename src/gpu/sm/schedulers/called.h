/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A warp scheduler that is called: one state for all sub-cores of an SM, zero at first, which learns when warps start,
 * what each warp has issued, and what becomes of the lines of the L1 data cache. Warps are numbered in their SM:
 * place · sub-cores + sub-core.
 */
#ifndef GPU_SM_SCHEDULERS_CALLED_H
#define GPU_SM_SCHEDULERS_CALLED_H

#include "gpu/sm/prefetchers/prefetcher.h"

/* Name under which plug-ins add schedulers (mnp_parameter.joins). */
#define SM_SCHEDULER_PART "scheduler"

enum { SM_NO_PLACE = 64, SM_PLACES = 64 };

struct sm_scheduler_shape {
    uint32_t subcores;
    uint32_t warps; /* warps of the SM */
    uint32_t lines; /* numbers of lines of the L1 data cache are below this */
};

struct sm_ready_warp { /* a warp whose next instruction may issue */
    uint64_t issued;   /* instructions, so far */
    uint64_t pc;       /* PC of the next instruction, with the base of its kernel's code */
};

struct sm_choice {     /* among the warps of a sub-core, by their places */
    uint64_t ready;    /* ready warps; not empty */
    uint64_t memory;   /* ready warps whose next instruction accesses memory */
    uint64_t resident; /* warps that have not ended, and some that have */
    uint64_t cycle;
    uint32_t subcore, subcores;
    uint32_t last;                     /* the place that issued last */
    const struct sm_ready_warp *warps; /* [SM_PLACES] of those that are ready */
};

struct sm_called_scheduler {
    struct mnp_part part;
    uint64_t (*bytes)(const struct sm_scheduler_shape *shape, const uint64_t *values); /* size of its state */
    /* Called once, before all others. May be NULL, like all functions but `bytes` and `choose`. */
    void (*init)(void *state, const struct sm_scheduler_shape *shape, const uint64_t *values);
    void (*start)(void *state, const uint64_t *values, uint32_t warp, uint64_t cycle); /* a warp starts */
    /* The place of the warp that issues; SM_NO_PLACE: none should in this cycle. Instructions may be refused (by a unit
     * that has no room); `issued` then stays. */
    uint32_t (*choose)(void *state, const uint64_t *values, const struct sm_choice *choice, uint64_t *counters);
    /* A load has been looked up in the L1; before, if it has missed: `line` of the cache has become that of `address`,
     * on account of a warp, in place of that of `old` (UINT64_MAX: it was free). */
    void (*looked_up)(void *state, const uint64_t *values, const struct sm_look_up *look_up, uint64_t *counters);
    void (*replaced)(void *state, const uint64_t *values, uint32_t line, uint64_t old, uint64_t address, uint32_t warp);
};

/* called.c: those of the tree, NULL-terminated. */
extern const struct mnp_part *const sm_called_schedulers[];
extern const struct sm_called_scheduler sm_cawa_scheduler;
extern const struct sm_called_scheduler sm_ccws_scheduler;

#endif
