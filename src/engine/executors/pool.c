/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The thread pool of Sachs, Lühnen & Lal (docs/executors.md): each core cycle the clusters are split into even chunks,
 * one for each worker, and the chunks queued; the main thread waits until the queue is done and then simulates
 * everything else itself.
 * Here: a cycle is a window of one core cycle, and the clusters are the units of the core domain, those of a bundle in
 * the same chunk. The queue is a counter under a mutex with two conditions, as in the pool that they used, so workers
 * sleep between cycles. As theirs, N threads are N workers, and the main thread, which waits meanwhile, comes on top.
 * Theirs deviated by up to 3.22 %; ours not at all.
 */
#include "base/allocate.h"
#include "engine/core/engine.h"
#include "engine/executors/executor.h"
#include "engine/executors/split.h"

#include <pthread.h>
#include <stdlib.h>

struct pool {
    struct mnp_split split;
    pthread_t *threads; /* [size] */
    uint32_t size;
    pthread_mutex_t mutex; /* guards all members below */
    pthread_cond_t queued, done;
    uint32_t chunks;   /* number of chunks in the cycle's queue */
    uint32_t next;     /* first chunk that is not taken yet */
    uint32_t finished; /* number of completed chunks */
    bool stopping;
};

static void *work(void *argument)
{
    struct pool *pool = argument;
    pthread_mutex_lock(&pool->mutex);
    for (;;) {
        while (pool->next == pool->chunks && !pool->stopping)
            pthread_cond_wait(&pool->queued, &pool->mutex);
        if (pool->stopping)
            break;
        uint32_t chunk = pool->next++, chunks = pool->chunks;
        pthread_mutex_unlock(&pool->mutex);
        mnp_split_run_chunk(&pool->split, chunk, chunks);
        pthread_mutex_lock(&pool->mutex);
        if (++pool->finished == chunks)
            pthread_cond_signal(&pool->done);
    }
    pthread_mutex_unlock(&pool->mutex);
    return NULL;
}

static void start(struct pool *pool, struct mnp_engine *engine)
{
    *pool = (struct pool){.size = 0};
    mnp_split_init(&pool->split, engine);
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->queued, NULL);
    pthread_cond_init(&pool->done, NULL);
    pool->threads = mnp_allocate(engine->options.threads, sizeof *pool->threads);
    while (pool->size < engine->options.threads && pthread_create(&pool->threads[pool->size], NULL, work, pool) == 0)
        pool->size++;
}

static void stop(struct pool *pool)
{
    pthread_mutex_lock(&pool->mutex);
    pool->stopping = true;
    pthread_cond_broadcast(&pool->queued);
    pthread_mutex_unlock(&pool->mutex);
    for (uint32_t i = 0; i < pool->size; i++)
        pthread_join(pool->threads[i], NULL);
    pthread_cond_destroy(&pool->queued);
    pthread_cond_destroy(&pool->done);
    pthread_mutex_destroy(&pool->mutex);
    free(pool->threads);
    mnp_split_release(&pool->split);
}

/* Queues the chunks of a cycle and waits until all are completed. */
static void run_cores(struct pool *pool)
{
    if (pool->size == 0) { /* no thread could be started */
        mnp_split_run_chunk(&pool->split, 0, 1);
        return;
    }
    pthread_mutex_lock(&pool->mutex);
    pool->chunks = pool->size;
    pool->next = pool->finished = 0;
    pthread_cond_broadcast(&pool->queued);
    while (pool->finished < pool->chunks)
        pthread_cond_wait(&pool->done, &pool->mutex);
    pthread_mutex_unlock(&pool->mutex);
}

static void run(struct mnp_engine *engine)
{
    struct pool pool;
    start(&pool, engine);
    while (mnp_window_begin(engine)) {
        run_cores(&pool);
        mnp_split_run_memory(&pool.split);
        mnp_executor_end_alone(engine);
    }
    stop(&pool);
}

const struct mnp_executor mnp_executor_pool = {
    .name = "pool",
    .summary = "a thread pool runs even chunks of the cores every cycle (Sachs et al.)",
    .run = run,
    .every_cycle = true,
    .assigns = true,
};
