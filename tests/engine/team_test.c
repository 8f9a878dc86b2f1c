/* SPDX-License-Identifier: BSD-3-Clause */
/* The team of threads: every job runs once on every worker, and is over when mnp_team_run returns. */
#include "base/ticks.h"
#include "engine/core/engine.h"
#include "engine/executors/processors.h"
#include "engine/executors/team.h"

#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

enum { MOST = 16 };

struct job {
    uint32_t count[MOST]; /* plain on purpose: a race would be seen by the thread sanitizer */
    uint32_t workers;
    uint64_t number;
};

static void count(void *context, uint32_t worker, uint32_t workers)
{
    struct job *job = context;
    job->count[worker]++;
    if (worker == 0)
        job->workers = workers;
    if (job->number % 64 == worker) /* now and then somebody is late */
        sched_yield();
}

static void many_jobs(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {1, 2, 3, 5, 16};
    srand(3);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        struct mnp_team *team = mnp_team_start(sizes[s], s % 2);
        uint32_t size = mnp_team_size(team);
        assert_int_equal(size, sizes[s]);
        struct job job = {.number = 0};
        uint32_t expected[MOST] = {0};
        for (; job.number < 3000; job.number++) {
            uint32_t workers = 1 + (uint32_t)rand() % (size + 2); /* more than there are is allowed */
            mnp_team_run(team, workers, count, &job);
            uint32_t part = workers < size ? workers : size;
            assert_int_equal(job.workers, part);
            for (uint32_t w = 0; w < part; w++)
                expected[w]++;
            for (uint32_t w = 0; w < MOST; w++)
                assert_int_equal(job.count[w], expected[w]);
            if (job.number % 1000 == 999) { /* long enough for all to fall asleep */
                struct timespec pause = {.tv_nsec = 3000000};
                nanosleep(&pause, NULL);
            }
        }
        mnp_team_stop(team);
    }
}

/* A pinned team gives the caller its processors back. */
static void affinity_is_restored(void **state)
{
    (void)state;
    uint32_t before = mnp_usable_processors();
    mnp_team_stop(mnp_team_start(2, true));
    assert_int_equal(mnp_usable_processors(), before);
}

static void nothing(void *context, uint32_t worker, uint32_t workers)
{
    (void)context;
    (void)worker;
    (void)workers;
}

/* Side work that lasts until it is told to end. */
struct side {
    _Atomic uint32_t wanted, begun, may_end;
};

static bool work_long(void *context)
{
    struct side *side = context;
    if (!atomic_exchange(&side->wanted, 0))
        return false;
    atomic_fetch_add(&side->begun, 1);
    while (!atomic_load(&side->may_end))
        sched_yield();
    return true;
}

/* Jobs that the others do as well do not wait for a worker that is at side work; jobs for all of them do. */
static void side_work_keeps_nobody_waiting(void **state)
{
    (void)state;
    struct side side = {.wanted = 0};
    struct mnp_side_work work = {.work = work_long, .wanted = &side.wanted, .context = &side};
    struct mnp_team *team = mnp_team_start_with(&(struct mnp_team_options){.threads = 2, .side = &work});
    struct timespec pause = {.tv_nsec = 3000000};
    struct job job = {.number = 1};
    for (uint32_t round = 1; round <= 5; round++) {
        nanosleep(&pause, NULL); /* the worker has found nothing to do and sleeps */
        assert_int_equal(side.begun, round - 1);
        side.may_end = 0;
        side.wanted = 1;
        while (side.begun < round) {
            mnp_team_nudge(team, 1);
            nanosleep(&pause, NULL);
        }
        uint32_t alone = job.count[1];
        for (int i = 0; i < 100; i++)
            mnp_team_run_free(team, 2, count, &job);
        assert_int_equal(job.count[1], alone);
        side.may_end = 1;
        mnp_team_run(team, 2, count, &job);
        assert_int_equal(job.count[1], alone + 1);
    }
    assert_int_equal(job.count[0], 5 * 101);
    side.may_end = 0;
    side.wanted = 1;
    mnp_team_nudge(team, 1);
    side.may_end = 1;
    mnp_team_stop(team);
}

/* Not a test: prints what a barrier costs, with MNP_MEASURE set. */
static void measure(void **state)
{
    (void)state;
    if (!getenv("MNP_MEASURE"))
        return;
    struct mnp_team *team = mnp_team_start(2, true);
    struct timespec from, to;
    enum { JOBS = 200000 };
    clock_gettime(CLOCK_MONOTONIC, &from);
    for (int i = 0; i < JOBS; i++)
        mnp_team_run(team, 2, nothing, NULL);
    clock_gettime(CLOCK_MONOTONIC, &to);
    mnp_team_stop(team);
    printf("a job of nothing on 2 threads: %.0f ns\n",
           ((double)(to.tv_sec - from.tv_sec) * 1e9 + (double)(to.tv_nsec - from.tv_nsec)) / JOBS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_jobs),
        cmocka_unit_test(affinity_is_restored),
        cmocka_unit_test(side_work_keeps_nobody_waiting),
        cmocka_unit_test(measure),
    };
    return cmocka_run_group_tests_name("team", tests, NULL, NULL);
}
