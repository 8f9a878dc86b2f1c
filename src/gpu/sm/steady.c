/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu/sm/steady.h"

#include "engine/core/port.h"
#include "gpu/sm/events.h"
#include "gpu/sm/issue.h"
#include "gpu/sm/live.h"
#include "gpu/sm/statistics.h"
#include "gpu/sm/steady_touch.h"
#include "gpu/sm/steady_weight.h"

#include <string.h>

enum {
    LOOK = 16,   /* … and of one that is measured */
    A_CHUNK = 8, /* cycles of a turn for each instruction of a warp in a row, on average, */
    MOST = 8,    /* … and how many times as many there are at most */
    ALIKE = 8,   /* two paces are alike if they differ by no more than this part of them */
    FEWEST = 4,  /* least instructions of a warp, on average, by which a pace is measured */
    LEAST = 16,  /* least instructions of all warps by which a pace is measured */
    ABOUT = 8    /* numbers of CTAs are alike if they differ by no more than this part */
};

bool sm_steady_check(const struct sm_parameters *p, struct mnp_error *error)
{
    if (!p->steady_period)
        return true;
    if (p->steady_detail > p->steady_period)
        return mnp_fail(error, "sm.steady.detail is longer than sm.steady.period, %lu cycles; make it shorter",
                        (unsigned long)p->steady_period);
    if (p->steady_warm >= p->steady_detail)
        return mnp_fail(
            error, "sm.steady.warm leaves nothing of sm.steady.detail, %lu cycles, to be measured; make it shorter",
            (unsigned long)p->steady_detail);
    return true;
}

void sm_steady_lay_out(struct sm *sm, struct mnp_arena *arena)
{
    if (!sm->parameters->steady_period)
        return;
    sm->steady.state = mnp_arena_take(arena, 1, sizeof *sm->steady.state);
    sm->steady.paces = mnp_arena_take(arena, sm->parameters->ctas + 1, sizeof *sm->steady.paces);
    sm->steady.weights = mnp_arena_take(arena, SM_STEADY_WEIGHTS, sizeof *sm->steady.weights);
    sm->steady.prices = mnp_arena_take(arena, SM_STEADY_WEIGHTS, sizeof *sm->steady.prices);
    sm->steady.warps = mnp_arena_take(arena, sm->parameters->warps, sizeof *sm->steady.warps);
    sm->steady.lines = mnp_arena_take(arena, SM_STEADY_LINES, sizeof *sm->steady.lines);
}

void sm_steady_freeze(struct sm *sm)
{
    sm->steady.touches = mnp_port_link(sm->unit, SM_TOUCHES);
}

/* ===== what is measured ===== */

/* The slot of the only kernel that has CTAs here; 0: there is none, or there are several. */
static uint16_t only_kernel(const struct sm *sm)
{
    uint16_t kernel = 0;
    for (uint32_t i = 0; i < sm->parameters->ctas; i++) {
        if (!sm->ctas[i].used)
            continue;
        if (kernel && sm->ctas[i].kernel != kernel)
            return 0;
        kernel = sm->ctas[i].kernel;
    }
    return kernel;
}

/* Forgets the paces of another kernel. */
static void look_at_kernel(struct sm *sm, uint16_t kernel)
{
    struct sm_steady_state *state = sm->steady.state;
    uint32_t launch = kernel ? sm->device->kernels[kernel]->id : 0;
    if (launch == state->launch)
        return;
    *state = (struct sm_steady_state){.launch = launch,
                                      .newest = state->newest,
                                      .since = state->since,
                                      .began.work = UINT64_MAX,
                                      .warmed.work = UINT64_MAX,
                                      .passing = state->passing,
                                      .paid = state->paid,
                                      .work = state->work,
                                      .warp_cycles = state->warp_cycles,
                                      .counted = state->counted,
                                      .live = state->live,
                                      .told = state->told,
                                      .touches = state->touches,
                                      .next = state->next};
    memset(sm->steady.paces, 0, (sm->parameters->ctas + 1) * sizeof *sm->steady.paces);
    memset(sm->steady.weights, 0, SM_STEADY_WEIGHTS * sizeof *sm->steady.weights);
    memset(sm->steady.lines, 0, SM_STEADY_LINES * sizeof *sm->steady.lines);
}

