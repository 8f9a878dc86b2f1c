/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fetch of a sub-core: one instruction per cycle, greedily for the warp that issued last, out of the sub-core's L0
 * instruction cache. A warp keeps the number of the line that it fetched from last, so that a hit costs a comparison;
 * the cache is looked at, and the age of the line renewed, when a warp enters a line.
 *
 * A miss parks the warp until its line comes. It also starts the stream buffer, which asks for the next
 * `sm.l0i.prefetch` lines behind the last miss, one per cycle while nothing more urgent is to be asked for, and keeps
 * them beside the L0 until a warp enters them (N. Jouppi, ISCA 1990; its place in NVIDIA's front end, and the eight
 * lines: Huerta et al., arXiv 2503.20481).
 *
 * A trace names the instructions that were executed. So nothing is fetched beyond a branch that is taken until the
 * branch has issued; lines that the hardware fetches in vain there are not modelled. Where a live warp goes on is not
 * known before the branch has issued, taken or not.
 */
#include "gpu/sm/fetch.h"
#include "gpu/sm/live.h"

static uint64_t bit(uint32_t place)
{
    return UINT64_C(1) << place;
}

/* Number, in memory, of a line of the warp's kernel. */
static uint64_t line_in_memory(const struct sm *sm, uint32_t warp, uint32_t line)
{
    return (sm->views[warp].code_base >> sm->code_shift) + line;
}

/* ===== the L0 instruction cache ===== */

static uint32_t l0_set(const struct sm *sm, uint32_t subcore, uint64_t number)
{
    uint32_t sets = sm->l0i_sets;
    return subcore * sets + (uint32_t)(sets & (sets - 1) ? number % sets : number & (sets - 1));
}

/* Warps that fetched from a line which is no longer there look for their line again. */
static void forget_line(struct sm *sm, uint32_t subcore, uint64_t number)
{
    const struct sm_subcore *s = &sm->state->subcore[subcore];
    for (uint64_t warps = s->resident; warps; warps &= warps - 1) {
        uint32_t warp = sm_warp_of(sm, subcore, (uint32_t)__builtin_ctzll(warps));
        struct sm_warp *w = &sm->warps[warp];
        if (w->line && !(s->missing & sm_bit_of(sm, warp)) && line_in_memory(sm, warp, w->line - 1) == number)
            w->line = 0;
    }
}

void sm_fetch_forget(struct sm *sm, uint64_t number)
{
    for (uint32_t i = 0; i < sm->parameters->subcores; i++)
        forget_line(sm, i, number);
}

static void insert(struct sm *sm, uint32_t subcore, uint64_t number)
{
    if (!sm->l0i_sets)
        return; /* fetches look at the L1 */
    struct mnp_cache *l0 = &sm->l0i;
    uint32_t set = l0_set(sm, subcore, number);
    if (mnp_cache_find(l0, set, number) != MNP_NO_LINE)
        return;
    sm->l0i_recent[subcore] = 0;
    uint32_t line = mnp_cache_victim(l0, set);
    if (!mnp_cache_is_free(l0, line))
        forget_line(sm, subcore, mnp_cache_line(l0, line)->tag);
    mnp_cache_replace(l0, line, set, number);
}

static bool look_up(struct sm *sm, uint32_t subcore, uint64_t number)
{
    if (sm->l0i_recent[subcore] == number + 1)
        return true;
    struct mnp_cache *cache = sm->l0i_sets ? &sm->l0i : &sm->l1i;
    uint32_t set = sm->l0i_sets ? l0_set(sm, subcore, number) : mnp_cache_set(cache, number);
    if (!mnp_cache_is_recent(cache, set, number)) {
        uint32_t line = mnp_cache_find(cache, set, number);
        if (line == MNP_NO_LINE)
            return false;
        mnp_cache_touch(cache, line, set);
    }
    sm->l0i_recent[subcore] = sm->l0i_sets ? number + 1 : 0;
    return true;
}

/* ===== the stream buffer ===== */

/* The window moves so that it begins behind `number`, which lies in it. */
static void stream_follow(struct sm_subcore *s, uint64_t number, uint64_t lines)
{
    uint32_t steps = (uint32_t)(number + 1 - s->stream);
    s->stream = number + 1;
    s->stream_present = steps > 31 ? 0 : s->stream_present >> steps;
    s->stream_asked = s->stream_asked > steps ? s->stream_asked - steps : 0;
    s->stream_end = s->stream + lines;
}

enum stream_answer { STREAM_MISS, STREAM_PENDING, STREAM_HIT };

/* A warp enters a line that is not in the L0. */
static enum stream_answer stream_enter(struct sm *sm, uint32_t subcore, uint64_t number)
{
    struct sm_subcore *s = &sm->state->subcore[subcore];
    uint64_t lines = sm->parameters->l0i_prefetch, offset = number - s->stream;
    enum stream_answer answer = STREAM_MISS;
    if (number >= s->stream && number < s->stream_end && offset < s->stream_asked) {
        answer = s->stream_present >> offset & 1 ? STREAM_HIT : STREAM_PENDING;
        stream_follow(s, number, lines);
        return answer;
    }
    s->stream = number + 1;
    s->stream_present = s->stream_asked = 0;
    s->stream_end = s->stream + lines;
    return answer;
}

/* ===== lines that are asked for, and come ===== */

