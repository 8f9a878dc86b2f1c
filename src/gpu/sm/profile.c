/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The profile of an SM: what each instruction costs (`--by-instruction`). A listener. A warp's cycles are
 * attributed to the instruction that it has still to issue, by the reason of its stall (stall.h); the masks of warps
 * change in visited cycles alone, at whose end they are compared.
 */
#include "base/allocate.h"
#include "base/bits.h"
#include "engine/count/tally.h"
#include "gpu/sm/instruction_energy.h"
#include "gpu/sm/live.h"
#include "gpu/sm/producers.h"
#include "gpu/sm/state.h"
#include "gpu/sm/warp_wait.h"

#include <stdlib.h>
#include <string.h>

struct counts { /* counts of an instruction, by enum mnp_tally_count */
    uint64_t count[MNP_TALLY_COUNTS];
};

struct cta_profile {      /* by number of the instruction in the CTA's table */
    struct mnp_array row; /* struct counts */
};

/* Products of a warpgroup that a warp has issued and the tensor cores have not begun, in order. */
struct products {
    uint32_t index[SM_WGMMA_QUEUE];
    uint32_t first, count;
};

struct profile {
    struct mnp_tally all;                           /* sum over CTAs that have ended */
    uint64_t mask[SM_MAX_SUBCORES][SM_STALL_COUNT]; /* masks of warps, at the last look */
    uint64_t since[SM_MAX_WARPS];                   /* the warp's cycles before this one have been given away */
    uint32_t last[SM_MAX_WARPS];                    /* number of its instruction that issued last */
    uint8_t why[SM_MAX_WARPS];                      /* enum sm_stall, from `since` on */
    bool passed[SM_MAX_WARPS];                      /* … and what it waits for is an instruction that has issued */
    uint32_t awaits[SM_MAX_WARPS];                  /* … number, plus one, of the load that it waits for; 0: none */
    uint64_t fresh[(SM_MAX_WARPS + 63) / 64];       /* mask of warps whose wait has begun in the present cycle */
    struct sm_producers producers;
    uint32_t cta_count;       /* CTAs of an SM */
    struct cta_profile *ctas; /* [cta_count] */
    bool energies;            /* the machine counts them */
    struct sm_energy_weights weights;
    struct products products[SM_MAX_WARPS];
};

_Static_assert(MNP_TALLY_ENDED - MNP_TALLY_READY == SM_STALL_COUNT - 1, "a count for each way of being held back");

/* The count to which each kind of stall belongs. */
static const uint8_t count_of[SM_STALL_COUNT] = {
    [SM_STALL_NONE] = MNP_TALLY_READY,      [SM_STALL_TIMER] = MNP_TALLY_RESULT, [SM_STALL_MEMORY] = MNP_TALLY_MEMORY,
    [SM_STALL_BARRIER] = MNP_TALLY_BARRIER, [SM_STALL_FENCE] = MNP_TALLY_FENCE,  [SM_STALL_FETCH] = MNP_TALLY_FETCH,
    [SM_STALL_ENDED] = MNP_TALLY_ENDED,
};

void sm_profile_open(struct sm *sm)
{
    struct profile *profile = mnp_allocate(1, sizeof *profile);
    profile->cta_count = (uint32_t)sm->parameters->ctas;
    profile->ctas = mnp_allocate(profile->cta_count, sizeof *profile->ctas);
    sm_producers_open(&profile->producers, (uint32_t)sm->parameters->warps);
    profile->energies = sm->parameters->energy_counters;
    if (profile->energies)
        sm_energy_weigh(sm->unit->model, &profile->weights);
    gpu_listeners_add(&sm->listeners, &sm_profile_listener, profile);
}

/* The counts of an instruction of a CTA, by its number. */
static uint64_t *counts_of(struct profile *profile, const struct sm *sm, uint32_t warp, uint32_t index)
{
    struct mnp_array *row = &profile->ctas[sm->warps[warp].cta.slot].row;
    if (index >= row->count)
        mnp_array_add(row, index + 1 - row->count, sizeof(struct counts));
    return ((struct counts *)row->items)[index].count;
}

/* The number of the instruction that a warp's cycles belong to: the next, or the one that has led to a barrier or was
 * the last. */
static uint32_t waits_at(const struct profile *profile, const struct sm *sm, uint32_t warp)
{
    const struct sm_warp_view *view = &sm->views[warp];
    uint64_t next = sm->warps[warp].issue.next;
    return profile->passed[warp] || next >= view->count ? profile->last[warp] : sm_record(view, next)->index;
}

/* Cycles of a warp's wait, which are also counted at the load that it waits for. */
static void add_awaited(struct profile *profile, const struct sm *sm, uint32_t warp, uint64_t cycles)
{
    if (profile->awaits[warp])
        counts_of(profile, sm, warp, profile->awaits[warp] - 1)[MNP_TALLY_AWAITED] += cycles;
}

