/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Waits of live warps (enum mnp_park): for an async unit of the SM, for the end of a phase of an mbarrier, for
 * registers, for another grid, or while they sleep. Executing a warp again finds out whether its wait is over. A wait
 * for a phase has a time limit.
 */
#ifndef GPU_SM_WARP_WAIT_H
#define GPU_SM_WARP_WAIT_H

#include "contract/async.h"

#include <stdio.h>

struct sm;

struct sm_wait_warp {
    uint64_t address; /* address of the mbarrier in the CTA's shared memory; or the number of requested registers */
    uint64_t until;   /* cycle at which a wait for a phase gives up, or a sleep ends */
    uint8_t why;      /* enum mnp_park */
    uint8_t gave_up;
    uint8_t reserved[6];
};

struct sm_wait_state {
    uint64_t next; /* cycle in which the first of these waits ends, or earlier; 0: there are none */
};

/* The live warp, which has just said that it has to wait, begins to. */
void sm_wait_begin(struct sm *sm, uint32_t warp, uint64_t cycle);

/* Whether the warp waits here; the reason, for reports. */
bool sm_wait_holds(const struct sm *sm, uint32_t warp);
void sm_wait_report(const struct sm *sm, uint32_t warp, FILE *out);

/* Whether the warp has waited for a phase as long as it may, or slept; forgets that. */
static inline bool sm_wait_gave_up(struct sm_wait_warp *warp)
{
    bool gave_up = warp->gave_up;
    warp->gave_up = 0;
    return gave_up;
}

/* The phase of an mbarrier of a CTA has ended; `flipped` as in struct mnp_live_core. */
void sm_wait_flipped(struct sm *sm, uint32_t slot, uint64_t flipped, uint64_t cycle);

/* A warp's copies or products have gone on. */
void sm_wait_done(struct sm *sm, uint32_t warp, enum mnp_park why, uint64_t cycle);

/* Releases warps of a CTA after an event that all of them have waited for. */
void sm_wait_released(struct sm *sm, uint32_t slot, enum mnp_park why, uint64_t cycle);

/* An async unit takes commands again (MNP_PARK_ROOM), or what others of the SM had is free: for all of its warps. */
void sm_wait_room(struct sm *sm, enum mnp_park why, uint64_t cycle);

/* Waits that have lasted long enough end. */
void sm_wait_cycle(struct sm *sm, uint64_t cycle);
uint64_t sm_wait_next(const struct sm *sm, uint64_t cycle);

#endif
