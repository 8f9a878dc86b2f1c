/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The constant cache of an SM, behind which stands the L1 instruction cache (the L1.5 of NVIDIA's descriptions;
 * Huerta et al., arXiv 2503.20481; Jia et al., arXiv 1804.06826). An instruction that loads constants issues once its
 * line is here and then takes `sm.constant.latency`; until then its warp waits as if for memory.
 *
 * SASS traces name the instructions that load constants (LDC, ULDC) but not what they load, and say nothing of
 * constant operands of others, which are not modelled. A load without an address is taken to load the kernel's
 * parameters, in the first line of its constants. These lie by the kernel's name, as its code does. With
 * `sm.constant.preload` that line comes with the kernel's CTAs: nothing waits for a kernel's parameters.
 */
#include "gpu/sm/events.h"

static struct mnp_cache_shape shape_of(const struct sm_parameters *p)
{
    return mnp_cache_shape_of(&p->constant, p->l1i_line, p->l1i_line, MNP_HASH_LINEAR);
}

static bool always_hits(const struct sm_parameters *p)
{
    return !p->constant.size || !p->l1i.size;
}

bool sm_constant_check(const struct sm_parameters *p, struct mnp_error *error)
{
    struct mnp_cache_shape shape = shape_of(p);
    if (!p->constant.size)
        return true;
    if (!shape.sets)
        return mnp_fail(error,
                        "sm.constant.size of %lu bytes holds less than one set of %lu ways of %lu bytes; enlarge it, "
                        "lower sm.constant.ways, or set the size to 0",
                        (unsigned long)p->constant.size, (unsigned long)p->constant.ways, (unsigned long)p->l1i_line);
    return mnp_cache_check(&shape, "constant", error);
}

void sm_constant_lay_out(struct sm *sm, struct mnp_arena *arena)
{
    struct mnp_cache_shape shape = shape_of(sm->parameters);
    if (!always_hits(sm->parameters))
        mnp_cache_init(&sm->constants, &shape, arena);
}

void sm_constant_invalidate(struct sm *sm)
{
    if (!always_hits(sm->parameters))
        mnp_cache_invalidate_all(&sm->constants);
}

/* ===== loads ===== */

static uint64_t line_of(const struct sm *sm, uint32_t warp)
{
    const struct sm_warp_view *view = &sm->views[warp];
    const struct sm_warp *w = &sm->warps[warp];
    const struct mnp_record *record = sm_record(view, w->issue.next);
    uint64_t address = record->address_words ? *sm_addresses(view, w->issue.next, w->issue.address_at) : 0;
    if (view->live)
        address = view->live->constant ? view->live->constant(view->live) : 0;
    return (view->code_base + SM_CONSTANTS + (address & (SM_CONSTANTS - 1))) >> sm->code_shift;
}

static void ask(struct sm *sm, uint64_t number, uint64_t cycle)
{
    struct sm_constant_state *state = &sm->state->constant;
    for (uint32_t i = 0; i < state->count; i++)
        if (state->asked[i] == number)
            return;
    if (state->count == SM_CONSTANT_LINES_ASKED)
        return; /* asks again when one of them has come */
    state->asked[state->count++] = number;
    sm_l1i_ask(sm, number, (uint32_t)sm->parameters->subcores, cycle);
}

bool sm_constant_ready(struct sm *sm, uint32_t warp, uint64_t cycle)
{
    if (always_hits(sm->parameters))
        return true;
    uint64_t number = line_of(sm, warp);
    struct sm_warp *w = &sm->warps[warp];
    uint32_t set = mnp_cache_set(&sm->constants, number), line = mnp_cache_find(&sm->constants, set, number);
    if (line != MNP_NO_LINE) {
        mnp_cache_touch(&sm->constants, line, set);
        w->constant.wanted = 0;
        return true;
    }
    if (!w->constant.wanted)
        sm_counters_of(sm, warp)[SM_CONSTANT_MISSES]++;
    w->constant.wanted = 1;
    ask(sm, number, cycle);
    return false;
}

static void fill(struct sm *sm, uint64_t number)
{
    uint32_t set = mnp_cache_set(&sm->constants, number);
    mnp_cache_replace(&sm->constants, mnp_cache_victim(&sm->constants, set), set, number);
}

void sm_constant_preload(struct sm *sm, uint64_t code_base)
{
    if (always_hits(sm->parameters) || !sm->parameters->constant_preload)
        return;
    uint64_t number = (code_base + SM_CONSTANTS) >> sm->code_shift;
    if (mnp_cache_find(&sm->constants, mnp_cache_set(&sm->constants, number), number) == MNP_NO_LINE)
        fill(sm, number);
}

void sm_constant_arrived(struct sm *sm, uint64_t number, uint64_t cycle)
{
    struct sm_constant_state *state = &sm->state->constant;
    for (uint32_t i = 0; i < state->count; i++) {
        if (state->asked[i] != number)
            continue;
        state->asked[i] = state->asked[--state->count];
        state->asked[state->count] = 0;
    }
    fill(sm, number);
    for (uint32_t warp = 0; warp < sm->parameters->warps; warp++) {
        if (sm->warps[warp].constant.wanted)
            sm_recheck(sm, warp, cycle);
    }
}
