/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu/sm/profile.h"

#include "base/allocate.h"
#include "base/bits.h"
#include "gpu/sm/live.h"
#include "gpu/sm/warp_wait.h"

#include <stdlib.h>
#include <string.h>

_Static_assert(MNP_TALLY_ENDED - MNP_TALLY_READY == SM_STALL_COUNT - 1, "a count for each way of being held back");

/* Of each way of being held back, what is counted. */
static const uint8_t count_of[SM_STALL_COUNT] = {
    [SM_STALL_NONE] = MNP_TALLY_READY,      [SM_STALL_TIMER] = MNP_TALLY_RESULT, [SM_STALL_MEMORY] = MNP_TALLY_MEMORY,
    [SM_STALL_BARRIER] = MNP_TALLY_BARRIER, [SM_STALL_FENCE] = MNP_TALLY_FENCE,  [SM_STALL_FETCH] = MNP_TALLY_FETCH,
    [SM_STALL_ENDED] = MNP_TALLY_ENDED,
};

void sm_profile_open(struct sm *sm)
{
    sm->profile = mnp_allocate(1, sizeof *sm->profile);
    sm->profile->ctas = mnp_allocate(sm->parameters->ctas, sizeof *sm->profile->ctas);
}

/* The counts of an instruction of a CTA, by its number. */
static uint64_t *counts_of(struct sm *sm, uint32_t warp, uint32_t index)
{
    struct mnp_array *row = &sm->profile->ctas[sm->warps[warp].cta.slot].row;
    if (index >= row->count)
        mnp_array_add(row, index + 1 - row->count, sizeof(struct sm_profile_counts));
    return ((struct sm_profile_counts *)row->items)[index].count;
}

/* The number of the instruction that a warp's cycles belong to: the next, or the one that has led to a barrier or was
 * the last. */
static uint32_t waits_at(const struct sm *sm, uint32_t warp)
{
    const struct sm_warp_view *view = &sm->views[warp];
    uint64_t next = sm->warps[warp].issue.next;
    return sm->profile->passed[warp] || next >= view->count ? sm->profile->last[warp] : sm_record(view, next)->index;
}

/* Gives away the warp's cycles before `cycle`, in which it is held back for another reason. */
static void give(struct sm *sm, uint32_t warp, uint8_t why, uint64_t cycle)
{
    struct sm_profile *profile = sm->profile;
    if (cycle > profile->since[warp]) {
        counts_of(sm, warp, waits_at(sm, warp))[count_of[profile->why[warp]]] += cycle - profile->since[warp];
        profile->since[warp] = cycle;
    }
    bool parked = why == SM_STALL_BARRIER && sm->live && sm_wait_holds(sm, warp); /* in front of the instruction */
    profile->why[warp] = why;
    profile->passed[warp] = why == SM_STALL_ENDED || (why == SM_STALL_BARRIER && !parked);
}

/* ===== events ===== */

void sm_profile_begin(struct sm *sm, uint32_t warp, uint64_t cycle)
{
    struct sm_profile *profile = sm->profile;
    profile->since[warp] = cycle;
    profile->why[warp] = SM_STALL_FETCH;
    profile->passed[warp] = false;
    profile->last[warp] = 0;
}

/* The cycle of the issue is the instruction's own. */
void sm_profile_take_issue(struct sm *sm, uint32_t warp, const struct mnp_record *record, uint64_t cycle)
{
    struct sm_profile *profile = sm->profile;
    uint64_t *counts = counts_of(sm, warp, record->index);
    counts[count_of[profile->why[warp]]] += cycle - profile->since[warp];
    counts[MNP_TALLY_ISSUES]++;
    counts[MNP_TALLY_LANES] += mnp_ones(record->mask);
    profile->since[warp] = cycle + 1;
    profile->last[warp] = record->index;
}

void sm_profile_count(struct sm *sm, uint32_t warp, uint32_t index, enum mnp_tally_count count, uint32_t amount)
{
    counts_of(sm, warp, index)[count] += amount;
}