/* Kernel slot of a warp of the sub-core that waits for the line; 0: none does. */
uint16_t sm_fetch_payer(const struct sm *sm, uint32_t subcore, uint64_t number)
{
    for (uint64_t warps = sm->state->subcore[subcore].missing; warps; warps &= warps - 1) {
        uint32_t warp = sm_warp_of(sm, subcore, (uint32_t)__builtin_ctzll(warps));
        if (line_in_memory(sm, warp, sm->warps[warp].line - 1) == number)
            return sm->ctas[sm->warps[warp].cta].kernel;
    }
    return 0;
}

bool sm_fetch_enter(struct sm *sm, uint32_t subcore, uint32_t warp, uint32_t line)
{
    struct sm_subcore *s = &sm->state->subcore[subcore];
    struct sm_warp *w = &sm->warps[warp];
    uint64_t number = line_in_memory(sm, warp, line);
    w->line = line + 1;
    sm->views[warp].counters[SM_L0I_ACCESSES]++;
    if (!sm->parameters->l1i_size)
        return true; /* every fetch hits */
    if (look_up(sm, subcore, number)) {
        if (number >= s->stream && number - s->stream < s->stream_asked)
            stream_follow(s, number, sm->parameters->l0i_prefetch);
        if (!sm->parameters->l0i_size)
            sm_counters_of(sm, warp)[SM_L1I_ACCESSES]++;
        return true;
    }
    bool wanted = sm_fetch_payer(sm, subcore, number) != 0;
    enum stream_answer answer = wanted ? STREAM_PENDING : stream_enter(sm, subcore, number);
    if (answer == STREAM_HIT) {
        insert(sm, subcore, number);
        return true;
    }
    sm_counters_of(sm, warp)[SM_L0I_MISSES]++;
    s->room &= ~sm_bit_of(sm, warp);
    s->missing |= sm_bit_of(sm, warp);
    if (answer == STREAM_MISS)
        s->unsent |= sm_bit_of(sm, warp);
    return false;
}

void sm_fetch_ask(struct sm *sm, uint32_t subcore, uint64_t cycle)
{
    struct sm_subcore *s = &sm->state->subcore[subcore];
    struct sm_line_request request = {.subcore = (uint16_t)subcore};
    if (s->unsent) {
        uint32_t place = (uint32_t)__builtin_ctzll(s->unsent), warp = sm_warp_of(sm, subcore, place);
        request.line = line_in_memory(sm, warp, sm->warps[warp].line - 1);
        s->unsent &= ~bit(place);
    } else {
        request.line = s->stream + s->stream_asked++;
        if (sm->parameters->l0i_size && look_up(sm, subcore, request.line)) {
            s->stream_present |= (uint32_t)1 << (request.line - s->stream);
            return;
        }
        mnp_counters(sm->unit, 0)[SM_L1I_PREFETCHES]++;
    }
    s->lines_asked++;
    sm_l1i_ask(sm, &request, cycle);
}

void sm_fetch_served(struct sm *sm, uint32_t subcore, uint64_t cycle)
{
    sm->state->subcore[subcore].lines_asked--;
    sm_issue_wake(sm, subcore, cycle);
}

void sm_fetch_arrived(struct sm *sm, uint32_t subcore, uint64_t number, uint64_t cycle)
{
    struct sm_subcore *s = &sm->state->subcore[subcore];
    uint64_t woken = 0;
    for (uint64_t warps = s->missing; warps; warps &= warps - 1) {
        uint32_t place = (uint32_t)__builtin_ctzll(warps), warp = sm_warp_of(sm, subcore, place);
        if (line_in_memory(sm, warp, sm->warps[warp].line - 1) == number)
            woken |= bit(place);
    }
    s->missing &= ~woken;
    s->unsent &= ~woken;
    s->room |= woken;
    if (woken)
        insert(sm, subcore, number);
    if (number >= s->stream && number - s->stream < s->stream_asked) /* whoever asked: there may be no second answer */
        s->stream_present |= (uint32_t)1 << (number - s->stream);
    sm_fetch_served(sm, subcore, cycle);
}

/* ===== the cycle; what most need is in fetch.h ===== */

/* Where a live warp goes on is known when the instruction has been executed. */
bool sm_fetch_leaves(const struct sm_warp_view *view, uint64_t place)
{
    if (view->live)
        return view->live->closed && place + 1 == view->live->known;
    uint32_t pc = view->instructions[sm_record(view, place)->index].pc;
    return view->instructions[sm_record(view, place + 1)->index].pc != pc + 16;
}

void sm_fetch_start(struct sm *sm, uint32_t warp)
{
    struct sm_subcore *s = sm_subcore_of(sm, warp);
    s->room |= sm_bit_of(sm, warp) & ~s->missing; /* a timer that has become void may come later */
}

void sm_fetch_invalidate(struct sm *sm)
{
    if (sm->l0i_sets)
        mnp_cache_invalidate_all(&sm->l0i);
    for (uint32_t i = 0; i < sm->parameters->subcores; i++) {
        struct sm_subcore *s = &sm->state->subcore[i];
        sm->l0i_recent[i] = 0;
        s->stream = s->stream_end = 0;
        s->stream_asked = s->stream_present = 0;
        for (uint64_t warps = s->resident & ~s->missing; warps; warps &= warps - 1)
            sm->warps[sm_warp_of(sm, i, (uint32_t)__builtin_ctzll(warps))].line = 0;
    }
}
