/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/threads.h"

#include "base/allocate.h"

#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>

/* Waits until all threads have been started. */
static void *wait_for_all(void *context)
{
    pthread_mutex_t *started = context;
    pthread_mutex_lock(started);
    pthread_mutex_unlock(started);
    return NULL;
}

uint32_t mnp_threads_possible(uint32_t wanted)
{
    pthread_mutex_t started = PTHREAD_MUTEX_INITIALIZER;
    sigset_t all, before;
    uint32_t count = 1;
    if (wanted < 2)
        return 1;
    pthread_t *threads = mnp_allocate(wanted, sizeof *threads);
    sigfillset(&all); /* these threads must not receive signals */
    pthread_sigmask(SIG_BLOCK, &all, &before);
    pthread_mutex_lock(&started);
    while (count < wanted && pthread_create(&threads[count], NULL, wait_for_all, &started) == 0)
        count++;
    pthread_mutex_unlock(&started);
    for (uint32_t i = 1; i < count; i++)
        pthread_join(threads[i], NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    free(threads);
    return count;
}
