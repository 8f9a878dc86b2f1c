/* SPDX-License-Identifier: BSD-3-Clause */
#include "results/scaling/scaling.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

const char *const results_hand_out_names[MNP_HAND_OUT_COUNT] = {"cost",    "static", "dynamic", "lockstep",
                                                                "domains", "pool",   "openmp",  "openmp-dynamic"};

/* Bytes of the window executor (engine/executors/window.c), and those that engine/spread/ranks.c gathers of each
 * process: a number, and more for each other process. */
enum { WORTHWHILE_NS = 5000, NOTICE_BYTES = sizeof(struct mnp_outlook) + 8, NOTICE_BYTES_EACH = 8 };

struct unit {
    double smooth;      /* ticks of recent windows, as the executor sees them */
    uint32_t place, of; /* among the units of its domain; how many there are */
    uint32_t model_place, model_count;
};

struct predictor {
    const struct mnp_costs_reader *reader;
    const struct mnp_meeting *meeting;
    double ns_per_tick;
    struct unit *units;
    uint32_t *order; /* [count] of the window's costs, dearest first */
    double loads[MNP_SCALING_MOST];
};

/* ===== units ===== */

static void number_units(struct predictor *p)
{
    const struct mnp_costs_reader *reader = p->reader;
    uint32_t count = reader->head.unit_count, sides[2] = {0};
    for (uint32_t i = 0; i < count; i++)
        sides[reader->units[i].memory != 0]++;
    uint32_t seen[2] = {0}, first = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t side = reader->units[i].memory != 0;
        if (reader->units[i].model != reader->units[first].model)
            first = i;
        uint32_t last = i;
        while (last + 1 < count && reader->units[last + 1].model == reader->units[i].model)
            last++;
        p->units[i] = (struct unit){
            .place = seen[side]++, .of = sides[side], .model_place = i - first, .model_count = last + 1 - first};
    }
}

/* The process that owns a unit, as engine/spread/ranks.c shares them out. */
static uint32_t process_of(const struct predictor *p, uint32_t unit, uint32_t processes)
{
    const struct unit *u = &p->units[unit];
    return (uint32_t)((uint64_t)u->model_place * processes / u->model_count);
}

/* ===== one window ===== */

static int dearer_first(const void *a, const void *b, void *context)
{
    const struct predictor *p = context;
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    double l = p->units[p->reader->window[left].unit].smooth, r = p->units[p->reader->window[right].unit].smooth;
    if (l != r)
        return l < r ? 1 : -1;
    return left < right ? -1 : left > right;
}

static uint32_t least_loaded(const double *loads, uint32_t threads)
{
    uint32_t least = 0;
    for (uint32_t t = 1; t < threads; t++)
        if (loads[t] < loads[least])
            least = t;
    return least;
}

static double greatest(const double *loads, uint32_t threads)
{
    double most = 0;
    for (uint32_t t = 0; t < threads; t++)
        most = loads[t] > most ? loads[t] : most;
    return most;
}

static bool owns(const struct predictor *p, const struct mnp_scaling *scaling, uint32_t process, uint32_t unit)
{
    return scaling->processes == 1 || p->reader->units[unit].everywhere ||
           process_of(p, unit, scaling->processes) == process;
}

/* Place of a core, for executors that meet in every cycle. */
static uint32_t thread_of_core(const struct predictor *p, enum mnp_hand_out hand_out, uint32_t unit, uint32_t threads)
{
    const struct unit *u = &p->units[unit];
    if (hand_out == MNP_HAND_OUT_OPENMP)
        return u->place % threads;
    if (hand_out == MNP_HAND_OUT_DOMAINS && threads > 1) /* the last thread has the memory side */
        threads--;
    return (uint32_t)((uint64_t)u->place * threads / u->of);
}

