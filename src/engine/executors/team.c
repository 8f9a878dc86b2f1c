/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/executors/team.h"

#include "base/allocate.h"
#include "base/arena.h"
#include "engine/core/engine.h"
#include "engine/executors/placement.h"
#include "engine/executors/processors.h"

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Iterations before a waiting thread sleeps, some 50 microseconds: much longer than a barrier, and much shorter than
 * the time slice that is lost when it spins for a worker whose processor another process has taken. */
enum { SPIN = 2000 };

/* A word that one side increments and the other side waits on, first spinning, then sleeping. */
struct signal {
    alignas(MNP_CACHE_LINE) _Atomic uint32_t value;
    _Atomic uint32_t asleep;
};

enum { WORKER_FREE, WORKER_CALLED, WORKER_ASIDE /* at side work */ };

struct worker {
    struct signal go; /* counts the jobs given to this worker */
    _Atomic uint32_t state;
    struct mnp_team *team;
    pthread_t thread;
    uint32_t index;
    uint32_t node; /* NUMA node to which it is bound */
};

struct mnp_team {
    struct worker *workers; /* [size]; of element 0 only the index is used */
    uint32_t size;
    uint32_t spin; /* iterations before sleeping: none if threads outnumber processors */
    bool stopping;
    bool bound; /* the caller is bound, and its former affinity must be restored */
    cpu_set_t before;
    const struct mnp_side_work *side; /* may be NULL */
    struct mnp_placed placed;
    mnp_job *job;
    void *context;
    uint32_t taking_part;
    struct signal done; /* counts down to zero */
};

