/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/executors/crew.h"

#include "base/allocate.h"
#include "base/arena.h"
#include "base/error.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stdlib.h>

struct worker {
    alignas(MNP_CACHE_LINE) sem_t begin;
    struct mnp_crew *crew;
    pthread_t thread;
    uint32_t index;
};

struct mnp_crew {
    alignas(MNP_CACHE_LINE) sem_t done; /* semaphore of the leader */
    struct worker *workers;             /* [size], 0 unused */
    uint32_t size;
    bool stopping;
    mnp_crew_job *job;
    void *context;
};

/* Waits on a semaphore, again if a signal interrupts the wait. */
static void wait_for(sem_t *semaphore)
{
    while (sem_wait(semaphore) != 0)
        ;
}

static void *work(void *argument)
{
    struct worker *worker = argument;
    struct mnp_crew *crew = worker->crew;
    for (;;) {
        wait_for(&worker->begin);
        if (crew->stopping)
            return NULL;
        crew->job(crew->context, worker->index);
        sem_post(&crew->done);
    }
}

static bool start_worker(struct mnp_crew *crew, uint32_t index)
{
    struct worker *worker = &crew->workers[index];
    *worker = (struct worker){.crew = crew, .index = index};
    sem_init(&worker->begin, 0, 0);
    return pthread_create(&worker->thread, NULL, work, worker) == 0;
}

struct mnp_crew *mnp_crew_start(uint32_t threads, mnp_crew_job *job, void *context)
{
    struct mnp_crew *crew = aligned_alloc(MNP_CACHE_LINE, sizeof *crew);
    struct worker *workers = aligned_alloc(MNP_CACHE_LINE, threads * sizeof *workers);
    MNP_NEED_MEMORY(crew && workers, "threads");
    *crew = (struct mnp_crew){.workers = workers, .size = 1, .job = job, .context = context};
    sem_init(&crew->done, 0, 0);
    while (crew->size < threads && start_worker(crew, crew->size))
        crew->size++;
    return crew;
}

uint32_t mnp_crew_size(const struct mnp_crew *crew)
{
    return crew->size;
}

void mnp_crew_begin_cycle(struct mnp_crew *crew)
{
    for (uint32_t i = 1; i < crew->size; i++)
        sem_post(&crew->workers[i].begin);
}

void mnp_crew_end_cycle(struct mnp_crew *crew)
{
    for (uint32_t i = 1; i < crew->size; i++)
        wait_for(&crew->done);
}

void mnp_crew_stop(struct mnp_crew *crew)
{
    crew->stopping = true;
    mnp_crew_begin_cycle(crew);
    for (uint32_t i = 1; i < crew->size; i++) {
        pthread_join(crew->workers[i].thread, NULL);
        sem_destroy(&crew->workers[i].begin);
    }
    sem_destroy(&crew->done);
    free(crew->workers);
    free(crew);
}
