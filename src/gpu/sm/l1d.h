/* SPDX-License-Identifier: BSD-3-Clause */
/* The L1 data cache of an SM: l1d.c. */
#ifndef GPU_SM_L1D_H
#define GPU_SM_L1D_H

#include "gpu/network/packets.h"
#include "gpu/sm/coalesce.h"
#include "gpu/sm/parameters.h"

struct sm;

struct sm_waiter {    /* a part of a read that waits for sectors of a line with misses outstanding */
    uint32_t sectors; /* still missing */
    uint32_t load;
    uint64_t since; /* cycle of the look-up that missed */
};

struct sm_l1d_found { /* by a look-up that waits for the port; derivable. It stays valid until sectors come */
    uint32_t line;    /* MNP_NO_LINE: absent */
    uint32_t entry;   /* its miss entry, or MNP_NO_MSHR */
    uint32_t rest;    /* wanted sectors that are not valid, … */
    uint32_t missing; /* … and those of them that have to be fetched */
    bool kept;
};

struct sm_l1d_state {
    uint32_t failed;        /* the present part has been counted as a reservation fail */
    uint32_t written_lines; /* with sm.l1d.written_share: lines that have been written */
};

bool sm_l1d_check(const struct sm_parameters *parameters, struct mnp_error *error);
void sm_l1d_lay_out(struct sm *sm, struct mnp_arena *arena);
void sm_l1d_init(struct sm *sm);
void sm_l1d_release(struct sm *sm);

/* The first CTA of a kernel has come to an empty SM: the pool of L1 and shared memory is divided for it. */
void sm_l1d_set_carveout(struct sm *sm, const struct mnp_kernel *kernel);

/* Results of a look-up. A part that is blocked is looked up again. */
enum sm_l1d_outcome { SM_L1D_HIT, SM_L1D_WAITS, SM_L1D_BLOCKED };
enum sm_l1d_way { SM_L1D_THROUGH, SM_L1D_PAST /* copies to shared memory */, SM_L1D_PAST_STRONG };
enum sm_l1d_outcome sm_l1d_read(struct sm *sm, const struct sm_part *part, uint16_t load, enum sm_l1d_way way,
                                uint64_t cycle);
enum sm_l1d_outcome sm_l1d_send(struct sm *sm, const struct sm_part *part, uint16_t load, uint64_t cycle);

/* Sends for the sectors of a line that somebody asks for ahead, on account of a warp, unless the line is there or has
 * no room. Of the miss entries the last is left to those who wait. */
void sm_l1d_prefetch(struct sm *sm, const struct sm_part *part, uint16_t warp);

/* The part that was looked up last is done: the next one has not been counted as a fail. */
static inline void sm_l1d_next_part(struct sm_l1d_state *state)
{
    state->failed = 0;
}

void sm_l1d_expect(const struct sm *sm); /* replies are going to come: asks the host's memory for what they need */
void sm_l1d_reply(struct sm *sm, const struct gpu_reply *reply, uint64_t cycle);

/* Whether a reply is progress, on a machine that executes. Replies to warps that only poll are not. */
bool sm_l1d_is_progress(const struct sm *sm, const struct gpu_reply *reply);

#endif
