/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The constant cache of an SM, behind which stands the L1 instruction cache (the L1.5 of NVIDIA's descriptions;
 * Huerta et al., arXiv 2503.20481; Jia et al., arXiv 1804.06826). An instruction that loads constants issues once the
 * lines of its lanes have been here and then takes `sm.constant.latency`; until then its warp waits as if for memory.
 *
 * The cache gives lanes one granule at a time (`sm.constant.granule`): lanes with different addresses take a pass each,
 * one a cycle, and loads of all sub-cores that come meanwhile wait for the last of them (CUDA C++ programming guide; an
 * engineer of NVIDIA's says that sub-cores share the cache of LDC: forums.developer.nvidia.com, 306586). How many loads
 * of one pass the cache takes in a cycle is not published, and not bounded.
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

/* Addresses of constants that the active lanes of a warp's next instruction load. */
struct wanted {
    uint32_t count;
    uint64_t address[MNP_WARP_SIZE]; /* in the kernel's constants */
};

/* Whether all addresses lie in the same multiple of 2 to the power of `shift`. */
static bool are_together(const struct wanted *wanted, uint32_t shift)
{
    uint64_t apart = 0;
    for (uint32_t i = 1; i < wanted->count; i++)
        apart |= wanted->address[i] ^ wanted->address[0];
    return apart >> shift == 0;
}

static void find_wanted(const struct sm *sm, uint32_t warp, struct wanted *wanted)
{
    const struct sm_warp_view *view = &sm->views[warp];
    uint64_t place = sm->warps[warp].issue.next;
    const struct mnp_record *record = sm_record(view, place);
    if (view->live)
        wanted->count = view->live->constants ? view->live->constants(view->live, wanted->address) : 0;
    else if (record->address_words)
        wanted->count =
            mnp_expand_addresses(record, sm_addresses(view, place, sm->warps[warp].issue.address_at), wanted->address);
    else
        wanted->count = 0;
    if (!wanted->count)
        wanted->address[wanted->count++] = 0;
}

/* Different granules among the addresses, less one. */
static uint32_t more_passes(const struct sm_parameters *p, const struct wanted *wanted)
{
    uint64_t seen[MNP_WARP_SIZE];
    uint32_t count = 0;
    if (!p->constant_granule)
        return 0;
    for (uint32_t i = 0; i < wanted->count; i++) {
        uint64_t granule = wanted->address[i] / p->constant_granule;
        uint32_t at = 0;
        while (at < count && seen[at] != granule)
            at++;
        if (at == count)
            seen[count++] = granule;
    }
    return count - 1;
}

static uint64_t line_of(const struct sm *sm, uint32_t warp, uint64_t address)
{
    return (sm->views[warp].code_base + SM_CONSTANTS + (address & (SM_CONSTANTS - 1))) >> sm->code_shift;
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

/* Looks a line up; one that is not there is asked for. */
static bool is_there(struct sm *sm, uint64_t number, uint64_t cycle)
{
    uint32_t set = mnp_cache_set(&sm->constants, number), line = mnp_cache_find(&sm->constants, set, number);
    if (line != MNP_NO_LINE)
        mnp_cache_touch(&sm->constants, line, set);
    else
        ask(sm, number, cycle);
    return line != MNP_NO_LINE;
}

/* Lanes that want several lines are served one after the other, each once its line is there: the cache may hold fewer
 * lines than they want. */
static bool are_there(struct sm *sm, uint32_t warp, const struct wanted *wanted, uint64_t cycle)
{
    struct sm_constant_warp *state = &sm->warps[warp].constant;
    uint64_t last = 0;
    bool there = false;
    for (uint32_t i = 0; i < wanted->count; i++) {
        uint64_t number = line_of(sm, warp, wanted->address[i]);
        if (state->served >> i & 1)
            continue;
        if (number != last) /* no line has number 0, as code lies below constants */
            there = is_there(sm, number, cycle);
        last = number;
        state->served |= (uint32_t)there << i;
    }
    return state->served == UINT32_MAX >> (MNP_WARP_SIZE - wanted->count);
}

bool sm_constant_ready(struct sm *sm, uint32_t warp, uint64_t cycle)
{
    bool hits = always_hits(sm->parameters);
    struct wanted wanted;
    struct sm_constant_warp *state = &sm->warps[warp].constant;
    if (hits && !sm->parameters->constant_granule)
        return true;
    find_wanted(sm, warp, &wanted);
    bool uniform = are_together(&wanted, 0);
    state->passes = uniform ? 0 : (uint8_t)more_passes(sm->parameters, &wanted);
    if (hits || (are_together(&wanted, sm->code_shift) ? is_there(sm, line_of(sm, warp, wanted.address[0]), cycle)
                                                       : are_there(sm, warp, &wanted, cycle))) {
        state->wanted = 0;
        return true;
    }
    if (!state->wanted)
        sm_counters_of(sm, warp)[SM_CONSTANT_MISSES]++;
    state->wanted = 1;
    return false;
}

uint64_t sm_constant_issue(struct sm *sm, struct sm_warp *w, uint64_t *counters, uint64_t cycle)
{
    uint64_t *from = &sm->state->constant.free_from, last = sm_later(cycle, *from) + w->constant.passes;
    counters[SM_CONSTANT_ACCESSES]++;
    counters[SM_CONSTANT_PASSES] += w->constant.passes + 1u;
    if (w->constant.passes)
        *from = last + 1;
    w->constant.passes = 0;
    w->constant.served = 0;
    return last - cycle + sm->parameters->constant_latency;
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
