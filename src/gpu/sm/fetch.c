/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fetch of a sub-core: one instruction per cycle, greedily for the warp that issued last, out of the sub-core's L0
 * instruction cache. A warp keeps the number of the line that it fetched from last, so that a hit costs a comparison;
 * the cache is looked at, and the age of the line renewed, when a warp enters a line.
 *
 * A miss parks the warp until its line comes. It also starts the stream buffer, which asks for the next
 * `sm.l0i.prefetch` lines behind the last miss, one per cycle while nothing more urgent is to be asked for, and keeps
 * them beside the L0 until a warp enters them (N. Jouppi, ISCA 1990; its place in NVIDIA's front end, and the eight
 * lines: Huerta et al., arXiv 2503.20481). Where another warp misses elsewhere the buffer goes there, and what it has
 * brought goes into the L0. Were it lost, as in Jouppi's buffer of one processor, warps in different places would take
 * all lines from one another: FlashAttention-2, causal, of which an H100 does 32 sequences of 256 in 86 us, took 108.
 *
 * A trace names the instructions that were executed. So nothing is fetched beyond a branch that is taken until the
 * branch has issued; lines that the hardware fetches in vain there are not modelled. Where a live warp goes on is not
 * known before the branch has issued, taken or not.
 */
#include "gpu/sm/events.h"
#include "gpu/sm/fetch_inline.h"
#include "gpu/sm/l1i.h"
#include "gpu/sm/values.h"

/* ===== the L0 instruction cache ===== */

