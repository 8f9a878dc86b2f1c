/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu/sm/parts/turn.h"

#include "engine/configure/part_error.h"
#include "gpu/sm/events.h"
#include "gpu/sm/parts/parts.h"

static const uint64_t *values_of(const struct sm *sm)
{
    return sm->parameters->called_stage.values;
}

/* The lowest warp that is resident, on whose account lines are fetched; SM_NONE: there is none. */
static uint16_t resident_warp(const struct sm *sm)
{
    for (uint16_t warp = 0; warp < sm->parameters->warps; warp++)
        if (sm->warps[warp].cta.slot != SM_NONE)
            return warp;
    return SM_NONE;
}

void sm_parts_cycle(struct sm *sm, uint64_t cycle)
{
    const struct sm_called_stage *stage = sm->parts.stage;
    uint16_t warp = stage && stage->cycle ? resident_warp(sm) : SM_NONE;
    if (warp == SM_NONE)
        return;
    uint64_t asked[SM_PREFETCH_MOST];
    uint32_t count = stage->cycle(sm->parts.stage_state, values_of(sm), cycle,
                                  sm_counters_of(sm, warp) + sm->parts.stage_counters, asked);
    if (__builtin_expect(count > SM_PREFETCH_MOST, 0))
        mnp_part_fail(&stage->part, "asks for %u lines at once; the most are %d", count, SM_PREFETCH_MOST);
    uint32_t all = (1u << sm->l1d.sectors) - 1;
    for (uint32_t i = 0; i < count; i++)
        sm_l1d_prefetch(
            sm, &(struct sm_part){.line = asked[i] & ~(sm->parameters->l1d_line - 1), .sectors = (uint8_t)all}, warp);
}

uint64_t sm_parts_next(const struct sm *sm, uint64_t cycle)
{
    const struct sm_called_stage *stage = sm->parts.stage;
    uint64_t next = stage && stage->next ? stage->next(sm->parts.stage_state, values_of(sm), cycle) : MNP_NEVER;
    return next > cycle ? next : cycle + 1;
}

/* ===== instructions that issue ===== */

static void *open_sm(struct sm *sm)
{
    return sm->parts.stage && sm->parts.stage->issued ? sm : NULL;
}

static void issued(void *own, const struct sm *sm, uint32_t warp, const struct mnp_record *record, uint64_t cycle)
{
    struct sm *changed = own;
    const struct sm_warp_view *view = &sm->views[warp];
    const struct mnp_static_instruction *instruction = &view->instructions[record->index];
    struct sm_issued event = {.pc = view->code_base + instruction->pc,
                              .cycle = cycle,
                              .lanes = record->mask,
                              .sm = sm->index,
                              .warp = (uint16_t)warp,
                              .class = instruction->class,
                              .space = instruction->space,
                              .operation = instruction->operation};
    sm->parts.stage->issued(sm->parts.stage_state, values_of(sm), &event, view->counters + sm->parts.stage_counters);
    sm_wake_stage(changed, SM_TURN_PARTS, cycle + 1);
}

const struct gpu_listener sm_parts_listener = {.name = "stage", .open_sm = open_sm, .sm = {.issued = issued}};
