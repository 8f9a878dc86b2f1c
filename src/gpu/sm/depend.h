/* SPDX-License-Identifier: BSD-3-Clause */
/* The part of depend.c that runs for every instruction, to be compiled into the stages that ask. */
#ifndef GPU_SM_DEPEND_H
#define GPU_SM_DEPEND_H

#include "gpu/sm/sm.h"

/* Moves a warp from what holds it back to `hold`. */
static inline void sm_depend_put(struct sm_subcore *s, struct sm_warp *w, uint64_t bit, enum sm_hold hold)
{
    uint64_t left = s->class_mask[w->class] & ~bit; /* where the warp was not ready, the bit is clear already */
    s->class_mask[w->class] = left;
    s->ready_classes &= ~((uint32_t)(left == 0) << w->class);
    s->hold[w->hold] &= ~bit;
    s->hold[hold] |= bit;
    w->hold = (uint8_t)hold;
}

/* Makes a warp ready that waited for a time, and for nothing else. */
static inline void sm_depend_release(struct sm_subcore *s, struct sm_warp *w, uint64_t bit, uint32_t class)
{
    s->hold[SM_HOLD_TIMER] &= ~bit;
    s->hold[SM_HOLD_NONE] |= bit;
    s->class_mask[class] |= bit;
    s->ready_classes |= UINT32_C(1) << class;
    w->hold = SM_HOLD_NONE;
    w->class = (uint8_t)class;
}

/* Puts a warp whose instruction waits for registers alone where it belongs: ready, waiting for memory, or for cycle
 * `at`. Which it will be cannot be predicted by the host, so there is no branch. Returns whether its timer, when it
 * fires, will find it ready: it had not to be set to an earlier cycle. */
static inline bool sm_depend_settle(struct sm_subcore *s, struct sm_warp *w, uint64_t bit, uint8_t class, uint64_t at,
                                    uint64_t cycle)
{
    _Static_assert(SM_HOLD_NONE == 0 && SM_HOLD_TIMER == 1 && SM_HOLD_MEMORY == 2, "their numbers are computed");
    bool waits = at > cycle, memory = at == SM_PENDING, ready = !waits;
    uint64_t farthest = cycle + SM_TIMER_SLOTS - 2, timer = waits & !memory;
    uint64_t slot = (at < farthest ? at : farthest) % SM_TIMER_SLOTS;
    s->timer[slot] |= bit & (0 - timer);
    s->timer_slots |= timer << slot;
    sm_depend_put(s, w, bit, (enum sm_hold)(waits + memory));
    class = waits ? w->class : class;
    w->class = class;
    s->class_mask[class] |= bit & (0 - (uint64_t)ready);
    s->ready_classes |= (uint32_t)ready << class;
    return at <= farthest;
}

/* depend.c: rare cases. */
uint64_t sm_depend_latest(const struct sm *sm, const uint64_t *ready, const struct mnp_static_instruction *instruction,
                          uint64_t at);
bool sm_depend_waits_for_readers(const struct sm *sm, uint32_t warp, const struct mnp_static_instruction *instruction);
void sm_depend_settle_special(struct sm *sm, uint32_t warp, const struct mnp_static_instruction *instruction,
                              uint32_t mask, uint64_t at, uint64_t cycle);
void sm_depend_timer(struct sm *sm, uint32_t warp, uint64_t cycle);
uint64_t sm_depend_slow(struct sm *sm, uint32_t warp, const struct mnp_static_instruction *instruction, uint64_t at,
                        uint64_t cycle);

static inline uint64_t sm_depend_later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static inline uint64_t sm_depend_scoreboard(const struct sm *sm, uint32_t warp, const struct sm_warp *w,
                                            const struct mnp_static_instruction *instruction, uint64_t at)
{
    const uint64_t *ready = sm->register_ready + (size_t)warp * SM_REGISTERS;
    if (instruction->narrow) { /* how many registers there are cannot be predicted by the host: it looks at four */
        const struct sm_reader *reader = &sm->reader[instruction->class];
        uint64_t flip = reader->flip, word = ready[instruction->destination.first] ^ flip;
        word = sm_depend_later(word, ready[instruction->source[0].first] ^ flip);
        word = sm_depend_later(word, ready[instruction->source[1].first] ^ flip);
        word = sm_depend_later(word, ready[instruction->source[2].first] ^ flip);
        at = sm_depend_later(at, (word + reader->add) >> SM_PIPE_BITS);
    } else {
        at = sm_depend_latest(sm, ready, instruction, at);
    }
    if (w->readers && sm_depend_waits_for_readers(sm, warp, instruction))
        return SM_PENDING;
    return at;
}

/* Looks at a warp's next instruction and puts the warp where it belongs. `w`, `s` and `bit` are the warp's. */
static inline void sm_depend_next(struct sm *sm, struct sm_subcore *s, uint32_t warp, struct sm_warp *w, uint64_t bit,
                                  uint64_t cycle)
{
    struct sm_warp_view *view = &sm->views[warp];
    view->sure = 0;
    if (w->fetched == 0) {
        sm_depend_put(s, w, bit, SM_HOLD_FETCH);
        return;
    }
    const struct mnp_record *record = sm_record(view, w->next);
    const struct mnp_static_instruction *instruction = &view->instructions[record->index];
    uint64_t at = sm_depend_later(w->fetched_at[w->next % 4], w->not_before);
    if (view->slow)
        at = sm_depend_slow(sm, warp, instruction, at, cycle);
    else
        at = sm_depend_scoreboard(sm, warp, w, instruction, at);
    uint32_t special = w->active & ~record->mask; /* lanes are lost: perhaps to a guard */
    special |= instruction->flags & (MNP_FLAG_FENCE | MNP_FLAG_BRANCH);
    special |= (uint32_t)(instruction->space == MNP_SPACE_CONSTANT) | instruction->selects | instruction->guarded;
    if (special) {
        sm_depend_settle_special(sm, warp, instruction, record->mask, at, cycle);
        return;
    }
    bool sure = sm_depend_settle(s, w, bit, instruction->class, at, cycle) & !view->slow;
    view->sure = (uint8_t)(sure * (instruction->class + 1));
}

/* Sees to the timers of cycle `cycle`; there are some. */
static inline void sm_depend_timers(struct sm *sm, struct sm_subcore *s, uint32_t subcore, uint64_t cycle)
{
    uint64_t slot = cycle % SM_TIMER_SLOTS, due = s->timer[slot];
    s->timer[slot] = 0;
    s->timer_slots &= ~(UINT64_C(1) << slot);
    for (; due; due &= due - 1) {
        uint32_t warp = sm_warp_of(sm, subcore, (uint32_t)__builtin_ctzll(due)), sure = sm->views[warp].sure;
        struct sm_warp *w = &sm->warps[warp];
        if (__builtin_expect(w->hold == SM_HOLD_TIMER && sure, 1))
            sm_depend_release(s, w, due & (0 - due), sure - 1);
        else
            sm_depend_timer(sm, warp, cycle);
    }
}

static inline uint64_t sm_depend_next_timer(const struct sm_subcore *subcore, uint64_t cycle)
{
    if (!subcore->timer_slots)
        return MNP_NEVER;
    uint32_t turn = (uint32_t)((cycle + 1) % SM_TIMER_SLOTS);
    uint64_t slots = subcore->timer_slots >> turn | subcore->timer_slots << ((64 - turn) % 64);
    return cycle + 1 + (uint64_t)__builtin_ctzll(slots);
}

#endif
