/* SPDX-License-Identifier: BSD-3-Clause */
/* The one state and its lock: the only state that outlives a call. */
#include "cudart/base/state.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

static struct cudart state;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t called = PTHREAD_COND_INITIALIZER;
static _Thread_local struct cudart_thread thread;
static _Atomic uint32_t callers; /* threads that wait for the lock, to make a call */

struct cudart_thread *cudart_thread(void)
{
    return &thread;
}

struct cudart *cudart_state(void)
{
    return &state;
}

void cudart_lock(void)
{
    pthread_mutex_lock(&lock);
    thread.locks = true;
}

void cudart_unlock(void)
{
    thread.locks = false;
    pthread_mutex_unlock(&lock);
}

bool cudart_lock_soon(void)
{
    struct timespec soon;
    clock_gettime(CLOCK_REALTIME, &soon);
    soon.tv_sec++;
    bool locked = !thread.locks && pthread_mutex_timedlock(&lock, &soon) == 0;
    thread.locks |= locked;
    return locked;
}

void cudart_take_turn(void)
{
    atomic_fetch_add(&callers, 1);
    cudart_lock();
    atomic_fetch_sub(&callers, 1);
    while (state.turn.calling && !pthread_equal(state.turn.caller, pthread_self()))
        pthread_cond_wait(&called, &lock);
}

void cudart_let_others(uint64_t nanoseconds)
{
    struct timespec time = {.tv_sec = (time_t)(nanoseconds / 1000000000), .tv_nsec = (long)(nanoseconds % 1000000000)};
    cudart_unlock();
    nanosleep(&time, NULL);
    cudart_lock();
}

void cudart_call_out(struct cudart *rt, void (*work)(struct cudart *rt, const void *what), const void *what)
{
    rt->turn.calling = true;
    rt->turn.caller = pthread_self();
    cudart_unlock();
    work(rt, what);
    cudart_lock();
    rt->turn.calling = false;
    pthread_cond_broadcast(&called);
}

bool cudart_is_called(void)
{
    return atomic_load(&callers) != 0;
}

bool cudart_owes_results(void)
{
    return !state.calls.reported && state.calls.process == getpid();
}

bool cudart_is_reporting(void)
{
    return __atomic_load_n(&state.calls.reporting, __ATOMIC_RELAXED) && state.calls.process == getpid();
}
