/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A stage of an SM that is called (sm.stage): it hears which instructions issue and what loads find in the L1 data
 * cache, has turns in cycles that it names itself, and may fetch lines into the L1 then, like a prefetcher. Its state,
 * one for each SM, is zero at first. There are none in the tree; a plug-in brings one. A stage that takes instructions,
 * or has ports, is one of stages/list.h.
 */
#ifndef GPU_SM_PARTS_STAGE_H
#define GPU_SM_PARTS_STAGE_H

#include "gpu/sm/prefetchers/prefetcher.h"

/* Name under which plug-ins add stages (mnp_parameter.joins). */
#define SM_STAGE_PART "stage"

struct sm_issued { /* an instruction that issues */
    uint64_t pc;   /* with the base of its kernel's code */
    uint64_t cycle;
    uint32_t lanes; /* participating lanes, one bit each */
    uint16_t sm, warp;
    uint8_t class;     /* enum mnp_execution_class */
    uint8_t space;     /* for memory instructions: enum mnp_memory_space, … */
    uint8_t operation; /* … enum mnp_memory_operation */
    uint8_t reserved[5];
};

struct sm_called_stage { /* functions but `bytes` may be NULL. `counters`: of part.statistics */
    struct mnp_part part;
    uint64_t (*bytes)(const uint64_t *values); /* size of its state */
    void (*issued)(void *state, const uint64_t *values, const struct sm_issued *issued, uint64_t *counters);
    void (*looked_up)(void *state, const uint64_t *values, const struct sm_look_up *look_up, uint64_t *counters);
    /* The next cycle after this one in which it has a turn; UINT64_MAX: none before it hears something. */
    uint64_t (*next)(const void *state, const uint64_t *values, uint64_t cycle);
    /* Its turn, also in other cycles. Writes addresses in lines to fetch, and returns how many. */
    uint32_t (*cycle)(void *state, const uint64_t *values, uint64_t cycle, uint64_t *counters,
                      uint64_t asked[SM_PREFETCH_MOST]);
};

#endif
