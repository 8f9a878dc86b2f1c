/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Events: what a stage tells those that call it. Calls between the files of this folder go one way (docs/sm.md has the
 * order); where news goes the other way, a stage leaves a mark here, and the stage concerned finds it in the same
 * cycle. Apart from the marks' owners no other file writes them.
 */
#ifndef GPU_SM_EVENTS_H
#define GPU_SM_EVENTS_H

#include "gpu/sm/state.h"

#include <string.h>

/* A stage has something to do in `cycle`, or as soon as it has its turn. */
static inline void sm_wake_stage(struct sm *sm, enum sm_turn turn, uint64_t cycle)
{
    if (cycle < sm->due[turn])
        sm->due[turn] = cycle;
    uint64_t *first = turn >= SM_OFTEN ? &sm->seldom_due : &sm->often_due;
    if (cycle < *first)
        *first = cycle;
}

/* Makes all stages due, after a change that any of them may wait for. */
static inline void sm_wake_stages(struct sm *sm)
{
    memset(sm->due, 0, sizeof sm->due);
    sm->often_due = sm->seldom_due = 0;
}

/* Schedules a visit of a sub-core in `cycle`, after a change. */
static inline void sm_wake_subcore(struct sm *sm, const struct sm_subcore *s, uint64_t cycle)
{
    uint64_t *next = &sm->subcore_next[s - sm->state->subcore];
    if (cycle < *next)
        *next = cycle;
    if (cycle < sm->subcores_due)
        sm->subcores_due = cycle;
}

/* … for the sub-core of a warp. */
static inline void sm_wake_warp(struct sm *sm, uint32_t warp, uint64_t cycle)
{
    uint64_t *next = &sm->subcore_next[sm->subcore_of[warp]];
    if (cycle < *next)
        *next = cycle;
    if (cycle < sm->subcores_due)
        sm->subcores_due = cycle;
}

/* The next instruction of the warp is looked at again in this cycle, before the sub-cores run. */
static inline void sm_recheck(struct sm *sm, uint32_t warp, uint64_t cycle)
{
    sm->recheck[warp / 64] |= UINT64_C(1) << warp % 64;
    sm_wake_warp(sm, warp, cycle);
}

/* … or not, for the warp has gone on since something happened that it waited for. */
static inline void sm_forget_recheck(struct sm *sm, uint32_t warp)
{
    sm->recheck[warp / 64] &= ~(UINT64_C(1) << warp % 64);
}

/* A stage that had no room for an instruction has room: warps that were refused try again in this cycle. */
static inline void sm_wake_refused(struct sm *sm, uint64_t cycle)
{
    for (uint32_t word = 0; word < SM_MAX_WARPS / 64; word++)
        for (uint64_t *warps = &sm->state->issue.refused[word]; *warps; *warps &= *warps - 1)
            sm_recheck(sm, word * 64 + (uint32_t)__builtin_ctzll(*warps), cycle);
}

/* Takes a warp of those, the lowest first. False: there is none. */
static inline bool sm_next_recheck(struct sm *sm, uint32_t *warp)
{
    uint32_t word = sm->recheck[0] == 0;
    uint64_t *warps = &sm->recheck[word];
    if (!*warps)
        return false;
    *warp = word * 64 + (uint32_t)__builtin_ctzll(*warps);
    *warps &= *warps - 1;
    return true;
}

/* Notes that something other than spinning happens in the present cycle. */
static inline void sm_progress(struct sm *sm)
{
    sm->progressed = true;
}

/* Notes whether something other than spinning has happened in `cycle`, which ends. */
static inline void sm_note_progress(struct sm *sm, uint64_t cycle)
{
    sm->progress = sm->progressed ? cycle : sm->progress;
    sm->progressed = false;
}

/* Wakes the memory pipeline, after a change that it may wait for. */
static inline void sm_wake_pipeline(struct sm *sm)
{
    sm->state->lsu.blocked = 0;
    sm_wake_stage(sm, SM_TURN_LSU, 0);
}

/* Wakes the memory pipeline if it may wait for what has been freed (enum sm_freed); otherwise it would find no room
 * again. */
static inline void sm_wake_pipeline_by(struct sm *sm, uint32_t freed)
{
    if (sm->state->lsu.blocked && (freed & ~sm->deaf))
        sm_wake_pipeline(sm);
}

/* A place before the port becomes free that the instruction cache or the TMA may wait for. */
static inline void sm_wake_for_port(struct sm *sm)
{
    const struct sm_l1i_state *l1i = &sm->state->l1i;
    if (l1i->blocked || l1i->ahead < l1i->ahead_end)
        sm_wake_stage(sm, SM_TURN_LINE_FILL, 0);
    if (sm->state->tma.under_way)
        sm_wake_stage(sm, SM_TURN_TMA, 0);
}

/* A barrier is complete, or a CTA has nothing left to do: that takes effect in the next cycle. */
static inline void sm_wake_ctas(struct sm *sm, uint64_t cycle)
{
    sm->state->cta.news_at = cycle + 1;
    sm_wake_stage(sm, SM_TURN_CTA, cycle + 1);
}

#endif