static void pause_briefly(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

static void sleep_while(struct signal *signal, uint32_t value)
{
    atomic_store(&signal->asleep, 1);
    if (atomic_load(&signal->value) == value)
        syscall(SYS_futex, &signal->value, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
    atomic_store(&signal->asleep, 0);
}

static void wake(struct signal *signal)
{
    if (atomic_load(&signal->asleep))
        syscall(SYS_futex, &signal->value, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

/* Waits until the signal no longer has `value`. */
static void wait_change(struct signal *signal, uint32_t value, uint32_t spin)
{
    for (uint32_t i = 0; i < spin; i++) {
        if (atomic_load_explicit(&signal->value, memory_order_acquire) != value)
            return;
        pause_briefly();
    }
    while (atomic_load(&signal->value) == value)
        sleep_while(signal, value);
}

/* Does a piece of side work, unless the worker is being called. Returns false if there is none. */
static bool work_aside(struct worker *worker)
{
    const struct mnp_side_work *side = worker->team->side;
    uint32_t expected = WORKER_FREE;
    if (!side || !side->work)
        return false;
    if (!atomic_compare_exchange_strong(&worker->state, &expected, WORKER_ASIDE))
        return true;
    bool more = side->work(side->context);
    atomic_store(&worker->state, WORKER_FREE);
    return more;
}

/* Waits for job number `jobs`. If it does not come within the usual time between jobs, does side work or sleeps. */
static void wait_for_job(struct worker *worker, uint32_t jobs)
{
    struct signal *go = &worker->go;
    for (uint32_t i = 0; i < worker->team->spin; i++) {
        if (atomic_load_explicit(&go->value, memory_order_acquire) != jobs)
            return;
        pause_briefly();
    }
    while (atomic_load(&go->value) == jobs)
        if (!work_aside(worker))
            sleep_while(go, jobs);
}

static void *work(void *argument)
{
    struct worker *worker = argument;
    struct mnp_team *team = worker->team;
    for (uint32_t jobs = 0;; jobs++) {
        wait_for_job(worker, jobs);
        if (team->stopping)
            return NULL;
        team->job(team->context, worker->index, team->taking_part);
        atomic_store(&worker->state, WORKER_FREE);
        if (atomic_fetch_sub(&team->done.value, 1) == 1)
            wake(&team->done);
    }
}

uint32_t mnp_team_processors(uint32_t neighbours)
{
    uint32_t granted = mnp_granted_processors() / (neighbours ? neighbours : 1);
    return granted ? granted : 1;
}

/* Records the facts about placement that are known before any thread is started. */
static void survey(struct mnp_placed *placed, const struct mnp_team_options *options)
{
    placed->neighbours = options->neighbours ? options->neighbours : 1;
    placed->granted = options->granted ? options->granted : mnp_team_processors(options->neighbours);
    bool crowded = options->threads > placed->granted;
    placed->binding = crowded ? MNP_BINDING_CROWDED : options->pin ? MNP_BINDING_BOUND : MNP_BINDING_UNASKED;
    if (placed->binding == MNP_BINDING_BOUND && mnp_processors_are_busy(options->threads - 1))
        placed->binding = MNP_BINDING_BUSY;
}

static void start_workers(struct mnp_team *team, uint32_t threads, const struct mnp_placement *placement)
{
    bool bind = team->placed.binding == MNP_BINDING_BOUND;
    for (uint32_t i = 0; i < threads; i++) {
        struct worker *worker = &team->workers[i];
        *worker = (struct worker){.team = team, .index = i, .node = bind ? placement->nodes[i] : 0};
        team->placed.processors[i] = bind ? placement->processors[i] : 0;
        if (i == 0)
            continue;
        if (pthread_create(&worker->thread, NULL, work, worker) != 0)
            break;
        if (bind)
            mnp_placement_bind_thread(placement, i, worker->thread);
        team->size++;
    }
}

void mnp_team_continue(struct mnp_team *team)
{
    bool bind = team->placed.binding == MNP_BINDING_BOUND && team->size > 1;
    if (!bind || team->bound || pthread_getaffinity_np(pthread_self(), sizeof team->before, &team->before) != 0)
        return;
    cpu_set_t first;
    CPU_ZERO(&first);
    CPU_SET(team->placed.processors[0], &first);
    team->bound = pthread_setaffinity_np(pthread_self(), sizeof first, &first) == 0;
}

void mnp_team_pause(struct mnp_team *team)
{
    if (team->bound)
        pthread_setaffinity_np(pthread_self(), sizeof team->before, &team->before);
    team->bound = false;
}

struct mnp_team *mnp_team_start_with(const struct mnp_team_options *options)
{
    size_t line = MNP_CACHE_LINE - 1, bytes = (sizeof(struct mnp_team) + line) & ~line;
    struct mnp_team *team = aligned_alloc(MNP_CACHE_LINE, bytes);
    struct worker *workers = aligned_alloc(MNP_CACHE_LINE, options->threads * sizeof *workers);
    MNP_NEED_MEMORY(team && workers, "threads");
    *team = (struct mnp_team){.workers = workers, .size = 1, .side = options->side};
    survey(&team->placed, options);
    struct mnp_placement placement = mnp_placement_read(options->threads);
    if (options->threads > placement.count && team->placed.binding == MNP_BINDING_BOUND)
        team->placed.binding = MNP_BINDING_CROWDED;
    team->spin = team->placed.binding == MNP_BINDING_CROWDED ? 0 : SPIN;
    start_workers(team, options->threads, &placement);
    team->placed.threads = team->size;
    team->placed.nodes = mnp_placement_count_nodes(&placement, team->size);
    mnp_placement_release(&placement);
    mnp_team_continue(team);
    return team;
}

struct mnp_team *mnp_team_start(uint32_t threads, bool pin)
{
    return mnp_team_start_with(&(struct mnp_team_options){.threads = threads, .pin = pin});
}

const struct mnp_placed *mnp_team_placed(const struct mnp_team *team)
{
    return &team->placed;
}

uint32_t mnp_team_node(const struct mnp_team *team, uint32_t worker)
{
    return team->workers[worker].node;
}

uint32_t mnp_team_size(const struct mnp_team *team)
{
    return team->size;
}

/* Waits a little for a worker that is doing side work; after some turns, another thread may have the processor. */
static void wait_aside(const struct mnp_team *team, uint32_t turn)
{
    if (turn < team->spin)
        pause_briefly();
    else
        sched_yield();
}

/* Calls a worker. Returns false if it is doing side work, and must not be waited for. */
static bool call(struct worker *worker, bool wait)
{
    uint32_t expected = WORKER_FREE;
    for (uint32_t turn = 0; !atomic_compare_exchange_strong(&worker->state, &expected, WORKER_CALLED); turn++) {
        if (!wait)
            return false;
        expected = WORKER_FREE;
        wait_aside(worker->team, turn);
    }
    atomic_fetch_add(&worker->go.value, 1);
    wake(&worker->go);
    return true;
}

static void run(struct mnp_team *team, uint32_t workers, mnp_job *job, void *context, bool all)
{
    if (workers > team->size)
        workers = team->size;
    if (workers > 1) {
        team->job = job;
        team->context = context;
        team->taking_part = workers;
        atomic_store(&team->done.value, workers - 1);
        for (uint32_t i = 1; i < workers; i++)
            if (!call(&team->workers[i], all))
                atomic_fetch_sub(&team->done.value, 1);
    }
    job(context, 0, workers);
    if (workers > 1) {
        uint32_t left;
        while ((left = atomic_load_explicit(&team->done.value, memory_order_acquire)) != 0)
            wait_change(&team->done, left, team->spin);
    }
}

void mnp_team_run(struct mnp_team *team, uint32_t workers, mnp_job *job, void *context)
{
    run(team, workers, job, context, true);
}

void mnp_team_run_free(struct mnp_team *team, uint32_t workers, mnp_job *job, void *context)
{
    run(team, workers, job, context, false);
}

void mnp_team_nudge(struct mnp_team *team, uint32_t first)
{
    for (uint32_t i = first; i < team->size; i++)
        wake(&team->workers[i].go);
}

void mnp_team_stop(struct mnp_team *team)
{
    team->stopping = true;
    for (uint32_t i = 1; i < team->size; i++) {
        atomic_fetch_add(&team->workers[i].go.value, 1);
        wake(&team->workers[i].go);
    }
    for (uint32_t i = 1; i < team->size; i++)
        pthread_join(team->workers[i].thread, NULL);
    mnp_team_pause(team);
    free(team->workers);
    free(team);
}
