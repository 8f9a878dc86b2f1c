/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The default executor: a team of threads and one barrier per window. Units are handed out by one of three schedules:
 *   static   each worker has a fixed, contiguous share of the units;
 *   dynamic  workers take the next unit from one counter;
 *   cost     each worker has a list made from the costs measured in the last windows (largest first, always to the
 *            worker with the least so far), and takes from the others' lists when its own is empty.
 * With `cost`, as many workers take part as the expected work is worth, or one alone where that was measured faster
 * (choice.c); the others do side work (a trace's front-end parses CTAs to come), or sleep. A window does not wait for
 * who is at side work.
 */
#include "base/arena.h"
#include "base/ticks.h"
#include "engine/engine.h"
#include "engine/executors/choice.h"
#include "engine/executors/executor.h"
#include "engine/executors/homes.h"
#include "engine/executors/processors.h"
#include "engine/executors/team.h"
#include "engine/ranks.h"

#include <stdalign.h>
#include <stdlib.h>

enum {
    REBALANCE = 64,     /* windows between two looks at the costs */
    WORTHWHILE = 12000, /* ticks of expected work for which one more worker is called: about 5 microseconds */
    YOUTH = 12000000,   /* ticks of a run before threads are started: about 5 milliseconds */
};

struct share {
    alignas(MNP_CACHE_LINE) _Atomic uint32_t next; /* place in `units` */
    uint32_t count;
    uint32_t *units; /* [unit_count] */
    uint64_t load;
};

struct plan {
    struct mnp_engine *engine;
    struct share *shares; /* [workers] */
    uint32_t workers;
    uint32_t *order;       /* scratch for sorting */
    uint32_t *present;     /* [units] that have something to do in this window */
    uint64_t *ticks;       /* scratch for what they took */
    struct mnp_team *team; /* NULL until it is worth its start */
    struct mnp_homes homes;
    struct mnp_choice choice;
    uint64_t work, units; /* of the present window: expected ticks, and units that have something to do */
    uint64_t windows;     /* that it has been used for */
    uint64_t ran, since;  /* ticks of the runs before, and when the present one began */
    struct mnp_run_options made_for;
    bool limited; /* to the processors that there are */
};

static void take_from(struct plan *plan, struct share *share)
{
    struct mnp_engine *engine = plan->engine;
    for (;;) {
        uint32_t place = atomic_fetch_add_explicit(&share->next, 1, memory_order_relaxed);
        if (place >= share->count)
            return;
        if (mnp_window_concerns(engine, share->units[place]))
            mnp_window_run_unit(engine, share->units[place]);
    }
}

static void run_units(void *context, uint32_t worker, uint32_t workers)
{
    struct plan *plan = context;
    enum mnp_schedule schedule = plan->engine->options.schedule;
    if (schedule == MNP_SCHEDULE_DYNAMIC) {
        take_from(plan, &plan->shares[0]);
        return;
    }
    if (schedule == MNP_SCHEDULE_STATIC) {
        for (uint32_t i = worker; i < plan->workers; i += workers)
            take_from(plan, &plan->shares[i]);
        return;
    }
    for (uint32_t i = 0; i < plan->workers; i++) /* its own list, then the others' */
        take_from(plan, &plan->shares[(worker + i) % plan->workers]);
}

static void apply_writes(void *context, uint32_t worker, uint32_t workers)
{
    struct mnp_engine *engine = ((struct plan *)context)->engine;
    engine->hook.apply(engine->hook.context, worker, workers);
}

static int dearer_first(const void *a, const void *b, void *context)
{
    const struct mnp_engine *engine = context;
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    uint64_t left_cost = engine->units[left]->cost, right_cost = engine->units[right]->cost;
    if (left_cost != right_cost)
        return left_cost < right_cost ? 1 : -1;
    return left < right ? -1 : 1;
}

/* Of those that a unit may be planned for. */
static struct share *least_loaded(struct plan *plan, uint32_t unit)
{
    const struct mnp_homes *homes = &plan->homes;
    struct share *least = NULL;
    for (uint32_t w = 0; w < plan->workers; w++)
        if (!homes->several || homes->worker[w] == homes->unit[unit])
            if (!least || plan->shares[w].load < least->load)
                least = &plan->shares[w];
    return least;
}

static void plan_by_cost(struct plan *plan)
{
    struct mnp_engine *engine = plan->engine;
    uint32_t count = 0;
    for (uint32_t i = 0; i < engine->unit_count; i++)
        if (mnp_engine_owns(engine, i))
            plan->order[count++] = i;
    qsort_r(plan->order, count, sizeof *plan->order, dearer_first, engine);
    for (uint32_t w = 0; w < plan->workers; w++)
        plan->shares[w].count = plan->shares[w].load = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct share *least = least_loaded(plan, plan->order[i]);
        least->units[least->count++] = plan->order[i];
        least->load += engine->units[plan->order[i]]->cost + 1;
    }
}

