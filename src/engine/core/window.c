/* SPDX-License-Identifier: BSD-3-Clause */
/* Windows: the choice of the time up to which units may run on their own, and the work between two windows. */
#include "base/range.h"
#include "base/ticks.h"
#include "engine/core/course.h"
#include "engine/core/stages.h"
#include "engine/spread/ranks.h"

/* Length, in lookaheads, of a window of a machine whose units are joined. */
enum { JOINED_WINDOW = 256 };

static mnp_time add(mnp_time time, mnp_time span)
{
    return time > MNP_NEVER - span ? MNP_NEVER : time + span;
}

/* End of the epoch that contains `time`. */
static mnp_time epoch_end(const struct mnp_engine *engine, mnp_time time)
{
    return add(time - time % engine->epoch, engine->epoch);
}

/* Ends the run. A known fault takes precedence over every other reason, except the user's own request. */
static bool stop(struct mnp_engine *engine, enum mnp_stop why, mnp_time now)
{
    bool faulty = engine->fault_time != MNP_NEVER && why != MNP_STOP_INTERRUPTED;
    engine->stop = faulty ? MNP_STOP_FAULT : why;
    mnp_raise(&engine->now, now);
    return false;
}

/* Number of packets sent and taken so far. It depends only on the traffic, not on the windows. */
static uint64_t packets_moved(const struct mnp_engine *engine)
{
    uint64_t moved = engine->device.moved;
    for (uint32_t i = 0; i < engine->link_count; i++) {
        const struct mnp_link *link = engine->links[i];
        if (mnp_ranks_speaks_for(engine, link->from))
            moved += link->tail;
        if (mnp_ranks_speaks_for(engine, link->to))
            moved += atomic_load_explicit(&link->consumed, memory_order_relaxed);
    }
    return moved;
}

static bool is_dirty(const struct mnp_engine *engine)
{
    return engine->hook.dirty && engine->hook.dirty(engine->hook.context);
}

static bool is_before(const struct mnp_fault *fault, const struct mnp_engine *engine)
{
    return fault->time < engine->fault_time ||
           (fault->time == engine->fault_time && fault->order < engine->fault_order);
}

/* Finds the first fault in the order (time, unit), once no unit can still record an earlier one. */
static void look_for_faults(struct mnp_engine *engine)
{
    for (uint32_t i = 0; i < engine->unit_count; i++) {
        const struct mnp_unit *unit = engine->units[i];
        if (unit->fault.set && unit->fault.time < engine->window_end && is_before(&unit->fault, engine)) {
            engine->fault_time = unit->fault.time;
            engine->fault_order = unit->fault.order;
            engine->fault_unit = unit;
            engine->error = unit->fault.error;
        }
    }
}

/* Collects how far the units have come. */
static void look_back(struct mnp_engine *engine, struct mnp_outlook *outlook)
{
    const struct mnp_run_options *options = &engine->options;
    look_for_faults(engine);
    outlook->fault_time = engine->fault_time;
    outlook->fault_order = engine->fault_order;
    outlook->fault_unit = engine->fault_unit ? engine->fault_unit->id : MNP_NEVER;
    outlook->progress = outlook->due = outlook->last_end = outlook->ended = 0;
    if (!options->livelock && !options->hash_epochs && !engine->ends_after)
        return;
    for (uint32_t i = 0; i < engine->unit_count; i++) {
        const struct mnp_unit *unit = engine->units[i];
        outlook->progress = mnp_max(outlook->progress, unit->progress);
        outlook->due = mnp_max(outlook->due, unit->due);
        outlook->last_end = mnp_max(outlook->last_end, unit->last_end);
        outlook->ended += unit->ended;
    }
}

/* Whether past progress can influence the choice of the next window. Reading it is slow, because other threads have
 * just written it, and it is unnecessary in the middle of an epoch: every end that follows from it is the end of an
 * epoch. */
static bool must_look_back(const struct mnp_engine *engine, const struct mnp_outlook *outlook)
{
    mnp_time over = epoch_end(engine, engine->now), limit = engine->options.limit;
    return engine->ranks || engine->relaxed || engine->options.hash_epochs || engine->now % engine->epoch == 0 ||
           outlook->earliest >= over || (limit && outlook->earliest >= limit) || outlook->interrupted;
}

