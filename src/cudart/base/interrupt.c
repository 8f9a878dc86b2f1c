/* SPDX-License-Identifier: BSD-3-Clause */
#include "cudart/base/interrupt.h"

#include "cudart/base/state.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#define SECOND UINT64_C(1000000000)

struct waiting { /* what the thread was told; freed by it */
    struct cudart *rt;
    uint64_t deadline;
    void (*end)(struct cudart *rt);
};

/* MNP_WISH_END: asked for; MNP_WISH_TIME: the deadline has passed. */
static enum mnp_wish wait_for(sem_t *asked, uint64_t deadline)
{
    struct timespec until = {.tv_sec = (time_t)(deadline / SECOND), .tv_nsec = (long)(deadline % SECOND)};
    for (;;) {
        if ((deadline ? sem_clockwait(asked, CLOCK_MONOTONIC, &until) : sem_wait(asked)) == 0)
            return MNP_WISH_END;
        if (errno != EINTR)
            return MNP_WISH_TIME;
    }
}

static void *watch(void *told)
{
    struct waiting waiting = *(struct waiting *)told;
    free(told);
    atomic_fetch_or(&waiting.rt->interrupt.wish, wait_for(&waiting.rt->interrupt.asked, waiting.deadline));
    cudart_lock(); /* who has it looks at `wish`, and gives it back when the run has ended */
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
    if (rt->interrupt.watched)
        pthread_detach(thread);
    else
        free(waiting);
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
