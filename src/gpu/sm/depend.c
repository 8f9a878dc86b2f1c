/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * When a warp's next instruction may issue.
 *
 * Scoreboard: an instruction waits until no register that it reads or writes is still to be written (RAW and WAW;
 * GPGPU-Sim manual, scoreboard). The cycle in which a result of fixed latency can be used is known at issue, so a
 * register keeps that cycle, and a warp is looked at again just then; nothing happens at write-back. With
 * `sm.war_consumers`, a register that a memory instruction has still to read is not written (WAR), and at most so many
 * instructions may be about to read one (Huerta et al., arXiv 2503.20481, scoreboards as an alternative). A branch
 * waits for the predicates written before it: traces do not say which it reads.
 *
 * Control bits, where the instructions have them and the machine uses them: control.c.
 */
#include "gpu/sm/sm.h"

static inline void put(struct sm_subcore *s, struct sm_warp *w, uint64_t bit, enum sm_hold hold)
{
    uint64_t left = s->class_mask[w->class] & ~bit; /* where the warp was not ready, the bit is clear already */
    s->class_mask[w->class] = left;
    s->ready_classes = (s->ready_classes & ~(UINT32_C(1) << w->class)) | (uint32_t)(left != 0) << w->class;
    s->hold[w->hold] &= ~bit;
    s->hold[hold] |= bit;
    w->hold = (uint8_t)hold;
}

void sm_depend_hold(struct sm *sm, uint32_t warp, enum sm_hold hold)
{
    put(sm_subcore_of(sm, warp), &sm->warps[warp], sm_bit_of(sm, warp), hold);
}

/* The latest ready time of the registers of a range. */
static uint64_t latest(const uint64_t *ready, struct mnp_registers range, uint64_t time)
{
    for (uint32_t i = 0; i < range.count; i++)
        if (ready[range.first + i] > time)
            time = ready[range.first + i];
    return time;
}

void sm_depend_set_timer(struct sm *sm, uint32_t warp, uint64_t at, uint64_t cycle)
{
    struct sm_subcore *s = sm_subcore_of(sm, warp);
    uint64_t farthest = cycle + SM_TIMER_SLOTS - 2; /* looked at again there when it is further off */
    uint64_t slot = (at < farthest ? at : farthest) % SM_TIMER_SLOTS;
    s->timer[slot] |= sm_bit_of(sm, warp);
    s->timer_slots |= UINT64_C(1) << slot;
}

/* ===== write after read ===== */

static uint8_t most_readers(const uint8_t *readers, struct mnp_registers range)
{
    uint8_t most = 0;
    for (uint32_t i = 0; i < range.count; i++)
        most = readers[range.first + i] > most ? readers[range.first + i] : most;
    return most;
}

static bool reads_late(const struct mnp_static_instruction *instruction)
{
    return instruction->class == MNP_CLASS_MEMORY;
}

/* Whether registers that earlier instructions have still to read hold this one back. */
static __attribute__((noinline)) bool waits_for_readers(const struct sm *sm, uint32_t warp,
                                                        const struct mnp_static_instruction *instruction)
{
    const uint8_t *readers = sm->readers + (size_t)warp * SM_REGISTERS;
    if (most_readers(readers, instruction->destination))
        return true;
    for (uint32_t i = 0; reads_late(instruction) && i < instruction->source_count; i++)
        if (most_readers(readers, instruction->source[i]) >= sm->parameters->war_consumers)
            return true;
    return false;
}

static void add_readers(struct sm *sm, uint32_t warp, const struct mnp_static_instruction *instruction, uint8_t change)
{
    uint8_t *readers = sm->readers + (size_t)warp * SM_REGISTERS;
    for (uint32_t i = 0; i < instruction->source_count; i++)
        for (uint32_t k = 0; k < instruction->source[i].count; k++)
            readers[instruction->source[i].first + k] += change;
}

/* ===== what happens to an instruction ===== */

void sm_depend_sent(struct sm *sm, uint32_t warp, const struct mnp_static_instruction *instruction, uint64_t cycle)
{
    struct sm_warp *w = &sm->warps[warp];
    if (sm->views[warp].use_control) {
        sm_control_issued(sm, warp, instruction, MNP_NEVER, cycle);
    } else if (sm->parameters->war_consumers && instruction->source_count) {
        w->readers++;
        add_readers(sm, warp, instruction, 1);
    }
}