/* Summarises the units' next actions, in all processes. */
static void look_ahead(struct mnp_engine *engine)
{
    const struct mnp_run_options *options = &engine->options;
    struct mnp_outlook outlook = engine->outlook;
    outlook.earliest = outlook.bound = MNP_NEVER;
    outlook.finish = atomic_load(&engine->finish);
    outlook.moved = options->hash_epochs ? packets_moved(engine) : 0;
    outlook.interrupted = options->interrupt ? (uint64_t)*options->interrupt : MNP_WISH_NONE;
    outlook.idle = options->is_idle && options->is_idle(options->context);
    outlook.dirty = is_dirty(engine);
    outlook.news = engine->news;
    for (uint32_t i = 0; i < engine->unit_count; i++) {
        mnp_time wake = atomic_load_explicit(&engine->wake[i], memory_order_relaxed);
        outlook.earliest = mnp_min(outlook.earliest, wake);
        outlook.bound = mnp_min(outlook.bound, add(wake, engine->horizon_latency[i]));
    }
    if (must_look_back(engine, &outlook))
        look_back(engine, &outlook);
    mnp_ranks_agree(engine, &outlook);
    if (engine->ends_after && outlook.ended == engine->ends_after) {
        mnp_engine_finish(engine, outlook.last_end);
        outlook.finish = atomic_load(&engine->finish);
    }
    engine->outlook = outlook;
    if (outlook.news && options->on_news)
        options->on_news(options->context);
    engine->news = false;
}

/* The end of the epoch in which the run is declared a livelock for lack of progress. */
static mnp_time patience_ends(const struct mnp_engine *engine)
{
    if (engine->options.livelock == 0)
        return MNP_NEVER;
    const struct mnp_outlook *outlook = &engine->outlook;
    mnp_time latest = outlook->due > outlook->progress ? outlook->due : outlook->progress;
    mnp_time end = add(latest, engine->options.livelock);
    return end == MNP_NEVER ? MNP_NEVER : epoch_end(engine, end);
}

/* The earliest time at which the run must end, as far as known now, and the reason. */
static mnp_time earliest_end(const struct mnp_engine *engine, enum mnp_stop *why)
{
    mnp_time finish = engine->outlook.finish;
    const struct {
        mnp_time time;
        enum mnp_stop why;
    } ends[] = {
        /* at equal times, the first row applies */
        {engine->fault_time == MNP_NEVER ? MNP_NEVER : mnp_max(engine->span_end, engine->fault_time), MNP_STOP_FAULT},
        {finish == MNP_NEVER ? MNP_NEVER : epoch_end(engine, finish), MNP_STOP_FINISHED},
        {engine->options.limit ? engine->options.limit : MNP_NEVER, MNP_STOP_LIMIT},
        {finish == MNP_NEVER && !engine->outlook.idle ? patience_ends(engine) : MNP_NEVER, MNP_STOP_LIVELOCK},
    };
    uint32_t first = 0;
    for (uint32_t i = 1; i < sizeof ends / sizeof *ends; i++)
        if (ends[i].time < ends[first].time)
            first = i;
    *why = ends[first].why;
    return ends[first].time;
}

/* Whether the run will end for a known reason, other than that nothing more can happen. */
static bool ending(const struct mnp_engine *engine)
{
    bool waits = engine->outlook.idle && engine->options.limit;
    return engine->outlook.finish != MNP_NEVER || engine->fault_time != MNP_NEVER || waits;
}

/* Ends a run in which nothing more can happen. Unless another end is already known, it hangs, at the end of the span of
 * the last event. */
static bool stop_hanging(struct mnp_engine *engine, mnp_time over, mnp_time first, enum mnp_stop why)
{
    if (ending(engine) || (why == MNP_STOP_LIMIT && first <= over))
        return stop(engine, why, first);
    return stop(engine, MNP_STOP_HANG, over);
}

/* The end of the current epoch or span if work must be done there although no unit acts before it; MNP_NEVER if there
 * is none up to `first`. */
static mnp_time closing(const struct mnp_engine *engine, mnp_time first)
{
    mnp_time epoch = epoch_end(engine, engine->now), span = engine->span_end;
    bool hashes = engine->options.hash_epochs && engine->now % engine->epoch != 0;
    mnp_time end = hashes && engine->outlook.earliest >= epoch ? epoch : MNP_NEVER;
    if (engine->outlook.dirty && engine->now < span && engine->outlook.earliest >= span)
        mnp_lower(&end, span);
    return end <= first ? end : MNP_NEVER;
}

static bool begin(struct mnp_engine *engine, mnp_time start, mnp_time end)
{
    MNP_REQUIRE(end > start, "an empty window");
    engine->window_start = start;
    engine->window_end = end;
    engine->window_stages = MNP_ALL_STAGES;
    engine->windows++;
    return true;
}

