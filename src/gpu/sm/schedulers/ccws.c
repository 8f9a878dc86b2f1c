/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cache-conscious scheduling (T. G. Rogers, M. O'Connor and T. M. Aamodt, "Cache-conscious wavefront scheduling", MICRO
 * 2012): a warp that misses a line which it had in the L1 not long ago has lost locality. It is seen by victim tags, a
 * small list for each warp of the lines that it had brought and that were replaced. The warp's score then rises to
 *
 *     victim hits of the SM · k · cutoff / instructions issued by the SM,   cutoff = warps · base,
 *
 * and falls by one a cycle down to the base. In the order of their scores, as many warps may issue loads as have scores
 * of up to the cutoff together, the first one in any case; the others wait for them. Among those that may, the warp
 * that issued last goes on, else the one that started first does.
 */
#include "engine/declare/declare.h"
#include "gpu/sm/limits.h"
#include "gpu/sm/schedulers/called.h"

enum { MOST_WARPS = SM_MAX_WARPS, VICTIMS = 16, SCORE_MOST = UINT16_MAX /* beyond the base */ };

struct warp {
    uint64_t victims[VICTIMS]; /* addresses of lines, plus one; 0: free */
    uint64_t score;            /* beyond the base, in the cycle `since` */
    uint64_t since;
    uint64_t order; /* order of its start; 0: it has not started */
    uint64_t next;  /* place in `victims` */
};

struct ccws {
    struct sm_scheduler_shape shape;
    uint32_t reserved;
    uint64_t starts, issued, hits, cycle;
    struct warp warps[MOST_WARPS];
    uint16_t owners[]; /* by line: the warp that has brought it, plus one */
};

struct values {
    uint64_t base, k;
};

#define MNP_TABLE_OF struct values
static const struct mnp_parameter parameters[] = {
    MNP_NUMBER_ROW("ccws.base", "", base, "100", 1, 65536, "score of a warp that has lost no locality",
                   "Rogers et al., MICRO 2012"),
    MNP_NUMBER_ROW("ccws.k", "", k, "8", 1, 65536, "weight of lost locality, k_throttle", "Rogers et al., MICRO 2012"),
};

enum { LOST, HELD };
static const struct mnp_statistic statistics[] = {
    [LOST] = MNP_COUNTER_ROW("ccws_lost_locality", "look-up", "misses of the L1 that hit victim tags of their warp"),
    [HELD] =
        MNP_COUNTER_ROW("ccws_held_back", "cycle", "sub-core cycles in which only loads were ready that had to wait"),
};

static uint64_t bytes(const struct sm_scheduler_shape *shape, const uint64_t *values)
{
    (void)values;
    return sizeof(struct ccws) + shape->lines * sizeof(uint16_t);
}

static void init(void *state, const struct sm_scheduler_shape *shape, const uint64_t *values)
{
    (void)values;
    ((struct ccws *)state)->shape = *shape;
}

static void start(void *state, const uint64_t *values, uint32_t warp, uint64_t cycle)
{
    struct ccws *ccws = state;
    (void)values, (void)cycle;
    ccws->warps[warp] = (struct warp){.order = ++ccws->starts};
}

static uint64_t score_of(const struct ccws *ccws, const uint64_t *values, uint32_t warp, uint64_t cycle)
{
    const struct warp *w = &ccws->warps[warp];
    uint64_t gone = cycle - w->since;
    return values[0] + (w->score > gone ? w->score - gone : 0);
}

static void replaced(void *state, const uint64_t *values, uint32_t line, uint64_t old, uint64_t address, uint32_t warp)
{
    struct ccws *ccws = state;
    (void)values, (void)address;
    if (old != UINT64_MAX && ccws->owners[line]) {
        struct warp *owner = &ccws->warps[ccws->owners[line] - 1];
        owner->victims[owner->next] = old + 1;
        owner->next = (owner->next + 1) % VICTIMS;
    }
    ccws->owners[line] = (uint16_t)(warp + 1);
}

static void looked_up(void *state, const uint64_t *values, const struct sm_look_up *look_up, uint64_t *counters)
{
    struct ccws *ccws = state;
    struct warp *w = &ccws->warps[look_up->access.warp];
    for (uint32_t i = 0; i < VICTIMS && !look_up->hit; i++) {
        if (w->victims[i] != look_up->access.address + 1)
            continue;
        w->victims[i] = 0;
        counters[LOST]++;
        uint64_t cutoff = ccws->shape.warps * values[0];
        w->score = ++ccws->hits * values[1] * cutoff / (ccws->issued ? ccws->issued : 1);
        w->score = w->score < SCORE_MOST ? w->score : SCORE_MOST;
        w->since = look_up->cycle;
        return;
    }
}

/* Whether warps before this one in the order of scores leave it a share of the cutoff; they are those that have started
 * and have a greater score, or an equal one and a lower number. */
static bool may_load(const struct ccws *ccws, const uint64_t *values, uint32_t warp, uint64_t cycle)
{
    uint64_t own = score_of(ccws, values, warp, cycle), sum = own, before = 0;
    for (uint32_t i = 0; i < ccws->shape.warps; i++) {
        uint64_t score = ccws->warps[i].order ? score_of(ccws, values, i, cycle) : 0;
        bool first = score > own || (score == own && i < warp);
        sum += i != warp && first ? score : 0;
        before += i != warp && first;
    }
    return !before || sum <= ccws->shape.warps * values[0];
}

static uint32_t choose(void *state, const uint64_t *values, const struct sm_choice *choice, uint64_t *counters)
{
    struct ccws *ccws = state;
    uint64_t allowed = choice->ready;
    for (uint64_t left = choice->memory & choice->ready; left; left &= left - 1) {
        uint32_t place = (uint32_t)__builtin_ctzll(left);
        if (!may_load(ccws, values, place * choice->subcores + choice->subcore, choice->cycle))
            allowed &= ~(UINT64_C(1) << place);
    }
    if (!allowed) {
        counters[HELD]++;
        return SM_NO_PLACE;
    }
    ccws->issued++;
    if (allowed >> choice->last & 1)
        return choice->last;
    uint32_t best = (uint32_t)__builtin_ctzll(allowed);
    for (uint64_t left = allowed & (allowed - 1); left; left &= left - 1) {
        uint32_t place = (uint32_t)__builtin_ctzll(left);
        const struct warp *warps = ccws->warps + choice->subcore;
        best = warps[place * choice->subcores].order < warps[best * choice->subcores].order ? place : best;
    }
    return best;
}

const struct sm_called_scheduler sm_ccws_scheduler = {
    .part = {.name = "ccws",
             .help = "greedy then oldest, fewer warps load where warps have lost locality",
             .source = "Rogers et al., MICRO 2012",
             .parameters = parameters,
             .parameter_count = MNP_ROWS(parameters),
             .statistics = statistics,
             .statistic_count = MNP_ROWS(statistics)},
    .bytes = bytes,
    .init = init,
    .start = start,
    .choose = choose,
    .looked_up = looked_up,
    .replaced = replaced,
};