static void look_at_subcore(struct sm *sm, uint32_t subcore, uint64_t cycle)
{
    const struct sm_subcore *s = &sm->state->subcore[subcore];
    uint64_t *known = sm->profile->mask[subcore];
    for (uint32_t stall = 0; stall < SM_STALL_COUNT; stall++) {
        uint64_t come = s->stalls.mask[stall] & ~known[stall];
        known[stall] = s->stalls.mask[stall];
        for (; come; come &= come - 1)
            give(sm, sm_warp_of(sm, subcore, (uint32_t)__builtin_ctzll(come)), (uint8_t)stall, cycle);
    }
}

void sm_profile_look_at(struct sm *sm, uint64_t cycle)
{
    for (uint32_t i = 0; i < sm->parameters->subcores; i++) {
        const uint64_t *mask = sm->state->subcore[i].stalls.mask, *known = sm->profile->mask[i];
        uint64_t changed = 0;
        for (uint32_t stall = 0; stall < SM_STALL_COUNT; stall++)
            changed |= mask[stall] ^ known[stall];
        if (changed)
            look_at_subcore(sm, i, cycle);
    }
}

/* ===== ends ===== */

static void add_texts(struct sm *sm, uint32_t slot, uint32_t index, struct mnp_tally_row *row)
{
    const struct mnp_source *source = sm->device->source;
    const struct sm_code *code = &sm->codes[slot];
    uint32_t length = 0;
    char place[MNP_LIVE_PLACE] = "";
    const char *text =
        source->instruction_text ? source->instruction_text(source, code->kernel, &code->cta, index, &length) : NULL;
    while (length && text[length - 1] == ' ')
        length--;
    if (text)
        row->text = strndup(text, length);
    if (source->instruction_place && source->instruction_place(source, code->kernel, index, place, sizeof place))
        row->source = strdup(place);
}

/* Adds what the instructions of a CTA have cost to those of its kernel. */
static void join(struct sm *sm, uint32_t slot)
{
    struct mnp_tally *all = &sm->profile->all;
    struct mnp_array *rows = &sm->profile->ctas[slot].row;
    const struct sm_code *code = &sm->codes[slot];
    const struct sm_profile_counts *counts = rows->items;
    uint32_t name = rows->count ? mnp_tally_name(all, code->kernel->name) : 0;
    for (uint32_t i = 0; i < rows->count; i++) {
        uint64_t sum = 0;
        for (int k = 0; k < MNP_TALLY_COUNTS; k++)
            sum |= counts[i].count[k];
        if (!sum)
            continue;
        const struct mnp_static_instruction *instruction = &code->instructions[i];
        uint32_t before = all->rows.count;
        struct mnp_tally_row *row = mnp_tally_row(all, name, instruction->pc, instruction->opcode);
        for (int k = 0; k < MNP_TALLY_COUNTS; k++)
            row->count[k] += counts[i].count[k];
        if (all->rows.count > before)
            add_texts(sm, slot, (uint32_t)i, row);
    }
    if (rows->count)
        memset(rows->items, 0, rows->count * sizeof *counts);
}

void sm_profile_end(struct sm *sm, uint32_t slot, uint64_t cycle)
{
    for (uint32_t warp = 0; warp < sm->parameters->warps; warp++) {
        if (sm->warps[warp].cta.slot != slot)
            continue;
        give(sm, warp, SM_STALL_ENDED, cycle);
        for (uint32_t stall = 0; stall < SM_STALL_COUNT; stall++) /* whoever comes to its place is new */
            sm->profile->mask[sm->subcore_of[warp]][stall] &= ~sm_bit_of(sm, warp);
    }
    join(sm, slot);
}

struct mnp_tally *sm_profile_close(struct sm *sm)
{
    for (uint32_t slot = 0; slot < sm->parameters->ctas; slot++)
        if (sm->ctas[slot].used)
            sm_profile_end(sm, slot, sm->unit->clock.cycle);
    return &sm->profile->all;
}

void sm_profile_release(struct sm *sm)
{
    if (!sm->profile)
        return;
    for (uint32_t i = 0; i < sm->parameters->ctas; i++)
        mnp_array_release(&sm->profile->ctas[i].row);
    mnp_tally_release(&sm->profile->all);
    free(sm->profile->ctas);
    free(sm->profile);
}
