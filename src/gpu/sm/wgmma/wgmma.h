/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Products of warpgroups (wgmma) in the tensor cores of an SM. A product begins when all four warps of its warpgroup
 * have issued it, in the order in which that happens; warps may be ahead of the tensor cores by wgmma.queue products of
 * their warpgroup. With N columns and 256 bits of k it takes
 *
 *   the tensor cores      N/2 cycles
 *   the shared memory     a wavefront of 128 bytes a cycle: 16 for A (none out of registers), N/4 for B; N/2 of a
 *                         sparse A, whose k is twice as long; the memory pipeline waits meanwhile
 *
 * and the next one begins after the longer of the two, or after wgmma.interval. The sums are in the registers
 * wgmma.latency + N/2 cycles after the beginning, and with A out of registers wgmma.registers earlier; a warp that has
 * waited for them then goes on.
 *
 * Sources: wavefronts, intervals and latencies as measured on H100, H800 and H200, named at the parameters.
 */
#ifndef GPU_SM_WGMMA_WGMMA_H
#define GPU_SM_WGMMA_WGMMA_H

#include "base/arena.h"
#include "contract/async.h"
#include "gpu/sm/limits.h"

struct sm;

enum {
    SM_WGMMA_QUEUE = 16,  /* products of a warpgroup that have not begun, at most */
    SM_WGMMA_PARTS = 4,   /* warps of a warpgroup */
    SM_WGMMA_FLYING = 128 /* products that have begun and are not done, at most */
};

struct sm_wgmma_group {                         /* a warpgroup */
    uint32_t issued[SM_WGMMA_PARTS];            /* by its warps, modulo 2^32 */
    uint32_t begun;                             /* by the tensor cores */
    uint32_t launch;                            /* launch of its kernel, … */
    uint64_t cta;                               /* … and number of its CTA, plus one */
    struct mnp_product waiting[SM_WGMMA_QUEUE]; /* by number */
    uint64_t order[SM_WGMMA_QUEUE];             /* its place among those that all warps have issued */
};

struct sm_wgmma_flight { /* a product that has begun */
    uint64_t done;       /* cycle */
    uint64_t group;      /* slot of its warpgroup's first warp */
};

struct sm_wgmma_state {
    uint64_t begin_at;                  /* cycle from which the next product can begin */
    uint64_t order;                     /* products that all warps have issued */
    uint64_t formed;                    /* … of which so many have not begun */
    uint64_t done_at;                   /* cycle in which the last of those that have begun is done */
    uint64_t groups[SM_MAX_WARPS / 64]; /* warpgroups with such products, by their first warp */
    uint32_t first, count;              /* ring of products in flight, in the order of their ends */
};

struct sm_wgmma {                   /* state of a machine that executes; in the arena */
    struct sm_wgmma_group *groups;  /* [warps] by the first warp's slot */
    struct sm_wgmma_flight *flight; /* [SM_WGMMA_FLYING] */
};

void sm_wgmma_lay_out(struct sm *sm, struct mnp_arena *arena);

/* Products that the warp may issue before the tensor cores begin one. */
uint32_t sm_wgmma_room(struct sm *sm, uint32_t warp);
/* A warp has issued the core's product. */
void sm_wgmma_take(struct sm *sm, uint32_t warp, uint64_t cycle);

void sm_wgmma_cycle(struct sm *sm, uint64_t cycle);
uint64_t sm_wgmma_next(const struct sm *sm, uint64_t cycle);

#endif