/* A wait begins; what the warp waits for is found at the end of the cycle. */
static void begin_wait(struct profile *profile, uint32_t warp)
{
    profile->awaits[warp] = 0;
    profile->fresh[warp / 64] |= UINT64_C(1) << warp % 64;
}

/* Finds the loads that warps wait for whose waits have begun in this cycle. */
static void find_awaited(struct profile *profile, const struct sm *sm)
{
    for (uint32_t word = 0; word < sizeof profile->fresh / sizeof *profile->fresh; word++) {
        for (uint64_t left = profile->fresh[word]; left; left &= left - 1) {
            uint32_t warp = 64 * word + (uint32_t)__builtin_ctzll(left);
            const struct sm_warp_view *view = &sm->views[warp];
            uint64_t next = sm->warps[warp].issue.next;
            if (profile->why[warp] == SM_STALL_MEMORY && next < view->count)
                profile->awaits[warp] = sm_producers_awaited(&profile->producers, sm, warp,
                                                             &view->instructions[sm_record(view, next)->index]);
        }
        profile->fresh[word] = 0;
    }
}

/* Gives away the warp's cycles before `cycle`, in which it is held back for another reason. */
static void give(struct profile *profile, const struct sm *sm, uint32_t warp, uint8_t why, uint64_t cycle)
{
    if (cycle > profile->since[warp]) {
        counts_of(profile, sm, warp, waits_at(profile, sm, warp))[count_of[profile->why[warp]]] +=
            cycle - profile->since[warp];
        add_awaited(profile, sm, warp, cycle - profile->since[warp]);
        profile->since[warp] = cycle;
    }
    begin_wait(profile, warp);
    bool parked = why == SM_STALL_BARRIER && sm->live && sm_wait_holds(sm, warp); /* in front of the instruction */
    profile->why[warp] = why;
    profile->passed[warp] = why == SM_STALL_ENDED || (why == SM_STALL_BARRIER && !parked);
}

/* ===== events ===== */

static void warp_begins(void *own, const struct sm *sm, uint32_t warp, uint64_t cycle)
{
    struct profile *profile = own;
    (void)sm;
    profile->since[warp] = cycle;
    profile->why[warp] = SM_STALL_FETCH;
    profile->passed[warp] = false;
    profile->last[warp] = 0;
    profile->awaits[warp] = 0;
    sm_producers_start(&profile->producers, warp);
    profile->products[warp].count = 0;
}

/* Energy of an issue. A product of a warpgroup is counted when it begins (multiplied). */
static uint64_t energy_of_issue(struct profile *profile, const struct sm *sm, uint32_t warp,
                                const struct mnp_record *record)
{
    const struct mnp_static_instruction *instruction = &sm->views[warp].instructions[record->index];
    struct products *products = &profile->products[warp];
    if (instruction->class == MNP_CLASS_TENSOR && !instruction->products && record->mask &&
        products->count < SM_WGMMA_QUEUE)
        products->index[(products->first + products->count++) % SM_WGMMA_QUEUE] = record->index;
    return sm_energy_of_issue(&profile->weights, instruction, record->mask);
}

/* The tensor cores begin the oldest product of a warpgroup, which belongs to its first warp's instruction. Products of
 * tensor memory belong to none. */
static void multiplied(void *own, const struct sm *sm, uint32_t warp, const struct gpu_product *product, uint64_t cycle)
{
    struct profile *profile = own;
    struct products *products = &profile->products[warp];
    (void)cycle;
    if (!profile->energies || !products->count)
        return;
    uint32_t index = products->index[products->first++ % SM_WGMMA_QUEUE];
    products->count--;
    counts_of(profile, sm, warp, index)[MNP_TALLY_ENERGY] +=
        sm_energy_of_product(&profile->weights, product->operations, product->bits) +
        product->read * profile->weights.read + product->written * profile->weights.write;
}

/* The cycle of the issue is the instruction's own. */
static void issued(void *own, const struct sm *sm, uint32_t warp, const struct mnp_record *record, uint64_t cycle)
{
    struct profile *profile = own;
    add_awaited(profile, sm, warp, cycle - profile->since[warp]);
    sm_producers_issued(&profile->producers, warp, &sm->views[warp].instructions[record->index], record->index);
    uint64_t *counts = counts_of(profile, sm, warp, record->index);
    counts[count_of[profile->why[warp]]] += cycle - profile->since[warp];
    counts[MNP_TALLY_ISSUES]++;
    counts[MNP_TALLY_LANES] += mnp_ones(record->mask);
    if (profile->energies)
        counts[MNP_TALLY_ENERGY] += energy_of_issue(profile, sm, warp, record);
    profile->since[warp] = cycle + 1;
    profile->last[warp] = record->index;
    begin_wait(profile, warp);
}

