/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/core/stages.h"

#include "base/range.h"
#include "engine/executors/executor.h"

#include <stdlib.h>
#include <string.h>

static mnp_time add(mnp_time time, mnp_time span)
{
    return time > MNP_NEVER - span ? MNP_NEVER : time + span;
}

/* ===== building ===== */

static bool is_other(const struct mnp_engine *engine, const struct mnp_unit *unit)
{
    return engine->stage[unit->id] == MNP_STAGE_OTHERS;
}

/* Whether a link connects two units that do not relay. */
static bool is_near(const struct mnp_engine *engine, const struct mnp_link *link)
{
    return is_other(engine, link->from) && is_other(engine, link->to);
}

static void divide(struct mnp_engine *engine)
{
    engine->stage = mnp_allocate(engine->unit_count, sizeof *engine->stage);
    for (uint32_t i = 0; i < engine->unit_count; i++) {
        engine->stage[i] = engine->units[i]->model->relays ? MNP_STAGE_RELAYS : MNP_STAGE_OTHERS;
        engine->relays += engine->stage[i] == MNP_STAGE_RELAYS;
    }
    if (engine->relays == engine->unit_count)
        engine->relays = 0;
    for (uint32_t i = 0; i < engine->link_count; i++) {
        struct mnp_link *link = engine->links[i];
        link->crosses = engine->stage[link->from->id] != engine->stage[link->to->id];
        engine->has_near = engine->has_near || is_near(engine, link);
    }
}

/* Shortens the paths from a link's sender by those that begin with this link. Returns whether any path became
 * shorter. */
static bool extend(struct mnp_engine *engine, const struct mnp_link *link)
{
    bool shorter = false;
    for (uint32_t s = 0; s < MNP_STAGES; s++) {
        mnp_time *way = &engine->reach[s][link->from->id];
        mnp_time on = engine->stage[link->to->id] == s ? 0 : engine->reach[s][link->to->id];
        mnp_time through = add(on, link->latency);
        shorter = shorter || through < *way;
        *way = mnp_min(*way, through);
    }
    return shorter;
}

static void find_walks(struct mnp_engine *engine)
{
    for (uint32_t s = 0; s < MNP_STAGES; s++) {
        engine->reach[s] = mnp_allocate(engine->unit_count, sizeof *engine->reach[s]);
        for (uint32_t i = 0; i < engine->unit_count; i++)
            engine->reach[s][i] = MNP_NEVER;
    }
    for (bool shorter = true; shorter;) {
        shorter = false;
        for (uint32_t i = 0; i < engine->link_count; i++)
            if (!is_near(engine, engine->links[i]))
                shorter = extend(engine, engine->links[i]) || shorter;
    }
}

/* The longest time for which memory may stay constant while units that use it run: the shortest path from one of
 * these units to another, or back to itself. A path over a near link begins with the message of a relay that permits
 * its use. */
static mnp_time longest_span(const struct mnp_engine *engine)
{
    mnp_time way = MNP_NEVER, news = MNP_NEVER, near = MNP_NEVER;
    for (uint32_t i = 0; i < engine->unit_count; i++)
        if (is_other(engine, engine->units[i]))
            way = mnp_min(way, engine->reach[MNP_STAGE_OTHERS][i]);
    for (uint32_t i = 0; i < engine->link_count; i++) {
        const struct mnp_link *link = engine->links[i];
        if (is_near(engine, link))
            near = mnp_min(near, link->latency);
        else if (is_other(engine, link->to))
            news = mnp_min(news, link->latency);
    }
    return mnp_min(way, add(news, near));
}

void mnp_stages_freeze(struct mnp_engine *engine)
{
    divide(engine);
    find_walks(engine);
    mnp_time longest = engine->relays ? longest_span(engine) : engine->epoch;
    engine->span = longest == MNP_NEVER ? engine->epoch : longest - longest % engine->epoch;
    if (engine->span == 0) /* epochs are longer if no memory is simulated */
        engine->span = engine->epoch;
}

void mnp_stages_release(struct mnp_engine *engine)
{
    free(engine->stage);
    for (uint32_t s = 0; s < MNP_STAGES; s++)
        free(engine->reach[s]);
}

/* ===== spans ===== */

/* Whether units that do not relay may send to one another directly before a relay sends another message. */
static bool are_near(const struct mnp_engine *engine)
{
    bool asked = false;
    for (uint32_t i = 0; i < engine->unit_count && engine->has_near; i++) {
        const struct mnp_unit *unit = engine->units[i];
        if (unit->model->nears && unit->model->nears(unit))
            return true;
        asked = asked || unit->model->nears;
    }
    return engine->has_near && !asked;
}

void mnp_stages_enter_span(struct mnp_engine *engine, mnp_time time)
{
    if (time < engine->span_end)
        return;
    mnp_time from = time - time % engine->span, epoch = time - time % engine->epoch;
    engine->near = are_near(engine);
    bool whole = !engine->near && from >= engine->span_end; /* no epoch of this span has ended as a span of its own */
    engine->span_end = whole ? add(from, engine->span) : add(epoch, engine->epoch);
}

/* ===== rounds ===== */

