/* SPDX-License-Identifier: BSD-3-Clause */
/* Windows: how far the units may run alone, and what happens between two windows. */
#include "base/ticks.h"
#include "engine/engine.h"

static mnp_time minimum(mnp_time a, mnp_time b)
{
    return a < b ? a : b;
}

static mnp_time add(mnp_time time, mnp_time span)
{
    return time > MNP_NEVER - span ? MNP_NEVER : time + span;
}

/* End of the epoch that `time` lies in. */
static mnp_time epoch_end(const struct mnp_engine *engine, mnp_time time)
{
    return add(time - time % engine->epoch, engine->epoch);
}

static bool stop(struct mnp_engine *engine, enum mnp_stop why, mnp_time now)
{
    engine->stop = why;
    engine->now = now > engine->now ? now : engine->now;
    return false;
}

static mnp_time last_progress(const struct mnp_engine *engine)
{
    mnp_time latest = 0;
    for (uint32_t i = 0; i < engine->unit_count; i++)
        if (engine->units[i]->progress > latest)
            latest = engine->units[i]->progress;
    return latest;
}

/* The end of the epoch in which the run is over because nothing has made progress for too long. */
static mnp_time patience_ends(const struct mnp_engine *engine)
{
    if (engine->options.livelock == 0)
        return MNP_NEVER;
    mnp_time end = add(last_progress(engine), engine->options.livelock);
    return end == MNP_NEVER ? MNP_NEVER : epoch_end(engine, end);
}

/* The least wake-up time, and the bound that the units' horizons put on a window. */
static mnp_time scan_units(const struct mnp_engine *engine, mnp_time *bound)
{
    mnp_time earliest = MNP_NEVER;
    *bound = MNP_NEVER;
    for (uint32_t i = 0; i < engine->unit_count; i++) {
        mnp_time wake = atomic_load_explicit(&engine->wake[i], memory_order_relaxed);
        earliest = minimum(earliest, wake);
        *bound = minimum(*bound, add(wake, engine->horizon_latency[i]));
    }
    return earliest;
}

bool mnp_window_begin(struct mnp_engine *engine)
{
    const struct mnp_run_options *options = &engine->options;
    if (engine->stop != MNP_STOP_NOT_YET)
        return false;
    if (options->interrupt && *options->interrupt)
        return stop(engine, MNP_STOP_INTERRUPTED, engine->now);
    mnp_time bound;
    mnp_time earliest = scan_units(engine, &bound);
    mnp_time finish = atomic_load(&engine->finish);
    mnp_time over = finish == MNP_NEVER ? MNP_NEVER : epoch_end(engine, finish);
    mnp_time limit = options->limit ? options->limit : MNP_NEVER;
    mnp_time patience = patience_ends(engine);
    mnp_time first = minimum(minimum(over, limit), patience);
    if (earliest >= first) {
        if (first == MNP_NEVER)
            return stop(engine, MNP_STOP_HANG, engine->now);
        if (first == over)
            return stop(engine, MNP_STOP_FINISHED, over);
        return first == limit ? stop(engine, MNP_STOP_LIMIT, limit) : stop(engine, MNP_STOP_LIVELOCK, patience);
    }
    mnp_time start = options->no_skip ? engine->now : earliest;
    mnp_time end = minimum(minimum(epoch_end(engine, start), bound), first);
    if (options->window)
        end = minimum(end, add(start, options->window));
    MNP_REQUIRE(end > start, "an empty window");
    engine->window_start = start;
    engine->window_end = end;
    engine->windows++;
    return true;
}

/* Lowers a unit's wake-up time to `time` unless it is earlier already. */
static void wake_by(_Atomic mnp_time *wake, mnp_time time)
{
    mnp_time known = atomic_load_explicit(wake, memory_order_relaxed);
    while (time < known && !atomic_compare_exchange_weak_explicit(wake, &known, time, memory_order_acq_rel,
                                                                  memory_order_relaxed))
        ;
}

/* Hands over what the unit has sent: the packets first, then the wake-up, so that whoever sees the wake-up sees them. */
static void publish(struct mnp_engine *engine, struct mnp_unit *unit)
{
    for (uint32_t i = 0; i < unit->dirty_count; i++) {
        struct mnp_link *link = unit->dirty[i];
        uint64_t first = link->sent_before & link->mask;
        mnp_time arrival;
        __builtin_memcpy(&arrival, link->ring + first * link->stride, sizeof arrival);
        atomic_store_explicit(&link->published, link->tail, memory_order_release);
        link->sent_before = link->tail;
        wake_by(&engine->wake[link->to->id], arrival);
    }
    unit->dirty_count = 0;
}

void mnp_window_run_unit(struct mnp_engine *engine, uint32_t id)
{
    struct mnp_unit *unit = engine->units[id];
    uint64_t ticks = mnp_ticks();
    /* Reset before looking at the links: a packet published before this is seen below, one after it wakes again. */
    atomic_exchange_explicit(&engine->wake[id], MNP_NEVER, memory_order_acq_rel);
    mnp_inbox_open(&unit->inbox);
    unit->until = engine->window_end;
    mnp_time horizon = unit->model->advance(unit, engine->window_end);
    MNP_REQUIRE(horizon >= engine->window_end && unit->inbox.next >= engine->window_end,
                "%s has left work behind in a window", unit->name);
    mnp_inbox_close(&unit->inbox);
    publish(engine, unit);
    wake_by(&engine->wake[id], minimum(horizon, unit->inbox.next));
    unit->cost = unit->cost - unit->cost / 8 + (mnp_ticks() - ticks) / 8;
}

bool mnp_window_applies(const struct mnp_engine *engine)
{
    return engine->hook.apply && engine->window_end % engine->epoch == 0 && engine->hook.dirty(engine->hook.context);
}

/* Stops at the first fault in the order (time, unit), once no unit can still record an earlier one. */
static void look_for_faults(struct mnp_engine *engine)
{
    const struct mnp_unit *first = NULL;
    for (uint32_t i = 0; i < engine->unit_count; i++) {
        const struct mnp_unit *unit = engine->units[i];
        if (unit->fault.set && (!first || unit->fault.time < first->fault.time))
            first = unit;
    }
    if (first && first->fault.time < engine->window_end) {
        engine->error = first->fault.error;
        stop(engine, MNP_STOP_FAULT, engine->window_end);
    }
}

void mnp_engine_settle(struct mnp_engine *engine)
{
    for (uint32_t i = 0; i < engine->unit_count; i++) {
        struct mnp_unit *unit = engine->units[i];
        unit->until = engine->now;
        unit->model->advance(unit, engine->now);
        MNP_REQUIRE(unit->dirty_count == 0, "%s sends while it is being settled", unit->name);
    }
}

void mnp_window_end(struct mnp_engine *engine)
{
    const struct mnp_run_options *options = &engine->options;
    engine->now = engine->window_end;
    look_for_faults(engine);
    if (options->hash_epochs && engine->now % engine->epoch == 0) {
        mnp_engine_settle(engine);
        if (options->on_epoch)
            options->on_epoch(options->context, engine->now, mnp_engine_hash(engine));
    }
    if (options->on_window)
        options->on_window(options->context, engine->now);
}
