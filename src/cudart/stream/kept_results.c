/* SPDX-License-Identifier: BSD-3-Clause */
#include "cudart/stream/kept_results.h"

#include "base/ticks.h"
#include "cudart/base/state.h"
#include "cudart/device/device.h"
#include "cudart/device/ranks.h"
#include "cudart/stream/kernel_mail.h"
#include "cudart/stream/simulation.h"
#include "results/write/results.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    SHARE = 50, /* part of the time that may go into copying this process, as a divisor */
    PIECE = 20, /* part of the run, as a divisor, that may be lost, */
};

#define LEAST    UINT64_C(500000000)   /* ns: but no less, */
#define MOST     UINT64_C(30000000000) /* … and no more */
#define ONE_LOOK 1000000               /* ns */

static uint64_t nanoseconds(const struct timeval *time)
{
    return (uint64_t)time->tv_sec * UINT64_C(1000000000) + (uint64_t)time->tv_usec * 1000;
}

static void describe(struct cudart *rt, struct mnp_run_info *info)
{
    struct rusage usage;
    info->input = rt->calls.options.program;
    info->plugins = cudart_device_at(rt, 0)->plugins.files;
    info->plugin_count = cudart_device_at(rt, 0)->plugins.count;
    info->executor = rt->simulation->session ? rt->calls.options.executor_name : "functional";
    info->schedule = rt->simulation->session ? rt->calls.options.schedule_name : "none";
    info->threads = rt->simulation->session ? rt->calls.options.request.threads : 1;
    info->processes = processes_joined(&rt->processes) ? rt->processes.transport.count : 1;
    info->wall_ns = mnp_nanoseconds() - rt->calls.began;
    if (getrusage(RUSAGE_SELF, &usage) == 0) {
        info->cpu_ns = nanoseconds(&usage.ru_utime) + nanoseconds(&usage.ru_stime);
        info->peak_bytes = (uint64_t)usage.ru_maxrss * 1024;
    }
    gethostname(info->host, sizeof info->host - 1);
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    info->host_processors = processors > 0 ? (uint32_t)processors : 0;
}

void cudart_describe_run(struct cudart *rt)
{
    struct mnp_results *results = &rt->simulation->results;
    describe(rt, &results->run);
    results->machine = cudart_device_at(rt, 0)->settings;
    results->values = rt->calls.options.bare ? "needed" : rt->calls.options.sampling.skip ? "of chosen launches" : NULL;
    for (uint32_t i = 0; i < results->device_count; i++) {
        results->devices[i]->machine = results->machine;
        results->devices[i]->run = results->run;
    }
}

/* ===== copies ===== */

static bool any_has_ended(const struct mnp_results *results)
{
    for (uint32_t i = 0; i < results->device_count; i++)
        if (results->devices[i]->part_count)
            return true;
    return results->part_count > 0;
}

static bool are_due(const struct cudart *rt)
{
    return rt->shared && rt->calls.options.folder && rt->calls.options.text && !processes_joined(&rt->processes) &&
           mnp_nanoseconds() >= rt->shared->keep_at && !rt->sharing.page->course.keeping &&
           any_has_ended(&rt->simulation->results);
}

/* In a copy of this process, which has but this thread, and ends. What it changes is the copy's. */
_Noreturn static void keep(struct cudart *rt)
{
    struct cudart_sharing_course *course = &rt->sharing.page->course;
    struct mnp_error ignored = {{0}};
    sigset_t last;
    sigemptyset(&last);
    sigaddset(&last, SIGALRM);
    signal(SIGALRM, SIG_DFL);
    pthread_sigmask(SIG_UNBLOCK, &last, NULL);
    alarm(CUDART_KEEPING);
    cudart_complete_results(rt);
    rt->simulation->results.end = MNP_END_INTERRUPTED;
    for (uint32_t i = 0; i < rt->simulation->results.device_count; i++)
        rt->simulation->results.devices[i]->end = MNP_END_INTERRUPTED;
    if (results_save(&rt->simulation->results, rt->calls.options.folder, NULL, 0, &ignored))
        course->kept = mnp_session_now(rt->simulation->session);
    course->keeping = false;
    _exit(0);
}

/* The copy is a child of a child, so that the program never hears of its end. */
static void start_copy(struct cudart *rt)
{
    pid_t child = fork();
    if (child == 0) {
        pid_t copy = fork();
        if (copy == 0)
            keep(rt);
        if (copy < 0)
            rt->sharing.page->course.keeping = false;
        _exit(0);
    }
    if (child < 0)
        rt->sharing.page->course.keeping = false;
    else
        waitpid(child, NULL, 0);
}

void cudart_keep_results(struct cudart *rt)
{
    sigset_t all, before;
    if (!are_due(rt))
        return;
    uint64_t began = mnp_nanoseconds();
    rt->sharing.page->course.keeping = true;
    cudart_describe_run(rt);
    sigfillset(&all); /* the copy takes none, nor does it run the program's functions for them */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    start_copy(rt);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    uint64_t now = mnp_nanoseconds(), share = SHARE * (now - began), piece = (now - rt->calls.began) / PIECE;
    piece = piece < LEAST ? LEAST : piece > MOST ? MOST : piece;
    rt->shared->keep_at = now + (share > piece ? share : piece);
}

void cudart_await_kept(const struct cudart *rt, uint32_t seconds)
{
    struct timespec pause = {.tv_nsec = ONE_LOOK};
    uint64_t began = mnp_nanoseconds();
    while (rt->shared && rt->sharing.page->course.keeping && mnp_nanoseconds() - began < seconds * UINT64_C(1000000000))
        nanosleep(&pause, NULL);
}
