/* SPDX-License-Identifier: BSD-3-Clause */
/* CTAs on an SM, and what their warps have outstanding: cta.c. */
#ifndef GPU_SM_CTA_H
#define GPU_SM_CTA_H

#include "gpu/network/packets.h"
#include "gpu/sm/barrier.h"
#include "gpu/sm/cluster.h"

struct sm;

struct sm_cta {
    uint64_t number;      /* number in its grid */
    uint16_t live_warps;  /* warps that have not ended */
    uint16_t posted;      /* stores that its end does not wait for */
    uint32_t outstanding; /* warps that have accesses outstanding, but for posted ones, or have not ended */
    uint16_t kernel;      /* slot */
    uint8_t used;
    uint8_t released; /* the grid behind its own may begin */
    uint32_t before;  /* launch that has begun before its own and has not ended; 0: none */
    uint32_t pool;    /* registers that its warps have given back */
    struct sm_barriers barriers;
    struct sm_cluster cluster;
};

struct sm_code { /* code of a resident CTA; not state: reloaded from the front-end by number */
    struct mnp_cta_code cta;
    const struct mnp_static_instruction *instructions;
    struct mnp_kernel *kernel;
    uint64_t code_base; /* address of the kernel's first instruction */
};

struct sm_cta_state {
    uint64_t owner_since; /* cycle up to which occupancy is counted */
    uint64_t news_at;     /* cycle in which barriers open and CTAs end, or MNP_NEVER */
    uint64_t ending;      /* CTA slots that have nothing left to do */
    uint32_t resident_warps;
    uint32_t resident_ctas;
    uint16_t owner; /* kernel slot that issue slots and occupancy are counted for; 0: none resident */
};

struct sm_cta_warp {
    uint32_t outstanding; /* memory instructions not done, stores included */
    uint16_t posted;      /* outstanding instructions that the end of the CTA does not wait for */
    uint16_t done;        /* the CTA waits for nothing of this warp any more */
    uint16_t slot;        /* slot of its CTA; SM_NONE: the warp slot is free */
    uint16_t number;      /* number in its CTA */
};

void sm_cta_lay_out(struct sm *sm, struct mnp_arena *arena);
void sm_cta_init(struct sm *sm);
void sm_cta_freeze(struct sm *sm);

/* A CTA comes. Returns its code; NULL: the front-end has no code for it, which is a fault of the run. */
const struct sm_code *sm_cta_launch(struct sm *sm, const struct gpu_launch *launch, uint64_t cycle);

/* The warp's last instruction has issued. */
void sm_cta_warp_ended(struct sm *sm, uint32_t warp, uint64_t cycle);

/* The warp has one memory instruction more outstanding. */
static inline void sm_cta_access(struct sm_cta_warp *w)
{
    w->outstanding++;
}

/* … one less. */
void sm_cta_access_done(struct sm *sm, uint32_t warp, uint64_t cycle);

/* The CTA's end need not wait for one of them; and that one is done. */
void sm_cta_access_posted(struct sm *sm, uint32_t warp, uint64_t cycle);
void sm_cta_posted_done(struct sm *sm, uint32_t warp, uint64_t cycle);

/* An async unit works for the CTA, which stays until it has done so; and it has. */
void sm_cta_async_begins(struct sm *sm, uint32_t slot);
void sm_cta_async_done(struct sm *sm, uint32_t slot, uint64_t cycle);

/* Barriers open that became complete in the cycle before, and CTAs that ended in it go back to the dispatcher. */
void sm_cta_cycle(struct sm *sm, uint64_t cycle);

/* The next cycle with such news. */
uint64_t sm_cta_next(const struct sm *sm, uint64_t cycle);

/* Counts issue slots and occupancy up to `cycle`. */
void sm_cta_account(struct sm *sm, uint64_t cycle);

#endif