static struct sm_steady_count count_now(struct sm *sm, uint64_t cycle)
{
    struct sm_steady_state *state = sm->steady.state;
    sm_steady_count(state, cycle);
    return (struct sm_steady_count){state->work, state->warp_cycles};
}

/* The leader's next instruction, plus one; 0: it has ended. */
static uint32_t place_of(const struct sm *sm, uint32_t warp)
{
    const struct sm_warp *w = &sm->warps[warp];
    if (w->cta.slot == SM_NONE || w->stall.why == SM_STALL_ENDED)
        return 0;
    return sm_record(&sm->views[warp], w->issue.next)->index + 1;
}

/* Records the position of each warp. */
static void mark_warps(struct sm *sm)
{
    for (uint32_t warp = 0; warp < sm->parameters->warps; warp++)
        sm->steady.warps[warp].from = sm->warps[warp].issue.next;
}

static void begin_sample(struct sm *sm, uint64_t cycle)
{
    struct sm_steady_state *state = sm->steady.state;
    state->began = count_now(sm, cycle);
    state->round = (struct sm_steady_count){0};
    state->samples++;
    state->ctas = sm->state->cta.resident_ctas;
    mark_warps(sm);
    state->leader = state->anchor = 0;
    while (state->leader + 1 < sm->parameters->warps && !place_of(sm, state->leader))
        state->leader++;
    state->at = place_of(sm, state->leader);
}

/* Instructions of a warp in a row, on average. */
static uint32_t chunk_of(const struct sm *sm)
{
    return (uint32_t)sm->parameters->steady_turn / A_CHUNK;
}

/* Schedulers favour some warps: they go on in chunks as the sample shows it; one that has come since, as all on
 * average. False: there were too few instructions, as where most warps wait for something long. */
static bool share_out(struct sm *sm)
{
    uint64_t all = 0, count = 0, mean = chunk_of(sm), most = mean * MOST;
    for (uint32_t warp = 0; warp < sm->parameters->warps; warp++) {
        struct sm_steady_warp *w = &sm->steady.warps[warp];
        uint64_t next = sm->warps[warp].issue.next;
        w->done = next > w->from ? next - w->from : 0;
        all += w->done;
        count += sm->warps[warp].cta.slot != SM_NONE && sm->warps[warp].stall.why != SM_STALL_ENDED;
    }
    if (all < count * FEWEST || all < LEAST)
        return false;
    for (uint32_t warp = 0; warp < sm->parameters->warps; warp++) {
        struct sm_steady_warp *w = &sm->steady.warps[warp];
        uint64_t chunk = all ? (w->done * count * mean + all / 2) / all : mean;
        w->chunk = (uint32_t)(chunk < 1 ? 1 : chunk > most ? most : chunk);
        w->from = sm->warps[warp].issue.next;
    }
    return true;
}

/* A sample begins where the leader comes to an instruction, and ends where it comes to the same one again: rounds of a
 * loop take different paces at their beginning and their end, and are measured as a whole. */
static void follow_leader(struct sm *sm, uint64_t cycle)
{
    struct sm_steady_state *state = sm->steady.state;
    uint32_t at = place_of(sm, state->leader);
    if (state->began.work == UINT64_MAX || !at || at == state->at)
        return;
    state->at = at;
    if (!state->anchor) {
        state->anchor = at;
        state->began = count_now(sm, cycle);
    } else if (at == state->anchor) {
        state->round = count_now(sm, cycle);
    }
}

/* A pace has been measured behind what was passed over: how wrong that was. */
static void check_stretch(struct sm *sm, uint64_t *counters, uint64_t pace)
{
    struct sm_steady_state *state = sm->steady.state;
    uint64_t used = state->used, step = used > pace ? used - pace : pace - used, mean = used / 2 + pace / 2 + 1;
    if (!state->stretch || !used)
        return;
    counters[SM_STEADY_CHECKS]++;
    counters[SM_STEADY_CHECKED] += state->stretch;
    counters[SM_STEADY_ERRORS] += (uint64_t)((unsigned __int128)state->stretch * step / mean);
    state->stretch = 0;
}

