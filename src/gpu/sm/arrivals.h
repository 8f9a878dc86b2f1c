/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Arrivals at mbarriers that wait for copies of lanes (PTX ISA 9.0, cp.async.mbarrier.arrive; ARRIVES.LDGSTSBAR). The
 * warp goes on; when all copies to shared memory that it has issued before can be read, the front-end performs the
 * arrivals of all lanes (mnp_live_async.landed), in the order in which they have issued. The CTA's end waits for them.
 */
#ifndef GPU_SM_ARRIVALS_H
#define GPU_SM_ARRIVALS_H

#include "gpu/sm/copies.h"
#include "gpu/sm/limits.h"

struct sm_arrivals_warp {
    uint32_t tokens[SM_COPY_GROUPS]; /* by number of the part of its copies that is waited for, modulo SM_COPY_GROUPS */
    uint8_t first, end;              /* numbers, modulo 256, of those that wait */
};

struct sm_arrivals_state {
    uint64_t waiting[SM_MAX_WARPS / 64]; /* warps with such arrivals, one bit each */
};

struct sm_arrivals { /* state of a machine that executes; in the arena */
    struct sm_arrivals_warp *warps;
};

void sm_arrivals_lay_out(struct sm *sm, struct mnp_arena *arena);

/* A warp's instruction has put off its arrivals (mnp_live_core.arrival). Without copies under way they come now. */
void sm_arrivals_take(struct sm *sm, uint32_t warp, uint64_t cycle);

void sm_arrivals_cycle(struct sm *sm, uint64_t cycle);
uint64_t sm_arrivals_next(const struct sm *sm, uint64_t cycle);

#endif