static void take_sample(struct mnp_engine *engine)
{
    mnp_engine_settle(engine);
    engine->next_sample = engine->options.on_sample(engine->options.context, engine->now);
    MNP_REQUIRE(engine->next_sample > engine->now, "samples do not advance");
}

/* Takes the samples that are due by `time`; no unit acts before it. Returns false if one has changed clocks, so that
 * units act at other times. */
static bool take_samples(struct mnp_engine *engine, mnp_time time)
{
    engine->turned = false;
    while (engine->next_sample <= time && engine->next_sample != MNP_NEVER && !engine->turned) {
        engine->now = engine->next_sample;
        take_sample(engine);
    }
    return !engine->turned;
}

void mnp_engine_turn(struct mnp_engine *engine, struct mnp_unit *unit)
{
    mnp_cursor_follow(&unit->clock, unit->clock.course);
    mnp_engine_wake(engine, unit, engine->now);
    engine->turned = true;
}

bool mnp_window_begin(struct mnp_engine *engine)
{
    const struct mnp_run_options *options = &engine->options;
    if (engine->stop != MNP_STOP_NOT_YET)
        return false;
    if (engine->round_end) {
        mnp_stages_next(engine);
        return true;
    }
    look_ahead(engine);
    if (engine->outlook.interrupted)
        return stop(engine, engine->outlook.interrupted & MNP_WISH_END ? MNP_STOP_INTERRUPTED : MNP_STOP_TIME,
                    engine->now);
    mnp_time earliest = engine->outlook.earliest;
    enum mnp_stop why;
    mnp_time first = earliest_end(engine, &why);
    mnp_time over = mnp_max(engine->now, engine->span_end), close = closing(engine, first);
    if (close != MNP_NEVER)
        return begin(engine, engine->now, mnp_min(close, engine->next_sample));
    mnp_time due = earliest == MNP_NEVER && !ending(engine) ? mnp_min(first, over) : mnp_min(first, earliest);
    if (!take_samples(engine, due))
        return mnp_window_begin(engine);
    if (earliest == MNP_NEVER)
        return stop_hanging(engine, over, first, why);
    if (earliest >= first)
        return stop(engine, why, first);
    mnp_time start = options->no_skip ? engine->now : earliest;
    mnp_stages_enter_span(engine, start);
    if (mnp_stages_apply(engine)) {
        mnp_time end = options->hash_epochs ? epoch_end(engine, start) : engine->span_end;
        mnp_stages_begin(engine, start, mnp_min(mnp_min(end, first), engine->next_sample));
        return true;
    }
    mnp_time end = mnp_min(epoch_end(engine, start), first);
    if (engine->relaxed) /* horizons are ignored */
        return begin(engine, start, end);
    end = mnp_min(mnp_min(end, engine->outlook.bound), engine->next_sample);
    if (options->window)
        end = mnp_min(end, add(start, options->window));
    if (engine->joined) /* windows are limited, so that an increase of the work is noticed early */
        end = mnp_min(end, add(start, JOINED_WINDOW * engine->lookahead));
    return begin(engine, start, end);
}

/* Lowers a unit's wake-up time to `time` unless it is earlier already. */
static void wake_by(_Atomic mnp_time *wake, mnp_time time)
{
    mnp_time known = atomic_load(wake);
    while (time < known && !atomic_compare_exchange_weak(wake, &known, time))
        ;
}

/* Checks that a packet did not leave before the time up to which its sender had promised to be silent: its last
 * horizon, or the arrival of a packet. */
static void check_horizon(const struct mnp_unit *unit, const struct mnp_link *link, mnp_time arrival, mnp_time still)
{
    MNP_REQUIRE(arrival - link->latency >= still,
                "%s sends at %llu fs on link %u, before its horizon and its next packet, %llu fs", unit->name,
                (unsigned long long)(arrival - link->latency), link->id, (unsigned long long)still);
}

/* Makes sent packets visible: first the packets, then the wake-up, so that a thread that sees the wake-up also sees the
 * packets. The sender writes `published` and its mark in the receiver's inbox, and reads `wake`; the receiver writes
 * `wake`, and reads the mark and `published`. One of the two must see the other's write, otherwise the packet would be
 * lost. Therefore all these accesses are sequentially consistent. */
static void publish(struct mnp_engine *engine, struct mnp_unit *unit, mnp_time still)
{
    for (uint32_t i = 0; i < unit->dirty_count; i++) {
        struct mnp_link *link = unit->dirty[i];
        mnp_time arrival;
        __builtin_memcpy(&arrival, mnp_link_entry(link, link->sent_before), sizeof arrival);
        check_horizon(unit, link, arrival, still); /* arrivals on a link never decrease */
        mnp_link_publish(link);
        wake_by(&engine->wake[link->to->id], arrival);
    }
    unit->dirty_count = 0;
}

