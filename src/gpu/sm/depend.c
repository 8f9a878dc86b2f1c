/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * When a warp's next instruction may issue.
 *
 * Scoreboard: an instruction waits until no register that it reads or writes is still to be written (RAW and WAW;
 * GPGPU-Sim manual, scoreboard). The cycle in which a result of fixed latency can be used is known at issue, so a
 * register keeps that cycle, and a warp is looked at again just then; nothing happens at write-back. A result goes over
 * from the pipe of multiply-adds to the integer pipe, and the other way, `sm.cross_latency` cycles later than to an
 * instruction of its own pipe, and to a memory instruction, which no bypass feeds, `sm.memory.operand_latency` cycles
 * later (stall counts of compiled code; Huerta et al., arXiv 2503.20481). With
 * `sm.war_consumers`, a register that a memory instruction has still to read is not written (WAR), and at most so many
 * instructions may be about to read one (Huerta et al., arXiv 2503.20481, scoreboards as an alternative).
 *
 * Traces name neither predicates nor carries. A branch, or an instruction whose lanes show that it has a guard, waits
 * for all predicates written before it; one with a predicate among its operands for the last one written; the upper
 * half of a sum for the lower.
 *
 * Control bits, where the instructions have them and the machine uses them: control.c.
 */
#include "gpu/sm/depend.h"
#include "gpu/sm/live.h"

void sm_depend_hold(struct sm *sm, uint32_t warp, enum sm_hold hold)
{
    sm_depend_put(sm_subcore_of(sm, warp), &sm->warps[warp], sm_bit_of(sm, warp), hold);
}

/* The latest ready word of the registers of a range, as a reader that flips these bits sees it. */
static uint64_t latest(const uint64_t *ready, struct mnp_registers range, uint64_t flip, uint64_t word)
{
    for (uint32_t i = 0; i < range.count; i++)
        word = sm_depend_later(word, ready[range.first + i] ^ flip);
    return word;
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
bool sm_depend_waits_for_readers(const struct sm *sm, uint32_t warp, const struct mnp_static_instruction *instruction)
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
        sm->register_ready[(size_t)warp * SM_REGISTERS + instruction->destination.first + i] = ready << SM_PIPE_BITS;
    if (sm->views[warp].use_control)
        sm_control_release(sm, warp, instruction->write_counter, ready, cycle);
}

/* ===== the next instruction; what most need is in depend.h ===== */

/* The latest ready word of the registers of a range for a memory instruction, which reads them outside the pipes. */
static uint64_t latest_operand(const struct sm *sm, const uint64_t *ready, struct mnp_registers range, uint64_t word)
{
    for (uint32_t i = 0; i < range.count; i++) {
        uint64_t each = ready[range.first + i];
        bool piped = each & ((1 << SM_PIPE_BITS) - 1);
        word = sm_depend_later(word, each + (piped ? sm->operand_latency : 0));
    }
    return word;
}

/* The ready word of the carry that an instruction takes: that of the register below its destination, which the
 * instruction that left the carry has written if they are the halves of a sum. If something else than arithmetic has
 * written the register since, the carry is long there. */
static uint64_t carry(const uint64_t *ready, const struct mnp_static_instruction *instruction, uint64_t flip)
{
    uint64_t word = ready[instruction->destination.first - 1];
    bool piped = word & ((1 << SM_PIPE_BITS) - 1);
    return piped ? word ^ flip : 0;
}

/* The cycle in which all registers of an instruction may be read and written, `at` at the earliest. */
uint64_t sm_depend_latest(const struct sm *sm, const uint64_t *ready, const struct mnp_static_instruction *instruction,
                          uint64_t at)
{
    const struct sm_reader *reader = &sm->reader[instruction->class];
    uint64_t word = latest(ready, instruction->destination, reader->flip, 0);
    bool memory = instruction->class == MNP_CLASS_MEMORY;
    for (uint32_t i = 0; i < instruction->source_count; i++)
        word = memory ? latest_operand(sm, ready, instruction->source[i], word)
                      : latest(ready, instruction->source[i], reader->flip, word);
    if (instruction->carries)
        word = sm_depend_later(word, carry(ready, instruction, reader->flip));
    return sm_depend_later(at, (word + reader->add) >> SM_PIPE_BITS);
}

