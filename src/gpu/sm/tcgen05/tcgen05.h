/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tensor cores of a data-centre Blackwell SM, as tcgen05.mma, cp and commit use them. Each sub-core's warps may be
 * ahead by sm.tcgen05.queue commands; the SM takes them in the order of their issue, one after another, whoever has
 * issued them.
 *
 * A product of M x N with 256 bits of k has two parts:
 *
 *   operands  the shared memory, a wavefront of 128 bytes a cycle: 32 for A (none out of tensor memory), N/4 for B; the
 *             memory pipeline waits meanwhile
 *   sums      N/2 cycles, for any kind, and for M = 64 as for M = 128; they begin when A and the first eight columns
 *             of B are there, and when the product before has its own
 *
 * Operands of the next product are fetched when those of this one are there and its sums have begun, so that products
 * follow one another after max(N/2, 32 + N/4) cycles. Sums are in tensor memory sm.tcgen05.finish cycles after the
 * last. A copy takes the shared memory 64 bytes a cycle, and its sub-core half as many, but for those that go to
 * several warps' lanes; products behind it wait for its end. A commit arrives at its mbarrier when all that came before
 * is done; at that of another CTA over the SM-to-SM network.
 *
 * A pair of CTAs multiplies on two SMs, each for its own rows: the same, with the wavefronts of its own half of B. The
 * SM whose CTA has issued the product begins, and sends what the other needs; that one begins when it has it, and sends
 * what it has when its sums are there, with which the first one ends. So a pair waits for the way there and back, and
 * products follow one another as fast as those of one SM. B's halves take a way of their own, which costs the network
 * nothing: the rates of pairs leave no room for it there.
 *
 * A product whose rows leave lanes to parts of N (weight-stationary ones of 32 and 64 rows, and those of a pair with 64
 * rows each) has as many fewer sums after one another; a sparse A needs twice as many wavefronts of B.
 *
 * Sources: cicuvc/nvidia-sass-document, B200, utchmma and utccp; Antoniomv7/gb300-microbench; named at the parameters.
 */
#ifndef GPU_SM_TCGEN05_TCGEN05_H
#define GPU_SM_TCGEN05_TCGEN05_H

#include "base/arena.h"
#include "contract/async.h"
#include "gpu/network/packets.h"
#include "gpu/sm/limits.h"

struct sm;

enum {
    SM_TCGEN05_QUEUE = 16, /* commands of a sub-core that have not begun, at most */
    SM_TCGEN05_WAITING = SM_TCGEN05_QUEUE * SM_MAX_SUBCORES,
    SM_TCGEN05_FLYING = 64,                    /* commands that have begun and are not done, at most */
    SM_TCGEN05_FLIGHT = 2 * SM_TCGEN05_FLYING, /* with those of its pairs' other CTAs */
    /* Parcels of 128 bytes of B under way in a TPC: a pair's products have at most 33 in 64 cycles, and these wait for
     * the way and for a window's end. */
    SM_TCGEN05_PARCELS = 256
};

struct sm_tcgen05_command {
    struct mnp_tensor_command command;
    uint64_t at; /* cycle from which it can begin; once it has, in which it is done */
    uint16_t warp, slot;
    uint8_t reserved[4];
};

struct sm_tcgen05_state {
    uint64_t begin_at;                   /* cycle from which the next command can begin */
    uint64_t sums_free;                  /* … from which the next product's sums can */
    uint64_t copied_at;                  /* … in which the last copy is there */
    uint64_t copy_free[SM_MAX_SUBCORES]; /* … from which a sub-core's next copy can begin */
    uint64_t done_at;                    /* … in which the last of those that have begun is done */
    uint32_t waiting[SM_MAX_SUBCORES];   /* commands that have not begun */
    uint32_t queue_first, queue_count;   /* ring of all these commands, in the order of their issue */
    uint32_t first, count;               /* ring of commands in flight, in the order of their ends */
};

struct sm_tcgen05 { /* state of a machine that executes; in the arena, NULL in others */
    struct sm_tcgen05_state *state;
    struct sm_tcgen05_command *queue;  /* [SM_TCGEN05_WAITING] */
    struct sm_tcgen05_command *flight; /* [SM_TCGEN05_FLIGHT] */
};

void sm_tcgen05_lay_out(struct sm *sm, struct mnp_arena *arena);

/* Commands that the warp may issue before one of its sub-core's begins. */
uint32_t sm_tcgen05_room(const struct sm *sm, uint32_t warp);
/* A warp has issued the core's command. */
void sm_tcgen05_take(struct sm *sm, uint32_t warp, uint64_t cycle);

/* The answer to a commit's arrival at another CTA. */
void sm_tcgen05_answered(struct sm *sm, const struct gpu_remote *packet, uint64_t cycle);

/* Tells the other CTA of a pair what a command has for it. */
void sm_tcgen05_tell_pair(struct sm *sm, uint16_t slot, uint32_t token, uint64_t cycle);
/* A parcel of that kind has come to a CTA; SM_NONE: which has ended. */
void sm_tcgen05_hear(struct sm *sm, uint16_t slot, const struct gpu_remote *packet, uint64_t cycle);

void sm_tcgen05_cycle(struct sm *sm, uint64_t cycle);
uint64_t sm_tcgen05_next(const struct sm *sm, uint64_t cycle);

#endif
