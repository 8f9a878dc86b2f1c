/* SPDX-License-Identifier: BSD-3-Clause */
/* The team of threads: every job runs once on every worker, and is over when mnp_team_run returns. */
#include "base/ticks.h"
#include "engine/executors/placement.h"
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
        cmocka_unit_test(measure),
    };
    return cmocka_run_group_tests_name("team", tests, NULL, NULL);
}
