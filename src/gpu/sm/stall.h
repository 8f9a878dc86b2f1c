/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Why each warp of a sub-core stalls, as masks of warps, and the timers at which warps are re-evaluated. Ready warps
 * are sorted by the execution class of their next instruction.
 */
#ifndef GPU_SM_STALL_H
#define GPU_SM_STALL_H

#include "contract/instruction.h"
#include "engine/core/time.h"
#include "gpu/sm/limits.h"

#include <stdbool.h>

enum { SM_TIMER_SLOTS = 64 };

/* Why a warp's next instruction does not issue. Exactly one of these masks of its sub-core has the warp's bit. */
enum sm_stall {
    SM_STALL_NONE,    /* ready */
    SM_STALL_TIMER,   /* until a known cycle */
    SM_STALL_MEMORY,  /* until a register arrives from memory */
    SM_STALL_BARRIER, /* until the CTA's barrier opens, or an async unit has finished (warp_wait.c) */
    SM_STALL_FENCE,   /* until the warp's accesses are done */
    SM_STALL_FETCH,   /* the instruction buffer is empty */
    SM_STALL_ENDED,   /* the last instruction has issued */
    SM_STALL_COUNT,
};

struct sm_stalls {                      /* masks of a sub-core's warps */
    uint64_t mask[SM_STALL_COUNT];      /* by enum sm_stall */
    uint64_t of_class[MNP_CLASS_COUNT]; /* class of the next instruction, for warps of SM_STALL_NONE */
    uint64_t timer_slots;               /* slots of `timer` that are not empty */
    uint32_t ready_classes;             /* classes whose mask is not empty */
    uint32_t reserved;
    uint64_t timer[SM_TIMER_SLOTS]; /* warps to look at again in cycle c, at c % SM_TIMER_SLOTS */
};

struct sm_stall_warp {
    uint64_t not_before; /* no instruction issues before this cycle: end of a barrier, a stall */
    uint8_t why;         /* enum sm_stall */
    uint8_t execution;   /* class of the next instruction while `why` is SM_STALL_NONE */
};

/* In the arguments below, `bit` is the warp's in the masks of its sub-core. */

/* Stalls a new warp, whose next instruction is not known yet. */
static inline void sm_stall_start(struct sm_stalls *stalls, struct sm_stall_warp *w, uint64_t bit, enum sm_stall stall)
{
    w->why = (uint8_t)stall;
    stalls->mask[stall] |= bit;
}

/* The warp's place is free again. */
static inline void sm_stall_end(struct sm_stalls *stalls, uint64_t bit)
{
    for (uint32_t stall = 0; stall < SM_STALL_COUNT; stall++)
        stalls->mask[stall] &= ~bit;
}

/* Holds a warp back: no instruction issues before `cycle`. */
static inline void sm_stall_until(struct sm_stall_warp *w, uint64_t cycle)
{
    w->not_before = cycle;
}

/* Changes the reason for which a warp stalls. */
static inline void sm_stall_put(struct sm_stalls *stalls, struct sm_stall_warp *w, uint64_t bit, enum sm_stall stall)
{
    uint64_t left = stalls->of_class[w->execution] & ~bit; /* if the warp was not ready, the bit is clear already */
    stalls->of_class[w->execution] = left;
    stalls->ready_classes &= ~((uint32_t)(left == 0) << w->execution);
    stalls->mask[w->why] &= ~bit;
    stalls->mask[stall] |= bit;
    w->why = (uint8_t)stall;
}

/* Makes a warp ready that waited for a time, and for nothing else. */
static inline void sm_stall_release(struct sm_stalls *stalls, struct sm_stall_warp *w, uint64_t bit, uint32_t execution)
{
    stalls->mask[SM_STALL_TIMER] &= ~bit;
    stalls->mask[SM_STALL_NONE] |= bit;
    stalls->of_class[execution] |= bit;
    stalls->ready_classes |= UINT32_C(1) << execution;
    w->why = SM_STALL_NONE;
    w->execution = (uint8_t)execution;
}

/* Puts a warp whose instruction waits for registers alone where it belongs: ready, waiting for memory, or for cycle
 * `at`. Which it will be cannot be predicted by the host, so there is no branch. Returns whether the warp is ready when
 * its timer fires, because the timer did not have to be set to an earlier cycle. */
static inline bool sm_stall_settle(struct sm_stalls *stalls, struct sm_stall_warp *w, uint64_t bit, uint8_t execution,
                                   uint64_t at, uint64_t cycle)
{
    _Static_assert(SM_STALL_NONE == 0 && SM_STALL_TIMER == 1 && SM_STALL_MEMORY == 2, "their numbers are computed");
    bool waits = at > cycle, memory = at == SM_PENDING, ready = !waits;
    uint64_t farthest = cycle + SM_TIMER_SLOTS - 2, timer = waits & !memory;
    uint64_t slot = (at < farthest ? at : farthest) % SM_TIMER_SLOTS;
    stalls->timer[slot] |= bit & (0 - timer);
    stalls->timer_slots |= timer << slot;
    sm_stall_put(stalls, w, bit, (enum sm_stall)(waits + memory));
    execution = waits ? w->execution : execution;
    w->execution = execution;
    stalls->of_class[execution] |= bit & (0 - (uint64_t)ready);
    stalls->ready_classes |= (uint32_t)ready << execution;
    return at <= farthest;
}

/* The warp is looked at again in cycle `at`, or earlier when that lies beyond the timers' reach. */
static inline void sm_stall_set_timer(struct sm_stalls *stalls, uint64_t bit, uint64_t at, uint64_t cycle)
{
    uint64_t farthest = cycle + SM_TIMER_SLOTS - 2;
    uint64_t slot = (at < farthest ? at : farthest) % SM_TIMER_SLOTS;
    stalls->timer[slot] |= bit;
    stalls->timer_slots |= UINT64_C(1) << slot;
}

/* Whether timers fire in `cycle`. */
static inline bool sm_stall_timers_due(const struct sm_stalls *stalls, uint64_t cycle)
{
    return stalls->timer_slots >> (cycle % SM_TIMER_SLOTS) & 1;
}

/* Takes the warps whose timers fire in `cycle`. */
static inline uint64_t sm_stall_take_timers(struct sm_stalls *stalls, uint64_t cycle)
{
    uint64_t slot = cycle % SM_TIMER_SLOTS, due = stalls->timer[slot];
    stalls->timer[slot] = 0;
    stalls->timer_slots &= ~(UINT64_C(1) << slot);
    return due;
}

/* The next cycle after `cycle` in which a timer fires; MNP_NEVER: none is set. */
static inline uint64_t sm_stall_next_timer(const struct sm_stalls *stalls, uint64_t cycle)
{
    if (!stalls->timer_slots)
        return MNP_NEVER;
    uint32_t turn = (uint32_t)((cycle + 1) % SM_TIMER_SLOTS);
    uint64_t slots = stalls->timer_slots >> turn | stalls->timer_slots << ((64 - turn) % 64);
    return cycle + 1 + (uint64_t)__builtin_ctzll(slots);
}

#endif