void mnp_window_run_unit(struct mnp_engine *engine, uint32_t id)
{
    struct mnp_unit *unit = engine->units[id];
    uint64_t ticks = mnp_ticks();
    /* Reset before reading the links: a packet published earlier is seen below, a later one sets the wake-up again. */
    mnp_time still = atomic_exchange(&engine->wake[id], MNP_NEVER);
    MNP_REQUIRE(still >= unit->until, "%s is to act at %llu fs, and has come to %llu fs before", unit->name,
                (unsigned long long)still, (unsigned long long)unit->until);
    mnp_inbox_open(&unit->inbox, engine->window_start, engine->window_end);
    still = mnp_min(still, unit->inbox.next);
    MNP_REQUIRE(engine->window_end > unit->until, "%s is run to %llu fs, and has come to %llu fs before", unit->name,
                (unsigned long long)engine->window_end, (unsigned long long)unit->until);
    unit->until = engine->window_end;
    unit->beyond = mnp_stages_beyond(engine, id);
    mnp_time horizon = unit->model->advance(unit, engine->window_end);
    mnp_time next = unit->inbox.next;
    if (next < engine->window_end) { /* a packet has arrived, but the clock edge that sees it lies behind the window */
        MNP_REQUIRE(engine->window_end - next <= mnp_cursor_longest_period(&unit->clock) + 1,
                    "%s leaves a packet behind in a window", unit->name);
        next = engine->window_end;
    }
    MNP_REQUIRE(horizon >= engine->window_end, "%s has a horizon inside the window that it ran", unit->name);
    mnp_inbox_close(&unit->inbox);
    publish(engine, unit, still);
    wake_by(&engine->wake[id], mnp_min(horizon, next));
    ticks = mnp_ticks() - ticks;
    unit->cost = unit->cost - unit->cost / 8 + ticks / 8;
    unit->spent += ticks;
    unit->latest = ticks;
}

bool mnp_window_applies(const struct mnp_engine *engine)
{
    bool over = engine->window_end == engine->span_end && !(engine->round_end && mnp_stages_go_on(engine));
    if (!engine->hook.apply || !over)
        return false;
    mnp_ranks_share_writes(engine);
    return engine->hook.dirty(engine->hook.context);
}

void mnp_window_applied(struct mnp_engine *engine)
{
    struct mnp_error error = {""};
    if (!engine->hook.applied || engine->hook.applied(engine->hook.context, &error) || engine->fault_time != MNP_NEVER)
        return;
    engine->fault_time = engine->span_end - 1; /* memory is applied at the end of the span */
    engine->fault_order = 0;
    engine->fault_unit = NULL;
    engine->error = error;
}

void mnp_engine_settle(struct mnp_engine *engine)
{
    for (uint32_t i = 0; i < engine->unit_count; i++) {
        struct mnp_unit *unit = engine->units[i];
        if (!mnp_engine_owns(engine, i))
            continue;
        MNP_REQUIRE(engine->now >= unit->until, "%s is settled at %llu fs, and has come to %llu fs before", unit->name,
                    (unsigned long long)engine->now, (unsigned long long)unit->until);
        unit->until = unit->beyond = engine->now;
        unit->model->advance(unit, engine->now);
        MNP_REQUIRE(unit->dirty_count == 0, "%s sends while it is being settled", unit->name);
    }
}

/* Hashes the epoch that ends now, unless no event happened in it. */
static void hash_epoch(struct mnp_engine *engine)
{
    look_ahead(engine);
    uint64_t moved = engine->outlook.moved;
    mnp_time begun = engine->now - engine->epoch;
    bool active = moved != engine->hashed_packets || engine->outlook.progress >= begun;
    engine->hashed_packets = moved;
    if (!active)
        return;
    mnp_engine_settle(engine);
    if (engine->options.on_epoch)
        mnp_engine_hash_epoch(engine);
}

void mnp_window_end(struct mnp_engine *engine)
{
    const struct mnp_run_options *options = &engine->options;
    if (options->on_costs)
        options->on_costs(options->context, engine);
    if (engine->round_end && mnp_stages_end(engine))
        return;
    engine->now = engine->window_end;
    if (options->on_window) /* before the hash, because it may collect counters */
        options->on_window(options->context, engine->now);
    if (options->hash_epochs && engine->now % engine->epoch == 0)
        hash_epoch(engine);
    if (engine->now == engine->next_sample)
        take_sample(engine);
}
