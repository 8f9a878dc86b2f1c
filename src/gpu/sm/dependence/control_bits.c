/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu/sm/dependence/control_bits.h"

#include "engine/core/time.h"
#include "gpu/sm/stall.h"

/* A stall of 0 with the yield bit set: the artefact of the paper. */
enum { LONG_STALL = 46 };

/* Cycles from issue to the end of the window in which operands are read: two stages and three cycles. */
enum { OPERANDS_READ = 5 };

/* Counts that are one less. */
static void fall(struct sm_counters *c, uint32_t counter)
{
    c->outstanding--;
    if (!--c->count[counter])
        c->nonzero &= (uint8_t) ~(1u << counter);
}

static void make_due(struct sm_counters *c, uint64_t cycle)
{
    uint32_t done = 0;
    while (done < c->releases && c->release[done] >> 3 <= cycle)
        fall(c, c->release[done++] & 7);
    if (!done)
        return;
    c->releases = (uint16_t)(c->releases - done);
    for (uint32_t i = 0; i < c->releases; i++)
        c->release[i] = c->release[i + done];
}

/* Counters that have risen by the last issue alone: an instruction in the very next cycle does not see them yet. */
static uint32_t hidden(const struct sm_counters *c)
{
    uint32_t counters = 0;
    for (uint32_t i = 0; i < MNP_COUNTERS; i++)
        counters |= (uint32_t)(c->count[i] <= c->rising[i]) << i;
    return counters;
}

/* Whether there is no room for what the instruction adds. */
static bool is_full(const struct sm_counters *c, const struct mnp_static_instruction *instruction)
{
    return c->outstanding >= SM_RELEASES - 2 &&
           (instruction->write_counter < MNP_COUNTERS || instruction->read_counter < MNP_COUNTERS);
}

/* Whether counters hold an instruction back, of which those that have just risen are seen if it is not `fresh`. */
static bool must_wait(const struct sm_counters *c, const struct mnp_static_instruction *instruction, bool fresh)
{
    uint32_t seen = instruction->wait & c->nonzero;
    if (seen && (!fresh || seen & ~hidden(c)))
        return true;
    if (instruction->wait & MNP_WAIT_DEPBAR) {
        uint32_t i = instruction->counter, risen = fresh ? c->rising[i] : 0u;
        uint32_t count = c->count[i] > risen ? c->count[i] - risen : 0;
        if (count > instruction->counter_value)
            return true;
    }
    return is_full(c, instruction);
}

/* The cycle in which the counters that an instruction names will all be zero. SM_PENDING: of some, it is not known. */
static uint64_t falls_at(const struct sm_counters *c, const struct mnp_static_instruction *instruction)
{
    uint32_t waits = instruction->wait & c->nonzero;
    uint8_t known[8] = {0};
    uint64_t last = 0;
    if (instruction->wait & MNP_WAIT_DEPBAR || is_full(c, instruction))
        return SM_PENDING;
    for (uint32_t i = 0; i < c->releases; i++) {
        uint32_t counter = c->release[i] & 7;
        known[counter]++;
        last = waits >> counter & 1 ? c->release[i] >> 3 : last;
    }
    for (; waits; waits &= waits - 1) {
        uint32_t counter = (uint32_t)__builtin_ctz(waits);
        if (known[counter] < c->count[counter])
            return SM_PENDING;
    }
    return last;
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
                               struct sm_outlook *outlook)
{
    (void)w;
    struct sm_counters *c = &bits->warps[warp];
    make_due(c, cycle);
    if (!must_wait(c, instruction, false)) { /* no counter rises before the instruction issues */
        outlook->final = true;
        return at;
    }
    bool fresh = cycle <= c->issued_at + 1;
    if (at <= cycle && fresh && !must_wait(c, instruction, true)) {
        outlook->again = c->issued_at + 2;
        return at;
    }
    uint64_t falls = falls_at(c, instruction);
    outlook->final = falls != SM_PENDING;
    if (outlook->final || at > cycle)
        return outlook->final && falls > at ? falls : at;
    return c->releases ? c->release[0] >> 3 : SM_PENDING;
}

static void rise(struct sm_counters *c, uint8_t counter)
{
    if (counter >= MNP_COUNTERS)
        return;
    c->count[counter]++;
    c->rising[counter]++;
    c->outstanding++;
    c->nonzero |= (uint8_t)(1u << counter);
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
    return counter < MNP_COUNTERS ? 1 << SM_STALL_MEMORY | 1 << SM_STALL_TIMER : 0;
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