static void plan_evenly(struct plan *plan)
{
    const struct mnp_engine *engine = plan->engine;
    uint32_t units = 0, place = 0;
    uint32_t parts = engine->options.schedule == MNP_SCHEDULE_DYNAMIC ? 1 : plan->workers;
    for (uint32_t w = 0; w < plan->workers; w++)
        plan->shares[w].count = 0;
    for (uint32_t i = 0; i < engine->unit_count; i++) /* units of other processes would leave shares empty */
        units += mnp_engine_owns(engine, i);
    for (uint32_t i = 0; i < engine->unit_count; i++) {
        if (!mnp_engine_owns(engine, i))
            continue;
        struct share *share = &plan->shares[(uint64_t)place++ * parts / units];
        share->units[share->count++] = i;
    }
}

static void plan_init(struct plan *plan, struct mnp_engine *engine, uint32_t workers)
{
    *plan = (struct plan){.engine = engine, .workers = workers, .made_for = engine->options};
    plan->shares = aligned_alloc(MNP_CACHE_LINE, workers * sizeof *plan->shares);
    MNP_REQUIRE(plan->shares != NULL, "no memory for a plan");
    plan->order = mnp_allocate(engine->unit_count, sizeof *plan->order);
    plan->present = mnp_allocate(engine->unit_count, sizeof *plan->present);
    plan->ticks = mnp_allocate(engine->unit_count, sizeof *plan->ticks);
    for (uint32_t w = 0; w < workers; w++)
        plan->shares[w] = (struct share){.units = mnp_allocate(engine->unit_count, sizeof(uint32_t))};
    plan_evenly(plan);
    mnp_choice_init(&plan->choice);
}

static void plan_release(void *kept)
{
    struct plan *plan = kept;
    for (uint32_t w = 0; w < plan->workers; w++)
        free(plan->shares[w].units);
    free(plan->shares);
    free(plan->order);
    free(plan->present);
    free(plan->ticks);
    mnp_homes_release(&plan->homes);
    if (plan->team)
        mnp_team_stop(plan->team);
    free(plan);
}

/* How many workers the present window is worth. */
static uint32_t worthwhile(struct plan *plan)
{
    const struct mnp_engine *engine = plan->engine;
    if (plan->workers == 1 || engine->options.schedule != MNP_SCHEDULE_COST)
        return plan->workers;
    uint64_t work = 0, units = 0;
    for (uint32_t i = 0; i < engine->unit_count; i++) {
        if (mnp_window_concerns(engine, i)) {
            work += engine->units[i]->cost;
            plan->present[units++] = i;
        }
    }
    plan->work = work;
    plan->units = units;
    uint64_t workers = 1 + work / (engine->options.worth ? engine->options.worth : WORTHWHILE);
    if (workers > units)
        workers = units ? units : 1;
    return workers < plan->workers ? (uint32_t)workers : plan->workers;
}