static uint32_t l0_set(const struct sm *sm, uint32_t subcore, uint64_t number)
{
    uint32_t sets = sm->l0i_sets;
    return subcore * sets + (uint32_t)(sets & (sets - 1) ? number % sets : number & (sets - 1));
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
        sm_buffer_forget(sm, subcore, mnp_cache_line(l0, line)->tag);
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

/* Whether a line of the window has been asked for. */
static bool stream_has(const struct sm_fetch_subcore *f, uint64_t number)
{
    return number >= f->stream && number - f->stream < f->stream_asked;
}

/* The window leaves its first lines; those that have come go into the L0. */
static void stream_leave(struct sm *sm, uint32_t subcore, uint32_t lines)
{
    struct sm_fetch_subcore *f = &sm->state->subcore[subcore].fetch;
    uint32_t left = lines > 31 ? f->stream_present : f->stream_present & (((uint32_t)1 << lines) - 1);
    for (; left; left &= left - 1)
        insert(sm, subcore, f->stream + (uint32_t)__builtin_ctz(left));
}

/* The window moves so that it begins behind `number`, which lies in it. */
static void stream_follow(struct sm *sm, uint32_t subcore, uint64_t number)
{
    struct sm_fetch_subcore *f = &sm->state->subcore[subcore].fetch;
    uint32_t steps = (uint32_t)(number + 1 - f->stream);
    stream_leave(sm, subcore, steps);
    f->stream = number + 1;
    f->stream_present = steps > 31 ? 0 : f->stream_present >> steps;
    f->stream_asked = f->stream_asked > steps ? f->stream_asked - steps : 0;
    f->stream_end = f->stream + sm->parameters->l0i_prefetch;
}

enum stream_answer { STREAM_MISS, STREAM_PENDING, STREAM_HIT };

/* A warp enters a line that is not in the L0. */
static enum stream_answer stream_enter(struct sm *sm, uint32_t subcore, uint64_t number)
{
    struct sm_fetch_subcore *f = &sm->state->subcore[subcore].fetch;
    if (stream_has(f, number)) {
        bool present = f->stream_present >> (number - f->stream) & 1;
        stream_follow(sm, subcore, number);
        return present ? STREAM_HIT : STREAM_PENDING;
    }
    stream_leave(sm, subcore, 32);
    f->stream = number + 1;
    f->stream_present = f->stream_asked = 0;
    f->stream_end = f->stream + sm->parameters->l0i_prefetch;
    return STREAM_MISS;
}

/* ===== lines that are asked for, and come ===== */

bool sm_fetch_enter(struct sm *sm, uint32_t subcore, uint32_t warp, uint32_t line)
{
    struct sm_subcore *s = &sm->state->subcore[subcore];
    uint64_t number = sm_buffer_line(sm, warp, line);
    sm_buffer_enter(&sm->warps[warp].buffer, line);
    sm->views[warp].counters[SM_L0I_ACCESSES]++;
    if (__builtin_expect(sm->parameters->values != 0, 0))
        sm->views[warp].counters[sm->parameters->places.fetch] += sm_values_activity(sm->live, warp, SM_VALUES_CODE);
    if (!sm->parameters->l1i.size)
        return true; /* every fetch hits */
    if (look_up(sm, subcore, number)) {
        if (stream_has(&s->fetch, number))
            stream_follow(sm, subcore, number);
        if (!sm->parameters->l0i.size)
            sm_counters_of(sm, warp)[SM_L1I_ACCESSES]++;
        return true;
    }
    bool wanted = sm_buffer_payer(sm, subcore, number) != 0;
    enum stream_answer answer = wanted ? STREAM_PENDING : stream_enter(sm, subcore, number);
    if (answer == STREAM_HIT)
        return true; /* the line has gone into the L0 */
    sm_counters_of(sm, warp)[SM_L0I_MISSES]++;
    sm_buffer_park(&s->buffers, sm_bit_of(sm, warp));
    if (answer == STREAM_MISS)
        s->fetch.unsent |= sm_bit_of(sm, warp);
    return false;
}

void sm_fetch_forget(struct sm *sm, uint32_t warp)
{
    sm_subcore_of(sm, warp)->fetch.unsent &= ~sm_bit_of(sm, warp);
}

void sm_fetch_ask(struct sm *sm, uint32_t subcore, uint64_t cycle)
{
    struct sm_fetch_subcore *f = &sm->state->subcore[subcore].fetch;
    uint64_t line;
    if (f->unsent) {
        uint32_t warp = sm_warp_of(sm, subcore, (uint32_t)__builtin_ctzll(f->unsent));
        line = sm_buffer_line(sm, warp, sm->warps[warp].buffer.line - 1);
        f->unsent &= f->unsent - 1;
    } else {
        line = f->stream + f->stream_asked++;
        if (sm->parameters->l0i.size && look_up(sm, subcore, line)) {
            f->stream_present |= (uint32_t)1 << (line - f->stream);
            return;
        }
        mnp_counters(sm->unit, 0)[SM_L1I_PREFETCHES]++;
    }
    sm_l1i_ask(sm, line, subcore, cycle);
}

void sm_fetch_arrived(struct sm *sm, uint32_t subcore, uint64_t number, uint64_t cycle)
{
    struct sm_subcore *s = &sm->state->subcore[subcore];
    struct sm_fetch_subcore *f = &s->fetch;
    uint64_t woken = sm_buffer_waiting(sm, subcore, number);
    sm_buffer_unpark(&s->buffers, woken);
    f->unsent &= ~woken;
    bool ahead = stream_has(f, number);
    if (woken || !ahead)
        insert(sm, subcore, number);
    if (ahead) /* also if another warp asked for the line: there may be no second answer */
        f->stream_present |= (uint32_t)1 << (number - f->stream);
    sm_wake_subcore(sm, s, cycle);
}

/* ===== the cycle; what most instructions need is in fetch_inline.h ===== */

/* Whether the next instruction of a warp is not the one behind in the code. A live warp's next instruction is unknown
 * until the instruction in front of it has been executed. */
bool sm_fetch_leaves(const struct sm_warp_view *view, uint64_t place)
{
    if (view->live)
        return view->live->closed && place + 1 == view->live->known;
    uint32_t pc = view->instructions[sm_record(view, place)->index].pc;
    return view->instructions[sm_record(view, place + 1)->index].pc != pc + 16;
}

void sm_fetch_invalidate(struct sm *sm)
{
    if (sm->l0i_sets)
        mnp_cache_invalidate_all(&sm->l0i);
    for (uint32_t i = 0; i < sm->parameters->subcores; i++) {
        struct sm_fetch_subcore *f = &sm->state->subcore[i].fetch;
        sm->l0i_recent[i] = 0;
        f->stream = f->stream_end = 0;
        f->stream_asked = f->stream_present = 0;
    }
    sm_buffer_forget_all(sm);
}

void sm_fetch_report(const struct sm *sm, FILE *out)
{
    for (uint32_t i = 0; i < sm->parameters->subcores; i++) {
        const struct sm_subcore *s = &sm->state->subcore[i];
        if (s->buffers.missing)
            fprintf(out, "%s: %u warps of sub-core %u wait for lines of code, %u of which are on their way\n",
                    sm->unit->name, (unsigned)__builtin_popcountll(s->buffers.missing), i, s->l1i.lines_asked);
    }
}