/* Ticks of a window on executors that meet in every cycle. */
static double spread_cores(struct predictor *p, enum mnp_hand_out hand_out, uint32_t threads)
{
    const struct mnp_costs_reader *reader = p->reader;
    double behind = 0; /* the memory side, where it follows the cores */
    bool beside = hand_out == MNP_HAND_OUT_DOMAINS && threads > 1;
    for (uint32_t i = 0; i < reader->count; i++) {
        const struct mnp_cost *cost = &reader->window[i];
        if (!reader->units[cost->unit].memory)
            p->loads[thread_of_core(p, hand_out, cost->unit, threads)] += cost->ticks;
        else if (beside)
            p->loads[threads - 1] += cost->ticks;
        else
            behind += cost->ticks;
    }
    return greatest(p->loads, threads) + behind;
}

/* The same, of a loop whose next core goes to the thread that is free first: it asks for every core of the machine, and
 * one thread at a time moves the loop's counter on. */
static double take_cores(struct predictor *p, uint32_t threads)
{
    const struct mnp_costs_reader *reader = p->reader;
    const double take = p->meeting->take / p->ns_per_tick;
    double counter = 0 /* when it is free */, behind = 0;
    uint32_t next = 0;
    for (uint32_t unit = 0; unit < reader->head.unit_count; unit++) {
        bool runs = next < reader->count && reader->window[next].unit == unit; /* the window's units are in order */
        double ticks = runs ? reader->window[next++].ticks : 0;
        if (reader->units[unit].memory) {
            behind += ticks;
            continue;
        }
        double *free_at = &p->loads[least_loaded(p->loads, threads)];
        counter = (*free_at > counter ? *free_at : counter) + take;
        *free_at = counter + ticks;
    }
    return greatest(p->loads, threads) + behind;
}

/* Ticks of a window whose units, as far as the process owns them, have fixed, contiguous shares. */
static double spread_evenly(struct predictor *p, const struct mnp_scaling *scaling, uint32_t process, uint32_t threads)
{
    const struct mnp_costs_reader *reader = p->reader;
    uint32_t owned = 0, place = 0, unit = 0;
    for (uint32_t i = 0; i < reader->head.unit_count; i++)
        owned += owns(p, scaling, process, i);
    for (uint32_t i = 0; i < reader->count; i++) {
        const struct mnp_cost *cost = &reader->window[i];
        for (; unit < cost->unit; unit++) /* the window's units are in order */
            place += owns(p, scaling, process, unit);
        if (owns(p, scaling, process, unit))
            p->loads[(uint64_t)place * threads / owned] += cost->ticks;
    }
    return greatest(p->loads, threads);
}

/* Ticks of a window's units on so many threads of one process, of those units that it owns. */
static double spread(struct predictor *p, const struct mnp_scaling *scaling, uint32_t process, uint32_t threads)
{
    const struct mnp_costs_reader *reader = p->reader;
    memset(p->loads, 0, threads * sizeof *p->loads);
    if (scaling->hand_out == MNP_HAND_OUT_STATIC)
        return spread_evenly(p, scaling, process, threads);
    if (scaling->hand_out == MNP_HAND_OUT_OPENMP_DYNAMIC)
        return take_cores(p, threads);
    if (scaling->hand_out >= MNP_HAND_OUT_LOCKSTEP)
        return spread_cores(p, scaling->hand_out, threads);
    for (uint32_t i = 0; i < reader->count; i++) {
        const struct mnp_cost *cost = &reader->window[scaling->hand_out == MNP_HAND_OUT_COST ? p->order[i] : i];
        if (owns(p, scaling, process, cost->unit))
            p->loads[least_loaded(p->loads, threads)] += cost->ticks;
    }
    return greatest(p->loads, threads);
}

/* How many threads the executor gives a window: with hand-out by cost, as many as it is worth. */
static uint32_t threads_for(const struct predictor *p, const struct mnp_scaling *scaling, double expected_ns)
{
    if (scaling->hand_out != MNP_HAND_OUT_COST)
        return scaling->threads;
    double worth = 1 + expected_ns / scaling->processes / WORTHWHILE_NS;
    uint32_t units = p->reader->count ? p->reader->count : 1;
    uint32_t threads = worth < scaling->threads ? (uint32_t)worth : scaling->threads;
    return threads < units ? threads : units;
}

