/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stretches of a kernel that is steady are passed over (`--steady`): there an SM's warps execute at the pace that was
 * measured, without pipes, caches or requests. It is systematic sampling in time, as SMARTS does it with a CPU's
 * instructions (Wunderlich et al., ISCA 2003), but that simulated time goes on, so that CTAs come and end, kernels
 * follow one another, and all values are computed. That a kernel which has been seen to be steady need not be simulated
 * to its end is PKA's (Avalos Baddouh et al., MICRO 2021).
 *
 * Time is cut into slots of the core clock's cycles, so that all SMs are measured at a time, under each other's load.
 * In each slot that it simulates in full an SM measures its pace, when it has warmed up: not in instructions but in
 * their weights, the cycles between the issue of the one before it in its warp and its own, so that a loop, what comes
 * before it and what comes behind may go at paces of their own. Where a warp comes to an instruction that has not been
 * measured yet, the SM is simulated in full again. Slots are simulated at a kernel's beginning, less and less often
 * behind that, and at the beginning of each period; others are passed over when two samples in a row have been alike,
 * with about as many CTAs as have been measured. What a warm-up was behind that pace it makes up for, as there was none
 * where nothing was passed over. Nothing is passed over with CTAs of two kernels, nor of a kernel whose instructions go
 * to async units, or whose warps poll: how often they do follows from how long others take. What the L2 performs is
 * performed there; of other accesses of executed programs it is told, so that its lines are those of the kernel that is
 * passed over (steady_touch.h). An SM's own caches keep what they had.
 */
#ifndef GPU_SM_STEADY_H
#define GPU_SM_STEADY_H

#include "base/arena.h"
#include "base/error.h"
#include "gpu/sm/parameters.h"

struct sm;

struct sm_steady_count {  /* counts of a kernel on this SM */
    uint64_t work;        /* the weights of its instructions, in parts of a cycle */
    uint64_t warp_cycles; /* warps that have not ended, summed over cycles */
};

struct sm_steady_state {
    uint64_t next;        /* cycle of the next turn */
    uint64_t paid;        /* cycle up to which instructions may go */
    uint64_t since;       /* cycle in which a CTA of the newest kernel came first */
    uint64_t work;        /* weights of all instructions that have been simulated */
    uint64_t warp_cycles; /* warps that have not ended, summed over cycles up to: */
    uint64_t counted;
    int64_t pool; /* work that may go now, with 16 fraction bits; below 0: that much too much has gone */
    struct sm_steady_count warmed; /* counts when the warm-up began; work UINT64_MAX: there was none */
    struct sm_steady_count began;  /* counts when the measurement began; work UINT64_MAX: none goes on */
    struct sm_steady_count round;  /* … and where a round of the leader's ended last; work 0: none has */
    uint64_t newest_pace;          /* the pace that was measured last */
    uint64_t stretch;              /* cycles passed over since a pace was measured, */
    uint64_t used;                 /* … and the pace at which they were */
    uint64_t told;                 /* cycle in which `touches` was counted */
    uint32_t touches;              /* packets that may be sent about lines that are passed over */
    uint32_t newest;               /* launch of the last CTA that has come */
    uint32_t live;                 /* warps that have not ended */
    uint32_t samples;              /* samples that have begun */
    uint32_t launch;               /* launch whose paces these are; 0: none */
    uint32_t ctas;                 /* resident when the measurement began */
    uint32_t turn;                 /* warp with which the next round begins */
    uint32_t leader;               /* warp whose way is followed, to measure whole rounds of a loop */
    uint32_t at, anchor; /* its next instruction, and the one that a round begins with, plus one; 0: not known */
    uint8_t passing;     /* cycles are being passed over */
    uint8_t steady;      /* the last two samples were alike */
    uint8_t refused;     /* the kernel has instructions that are not passed over */
    uint8_t passed;      /* cycles of the kernel have been passed over */
    uint8_t unknown;     /* a warp has come to an instruction that was not measured */
};

struct sm_steady_warp {
    uint64_t at;         /* cycle in which its last instruction issued, or it began */
    uint64_t from, done; /* its instruction when the sample began, or ended; instructions in it */
    uint32_t chunk;      /* instructions that it goes on by in a round */
    uint32_t reserved;
};

struct sm_steady_weight { /* weights of instructions, by their numbers modulo the number of weights */
    uint64_t cycles;      /* cycles from the previous instruction of the warp to it, … */
    uint32_t count;       /* … summed so many times; 0: unknown */
    uint32_t sample;      /* sample of the measurement; 0: a warm-up alone */
};

struct sm_steady { /* in the arena; NULL: nothing is passed over in this run */
    struct sm_steady_state *state;
    struct sm_steady_warp *warps;     /* [warps] */
    struct sm_steady_weight *weights; /* [SM_STEADY_WEIGHTS] */
    uint32_t *prices; /* [SM_STEADY_WEIGHTS] what they are while cycles are passed over, in parts of one; 0: unknown */
    uint64_t *lines;  /* [SM_STEADY_LINES] that were accessed last: address, sectors, what the L2 was told of them */
    struct mnp_link *touches; /* NULL: what is passed over is not told of */
    uint64_t *paces; /* [ctas + 1] work of a resident warp in 2^32 cycles, by the CTAs resident; 0: not known */
};

enum {
    SM_STEADY_WEIGHTS = 4096,
    SM_STEADY_LINES = 1024
};

bool sm_steady_check(const struct sm_parameters *parameters, struct mnp_error *error);
void sm_steady_lay_out(struct sm *sm, struct mnp_arena *arena);
void sm_steady_freeze(struct sm *sm);
void sm_steady_cycle(struct sm *sm, uint64_t cycle);
uint64_t sm_steady_next(const struct sm *sm, uint64_t cycle);

#endif