void sm_depend_read(struct sm *sm, uint32_t warp, const struct mnp_static_instruction *instruction, uint64_t cycle)
{
    struct sm_warp *w = &sm->warps[warp];
    if (sm->views[warp].use_control) {
        sm_control_release(sm, warp, instruction->read_counter, cycle + 1, cycle);
    } else if (sm->parameters->war_consumers && instruction->source_count) {
        w->readers--;
        add_readers(sm, warp, instruction, UINT8_MAX);
        if (w->hold == SM_HOLD_MEMORY) {
            sm_depend_update(sm, warp, cycle);
            sm_issue_wake(sm, warp, cycle);
        }
    }
}

void sm_depend_written(struct sm *sm, uint32_t warp, const struct mnp_static_instruction *instruction, uint64_t ready,
                       uint64_t cycle)
{
    for (uint32_t i = 0; i < instruction->destination.count; i++)
        sm->register_ready[(size_t)warp * SM_REGISTERS + instruction->destination.first + i] = ready;
    if (sm->views[warp].use_control)
        sm_control_release(sm, warp, instruction->write_counter, ready, cycle);
}

/* ===== the next instruction ===== */

/* The later of two cycles, the second of which counts only `where` it is true. */
static inline uint64_t later_where(uint64_t at, uint64_t other, bool where)
{
    other &= 0 - (uint64_t)where;
    return other > at ? other : at;
}

/* Most instructions have up to three sources of one register each. Which of them exist cannot be predicted by the host,
 * so all are looked at, without a branch. */
static bool is_narrow(const struct mnp_static_instruction *instruction)
{
    return (instruction->reads[0] + instruction->reads[1] == instruction->source_count) &
           (instruction->source_count <= 3) & (instruction->destination.count <= 1);
}

static __attribute__((noinline)) uint64_t
latest_of_all(const uint64_t *ready, const struct mnp_static_instruction *instruction, uint64_t at)
{
    at = latest(ready, instruction->destination, at);
    for (uint32_t i = 0; i < instruction->source_count; i++)
        at = latest(ready, instruction->source[i], at);
    return at;
}

static inline uint64_t scoreboard(const struct sm *sm, uint32_t warp, const struct mnp_static_instruction *instruction,
                           uint64_t at)
{
    const uint64_t *ready = sm->register_ready + (size_t)warp * SM_REGISTERS;
    if (is_narrow(instruction)) {
        at = later_where(at, ready[instruction->destination.first], instruction->destination.count);
        at = later_where(at, ready[instruction->source[0].first], instruction->source_count > 0);
        at = later_where(at, ready[instruction->source[1].first], instruction->source_count > 1);
        at = later_where(at, ready[instruction->source[2].first], instruction->source_count > 2);
    } else {
        at = latest_of_all(ready, instruction, at);
    }
    if (sm->warps[warp].readers && waits_for_readers(sm, warp, instruction))
        return SM_PENDING;
    return at;
}

/* Puts a warp whose instruction waits for registers alone where it belongs: ready, waiting for memory, or for cycle
 * `at`. Which it will be cannot be predicted by the host, so there is no branch. */
static inline __attribute__((always_inline)) void settle(struct sm_subcore *s, struct sm_warp *w, uint64_t bit,
                                                         uint8_t class, uint64_t at, uint64_t cycle)
{
    bool waits = at > cycle, memory = at == SM_PENDING, ready = !waits;
    uint64_t farthest = cycle + SM_TIMER_SLOTS - 2, timer = waits & !memory;
    uint64_t slot = (at < farthest ? at : farthest) % SM_TIMER_SLOTS;
    s->timer[slot] |= bit & (0 - timer);
    s->timer_slots |= timer << slot;
    put(s, w, bit, (enum sm_hold)(waits * SM_HOLD_TIMER + memory * (SM_HOLD_MEMORY - SM_HOLD_TIMER)));
    uint32_t mask = 0 - (uint32_t)ready;
    w->class = (uint8_t)((class & mask) | (w->class & ~mask));
    s->class_mask[w->class] |= bit & (0 - (uint64_t)ready);
    s->ready_classes |= (uint32_t)ready << w->class;
}