static void memory_accessed(void *own, const struct sm *sm, uint32_t warp, uint32_t index, uint32_t sectors,
                            uint64_t cycle)
{
    (void)cycle;
    counts_of(own, sm, warp, index)[MNP_TALLY_SECTORS] += sectors;
}

static void shared_accessed(void *own, const struct sm *sm, uint32_t warp, uint32_t index, uint32_t conflicts,
                            uint64_t cycle)
{
    struct profile *profile = own;
    uint64_t *counts = counts_of(profile, sm, warp, index);
    (void)cycle;
    counts[MNP_TALLY_CONFLICTS] += conflicts;
    counts[MNP_TALLY_ENERGY] += (1 + (uint64_t)conflicts) * profile->weights.shared; /* 0 without energies */
}

static void look_at_subcore(struct profile *profile, const struct sm *sm, uint32_t subcore, uint64_t cycle)
{
    const struct sm_subcore *s = &sm->state->subcore[subcore];
    uint64_t *known = profile->mask[subcore];
    for (uint32_t stall = 0; stall < SM_STALL_COUNT; stall++) {
        uint64_t come = s->stalls.mask[stall] & ~known[stall];
        known[stall] = s->stalls.mask[stall];
        for (; come; come &= come - 1)
            give(profile, sm, sm_warp_of(sm, subcore, (uint32_t)__builtin_ctzll(come)), (uint8_t)stall, cycle);
    }
}

static void visited(void *own, const struct sm *sm, uint64_t cycle)
{
    struct profile *profile = own;
    for (uint32_t i = 0; i < sm->parameters->subcores; i++) {
        const uint64_t *mask = sm->state->subcore[i].stalls.mask, *known = profile->mask[i];
        uint64_t changed = 0;
        for (uint32_t stall = 0; stall < SM_STALL_COUNT; stall++)
            changed |= mask[stall] ^ known[stall];
        if (changed)
            look_at_subcore(profile, sm, i, cycle);
    }
    find_awaited(profile, sm);
}

/* ===== ends ===== */

static void add_texts(const struct sm *sm, uint32_t slot, uint32_t index, struct mnp_tally_row *row)
{
    const struct mnp_source *source = sm->device->source;
    const struct sm_code *code = &sm->codes[slot];
    uint32_t length = 0;
    char place[MNP_LIVE_PLACE] = "", whole[MNP_LIVE_PLACE] = "";
    const char *text = source->instruction_text && !source->instruction_print
                           ? source->instruction_text(source, code->kernel, &code->cta, index, &length)
                           : NULL;
    if (source->instruction_print) {
        source->instruction_print(source, code->kernel, index, whole, sizeof whole);
        text = whole;
        length = (uint32_t)strlen(whole);
    }
    while (length && text[length - 1] == ' ')
        length--;
    if (text)
        row->text = strndup(text, length);
    if (source->instruction_place && source->instruction_place(source, code->kernel, index, place, sizeof place))
        row->source = strdup(place);
}

/* Adds what the instructions of a CTA have cost to those of its kernel. */
static void join(struct profile *profile, const struct sm *sm, uint32_t slot)
{
    struct mnp_tally *all = &profile->all;
    struct mnp_array *rows = &profile->ctas[slot].row;
    const struct sm_code *code = &sm->codes[slot];
    const struct counts *counts = rows->items;
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

static void cta_ends(void *own, const struct sm *sm, uint32_t slot, uint64_t cycle)
{
    struct profile *profile = own;
    for (uint32_t warp = 0; warp < sm->parameters->warps; warp++) {
        if (sm->warps[warp].cta.slot != slot)
            continue;
        give(profile, sm, warp, SM_STALL_ENDED, cycle);
        for (uint32_t stall = 0; stall < SM_STALL_COUNT; stall++) /* the next warp in its place is a new one */
            profile->mask[sm->subcore_of[warp]][stall] &= ~sm_bit_of(sm, warp);
    }
    join(profile, sm, slot);
}

struct mnp_tally *sm_profile_close(struct sm *sm)
{
    struct profile *profile = gpu_listeners_own(&sm->listeners, &sm_profile_listener);
    for (uint32_t slot = 0; slot < sm->parameters->ctas; slot++)
        if (sm->ctas[slot].used)
            cta_ends(profile, sm, slot, sm->unit->clock.cycle);
    return &profile->all;
}

static void release(void *own)
{
    struct profile *profile = own;
    for (uint32_t i = 0; i < profile->cta_count; i++)
        mnp_array_release(&profile->ctas[i].row);
    mnp_tally_release(&profile->all);
    sm_producers_release(&profile->producers);
    free(profile->ctas);
    free(profile);
}

const struct gpu_listener sm_profile_listener = {
    .name = "profile",
    .close = release,
    .sm = {.warp_begins = warp_begins,
           .cta_ends = cta_ends,
           .issued = issued,
           .memory_accessed = memory_accessed,
           .shared_accessed = shared_accessed,
           .multiplied = multiplied,
           .visited = visited},
};