/* Notes the pace of so many CTAs, and whether it is like the last one of as many. The first of as many changes
 * nothing, as there are fewer CTAs towards a kernel's end, unless warps are much slower: fewer of them are not. */
static void note(struct sm *sm, uint64_t *counters, uint64_t pace)
{
    uint64_t *of = &sm->steady.paces[sm->steady.state->ctas], last = *of;
    uint64_t step = last > pace ? last - pace : pace - last, mean = last / 2 + pace / 2 + 1;
    counters[SM_STEADY_SAMPLES]++;
    check_stretch(sm, counters, pace);
    bool alike = last && step <= mean / ALIKE;
    *of = alike ? last - last / 4 + pace / 4 : pace;
    if (last)
        sm->steady.state->steady = alike;
    else if (pace < sm->steady.state->newest_pace / 2)
        sm->steady.state->steady = 0;
    sm->steady.state->newest_pace = pace;
}

/* Lag of the warm-up behind the pace: parts, with 16 fraction bits. */
static int64_t behind(struct sm_steady_state *state, uint64_t pace)
{
    struct sm_steady_count warmed = state->warmed;
    state->warmed.work = UINT64_MAX;
    if (warmed.work == UINT64_MAX)
        return 0;
    uint64_t cycles = state->began.warp_cycles - warmed.warp_cycles, done = state->began.work - warmed.work;
    return (int64_t)((unsigned __int128)cycles * pace >> 16) - (int64_t)(done << 16);
}

static bool about_as_many(uint32_t a, uint32_t b)
{
    uint32_t apart = a > b ? a - b : b - a;
    return apart <= (a > b ? a : b) / ABOUT;
}

/* Whole rounds, if they are a good part of what was measured. Nothing where there are many more CTAs now, or fewer. */
static void end_sample(struct sm *sm, uint16_t kernel, uint64_t cycle)
{
    struct sm_steady_state *state = sm->steady.state;
    struct sm_steady_count began = state->began, end = count_now(sm, cycle), round = state->round;
    bool measured = began.work != UINT64_MAX && about_as_many(state->ctas, sm->state->cta.resident_ctas);
    if (measured && round.work && (round.warp_cycles - began.warp_cycles) * 4 > end.warp_cycles - began.warp_cycles)
        end = round;
    if (measured && end.work > began.work && end.warp_cycles > began.warp_cycles) {
        uint64_t pace = ((end.work - began.work) << 32) / (end.warp_cycles - began.warp_cycles);
        state->pool = behind(state, pace);
        if (share_out(sm))
            note(sm, mnp_counters(sm->unit, kernel), pace);
        else
            state->steady = 0;
    }
    state->began.work = state->warmed.work = UINT64_MAX;
}

/* The pace with as many CTAs as there are now, or about as many; 0: that is not known. */
static uint64_t pace_now(const struct sm *sm)
{
    uint32_t now = sm->state->cta.resident_ctas, most = (uint32_t)sm->parameters->ctas;
    for (uint32_t apart = 0; apart <= now / ABOUT; apart++) {
        uint64_t more = now + apart <= most ? sm->steady.paces[now + apart] : 0;
        if (more || sm->steady.paces[now - apart])
            return more ? more : sm->steady.paces[now - apart];
    }
    return 0;
}

/* ===== passing over ===== */

static bool holds(const struct sm_warp *w)
{
    return w->stall.why == SM_STALL_BARRIER || w->stall.why == SM_STALL_ENDED;
}

