/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu/sm/dependence/control_bits.h"

#include "engine/core/time.h"
#include "gpu/sm/hold.h"

/* A stall of 0 with the yield bit set: the artefact of the paper. */
enum { LONG_STALL = 46 };

/* Cycles from issue to the end of the window in which operands are read: two stages and three cycles. */
enum { OPERANDS_READ = 5 };

static void make_due(struct sm_counters *c, uint64_t cycle)
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

static uint32_t outstanding(const struct sm_counters *c)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < MNP_COUNTERS; i++)
        sum += c->count[i];
    return sum;
}

/* Whether counters hold an instruction back in `cycle`. */
static bool must_wait(const struct sm_counters *c, const struct mnp_static_instruction *instruction, uint64_t cycle)
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

void sm_control_bits_lay_out(struct sm_control_bits *bits, const struct sm_parameters *p, struct mnp_arena *arena)
{
    bits->warps = mnp_arena_take(arena, p->warps, sizeof *bits->warps);
}

void sm_control_bits_start(struct sm_control_bits *bits, uint32_t warp)
{
    bits->warps[warp] = (struct sm_counters){0};
}

uint64_t sm_control_bits_ready(struct sm_control_bits *bits, const struct sm_control_bits_warp *w, uint32_t warp,
                               const struct mnp_static_instruction *instruction, uint64_t at, uint64_t cycle,
                               uint64_t *again)
{
    (void)w;
    struct sm_counters *c = &bits->warps[warp];
    if (at > cycle)
        return at;
    make_due(c, cycle);
    if (must_wait(c, instruction, cycle))
        return c->releases ? c->release[0] >> 3 : SM_PENDING;
    if (cycle <= c->issued_at + 1)
        *again = c->issued_at + 2; /* it will see more then */
    return at;
}

static void rise(struct sm_counters *c, uint8_t counter)
{
    if (counter >= MNP_COUNTERS)
        return;
    c->count[counter]++;
    c->rising[counter]++;
}

static void release(struct sm_counters *c, uint8_t counter, uint64_t at)
{
    if (counter >= MNP_COUNTERS)
        return;
    uint32_t place = c->releases++;
    for (; place > 0 && c->release[place - 1] >> 3 > at; place--)
        c->release[place] = c->release[place - 1];
    c->release[place] = at << 3 | counter;
}

uint64_t sm_control_bits_issued(struct sm_control_bits *bits, const struct sm_control_bits_warp *w, uint32_t warp,
                                const struct mnp_static_instruction *instruction, uint64_t ready, uint64_t cycle)
{
    (void)w;
    struct sm_counters *c = &bits->warps[warp];
    bool yield = instruction->wait & MNP_WAIT_YIELD;
    uint64_t stall = instruction->stall ? instruction->stall : yield ? LONG_STALL : 1;
    stall = yield && stall < 2 ? 2 : stall;
    c->issued_at = cycle;
    for (uint32_t i = 0; i < MNP_COUNTERS; i++)
        c->rising[i] = 0;
    rise(c, instruction->write_counter);
    rise(c, instruction->read_counter);
    if (ready != MNP_NEVER) { /* else the memory pipeline says when */
        release(c, instruction->write_counter, ready);
        release(c, instruction->read_counter, cycle + OPERANDS_READ);
    }
    return cycle + stall;
}

/* The holds of a warp that may wait for a counter. */
static uint32_t holds_of(uint8_t counter)
{
    return counter < MNP_COUNTERS ? 1 << SM_HOLD_MEMORY | 1 << SM_HOLD_TIMER : 0;
}

uint32_t sm_control_bits_read(struct sm_control_bits *bits, const struct sm_control_bits_warp *w, uint32_t warp,
                              const struct mnp_static_instruction *instruction, uint64_t cycle)
{
    (void)w;
    release(&bits->warps[warp], instruction->read_counter, cycle + 1);
    return holds_of(instruction->read_counter);
}

uint32_t sm_control_bits_written(struct sm_control_bits *bits, const struct sm_control_bits_warp *w, uint32_t warp,
                                 const struct mnp_static_instruction *instruction, uint64_t ready, uint64_t cycle)
{
    (void)w, (void)cycle;
    release(&bits->warps[warp], instruction->write_counter, ready);
    return holds_of(instruction->write_counter);
}
