/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The second scheme of Wang & Gao (2020; docs/executors.md): like lockstep, but network, L2 and DRAM are simulated by a
 * separate thread, concurrently with the clusters. That thread has a shadow of the core clock: at each of its edges it
 * announces that the previous cycle is complete, and only then waits for the leader to begin the next one. Every edge
 * of another clock that lies between two core edges is therefore simulated between them, and none is skipped.
 *
 * In this implementation, a cycle is a window of one core cycle, and the thread's units are those of the memory domain;
 * it is one of the N threads. The original's results deviated by up to 1.4 %; these do not deviate, because packets
 * sent in a window arrive after it.
 */
#include "base/error.h"
#include "engine/core/engine.h"
#include "engine/executors/crew.h"
#include "engine/executors/executor.h"
#include "engine/executors/split.h"

#include <pthread.h>
#include <semaphore.h>

struct domains {
    struct mnp_split split;
    uint32_t core_threads; /* written before the first cycle begins */
    pthread_t memory_thread;
    bool has_thread;
    bool stopping;
    sem_t begin;    /* the leader begins a cycle */
    sem_t complete; /* the memory side has completed a cycle */
};

static void run_share(void *context, uint32_t worker)
{
    const struct domains *domains = context;
    mnp_split_run_chunk(&domains->split, worker, domains->core_threads);
}

static void wait_for(sem_t *semaphore)
{
    while (sem_wait(semaphore) != 0) /* interrupted by a signal */
        ;
}

static void *run_memory(void *argument)
{
    struct domains *domains = argument;
    for (bool first = true;; first = false) { /* at each edge of the shadow clock */
        if (!first)
            sem_post(&domains->complete);
        wait_for(&domains->begin);
        if (domains->stopping)
            return NULL;
        mnp_split_run_memory(&domains->split);
    }
}

static void start_memory(struct domains *domains, struct mnp_engine *engine)
{
    mnp_split_init(&domains->split, engine);
    sem_init(&domains->begin, 0, 0);
    sem_init(&domains->complete, 0, 0);
    domains->has_thread =
        engine->options.threads > 1 && pthread_create(&domains->memory_thread, NULL, run_memory, domains) == 0;
}

static void stop_memory(struct domains *domains)
{
    if (domains->has_thread) {
        domains->stopping = true;
        sem_post(&domains->begin);
        pthread_join(domains->memory_thread, NULL);
    }
    sem_destroy(&domains->begin);
    sem_destroy(&domains->complete);
    mnp_split_release(&domains->split);
}

static void run(struct mnp_engine *engine)
{
    struct domains domains = {.stopping = false};
    start_memory(&domains, engine);
    uint32_t threads = engine->options.threads - (domains.has_thread ? 1 : 0);
    struct mnp_crew *crew = mnp_crew_start(threads, run_share, &domains);
    domains.core_threads = mnp_crew_size(crew);
    while (mnp_window_begin(engine)) {
        if (domains.has_thread)
            sem_post(&domains.begin);
        mnp_crew_begin_cycle(crew);
        run_share(&domains, 0);
        mnp_crew_end_cycle(crew);
        if (domains.has_thread)
            wait_for(&domains.complete);
        else
            mnp_split_run_memory(&domains.split);
        mnp_executor_end_alone(engine);
    }
    mnp_crew_stop(crew);
    stop_memory(&domains);
}

const struct mnp_executor mnp_executor_domains = {
    .name = "domains",
    .summary = "lockstep, with network, L2 and DRAM on a thread of their own (Wang & Gao 2020)",
    .run = run,
    .every_cycle = true,
    .assigns = true,
    .aside = 1,
};
