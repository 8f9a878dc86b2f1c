/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The default executor: a team of threads and one barrier per window. Units are distributed by one of three schedules:
 *   static   each worker has a fixed, contiguous share of the units;
 *   dynamic  workers take the next unit from one counter;
 *   cost     each worker has a list, sorted by decreasing cost; when its own list is empty, it takes from the others'.
 *            The lists are balanced by the costs measured in the last windows, by moving few units.
 * With `cost`, the number of workers depends on the expected work, or is one if that was measured to be faster
 * (choice.c); the other workers do side work (a trace's front-end reads ahead), or sleep. A window does not wait for a
 * worker that is doing side work.
 */
#include "base/allocate.h"
#include "base/arena.h"
#include "base/ticks.h"
#include "engine/core/engine.h"
#include "engine/executors/choice.h"
#include "engine/executors/executor.h"
#include "engine/executors/homes.h"
#include "engine/executors/joining.h"
#include "engine/executors/processors.h"
#include "engine/executors/team.h"
#include "engine/spread/ranks.h"

#include <stdalign.h>
#include <stdlib.h>

enum {
    REBALANCE = 64,     /* number of windows between two evaluations of the costs */
    WORTHWHILE = 12000, /* ticks of expected work that justify one more worker: about 5 microseconds */
    /* CPU time of a run before threads are started, in nanoseconds, and in ticks at least as many */
    YOUTH = 5000000,
    /* ticks of work in a window that justify starting threads at once: about 100 microseconds, the cost of starting a
     * thread */
    FULL = 240000,
    LEVEL = 64, /* shares that differ by less than 1/64 of the greater are not rebalanced */
    /* if the work exceeds this multiple of what justifies all workers, a rough estimate suffices */
    CLEARLY = 4,
};

struct share {
    alignas(MNP_CACHE_LINE) _Atomic uint32_t next; /* index of the next unit to run in `units` */
    uint32_t count;
    uint32_t *units; /* [unit_count] */
    uint64_t load;
    /* ticks that its worker spent on units in the current window, from any share */
    alignas(MNP_CACHE_LINE) uint64_t spent;
};

/* Shares of the units of some stages (engine/core/stages.h), which are distributed separately from other stages. */
struct hand {
    struct share *shares; /* [workers] */
    bool planned;         /* the shares have been planned and can be rebalanced */
    uint64_t windows;     /* number of windows of these stages */
    /* the last of these windows: ticks, if it was run together, otherwise 0; and number of units */
    uint64_t last_work, last_units;
};

struct plan {
    struct mnp_engine *engine;
    /* indexed by the set of stages minus one; a machine of one stage uses the last entry */
    struct hand hands[MNP_ALL_STAGES];
    struct hand *hand;    /* hand of the current window */
    struct share *shares; /* [workers] shares of that hand */
    uint32_t workers;
    uint32_t *order;       /* scratch for sorting */
    uint32_t *present;     /* [units] that have something to do in this window */
    uint64_t *ticks;       /* scratch for the ticks of units */
    struct mnp_team *team; /* NULL until the start of threads is justified */
    struct mnp_homes homes;
    struct mnp_choice choice;
    struct mnp_joining joining;
    bool joins; /* units may be joined and divided, depending on how windows run */
    /* the way of running this window follows from its work or from measurements, not from a trial */
    bool decided;
    /* end of the previous window: in ticks; if joined, in the thread's processor time */
    uint64_t noted;
    uint64_t work, units;          /* current window: expected ticks, and number of units that have something to do */
    bool limited;                  /* the number of workers was limited to the available processors */
    bool grown;                    /* the run is so old that threads pay off */
    uint32_t most;                 /* maximum number of workers in a window since writes were last applied */
    uint64_t ran, since;           /* ticks of previous runs, and start of the current run */
    uint64_t ran_time, since_time; /* processor time of the thread in nanoseconds, likewise */
    struct mnp_run_options made_for;
};

/* Whether a unit belongs to the stages of the current window. */
static bool takes_part(const struct plan *plan, uint32_t unit)
{
    const struct mnp_engine *engine = plan->engine;
    return mnp_engine_owns(engine, unit) && ((plan->hand - plan->hands + 1) >> engine->stage[unit] & 1);
}

/* Selects the hand of a set of stages. */
static void take_hand(struct plan *plan, uint32_t stages)
{
    plan->hand = &plan->hands[(stages ? stages : MNP_ALL_STAGES) - 1];
    plan->shares = plan->hand->shares;
}

/* Runs units of a share until it is empty. Returns the ticks spent. */
static uint64_t take_from(struct plan *plan, struct share *share)
{
    struct mnp_engine *engine = plan->engine;
    for (uint64_t spent = 0;;) {
        uint32_t place = atomic_fetch_add_explicit(&share->next, 1, memory_order_relaxed);
        if (place >= share->count)
            return spent;
        uint32_t unit = share->units[place];
        if (!mnp_window_concerns(engine, unit))
            continue;
        mnp_window_run_unit(engine, unit);
        spent += engine->units[unit]->latest;
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
    uint64_t spent = 0;
    for (uint32_t i = 0; i < plan->workers; i++) /* first its own list, then the others' */
        spent += take_from(plan, &plan->shares[(worker + i) % plan->workers]);
    plan->shares[worker].spent = spent;
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

/* Finds the least loaded share among those of the unit's home. */
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

/* Whether it is time to evaluate the costs again; at the beginning this happens more often. */
static bool is_time_to_plan(const struct plan *plan, uint64_t window)
{
    bool early = window < REBALANCE && (window & (window - 1)) == 0;
    return plan->engine->options.schedule == MNP_SCHEDULE_COST && plan->workers > 1 &&
           (window % REBALANCE == 0 || early);
}

/* Plans shares from scratch: units by decreasing cost, each to the least loaded worker (longest processing time
 * first). */
static void plan_anew(struct plan *plan)
{
    struct mnp_engine *engine = plan->engine;
    uint32_t count = 0;
    for (uint32_t i = 0; i < engine->unit_count; i++)
        if (takes_part(plan, i))
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

/* Finds the unit of a share whose move to a share with `gap` less load balances both best; returns the share's count if
 * there is none. */
static uint32_t best_move(const struct plan *plan, const struct share *share, uint64_t gap)
{
    uint32_t best = share->count;
    uint64_t least = gap; /* remaining difference after the move */
    for (uint32_t i = 0; i < share->count; i++) {
        uint64_t twice = 2 * plan->engine->units[share->units[i]]->cost;
        uint64_t left = twice < gap ? gap - twice : twice - gap;
        if (left < least) {
            least = left;
            best = i;
        }
    }
    return best;
}

/* Balances the shares by moving few units, because the worker that ran a unit last has its state in the cache. */
static void level(struct plan *plan)
{
    struct mnp_engine *engine = plan->engine;
    for (uint32_t w = 0; w < plan->workers; w++) {
        struct share *share = &plan->shares[w];
        share->load = 0;
        for (uint32_t i = 0; i < share->count; i++)
            share->load += engine->units[share->units[i]]->cost;
    }
    for (uint32_t moves = 0; moves < engine->unit_count; moves++) {
        struct share *most = plan->shares, *least = plan->shares;
        for (struct share *share = plan->shares; share < plan->shares + plan->workers; share++) {
            most = share->load > most->load ? share : most;
            least = share->load < least->load ? share : least;
        }
        uint64_t gap = most->load - least->load;
        uint32_t place = gap > most->load / LEVEL ? best_move(plan, most, gap) : most->count;
        if (place == most->count)
            break;
        uint32_t unit = most->units[place];
        most->units[place] = most->units[--most->count];
        least->units[least->count++] = unit;
        most->load -= engine->units[unit]->cost;
        least->load += engine->units[unit]->cost;
    }
    for (uint32_t w = 0; w < plan->workers; w++)
        qsort_r(plan->shares[w].units, plan->shares[w].count, sizeof *plan->order, dearer_first, engine);
}

static void plan_by_cost(struct plan *plan)
{
    if (plan->hand->planned && !plan->homes.several)
        level(plan);
    else
        plan_anew(plan);
    plan->hand->planned = true;
}

static void plan_evenly(struct plan *plan)
{
    const struct mnp_engine *engine = plan->engine;
    uint32_t units = 0, place = 0;
    uint32_t parts = engine->options.schedule == MNP_SCHEDULE_DYNAMIC ? 1 : plan->workers;
    for (uint32_t w = 0; w < plan->workers; w++)
        plan->shares[w].count = 0;
    /* units of other processes are excluded, because they would leave shares empty */
    for (uint32_t i = 0; i < engine->unit_count; i++)
        units += takes_part(plan, i);
    for (uint32_t i = 0; i < engine->unit_count; i++) {
        if (!takes_part(plan, i))
            continue;
        struct share *share = &plan->shares[(uint64_t)place++ * parts / units];
        share->units[share->count++] = i;
    }
}

/* Whether units may be joined. Not if the user forces all threads to take part, as tests do. */
static bool may_join(const struct plan *plan)
{
    const struct mnp_engine *engine = plan->engine;
    const struct mnp_run_options *options = &engine->options;
    return engine->hook.join && options->schedule == MNP_SCHEDULE_COST && !options->worth && !options->no_skip &&
           plan->workers > 1 && !engine->ranks && !engine->relaxed;
}

static void init_hand(struct plan *plan, uint32_t stages)
{
    struct share *shares = aligned_alloc(MNP_CACHE_LINE, plan->workers * sizeof *shares);
    MNP_NEED_MEMORY(shares != NULL, "a plan");
    for (uint32_t w = 0; w < plan->workers; w++)
        shares[w] = (struct share){.units = mnp_allocate(plan->engine->unit_count, sizeof(uint32_t))};
    plan->hands[stages - 1].shares = shares;
    take_hand(plan, stages);
    plan_evenly(plan);
}

static void release_hand(struct hand *hand, uint32_t workers)
{
    for (uint32_t w = 0; hand->shares && w < workers; w++)
        free(hand->shares[w].units);
    free(hand->shares);
}

static void plan_init(struct plan *plan, struct mnp_engine *engine, uint32_t workers)
{
    *plan = (struct plan){.engine = engine, .workers = workers, .made_for = engine->options};
    plan->order = mnp_allocate(engine->unit_count, sizeof *plan->order);
    plan->present = mnp_allocate(engine->unit_count, sizeof *plan->present);
    plan->ticks = mnp_allocate(engine->unit_count, sizeof *plan->ticks);
    for (uint32_t stages = engine->relays ? 1 : MNP_ALL_STAGES; stages <= MNP_ALL_STAGES; stages++)
        init_hand(plan, stages);
    mnp_choice_init(&plan->choice);
    mnp_joining_init(&plan->joining);
    plan->joins = may_join(plan);
    mnp_engine_join(engine, false);
}

static void plan_release(void *kept)
{
    struct plan *plan = kept;
    for (uint32_t i = 0; i < MNP_ALL_STAGES; i++)
        release_hand(&plan->hands[i], plan->workers);
    free(plan->order);
    free(plan->present);
    free(plan->ticks);
    mnp_homes_release(&plan->homes);
    if (plan->team)
        mnp_team_stop(plan->team);
    free(plan);
}

/* The expected work of the current window: the sum of its units' costs or, if that is clearly sufficient, an estimate
 * from the previous window. Reading the costs is slow, because other threads have just written them, but in the first
 * windows they are the only information. */
static uint64_t expected_work(const struct plan *plan, uint64_t worth)
{
    const struct hand *hand = plan->hand;
    uint64_t work = hand->last_units ? hand->last_work / hand->last_units * plan->units : 0;
    if (hand->windows >= REBALANCE && work >= CLEARLY * worth * plan->workers && work < MNP_LONG_WINDOW / 2 &&
        plan->units >= hand->last_units - hand->last_units / 4)
        return work;
    work = 0;
    for (uint64_t i = 0; i < plan->units; i++)
        work += plan->engine->units[plan->present[i]]->cost;
    return work;
}

/* Number of workers that the current window justifies. */
static uint32_t worthwhile(struct plan *plan)
{
    const struct mnp_engine *engine = plan->engine;
    if (plan->workers == 1 || engine->options.schedule != MNP_SCHEDULE_COST)
        return plan->workers;
    uint64_t worth = engine->options.worth ? engine->options.worth : WORTHWHILE, units = 0;
    for (uint32_t i = 0; i < engine->unit_count; i++) {
        plan->present[units] = i;
        units += mnp_window_concerns(engine, i);
    }
    plan->units = units;
    plan->work = expected_work(plan, worth);
    uint64_t workers = 1 + plan->work / worth;
    if (workers > units)
        workers = units ? units : 1;
    return workers < plan->workers ? (uint32_t)workers : plan->workers;
}

/* Side work is only done with schedule `cost`, which leaves threads idle and lets workers take over one another's
 * units. */
static bool has_side_work(const struct plan *plan)
{
    const struct mnp_run_options *options = &plan->made_for;
    return options->side.work && options->schedule == MNP_SCHEDULE_COST && plan->workers > 1;
}

/* Whether the current window justifies starting threads at once. Its most expensive unit is ignored, since its thread
 * may have lost the processor. */
static bool is_full(const struct plan *plan)
{
    uint64_t dearest = 0;
    for (uint64_t i = 0; plan->work >= FULL && i < plan->units; i++) {
        uint64_t cost = plan->engine->units[plan->present[i]]->cost;
        dearest = cost > dearest ? cost : dearest;
    }
    return plan->work >= FULL + dearest;
}

/* Whether the run is so young that it may end before the start of threads pays off. Long windows justify it at once.
 * Only CPU time counts, so that time taken by other processes does not age a run. */
static bool is_young(struct plan *plan)
{
    const struct mnp_run_options *options = &plan->engine->options;
    if (plan->team || plan->grown || options->schedule != MNP_SCHEDULE_COST || options->worth || is_full(plan))
        return false;
    plan->grown = plan->ran + mnp_ticks() - plan->since >= YOUTH &&
                  plan->ran_time + mnp_thread_nanoseconds() - plan->since_time >= YOUTH;
    return !plan->grown;
}

/* Starts the team when it is first needed, so that a short run does not pay for threads. */
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
    /* the first windows were planned without homes */
    for (uint32_t i = 0; i < MNP_ALL_STAGES && plan->homes.several; i++)
        plan->hands[i].planned = false;
    if (plan->homes.several)
        plan_by_cost(plan);
}

/* Limits the number of workers to the available processors, because surplus threads would only wait for one another's
 * time slices; not if the user forces all threads to take part, as tests do. Availability is queried when threads are
 * first justified. */
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
    uint32_t stages = (uint32_t)(plan->hand - plan->hands) + 1, before = plan->workers;
    plan->workers = engine->placed.granted;
    for (uint32_t i = 0; i < MNP_ALL_STAGES; i++) {
        if (!plan->hands[i].shares)
            continue;
        for (uint32_t w = plan->workers; w < before; w++)
            free(plan->hands[i].shares[w].units);
        take_hand(plan, i + 1);
        plan_anew(plan);
    }
    take_hand(plan, stages);
}

/* Runs a job on several workers. */
static void hand_out(struct plan *plan, uint32_t workers, mnp_job *job)
{
    start_team(plan);
    mnp_team_run(plan->team, workers, job, plan);
}

static void run_together(struct plan *plan, uint32_t workers)
{
    for (uint32_t w = 0; w < plan->workers; w++) {
        atomic_store_explicit(&plan->shares[w].next, 0, memory_order_relaxed);
        plan->shares[w].spent = 0; /* reset, because the worker may not take part */
    }
    start_team(plan);
    /* workers that are busy with side work leave their units to the others, which take from all lists */
    if (has_side_work(plan))
        mnp_team_run_free(plan->team, workers, run_units, plan);
    else
        mnp_team_run(plan->team, workers, run_units, plan);
    plan->hand->last_work = 0;
    plan->hand->last_units = plan->units;
    for (uint32_t w = 0; w < plan->workers; w++)
        plan->hand->last_work += plan->shares[w].spent;
}

/* Offers side work to workers that the current window does not need. */
static void offer_side_work(struct plan *plan, uint32_t workers)
{
    const struct mnp_side_work *side = &plan->made_for.side;
    if (workers == plan->workers || !has_side_work(plan) || !atomic_load_explicit(side->wanted, memory_order_relaxed))
        return;
    start_team(plan);
    mnp_team_nudge(plan->team, workers);
}

/* Records the time of a window. A long window may have contained more work than expected, as when thousands of cores
 * run for many thousand cycles at once; that is no sign of a busy host. */
static void note(struct plan *plan, uint32_t workers, uint64_t ticks)
{
    uint64_t work = 0;
    if (ticks > MNP_LOST_TICKS) {
        for (uint64_t i = 0; i < plan->units; i++)
            plan->ticks[i] = plan->engine->units[plan->present[i]]->latest;
        work = mnp_choice_work(plan->ticks, (uint32_t)plan->units, workers);
    }
    if (work < MNP_LONG_WINDOW)
        mnp_choice_note(&plan->choice, ticks, work > plan->work ? work : plan->work);
}

/* Runs the units of a window and returns the number of workers that did. Times of windows that justify several workers
 * determine how the next windows are run. */
static uint32_t run_window(struct plan *plan)
{
    const struct mnp_run_options *options = &plan->engine->options;
    uint32_t workers = worthwhile(plan);
    plan->decided = true;
    if (plan->workers > 1 && is_young(plan)) {
        plan->decided = plan->engine->joined;
        mnp_executor_run_alone(plan->engine);
        return 1;
    }
    if (plan->workers > 1 && !plan->limited)
        limit_workers(plan);
    workers = workers < plan->workers ? workers : plan->workers;
    bool chosen =
        workers > 1 && options->schedule == MNP_SCHEDULE_COST && !options->worth && plan->work < MNP_LONG_WINDOW;
    if (chosen && plan->choice.alone) {
        workers = 1;
        plan->decided = mnp_choice_is_settled(&plan->choice);
    }
    offer_side_work(plan, workers);
    uint64_t from = chosen ? mnp_ticks() : 0;
    plan->hand->last_units = 0;
    if (workers == 1) /* the lists are not needed */
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

/* Reuses the threads of the previous run. */
static void take_team(struct plan *plan)
{
    struct mnp_placed *placed = &plan->engine->placed;
    uint64_t moved = placed->moved_bytes;
    *placed = *mnp_team_placed(plan->team);
    placed->wanted = plan->made_for.threads;
    placed->moved_bytes = moved;
    mnp_team_continue(plan->team);
}

/* Returns the plan of the previous run, with its threads and measured costs, if that run had the same options;
 * otherwise a new plan. */
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
    plan->since_time = mnp_thread_nanoseconds();
    plan->noted = engine->joined ? plan->since_time : plan->since;
    return plan;
}

/* Classifies how a window was run by `workers` workers. Windows of a trial count as undecided. */
static enum mnp_joining_way way_of(const struct plan *plan, uint32_t workers)
{
    if (workers == 1)
        return plan->decided ? MNP_JOINING_ALONE : MNP_JOINING_UNDECIDED;
    return plan->choice.turns ? MNP_JOINING_UNDECIDED : MNP_JOINING_TOGETHER;
}

/* Updates the decision on joining after a window. Measurements of divided units are invalid for the joined machine, and
 * vice versa. */
static void consider_joining(struct plan *plan, uint32_t workers)
{
    struct mnp_engine *engine = plan->engine;
    uint64_t now = engine->joined ? mnp_thread_nanoseconds() : mnp_ticks(), spent = now - plan->noted;
    uint64_t span = engine->window_end - engine->window_start;
    if (engine->joined)
        mnp_joining_note_joined(&plan->joining, spent, span);
    else
        mnp_joining_note_divided(&plan->joining, way_of(plan, workers), spent, span);
    plan->noted = now;
    if (plan->joining.joined == engine->joined)
        return;
    mnp_engine_join(engine, plan->joining.joined);
    mnp_choice_try(&plan->choice);
    plan->hand->last_units = 0;
    plan->noted = engine->joined ? mnp_thread_nanoseconds() : mnp_ticks();
}

void mnp_executor_run_windows(struct mnp_engine *engine)
{
    struct plan *plan = take_plan(engine);
    while (mnp_window_begin(engine)) {
        take_hand(plan, engine->relays ? engine->window_stages : MNP_ALL_STAGES);
        if (is_time_to_plan(plan, plan->hand->windows) && !engine->joined)
            plan_by_cost(plan);
        uint32_t workers = run_window(plan);
        plan->hand->windows++;
        plan->most = workers > plan->most ? workers : plan->most;
        if (mnp_window_applies(engine)) {
            if (plan->most > 1)
                hand_out(plan, plan->most, apply_writes);
            else
                engine->hook.apply(engine->hook.context, 0, 1);
            mnp_window_applied(engine);
            plan->most = 0;
        }
        mnp_window_end(engine);
        if (plan->joins)
            consider_joining(plan, workers);
    }
    plan->ran += mnp_ticks() - plan->since;
    plan->ran_time += mnp_thread_nanoseconds() - plan->since_time;
    if (plan->team)
        mnp_team_pause(plan->team);
}

const struct mnp_executor mnp_executor_window = {
    .name = "window",
    .summary = "threads that meet once per window; units handed out by measured cost",
    .run = mnp_executor_run_windows,
    .staged = true,
};