/* The same for one that may wait for other things too. */
static __attribute__((noinline)) void settle_special(struct sm *sm, uint32_t warp,
                                                     const struct mnp_static_instruction *instruction, uint64_t at,
                                                     uint64_t cycle)
{
    struct sm_warp *w = &sm->warps[warp];
    struct sm_subcore *s = sm_subcore_of(sm, warp);
    uint64_t bit = sm_bit_of(sm, warp);
    bool depbar = sm->views[warp].use_control && (instruction->wait & MNP_WAIT_DEPBAR);
    if ((instruction->flags & MNP_FLAG_PREDICATE) && !sm->views[warp].use_control && w->predicates > at)
        at = w->predicates;
    if (at <= cycle && (instruction->flags & MNP_FLAG_FENCE) && w->outstanding && !depbar)
        put(s, w, bit, SM_HOLD_FENCE);
    else if (at <= cycle && instruction->space == MNP_SPACE_CONSTANT && !sm_constant_ready(sm, warp, cycle))
        put(s, w, bit, SM_HOLD_MEMORY);
    else
        settle(s, w, bit, instruction->class, at, cycle);
}

void sm_depend_update(struct sm *sm, uint32_t warp, uint64_t cycle)
{
    struct sm_warp *w = &sm->warps[warp];
    const struct sm_warp_view *view = &sm->views[warp];
    struct sm_subcore *s = sm_subcore_of(sm, warp);
    uint64_t bit = sm_bit_of(sm, warp);
    if (w->fetched == 0) {
        put(s, w, bit, SM_HOLD_FETCH);
        return;
    }
    const struct mnp_static_instruction *instruction = &view->instructions[sm_record(view, w->next)->index];
    uint64_t at = w->fetched_at[w->next % 4];
    at = at > w->not_before ? at : w->not_before;
    at = view->use_control ? sm_control_ready(sm, warp, instruction, at, cycle) : scoreboard(sm, warp, instruction, at);
    if ((instruction->flags & (MNP_FLAG_FENCE | MNP_FLAG_BRANCH)) || instruction->space == MNP_SPACE_CONSTANT)
        settle_special(sm, warp, instruction, at, cycle);
    else
        settle(s, w, bit, instruction->class, at, cycle);
}

/* ===== timers ===== */

static void start(struct sm *sm, uint32_t warp, uint64_t cycle)
{
    uint64_t at = sm->warps[warp].redirect;
    if (at > cycle)
        sm_depend_set_timer(sm, warp, at, cycle);
    else
        sm_fetch_start(sm, warp);
}

void sm_depend_timers(struct sm *sm, uint32_t subcore, uint64_t cycle)
{
    struct sm_subcore *s = &sm->state->subcore[subcore];
    uint64_t slot = cycle % SM_TIMER_SLOTS;
    uint64_t due = s->timer[slot];
    if (!due)
        return;
    s->timer[slot] = 0;
    s->timer_slots &= ~(UINT64_C(1) << slot);
    for (; due; due &= due - 1) {
        uint32_t warp = sm_warp_of(sm, subcore, (uint32_t)__builtin_ctzll(due));
        enum sm_hold hold = sm->warps[warp].hold;
        if (hold == SM_HOLD_FETCH) /* the timer of its start */
            start(sm, warp, cycle);
        else if (hold == SM_HOLD_TIMER || (hold == SM_HOLD_NONE && sm->views[warp].use_control))
            sm_depend_update(sm, warp, cycle);
    }
}

uint64_t sm_depend_next_timer(const struct sm_subcore *subcore, uint64_t cycle)
{
    if (!subcore->timer_slots)
        return MNP_NEVER;
    uint32_t turn = (uint32_t)((cycle + 1) % SM_TIMER_SLOTS);
    uint64_t slots = subcore->timer_slots >> turn | subcore->timer_slots << ((64 - turn) % 64);
    return cycle + 1 + (uint64_t)__builtin_ctzll(slots);
}