bool mnp_stages_apply(const struct mnp_engine *engine)
{
    const struct mnp_run_options *options = &engine->options;
    return options->threads <= engine->relays && options->executor->staged && !options->window && !engine->relaxed &&
           !engine->ranks && !engine->joined && !engine->near;
}

/* The time up to which a stage may run, and the time at which one of its units first acts. */
struct sight {
    mnp_time end, acts;
};

static void look(const struct mnp_engine *engine, struct sight sights[MNP_STAGES])
{
    const mnp_time round = engine->round_end;
    const mnp_time *to_relays = engine->reach[MNP_STAGE_RELAYS], *to_others = engine->reach[MNP_STAGE_OTHERS];
    struct sight seen[MNP_STAGES] = {{round, MNP_NEVER}, {round, MNP_NEVER}};
    for (uint32_t i = 0; i < engine->unit_count; i++) {
        mnp_time wake = atomic_load_explicit(&engine->wake[i], memory_order_relaxed);
        if (wake >= round)
            continue;
        struct sight *own = &seen[engine->stage[i]];
        own->acts = mnp_min(own->acts, wake);
        seen[MNP_STAGE_RELAYS].end = mnp_min(seen[MNP_STAGE_RELAYS].end, add(wake, to_relays[i]));
        seen[MNP_STAGE_OTHERS].end = mnp_min(seen[MNP_STAGE_OTHERS].end, add(wake, to_others[i]));
    }
    memcpy(sights, seen, sizeof seen);
}

/* Shortens the round if a relay has ended the run. */
static void heed_end(struct mnp_engine *engine)
{
    mnp_time finish = atomic_load(&engine->finish);
    if (finish >= engine->round_end)
        return;
    mnp_time over = finish - finish % engine->epoch + engine->epoch;
    for (uint32_t s = 0; s < MNP_STAGES; s++) {
        MNP_REQUIRE(engine->ran[s] <= over, "the run ends at %llu fs, and units have come to %llu fs",
                    (unsigned long long)over, (unsigned long long)engine->ran[s]);
        mnp_lower(&engine->reached[s], over);
    }
    mnp_lower(&engine->round_end, over);
}

/* Selects the stages that run next. Other stages wait until they can run to the round's end, unless the relays have
 * already reached their limit. */
static uint32_t choose(const struct mnp_engine *engine, const struct sight sights[MNP_STAGES])
{
    const mnp_time *reached = engine->reached, round = engine->round_end;
    uint32_t chosen = 0;
    for (uint32_t s = 0; s < MNP_STAGES; s++)
        if (reached[s] < round && sights[s].end == round)
            chosen |= UINT32_C(1) << s;
    if (chosen)
        return chosen;
    if (reached[MNP_STAGE_RELAYS] == round && reached[MNP_STAGE_OTHERS] == round)
        return MNP_ALL_STAGES; /* no unit has anything to do: the round ends */
    bool relays = sights[MNP_STAGE_RELAYS].end > reached[MNP_STAGE_RELAYS];
    return UINT32_C(1) << (relays ? MNP_STAGE_RELAYS : MNP_STAGE_OTHERS);
}

void mnp_stages_next(struct mnp_engine *engine)
{
    struct sight sights[MNP_STAGES];
    heed_end(engine);
    look(engine, sights);
    /* no unit of the stage acts before this time */
    for (uint32_t s = 0; s < MNP_STAGES && !engine->options.no_skip; s++)
        mnp_raise(&engine->reached[s], mnp_min(sights[s].acts, sights[s].end));
    mnp_time known = engine->reached[MNP_STAGE_RELAYS]; /* no relay ends the run before this time */
    for (uint32_t s = 0; s < MNP_STAGES; s++)
        sights[s].end = mnp_min(sights[s].end, known - known % engine->epoch + engine->epoch);
    engine->window_stages = choose(engine, sights);
    engine->window_start = engine->window_end = engine->round_end;
    for (uint32_t s = 0; s < MNP_STAGES; s++) {
        if (!(engine->window_stages >> s & 1))
            continue;
        engine->window_start = mnp_min(engine->window_start, engine->reached[s]);
        engine->window_end = mnp_min(engine->window_end, mnp_max(sights[s].end, engine->reached[s]));
    }
    MNP_REQUIRE(engine->window_end > engine->window_start || engine->window_start == engine->round_end,
                "no stage of the machine gets on");
    engine->windows++;
}

void mnp_stages_begin(struct mnp_engine *engine, mnp_time start, mnp_time end)
{
    engine->round_end = end;
    for (uint32_t s = 0; s < MNP_STAGES; s++)
        engine->reached[s] = engine->ran[s] = start;
    mnp_stages_next(engine);
}

bool mnp_stages_go_on(const struct mnp_engine *engine)
{
    for (uint32_t s = 0; s < MNP_STAGES; s++) {
        bool runs = engine->window_stages >> s & 1;
        if ((runs ? engine->window_end : engine->reached[s]) < engine->round_end)
            return true;
    }
    return false;
}

bool mnp_stages_end(struct mnp_engine *engine)
{
    bool more = mnp_stages_go_on(engine);
    for (uint32_t s = 0; s < MNP_STAGES; s++)
        if (engine->window_stages >> s & 1)
            engine->reached[s] = engine->ran[s] = engine->window_end;
    if (!more)
        engine->round_end = 0;
    return more;
}