/* Side work is for the schedule that leaves threads without work and lets each do what another does not. */
static bool has_side_work(const struct plan *plan)
{
    const struct mnp_run_options *options = &plan->made_for;
    return options->side.work && options->schedule == MNP_SCHEDULE_COST && plan->workers > 1;
}

/* Whether the run is still so short that it may be over before threads are worth their start. Windows that are long of
 * themselves are worth it at once. */
static bool is_young(const struct plan *plan)
{
    const struct mnp_run_options *options = &plan->engine->options;
    return !plan->team && options->schedule == MNP_SCHEDULE_COST && !options->worth && plan->work < MNP_LONG_WINDOW &&
           plan->ran + mnp_ticks() - plan->since < YOUTH;
}

/* The team is started when it is first needed: a short run pays for no threads. */
static void start_team(struct plan *plan)
{
    const struct mnp_run_options *options = &plan->made_for;
    if (plan->team)
        return;
    plan->team = mnp_team_start_with(&(struct mnp_team_options){.threads = plan->workers,
                                                                .pin = options->pin,
                                                                .neighbours = plan->engine->placed.neighbours,
                                                                .granted = plan->engine->placed.granted,
                                                                .side = has_side_work(plan) ? &options->side : NULL});
    plan->engine->placed = *mnp_team_placed(plan->team);
    plan->engine->placed.wanted = options->threads;
    if (options->schedule == MNP_SCHEDULE_COST)
        mnp_homes_init(&plan->homes, plan->engine, plan->team, plan->workers);
    if (plan->homes.several) /* those of the first windows did not know of homes */
        plan_by_cost(plan);
}

/* More threads than processors would only wait for one another's time slices, so that none of them is started: but
 * where all of them are to meet, as in tests. What processors there are is asked when threads are first worth it. */
static void limit_workers(struct plan *plan)
{
    struct mnp_engine *engine = plan->engine;
    const struct mnp_run_options *options = &plan->made_for;
    plan->limited = true;
    engine->placed.neighbours = mnp_ranks_neighbours(engine);
    engine->placed.granted = mnp_team_processors(engine->placed.neighbours);
    if (mnp_processors_are_busy(plan->workers - 1))
        mnp_choice_doubt(&plan->choice);
    if (options->schedule != MNP_SCHEDULE_COST || options->worth || plan->workers <= engine->placed.granted)
        return;
    for (uint32_t w = engine->placed.granted; w < plan->workers; w++)
        free(plan->shares[w].units);
    plan->workers = engine->placed.granted;
    plan_by_cost(plan);
}

/* Gives a job to several workers. */
static void hand_out(struct plan *plan, uint32_t workers, mnp_job *job)
{
    start_team(plan);
    mnp_team_run(plan->team, workers, job, plan);
}

static void run_together(struct plan *plan, uint32_t workers)
{
    for (uint32_t w = 0; w < plan->workers; w++)
        atomic_store_explicit(&plan->shares[w].next, 0, memory_order_relaxed);
    start_team(plan);
    if (has_side_work(plan)) /* who is at it leaves its units to the others, which take from all lists */
        mnp_team_run_free(plan->team, workers, run_units, plan);
    else
        mnp_team_run(plan->team, workers, run_units, plan);
}

/* Workers that the present window does not need may do something else. */
static void offer_side_work(struct plan *plan, uint32_t workers)
{
    const struct mnp_side_work *side = &plan->made_for.side;
    if (workers == plan->workers || !has_side_work(plan) || !atomic_load_explicit(side->wanted, memory_order_relaxed))
        return;
    start_team(plan);
    mnp_team_nudge(plan->team, workers);
}

/* Notes what a window took. One that took long may have had more to do than was expected, as when thousands of cores
 * run on for many thousand cycles at once: then it is no sign of a host that is busy. */