/* Discards the fetched instructions of a warp, and ends its waits for registers and lines of code. */
static void stop_warp(struct sm *sm, uint32_t warp)
{
    struct sm_subcore *s = sm_subcore_of(sm, warp);
    struct sm_warp *w = &sm->warps[warp];
    uint64_t bit = sm_bit_of(sm, warp);
    if (w->stall.why == SM_STALL_ENDED)
        return;
    sm_buffer_stop(&s->buffers, &w->buffer, bit);
    sm_fetch_forget(sm, warp);
    if (!holds(w))
        sm_stall_put(&s->stalls, &w->stall, bit, SM_STALL_FETCH);
}

static void start_warp(struct sm *sm, uint32_t warp, uint64_t cycle)
{
    struct sm_warp *w = &sm->warps[warp];
    if (w->stall.why == SM_STALL_ENDED)
        return;
    sm->steady.warps[warp].at = cycle;
    sm_buffer_stop(&sm_subcore_of(sm, warp)->buffers, &w->buffer, sm_bit_of(sm, warp));
    sm_buffer_redirect(&w->buffer, cycle);
    sm_buffer_start(&sm_subcore_of(sm, warp)->buffers, sm_bit_of(sm, warp));
    sm_scoreboard_set_active(&w->dependence.scoreboard, 0);
    sm_wake_warp(sm, warp, cycle);
}

/* Weights stay as they are while cycles are passed over. */
static void find_prices(struct sm *sm)
{
    for (uint32_t i = 0; i < SM_STEADY_WEIGHTS; i++) {
        const struct sm_steady_weight *weight = sm_steady_weight_at(sm, i);
        sm->steady.prices[i] = weight->count ? (uint32_t)sm_steady_parts(weight) : 0;
    }
}

/* Part of what the warps' next instructions wait for has passed. */
static void credit_waits(struct sm *sm, uint64_t cycle)
{
    uint64_t waited = 0;
    for (uint32_t warp = 0; warp < sm->parameters->warps; warp++)
        if (place_of(sm, warp))
            waited += sm_steady_capped(cycle - sm->steady.warps[warp].at);
    sm->steady.state->pool += (int64_t)(pace_now(sm) * waited >> 16);
}

static void begin_passing(struct sm *sm, uint16_t kernel, uint64_t cycle)
{
    mnp_counters(sm->unit, kernel)[SM_STEADY_STRETCHES]++;
    find_prices(sm);
    credit_waits(sm, cycle);
    sm_cta_account(sm, cycle);
    sm->steady.state->passing = 1;
    sm->steady.state->paid = cycle;
    for (uint32_t warp = 0; warp < sm->parameters->warps; warp++)
        if (sm->warps[warp].cta.slot != SM_NONE)
            stop_warp(sm, warp);
    for (uint32_t i = 0; i < sm->parameters->subcores; i++) {
        sm_slots_pass(&sm->state->subcore[i].slots, cycle);
        sm->subcore_next[i] = MNP_NEVER;
    }
}

static void end_passing(struct sm *sm, uint64_t cycle)
{
    sm_steady_tell_all(sm, cycle);
    sm_cta_account(sm, cycle);
    sm->steady.state->passing = 0;
    for (uint32_t warp = 0; warp < sm->parameters->warps; warp++)
        if (sm->warps[warp].cta.slot != SM_NONE)
            start_warp(sm, warp, cycle);
    for (uint32_t i = 0; i < sm->parameters->subcores; i++)
        sm_wake_subcore(sm, &sm->state->subcore[i], cycle);
}

/* Work of the warp's next instruction, to be taken from the pool; 0: it was not measured. */
static int64_t next_price(struct sm *sm, uint32_t warp)
{
    uint32_t index = sm_record(&sm->views[warp], sm->warps[warp].issue.next)->index;
    return (int64_t)sm->steady.prices[index % SM_STEADY_WEIGHTS] << 16;
}

/* Instructions that concern nobody but the warp, in a row; returns how many. */
static uint32_t pass_row(struct sm *sm, uint32_t warp, uint32_t most, uint64_t cycle)
{
    struct sm_steady_state *state = sm->steady.state;
    struct mnp_live_row row;
    row.prices = sm->steady.prices;
    row.price_count = SM_STEADY_WEIGHTS;
    row.most = most < MNP_LIVE_ROW ? most : MNP_LIVE_ROW;
    row.budget = state->pool;
    row.tells = sm->steady.touches != NULL;
    uint32_t count = sm_issue_pass_row(sm, warp, &row, cycle);
    if (count) {
        state->pool = row.budget;
        sm_forget_recheck(sm, warp);
    }
    return count;
}

