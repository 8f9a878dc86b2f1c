/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What holds each warp of a sub-core back, as masks of warps, and the timers at which warps are looked at again. Ready
 * warps are sorted by the execution class of their next instruction.
 */
#ifndef GPU_SM_HOLD_H
#define GPU_SM_HOLD_H

#include "contract/instruction.h"
#include "engine/core/time.h"
#include "gpu/sm/limits.h"

#include <stdbool.h>

enum { SM_TIMER_SLOTS = 64 };

/* What holds back a warp's next instruction. Exactly one of these masks of its sub-core has the warp's bit. */
enum sm_hold {
    SM_HOLD_NONE,    /* ready */
    SM_HOLD_TIMER,   /* until a known cycle */
    SM_HOLD_MEMORY,  /* until a register arrives from memory */
    SM_HOLD_BARRIER, /* until the CTA's barrier opens, or what an engine does has been done (park.c) */
    SM_HOLD_FENCE,   /* until the warp's accesses are done */
    SM_HOLD_FETCH,   /* the instruction buffer is empty */
    SM_HOLD_ENDED,   /* the last instruction has issued */
    SM_HOLD_COUNT,
};

struct sm_holds {                       /* of a sub-core: masks of its warps */
    uint64_t mask[SM_HOLD_COUNT];       /* by enum sm_hold */
    uint64_t of_class[MNP_CLASS_COUNT]; /* class of the next instruction, for warps of SM_HOLD_NONE */
    uint64_t timer_slots;               /* slots of `timer` that are not empty */
    uint32_t ready_classes;             /* classes whose mask is not empty */
    uint32_t reserved;
    uint64_t timer[SM_TIMER_SLOTS]; /* warps to look at again in cycle c, at c % SM_TIMER_SLOTS */
};

struct sm_hold_warp {
    uint64_t not_before; /* nothing issues before this cycle: end of a barrier, a stall */
    uint8_t why;         /* enum sm_hold */
    uint8_t execution;   /* class of the next instruction while `why` is SM_HOLD_NONE */
};

/* In the arguments below, `bit` is the warp's in the masks of its sub-core. */

/* A new warp, of which nothing is known yet, is held. */
static inline void sm_hold_start(struct sm_holds *holds, struct sm_hold_warp *w, uint64_t bit, enum sm_hold hold)
{
    w->why = (uint8_t)hold;
    holds->mask[hold] |= bit;
}

/* The warp's place is free again. */
static inline void sm_hold_end(struct sm_holds *holds, uint64_t bit)
{
    for (uint32_t hold = 0; hold < SM_HOLD_COUNT; hold++)
        holds->mask[hold] &= ~bit;
}

/* Nothing of the warp issues before `cycle`. */
static inline void sm_hold_until(struct sm_hold_warp *w, uint64_t cycle)
{
    w->not_before = cycle;
}

/* Moves a warp from what holds it back to `hold`. */
static inline void sm_hold_put(struct sm_holds *holds, struct sm_hold_warp *w, uint64_t bit, enum sm_hold hold)
{
    uint64_t left = holds->of_class[w->execution] & ~bit; /* where the warp was not ready, the bit is clear already */
    holds->of_class[w->execution] = left;
    holds->ready_classes &= ~((uint32_t)(left == 0) << w->execution);
    holds->mask[w->why] &= ~bit;
    holds->mask[hold] |= bit;
    w->why = (uint8_t)hold;
}

/* Makes a warp ready that waited for a time, and for nothing else. */
static inline void sm_hold_release(struct sm_holds *holds, struct sm_hold_warp *w, uint64_t bit, uint32_t execution)
{
    holds->mask[SM_HOLD_TIMER] &= ~bit;
    holds->mask[SM_HOLD_NONE] |= bit;
    holds->of_class[execution] |= bit;
    holds->ready_classes |= UINT32_C(1) << execution;
    w->why = SM_HOLD_NONE;
    w->execution = (uint8_t)execution;
}

/* Puts a warp whose instruction waits for registers alone where it belongs: ready, waiting for memory, or for cycle
 * `at`. Which it will be cannot be predicted by the host, so there is no branch. Returns whether the warp is ready when
 * its timer fires, because the timer did not have to be set to an earlier cycle. */
static inline bool sm_hold_settle(struct sm_holds *holds, struct sm_hold_warp *w, uint64_t bit, uint8_t execution,
                                  uint64_t at, uint64_t cycle)
{
    _Static_assert(SM_HOLD_NONE == 0 && SM_HOLD_TIMER == 1 && SM_HOLD_MEMORY == 2, "their numbers are computed");
    bool waits = at > cycle, memory = at == SM_PENDING, ready = !waits;
    uint64_t farthest = cycle + SM_TIMER_SLOTS - 2, timer = waits & !memory;
    uint64_t slot = (at < farthest ? at : farthest) % SM_TIMER_SLOTS;
    holds->timer[slot] |= bit & (0 - timer);
    holds->timer_slots |= timer << slot;
    sm_hold_put(holds, w, bit, (enum sm_hold)(waits + memory));
    execution = waits ? w->execution : execution;
    w->execution = execution;
    holds->of_class[execution] |= bit & (0 - (uint64_t)ready);
    holds->ready_classes |= (uint32_t)ready << execution;
    return at <= farthest;
}

/* The warp is looked at again in cycle `at`, or earlier when that lies beyond the timers' reach. */
static inline void sm_hold_set_timer(struct sm_holds *holds, uint64_t bit, uint64_t at, uint64_t cycle)
{
    uint64_t farthest = cycle + SM_TIMER_SLOTS - 2;
    uint64_t slot = (at < farthest ? at : farthest) % SM_TIMER_SLOTS;
    holds->timer[slot] |= bit;
    holds->timer_slots |= UINT64_C(1) << slot;
}

/* Whether timers fire in `cycle`. */
static inline bool sm_hold_timers_due(const struct sm_holds *holds, uint64_t cycle)
{
    return holds->timer_slots >> (cycle % SM_TIMER_SLOTS) & 1;
}

/* Takes the warps whose timers fire in `cycle`. */
static inline uint64_t sm_hold_take_timers(struct sm_holds *holds, uint64_t cycle)
{
    uint64_t slot = cycle % SM_TIMER_SLOTS, due = holds->timer[slot];
    holds->timer[slot] = 0;
    holds->timer_slots &= ~(UINT64_C(1) << slot);
    return due;
}

/* The next cycle after `cycle` in which a timer fires; MNP_NEVER: none is set. */
static inline uint64_t sm_hold_next_timer(const struct sm_holds *holds, uint64_t cycle)
{
    if (!holds->timer_slots)
        return MNP_NEVER;
    uint32_t turn = (uint32_t)((cycle + 1) % SM_TIMER_SLOTS);
    uint64_t slots = holds->timer_slots >> turn | holds->timer_slots << ((64 - turn) % 64);
    return cycle + 1 + (uint64_t)__builtin_ctzll(slots);
}

#endif
