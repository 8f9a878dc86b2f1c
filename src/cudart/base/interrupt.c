/* SPDX-License-Identifier: BSD-3-Clause */
#include "cudart/base/interrupt.h"

#include "base/ticks.h"
#include "cudart/base/state.h"
#include "cudart/base/thread_state.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define SECOND UINT64_C(1000000000)
#define LOOK   (SECOND / 20) /* between two looks whether threads of the program are left */
#define GRACE  SECOND        /* behind which a call does not keep a signal from a program that handles it */

struct waiting { /* arguments of the thread, which frees them */
    struct cudart *rt;
    uint64_t deadline;
    void (*end)(struct cudart *rt);
};

/* Whether a thread of this process has not ended: the first one stays, as a zombie, until all have. */
static bool is_alive(const char *id)
{
    char state = cudart_thread_state(id);
    return state && state != 'Z' && state != 'X';
}

/* Whether all threads that are left are the runtime's. */
static bool program_has_ended(const struct cudart_interrupt *interrupt)
{
    DIR *folder = opendir("/proc/self/task");
    int alive = 0;
    for (struct dirent *each; folder && (each = readdir(folder)) != NULL;)
        alive += each->d_name[0] != '.' && is_alive(each->d_name);
    if (folder)
        closedir(folder);
    return folder && alive <= interrupt->own_threads;
}

static int wait_until(sem_t *asked, uint64_t time)
{
    struct timespec until = {.tv_sec = (time_t)(time / SECOND), .tv_nsec = (long)(time % SECOND)};
    return time ? sem_clockwait(asked, CLOCK_MONOTONIC, &until) : sem_wait(asked);
}

/* A SIGINT that the program handles has come in a call that simulates: a call that ends soon leaves it to the program.
 * True: the run is to end, as the call goes on, or another signal has come. */
static bool outlasts_grace(struct cudart_interrupt *interrupt)
{
    uint64_t call = interrupt->held.asked_in;
    if (!interrupt->held.asked)
        return true; /* another signal */
    interrupt->held.asked--;
    return call && (wait_until(&interrupt->asked, mnp_nanoseconds() + GRACE) == 0 || interrupt->held.asked_in == call);
}

/* MNP_WISH_END: asked for; MNP_WISH_TIME: the deadline has passed; MNP_WISH_NONE: no thread of the program is left. */
static enum mnp_wish wait_for(struct cudart_interrupt *interrupt, uint64_t deadline)
{
    for (;;) {
        bool alone = interrupt->main_left;
        uint64_t now = mnp_nanoseconds(), look = now + LOOK;
        if (deadline && now >= deadline)
            return MNP_WISH_TIME;
        if (alone && program_has_ended(interrupt))
            return MNP_WISH_NONE;
        bool woken = wait_until(&interrupt->asked, alone && (!deadline || look < deadline) ? look : deadline) == 0;
        if (woken && alone == interrupt->main_left && outlasts_grace(interrupt))
            return MNP_WISH_END; /* otherwise what woke it is the first thread's end, or the program has the signal */
    }
}

static void *watch(void *told)
{
    struct waiting waiting = *(struct waiting *)told;
    free(told);
    enum mnp_wish wish = wait_for(&waiting.rt->interrupt, waiting.deadline);
    if (wish == MNP_WISH_NONE)
        exit(EXIT_SUCCESS); /* same as the C library's exit when the last thread has ended */
    atomic_fetch_or(&waiting.rt->interrupt.wish, wish);
    cudart_lock(); /* the holder of the lock checks `wish`, and releases the lock when the run has ended */
    waiting.end(waiting.rt);
    cudart_unlock();
    return NULL;
}

void cudart_watch_end(struct cudart *rt, uint64_t deadline, void (*end)(struct cudart *rt))
{
    sigset_t all, before;
    pthread_t thread;
    if (rt->interrupt.watched || sem_init(&rt->interrupt.asked, 0, 0) != 0)
        return;
    struct waiting *waiting = malloc(sizeof *waiting);
    if (!waiting)
        return;
    *waiting = (struct waiting){rt, deadline, end};
    sigfillset(&all); /* signals are the program's threads' */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    rt->interrupt.watched = pthread_create(&thread, NULL, watch, waiting) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (rt->interrupt.watched) {
        pthread_detach(thread);
        cudart_own_thread(rt);
    } else {
        free(waiting);
    }
}

void cudart_own_thread(struct cudart *rt)
{
    atomic_fetch_add(&rt->interrupt.own_threads, 1);
}

static void leave(void *told)
{
    struct cudart_interrupt *interrupt = told;
    interrupt->main_left = true;
    if (interrupt->watched)
        sem_post(&interrupt->asked);
}

void cudart_watch_main(struct cudart *rt)
{
    pthread_key_t key;
    if (gettid() == getpid() && pthread_key_create(&key, leave) == 0)
        pthread_setspecific(key, &rt->interrupt);
}

bool cudart_ask_end(void)
{
    struct cudart_interrupt *interrupt = &cudart_state()->interrupt;
    return interrupt->watched && sem_post(&interrupt->asked) == 0;
}

void cudart_wish_end(struct cudart *rt)
{
    atomic_fetch_or(&rt->interrupt.wish, MNP_WISH_END);
}

bool cudart_is_ending(const struct cudart *rt)
{
    return rt->interrupt.wish != MNP_WISH_NONE;
}

enum mnp_end cudart_wished_end(const struct cudart *rt)
{
    return rt->interrupt.wish & MNP_WISH_END ? MNP_END_INTERRUPTED : MNP_END_TIME;
}