/* Nanoseconds of threads that meet. A pool's main thread comes on top of its workers, and meets one of them too. */
static double meet(const struct mnp_meeting *meeting, enum mnp_hand_out hand_out, uint32_t threads)
{
    bool meets = threads > 1 || hand_out == MNP_HAND_OUT_POOL;
    return meets ? meeting->pair[hand_out] + (threads > 1 ? threads - 2 : 0) * meeting->further[hand_out] : 0;
}

/* Nanoseconds of an exchange of packets, `bytes` of all units: the processes gather what each sees ahead, and send one
 * message to each other. Of packets between units that lie anywhere, a process sends its share to the others. */
static double exchange(const struct mnp_meeting *meeting, uint32_t processes, double bytes)
{
    double ns = 0, others = processes - 1;
    for (uint32_t reached = 1; reached < processes; reached *= 2)
        ns += meeting->gather;
    double gathered = others * (NOTICE_BYTES + (double)NOTICE_BYTES_EACH * processes);
    return ns + others * meeting->message + meeting->byte * (bytes * others / processes / processes + gathered);
}

static void add_window(struct predictor *p, struct mnp_scaling *scaling, double expected_ns, double work,
                       double largest)
{
    uint32_t threads = threads_for(p, scaling, expected_ns);
    double slowest = 0;
    for (uint32_t process = 0; process < scaling->processes; process++) {
        double ticks = spread(p, scaling, process, threads);
        slowest = ticks > slowest ? ticks : slowest;
    }
    double exchanging = exchange(p->meeting, scaling->processes, p->reader->bytes), second = 1e-9;
    double meeting = meet(p->meeting, scaling->hand_out, threads) + exchanging;
    scaling->work += work * p->ns_per_tick / scaling->threads / scaling->processes * second;
    scaling->largest += largest * p->ns_per_tick * second;
    scaling->meetings += meeting * second;
    scaling->exchange += exchanging * second;
    scaling->serial += p->reader->rest * p->ns_per_tick * second;
    scaling->start = p->reader->windows == 1 ? scaling->serial : scaling->start;
    scaling->seconds += (meeting + (slowest + p->reader->rest) * p->ns_per_tick) * second;
}

/* ===== all windows ===== */

static void learn(struct predictor *p)
{
    for (uint32_t i = 0; i < p->reader->count; i++) {
        struct unit *unit = &p->units[p->reader->window[i].unit];
        unit->smooth += (p->reader->window[i].ticks - unit->smooth) / 8;
    }
}

bool results_scaling_compute(struct mnp_costs_reader *reader, const struct mnp_meeting *meeting,
                             struct mnp_scaling *scalings, uint32_t count, struct mnp_error *error)
{
    struct predictor *p = mnp_allocate(1, sizeof *p);
    p->reader = reader;
    p->meeting = meeting;
    p->ns_per_tick = (double)reader->head.nanoseconds / (double)reader->head.ticks;
    p->units = mnp_allocate(reader->head.unit_count, sizeof *p->units);
    p->order = mnp_allocate(reader->head.unit_count, sizeof *p->order);
    number_units(p);
    while (results_costs_next(reader, error)) {
        double work = 0, largest = 0, expected = 0;
        for (uint32_t i = 0; i < reader->count; i++) {
            double ticks = reader->window[i].ticks;
            work += ticks;
            largest = ticks > largest ? ticks : largest;
            expected += p->units[reader->window[i].unit].smooth;
            p->order[i] = i;
        }
        qsort_r(p->order, reader->count, sizeof *p->order, dearer_first, p);
        for (uint32_t i = 0; i < count; i++)
            add_window(p, &scalings[i], expected * p->ns_per_tick, work, largest);
        learn(p);
    }
    free(p->units);
    free(p->order);
    free(p);
    return error->text[0] == 0;
}
