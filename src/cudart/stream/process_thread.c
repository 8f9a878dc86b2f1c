/* SPDX-License-Identifier: BSD-3-Clause */
#include "cudart/stream/process_thread.h"

#include "cudart/base/failure.h"
#include "cudart/base/interrupt.h"
#include "cudart/base/sharing_time.h"
#include "cudart/base/state.h"
#include "cudart/stream/clock.h"
#include "cudart/stream/kept_results.h"
#include "cudart/stream/shared_machine.h"
#include "cudart/stream/simulation.h"

#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum {
    LOOK = 50000000,  /* ns: the longest time between two looks at what kernels that only poll can do, */
    PAUSE = 10000000, /* … and between two looks without such kernels */
    CARE = 10,        /* looks, of which one is whether others have died */
};

/* The process has died that simulated the devices of this one, and with it the results but for those in the folder. */
static void tell_of_leader(const struct cudart *rt, const char *name, struct mnp_error *error)
{
    const struct cudart_sharing_pace *pace = &rt->sharing.page->members[rt->sharing.self].pace;
    const struct cudart_sharing_course *course = &rt->sharing.page->course;
    char results[128] = "without results";
    cudart_await_kept(rt, 1);
    if (course->kept)
        snprintf(results, sizeof results, "and the folder of -o has the results of the first %.3f us",
                 (double)course->kept / 1e9);
    mnp_fail(error,
             "%s has died, which simulated the GPUs of this process: it ends too, %s; %u of its %u kernels had ended, "
             "at %.3f us",
             name, results, pace->heard, pace->sent, (double)course->now / 1e9);
}

/* A process has died: this one ends, with what it has. */
static void follow(struct cudart *rt, const struct cudart_sharing_member *dead)
{
    char name[CUDART_SHARING_NAME];
    struct mnp_error error = {{0}};
    cudart_sharing_name(dead, name);
    rt->sharing.bereaved = true;
    if (cudart_course_lost(&rt->sharing, dead))
        tell_of_leader(rt, name, &error);
    else
        mnp_fail(&error, "%s has died, which shared GPUs with this process: it ends too, with what it has", name);
    if (rt->sharing.timed)
        cudart_say(&error); /* without the lock, which a simulation may hold for long */
    else
        cudart_refuse(rt, &error, CUDA_SUCCESS);
    if (!cudart_ask_end())
        kill(getpid(), SIGTERM);
}

/* With time: keeps this process at the time of all. */
static void *keep_pace(void *context)
{
    struct cudart *rt = context;
    for (;;) {
        uint32_t bell = rt->sharing.page->course.bell;
        uint64_t pause = 0;
        cudart_lock();
        bool over = rt->calls.reported && !cudart_is_reporting();
        if (!over)
            pause = cudart_keep_pace(rt);
        cudart_unlock();
        if (over)
            return NULL;
        cudart_course_await(&rt->sharing, bell, pause);
    }
}

/* With time: looks whether other processes have died, while the one above simulates. */
static void *mourn(void *context)
{
    struct cudart *rt = context;
    struct timespec pause = {.tv_nsec = CARE * PAUSE};
    const struct cudart_sharing_member *dead = NULL;
    while (!dead && (cudart_owes_results() || cudart_is_reporting())) {
        nanosleep(&pause, NULL);
        dead = cudart_sharing_dead(&rt->sharing);
    }
    if (dead)
        follow(rt, dead);
    return NULL;
}

static void *attend(void *context)
{
    struct cudart *rt = context;
    struct timespec pause = {.tv_nsec = PAUSE};
    bool aside = false;
    for (uint32_t looks = 0;; looks++) {
        if (aside)
            cudart_sharing_await(&rt->sharing, LOOK);
        else
            nanosleep(&pause, NULL);
        const struct cudart_sharing_member *dead = looks % CARE == 0 ? cudart_sharing_dead(&rt->sharing) : NULL;
        cudart_lock();
        bool over = rt->calls.reported;
        if (!over && dead)
            follow(rt, dead);
        else if (!over && !rt->faults.pending)
            cudart_attend(rt);
        aside = cudart_is_aside(rt);
        cudart_unlock();
        if (over || dead)
            return NULL;
    }
}

static void watch(struct cudart *rt, void *work(void *))
{
    sigset_t all, before;
    pthread_t thread;
    sigfillset(&all); /* signals are the program's threads' */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool made = pthread_create(&thread, NULL, work, rt) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!made)
        return;
    pthread_detach(thread);
    cudart_own_thread(rt);
}

void cudart_meet_processes(struct cudart *rt)
{
    if (!cudart_sharing_meet(&rt->sharing))
        return;
    watch(rt, rt->sharing.timed ? keep_pace : attend);
    if (rt->sharing.timed)
        watch(rt, mourn);
}