/* Some instructions of a warp. Returns whether there was one. */
static bool pass_warp(struct sm *sm, uint32_t warp, uint64_t cycle)
{
    struct sm_steady_state *state = sm->steady.state;
    const struct sm_steady_warp *of = &sm->steady.warps[warp];
    uint32_t chunk = sm->warps[warp].issue.next < of->from ? chunk_of(sm) : of->chunk;
    bool any = false;
    for (uint32_t i = 0; i < chunk && state->pool > 0 && !holds(&sm->warps[warp]); i++) {
        uint32_t passed_row = pass_row(sm, warp, chunk - i, cycle);
        i += passed_row;
        any |= passed_row != 0;
        if (i == chunk || state->pool <= 0 || holds(&sm->warps[warp]))
            return any;
        int64_t price = next_price(sm, warp);
        if (!price) {
            state->unknown = 1;
            return any;
        }
        enum sm_passed passed = sm_issue_pass(sm, warp, cycle);
        if (passed == SM_NOT_PASSED || passed == SM_NEVER_PASSED) {
            state->refused |= passed == SM_NEVER_PASSED;
            return any;
        }
        sm_forget_recheck(sm, warp); /* the warp may have come to a barrier, and only that may release it then */
        state->pool -= price;
        any = true;
        if (passed == SM_PASSED_LAST)
            return true;
    }
    return any;
}

/* Rounds over the warps, as long as there is something in the pool; it may come to owe an instruction. */
static void pass(struct sm *sm)
{
    struct sm_steady_state *state = sm->steady.state;
    uint32_t warps = (uint32_t)sm->parameters->warps;
    uint64_t cycle = state->paid;
    for (bool any = true; any && state->pool > 0;) {
        any = false;
        for (uint32_t i = 0; i < warps && state->pool > 0; i++) {
            uint32_t warp = state->turn;
            state->turn = warp + 1 < warps ? warp + 1 : 0;
            if (sm->warps[warp].cta.slot != SM_NONE)
                any |= pass_warp(sm, warp, cycle);
        }
    }
}

static void count_passed(struct sm *sm, uint64_t *counters, uint64_t cycles)
{
    struct sm_steady_state *state = sm->steady.state;
    uint64_t pace = pace_now(sm);
    counters[SM_STEADY_CYCLES] += cycles;
    if (!pace && !state->used) /* another kernel's CTAs have come just now */
        return;
    counters[SM_STEADY_SQUARES] += cycles * (2 * state->stretch + cycles);
    counters[SM_STEADY_SMS] += cycles && !state->passed;
    state->passed |= cycles != 0;
    state->stretch += cycles;
    state->used = pace ? pace : state->used;
}

/* Adds the work that may go since the last turn to the pool, where unused work is kept for some turns. A warm-up cannot
 * have been ahead by more than its own cycles, even if fewer warps are left than it had. */
static void pay(struct sm *sm, uint16_t kernel, uint64_t cycle)
{
    struct sm_steady_state *state = sm->steady.state;
    uint64_t turn = sm->parameters->steady_turn, since = cycle - state->paid;
    int64_t each = (int64_t)((pace_now(sm) * sm->steady.state->live) >> 16), most = 4 * (int64_t)turn * each;
    uint64_t cycles = since > turn ? turn : since; /* before, there was no CTA */
    count_passed(sm, mnp_counters(sm->unit, kernel), cycles);
    int64_t least = -(int64_t)sm->parameters->steady_warm * each;
    most = state->pool > most ? state->pool : most;
    state->pool = state->pool < least ? least : state->pool;
    state->pool += (int64_t)cycles * each;
    state->pool = state->pool > most ? most : state->pool;
    state->paid = cycle;
}