static void note(struct plan *plan, uint32_t workers, uint64_t ticks)
{
    uint64_t work = 0;
    if (ticks > MNP_LOST_TICKS) {
        for (uint64_t i = 0; i < plan->units; i++)
            plan->ticks[i] = plan->engine->units[plan->present[i]]->latest;
        work = mnp_choice_work(plan->ticks, (uint32_t)plan->units, workers);
    }
    if (work < MNP_LONG_WINDOW)
        mnp_choice_note(&plan->choice, ticks, plan->units, work > plan->work ? work : plan->work);
}

/* Runs the units of a window; returns how many workers did. What windows that are worth several workers take decides
 * how the next ones are run. */
static uint32_t run_window(struct plan *plan)
{
    const struct mnp_run_options *options = &plan->engine->options;
    uint32_t workers = worthwhile(plan);
    if (plan->workers > 1 && is_young(plan)) {
        mnp_executor_run_alone(plan->engine);
        return 1;
    }
    if (plan->workers > 1 && !plan->limited)
        limit_workers(plan);
    workers = workers < plan->workers ? workers : plan->workers;
    bool chosen = workers > 1 && options->schedule == MNP_SCHEDULE_COST && !options->worth &&
                  plan->work < MNP_LONG_WINDOW;
    if (chosen && plan->choice.alone)
        workers = 1;
    offer_side_work(plan, workers);
    uint64_t from = chosen ? mnp_ticks() : 0;
    if (workers == 1) /* lists are not needed */
        mnp_executor_run_alone(plan->engine);
    else
        run_together(plan, workers);
    if (chosen)
        note(plan, workers, mnp_ticks() - from);
    return workers;
}

static bool same_way(const struct mnp_run_options *a, const struct mnp_run_options *b)
{
    return a->threads == b->threads && a->schedule == b->schedule && a->worth == b->worth && a->pin == b->pin &&
           a->side.work == b->side.work && a->side.context == b->side.context;
}

/* Goes on with the threads of the run before. */
static void take_team(struct plan *plan)
{
    struct mnp_placed *placed = &plan->engine->placed;
    uint64_t moved = placed->moved_bytes;
    *placed = *mnp_team_placed(plan->team);
    placed->wanted = plan->made_for.threads;
    placed->moved_bytes = moved;
    mnp_team_continue(plan->team);
}

/* The plan of the run before, where it ran in the same way: its threads are there, and what it knows of costs. */
static struct plan *take_plan(struct mnp_engine *engine)
{
    struct plan *plan = engine->release_kept == plan_release ? engine->kept : NULL;
    if (plan && !same_way(&plan->made_for, &engine->options)) {
        plan_release(plan);
        plan = NULL;
    }
    if (!plan) {
        plan = mnp_allocate(1, sizeof *plan);
        plan_init(plan, engine, engine->options.threads);
    }
    engine->kept = plan;
    engine->release_kept = plan_release;
    if (plan->team)
        take_team(plan);
    plan->since = mnp_ticks();
    return plan;
}

void mnp_executor_run_windows(struct mnp_engine *engine)
{
    struct plan *plan = take_plan(engine);
    for (; mnp_window_begin(engine); plan->windows++) {
        if (engine->options.schedule == MNP_SCHEDULE_COST && plan->windows % REBALANCE == 0 && plan->workers > 1)
            plan_by_cost(plan);
        uint32_t workers = run_window(plan);
        if (mnp_window_applies(engine)) {
            if (workers > 1)
                hand_out(plan, workers, apply_writes);
            else
                engine->hook.apply(engine->hook.context, 0, 1);
            mnp_window_applied(engine);
        }
        mnp_window_end(engine);
    }
    plan->ran += mnp_ticks() - plan->since;
    if (plan->team)
        mnp_team_pause(plan->team);
}

const struct mnp_executor mnp_executor_window = {
    .name = "window",
    .summary = "threads that meet once per window; units handed out by measured cost",
    .run = mnp_executor_run_windows,
};
