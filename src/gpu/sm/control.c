/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Dependences by control bits (Huerta et al., arXiv 2503.20481, control bits; Jia et al., arXiv 1804.06826): the
 * compiler states how many cycles a warp has to stall behind an instruction, and six counters per warp which rise when
 * an instruction of variable latency issues and fall when it has read its sources or written its result. An instruction
 * names the counters that have to be zero before it issues; DEPBAR.LE waits for one to fall to a value. Registers are
 * not looked at: wrong bits give wrong times, as they would give wrong results.
 *
 * A counter rises one stage behind issue: an instruction in the very next cycle does not see it yet.
 *
 * The hardware's counters count to 63 each; here 63 events of all six may be outstanding for a warp.
 */
#include "gpu/sm/sm.h"

/* A stall of 0 with the yield bit set: the artefact of the paper. */
enum { LONG_STALL = 46 };

/* Cycles from issue to the end of the window in which operands are read: two stages and three cycles. */
enum { OPERANDS_READ = 5 };

static void make_due(struct sm_control *c, uint64_t cycle)
{
    uint32_t done = 0;
    while (done < c->releases && c->release[done] >> 3 <= cycle)
        c->count[c->release[done++] & 7]--;
    if (!done)
        return;
    c->releases -= done;
    for (uint32_t i = 0; i < c->releases; i++)
        c->release[i] = c->release[i + done];
}

static uint32_t outstanding(const struct sm_control *c)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < MNP_COUNTERS; i++)
        sum += c->count[i];
    return sum;
}

/* Whether counters hold an instruction back in `cycle`. */
static bool must_wait(const struct sm_control *c, const struct mnp_static_instruction *instruction, uint64_t cycle)
{
    bool fresh = cycle <= c->issued_at + 1; /* what rose at the last issue is not seen yet */
    for (uint32_t i = 0; i < MNP_COUNTERS; i++) {
        uint32_t hidden = fresh ? c->rising[i] : 0u;
        uint32_t count = c->count[i] > hidden ? c->count[i] - hidden : 0;
        if ((instruction->wait >> i & 1) && count)
            return true;
        if ((instruction->wait & MNP_WAIT_DEPBAR) && instruction->counter == i && count > instruction->counter_value)
            return true;
    }
    return outstanding(c) >= SM_RELEASES - 2 &&
           (instruction->write_counter < MNP_COUNTERS || instruction->read_counter < MNP_COUNTERS);
}

uint64_t sm_control_ready(struct sm *sm, uint32_t warp, const struct mnp_static_instruction *instruction, uint64_t at,
                          uint64_t cycle)
{
    struct sm_control *c = &sm->control[warp];
    if (at > cycle)
        return at;
    make_due(c, cycle);
    if (must_wait(c, instruction, cycle))
        return c->releases ? c->release[0] >> 3 : SM_PENDING;
    if (cycle <= c->issued_at + 1)
        sm_depend_set_timer(sm, warp, c->issued_at + 2, cycle); /* it will see more then */
    return at;
}

static void rise(struct sm_control *c, uint8_t counter)
{
    if (counter >= MNP_COUNTERS)
        return;
    c->count[counter]++;
    c->rising[counter]++;
}

void sm_control_issued(struct sm *sm, uint32_t warp, const struct mnp_static_instruction *instruction, uint64_t ready,
                       uint64_t cycle)
{
    struct sm_control *c = &sm->control[warp];
    bool yield = instruction->wait & MNP_WAIT_YIELD;
    uint64_t stall = instruction->stall ? instruction->stall : yield ? LONG_STALL : 1;
    stall = yield && stall < 2 ? 2 : stall;
    sm->warps[warp].not_before = cycle + stall;
    c->issued_at = cycle;
    for (uint32_t i = 0; i < MNP_COUNTERS; i++)
        c->rising[i] = 0;
    rise(c, instruction->write_counter);
    rise(c, instruction->read_counter);
    if (ready == MNP_NEVER)
        return; /* the memory pipeline says when */
    sm_control_release(sm, warp, instruction->write_counter, ready, cycle);
    sm_control_release(sm, warp, instruction->read_counter, cycle + OPERANDS_READ, cycle);
}

void sm_control_release(struct sm *sm, uint32_t warp, uint8_t counter, uint64_t at, uint64_t cycle)
{
    struct sm_control *c = &sm->control[warp];
    if (counter >= MNP_COUNTERS)
        return;
    uint32_t place = c->releases++;
    for (; place > 0 && c->release[place - 1] >> 3 > at; place--)
        c->release[place] = c->release[place - 1];
    c->release[place] = at << 3 | counter;
    enum sm_hold hold = sm->warps[warp].hold;
    if (hold == SM_HOLD_MEMORY || hold == SM_HOLD_TIMER) {
        sm_depend_update(sm, warp, cycle);
        sm_issue_wake(sm, warp, cycle);
    }
}