static void pass_up_to(struct sm *sm, uint16_t kernel, uint64_t cycle)
{
    pay(sm, kernel, cycle);
    pass(sm);
}

/* Passes over up to the present turn, and sets the next one. If a warp has come to an instruction that was not
 * measured, the next turn is the last. */
static void pass_on(struct sm *sm, uint16_t kernel, uint64_t cycle, uint64_t end)
{
    struct sm_steady_state *state = sm->steady.state;
    pass_up_to(sm, kernel, cycle);
    bool opens = state->pool > 0 && sm->state->cta.news_at == cycle + 1; /* a barrier, behind which others may go */
    uint64_t next = opens || state->unknown ? cycle + 1 : cycle + sm->parameters->steady_turn;
    state->next = next < end ? next : end;
}

/* ===== turns ===== */

struct slot {
    uint64_t begin, measured, end; /* cycles */
    bool full;                     /* the slot is not passed over */
};

/* Slots of a kernel by their age: they are simulated less and less often. */
static bool is_full(uint64_t age)
{
    return age < 2 || age == 4 || age == 16;
}

static struct slot slot_at(const struct sm *sm, uint64_t cycle)
{
    const struct sm_parameters *p = sm->parameters;
    uint64_t period = cycle - cycle % p->steady_period, place = (cycle - period) / p->steady_detail;
    uint64_t begin = period + place * p->steady_detail, end = begin + p->steady_detail;
    end = end < period + p->steady_period ? end : period + p->steady_period;
    uint64_t measured = begin + p->steady_warm, since = sm->steady.state->since;
    uint64_t age = begin <= since ? 0 : (begin - since + p->steady_detail - 1) / p->steady_detail;
    return (struct slot){
        .begin = begin, .measured = measured < end ? measured : end, .end = end, .full = place == 0 || is_full(age)};
}

/* A turn in a slot that is simulated in full. */
static void measure(struct sm *sm, const struct slot *slot, uint64_t cycle)
{
    struct sm_steady_state *state = sm->steady.state;
    if (cycle == slot->measured)
        begin_sample(sm, cycle);
    else if (cycle > slot->measured)
        follow_leader(sm, cycle);
    state->next = cycle < slot->measured ? slot->measured : cycle + LOOK < slot->end ? cycle + LOOK : slot->end;
}

static void turn_round(struct sm *sm, uint16_t kernel, const struct slot *slot, uint64_t cycle)
{
    struct sm_steady_state *state = sm->steady.state;
    bool passed = state->passing;
    bool passes = kernel && !slot->full && !state->refused && !state->unknown && state->steady && pace_now(sm);
    if (!passed && passes)
        begin_passing(sm, kernel, cycle);
    if (passes)
        pass_on(sm, kernel, cycle, slot->end);
    if (passed && !passes) {
        if (kernel)
            pass_up_to(sm, kernel, cycle);
        end_passing(sm, cycle);
        if (kernel && !state->unknown)
            state->warmed = count_now(sm, cycle);
        state->steady &= !state->unknown;
        state->unknown = 0;
    }
    if (!passes && kernel)
        measure(sm, slot, cycle);
}

void sm_steady_cycle(struct sm *sm, uint64_t cycle)
{
    struct sm_steady_state *state = sm->steady.state;
    if (!state || cycle < state->next || !sm->state->cta.resident_ctas)
        return;
    uint16_t kernel = only_kernel(sm);
    bool passed = state->passing;
    look_at_kernel(sm, kernel);
    struct slot slot = slot_at(sm, cycle);
    if (kernel && !passed && cycle == slot.begin)
        end_sample(sm, kernel, cycle);
    state->next = slot.end;
    turn_round(sm, kernel, &slot, cycle);
}

uint64_t sm_steady_next(const struct sm *sm, uint64_t cycle)
{
    const struct sm_steady_state *state = sm->steady.state;
    if (!state || !sm->state->cta.resident_ctas)
        return MNP_NEVER;
    return state->next > cycle ? state->next : cycle + 1;
}