/* The cycle in which the predicates are there, which the scoreboard knows of the warp and not one by one: a branch or a
 * guard waits for all that have been written, an operand for the last. Fewer lanes than before, and none but those,
 * where no branch has taken them, show a guard. */
static uint64_t wait_for_predicates(const struct sm *sm, const struct sm_warp *w,
                                    const struct mnp_static_instruction *instruction, uint32_t mask, uint64_t at)
{
    const struct sm_reader *reader = &sm->reader[instruction->class];
    uint8_t waits = MNP_FLAG_PREDICATE | MNP_FLAG_BRANCH;
    bool fewer = mask != w->active && !(mask & ~w->active);
    if (fewer || instruction->guarded || (instruction->flags & waits) == waits)
        at = sm_depend_later(at, w->predicates);
    if (instruction->selects)
        at = sm_depend_later(at, ((w->last_predicate ^ reader->flip) + reader->add) >> SM_PIPE_BITS);
    return at;
}

/* As sm_depend_settle, for an instruction that may wait for other things than registers too. `mask`: its lanes. */
void sm_depend_settle_special(struct sm *sm, uint32_t warp, const struct mnp_static_instruction *instruction,
                              uint32_t mask, uint64_t at, uint64_t cycle)
{
    struct sm_warp *w = &sm->warps[warp];
    struct sm_subcore *s = sm_subcore_of(sm, warp);
    uint64_t bit = sm_bit_of(sm, warp);
    bool depbar = sm->views[warp].use_control && (instruction->wait & MNP_WAIT_DEPBAR);
    if (!sm->views[warp].use_control && at != SM_PENDING)
        at = wait_for_predicates(sm, w, instruction, mask, at);
    bool fence = at <= cycle && (instruction->flags & MNP_FLAG_FENCE) && !depbar;
    if (fence && (sm->views[warp].live ? sm_live_fence_holds(sm, warp) : w->outstanding != 0))
        sm_depend_put(s, w, bit, SM_HOLD_FENCE);
    else if (at <= cycle && instruction->space == MNP_SPACE_CONSTANT && !sm_constant_ready(sm, warp, cycle))
        sm_depend_put(s, w, bit, SM_HOLD_MEMORY);
    else
        sm_depend_settle(s, w, bit, instruction->class, at, cycle);
}

uint64_t sm_depend_slow(struct sm *sm, uint32_t warp, const struct mnp_static_instruction *instruction, uint64_t at,
                        uint64_t cycle)
{
    if (sm->views[warp].use_control)
        return sm_control_ready(sm, warp, instruction, at, cycle);
    return sm_live_waits(sm, warp) ? SM_PENDING
                                   : sm_depend_scoreboard(sm, warp, &sm->warps[warp], instruction, at);
}

void sm_depend_update(struct sm *sm, uint32_t warp, uint64_t cycle)
{
    sm_depend_next(sm, sm_subcore_of(sm, warp), warp, &sm->warps[warp], sm_bit_of(sm, warp), cycle);
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

/* The timer of a warp fires which may wait for more than that. */
void sm_depend_timer(struct sm *sm, uint32_t warp, uint64_t cycle)
{
    enum sm_hold hold = sm->warps[warp].hold;
    if (hold == SM_HOLD_FETCH) /* the timer of its start */
        start(sm, warp, cycle);
    else if (hold == SM_HOLD_TIMER || (hold == SM_HOLD_NONE && sm->views[warp].use_control))
        sm_depend_update(sm, warp, cycle);
}
