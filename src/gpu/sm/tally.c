/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu/sm/tally.h"

#include "base/allocate.h"
#include "base/bits.h"
#include "gpu/sm/live.h"
#include "gpu/sm/park.h"

#include <stdlib.h>
#include <string.h>

_Static_assert(MNP_TALLY_ENDED - MNP_TALLY_READY == SM_HOLD_COUNT - 1, "a count for each way of being held back");

/* Of each way of being held back, what is counted. */
static const uint8_t count_of[SM_HOLD_COUNT] = {
    [SM_HOLD_NONE] = MNP_TALLY_READY,      [SM_HOLD_TIMER] = MNP_TALLY_RESULT, [SM_HOLD_MEMORY] = MNP_TALLY_MEMORY,
    [SM_HOLD_BARRIER] = MNP_TALLY_BARRIER, [SM_HOLD_FENCE] = MNP_TALLY_FENCE,  [SM_HOLD_FETCH] = MNP_TALLY_FETCH,
    [SM_HOLD_ENDED] = MNP_TALLY_ENDED,
};

void sm_keep_tally(struct sm *sm)
{
    sm->tally = mnp_allocate(1, sizeof *sm->tally);
    sm->tally->ctas = mnp_allocate(sm->parameters->ctas, sizeof *sm->tally->ctas);
}

/* The counts of an instruction of a CTA, by its number. */
static uint64_t *counts_of(struct sm *sm, uint32_t warp, uint32_t index)
{
    struct mnp_array *row = &sm->tally->ctas[sm->warps[warp].cta.slot].row;
    if (index >= row->count)
        mnp_array_add(row, index + 1 - row->count, sizeof(struct sm_tally_counts));
    return ((struct sm_tally_counts *)row->items)[index].count;
}

/* The number of the instruction that a warp's cycles belong to: the next, or the one that has led to a barrier or was
 * the last. */
static uint32_t waits_at(const struct sm *sm, uint32_t warp)
{
    const struct sm_warp_view *view = &sm->views[warp];
    uint64_t next = sm->warps[warp].issue.next;
    return sm->tally->passed[warp] || next >= view->count ? sm->tally->last[warp] : sm_record(view, next)->index;
}

/* Gives away the warp's cycles before `cycle`, in which it is held back for another reason. */
static void give(struct sm *sm, uint32_t warp, uint8_t why, uint64_t cycle)
{
    struct sm_tally *tally = sm->tally;
    if (cycle > tally->since[warp]) {
        counts_of(sm, warp, waits_at(sm, warp))[count_of[tally->why[warp]]] += cycle - tally->since[warp];
        tally->since[warp] = cycle;
    }
    bool parked = why == SM_HOLD_BARRIER && sm->live && sm_park_holds(sm, warp); /* in front of the instruction */
    tally->why[warp] = why;
    tally->passed[warp] = why == SM_HOLD_ENDED || (why == SM_HOLD_BARRIER && !parked);
}

/* ===== events ===== */

void sm_tally_begin(struct sm *sm, uint32_t warp, uint64_t cycle)
{
    struct sm_tally *tally = sm->tally;
    tally->since[warp] = cycle;
    tally->why[warp] = SM_HOLD_FETCH;
    tally->passed[warp] = false;
    tally->last[warp] = 0;
}

/* The cycle of the issue is the instruction's own. */
void sm_tally_take_issue(struct sm *sm, uint32_t warp, const struct mnp_record *record, uint64_t cycle)
{
    struct sm_tally *tally = sm->tally;
    uint64_t *counts = counts_of(sm, warp, record->index);
    counts[count_of[tally->why[warp]]] += cycle - tally->since[warp];
    counts[MNP_TALLY_ISSUES]++;
    counts[MNP_TALLY_LANES] += mnp_ones(record->mask);
    tally->since[warp] = cycle + 1;
    tally->last[warp] = record->index;
}

void sm_tally_count(struct sm *sm, uint32_t warp, uint32_t index, enum mnp_tally_count count, uint32_t amount)
{
    counts_of(sm, warp, index)[count] += amount;
}

static void look_at_subcore(struct sm *sm, uint32_t subcore, uint64_t cycle)
{
    const struct sm_subcore *s = &sm->state->subcore[subcore];
    uint64_t *known = sm->tally->mask[subcore];
    for (uint32_t hold = 0; hold < SM_HOLD_COUNT; hold++) {
        uint64_t come = s->holds.mask[hold] & ~known[hold];
        known[hold] = s->holds.mask[hold];
        for (; come; come &= come - 1)
            give(sm, sm_warp_of(sm, subcore, (uint32_t)__builtin_ctzll(come)), (uint8_t)hold, cycle);
    }
}

void sm_tally_look_at(struct sm *sm, uint64_t cycle)
{
    for (uint32_t i = 0; i < sm->parameters->subcores; i++) {
        const uint64_t *mask = sm->state->subcore[i].holds.mask, *known = sm->tally->mask[i];
        uint64_t changed = 0;
        for (uint32_t hold = 0; hold < SM_HOLD_COUNT; hold++)
            changed |= mask[hold] ^ known[hold];
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
    struct mnp_tally *all = &sm->tally->all;
    struct mnp_array *rows = &sm->tally->ctas[slot].row;
    const struct sm_code *code = &sm->codes[slot];
    const struct sm_tally_counts *counts = rows->items;
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

void sm_tally_end(struct sm *sm, uint32_t slot, uint64_t cycle)
{
    for (uint32_t warp = 0; warp < sm->parameters->warps; warp++) {
        if (sm->warps[warp].cta.slot != slot)
            continue;
        give(sm, warp, SM_HOLD_ENDED, cycle);
        for (uint32_t hold = 0; hold < SM_HOLD_COUNT; hold++) /* whoever comes to its place is new */
            sm->tally->mask[sm->subcore_of[warp]][hold] &= ~sm_bit_of(sm, warp);
    }
    join(sm, slot);
}

struct mnp_tally *sm_close_tally(struct sm *sm)
{
    for (uint32_t slot = 0; slot < sm->parameters->ctas; slot++)
        if (sm->ctas[slot].used)
            sm_tally_end(sm, slot, sm->unit->clock.cycle);
    return &sm->tally->all;
}

void sm_tally_release(struct sm *sm)
{
    if (!sm->tally)
        return;
    for (uint32_t i = 0; i < sm->parameters->ctas; i++)
        mnp_array_release(&sm->tally->ctas[i].row);
    mnp_tally_release(&sm->tally->all);
    free(sm->tally->ctas);
    free(sm->tally);
}
