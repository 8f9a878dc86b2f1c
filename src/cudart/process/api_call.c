/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls: their beginning and end, and what happens when the program ends. */
#include "cudart/process/api_call.h"

#include "base/ending.h"
#include "base/print.h"
#include "base/ticks.h"
#include "cudart/base/driver_contexts.h"
#include "cudart/base/failure.h"
#include "cudart/base/interrupt.h"
#include "cudart/base/options.h"
#include "cudart/base/process_group.h"
#include "cudart/base/signals.h"
#include "cudart/base/state.h"
#include "cudart/device/device.h"
#include "cudart/process/report.h"
#include "cudart/stream/clock.h"
#include "cudart/stream/graphs.h"
#include "cudart/stream/other_threads.h"
#include "cudart/stream/process_thread.h"
#include "cudart/stream/profiler_ranges.h"
#include "cudart/stream/simulation.h"
#include "cudart/stream/snapshot.h"
#include "cudart/stream/streams.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Writes the results, once, in the process whose results they are. Returns the status that the program is to have. */
static int finish(struct cudart *rt, int status)
{
    if (!cudart_owes_results())
        return status;
    __atomic_store_n(&rt->calls.reporting, true, __ATOMIC_RELAXED); /* first: a signal must find one of the two */
    rt->calls.reported = true;
    int wanted = cudart_report(rt, status);
    cudart_sharing_leave(&rt->sharing);
    __atomic_store_n(&rt->calls.reporting, false, __ATOMIC_RELAXED);
    return wanted;
}

/* The program has ended: results are written, and where we have refused something, it cannot end well. */
static void at_exit(int status, void *unused)
{
    (void)unused;
    bool locked = cudart_lock_soon(); /* no wait for the lock if a thread ends the program inside a call */
    int wanted = finish(cudart_state(), status);
    if (locked)
        cudart_unlock();
    if (wanted == status)
        return;
    fflush(NULL);
    _exit(wanted);
}

/* quick_exit runs functions of this kind alone, and does not tell them the status. */
static void at_quick_end(void)
{
    at_exit(0, NULL);
}

/* The user wants the run to end while the program is at work itself. It cannot be told: its exit functions must not run
 * beside it. */
static void end_now(struct cudart *rt)
{
    enum mnp_end end = cudart_wished_end(rt);
    if (!rt->calls.begun) {
        struct timespec others = {.tv_sec = 1}; /* processes that this one may be waiting for */
        nanosleep(&others, NULL);
        dprintf(STDERR_FILENO, "maniple: stopped at --max-time, in a process that has not used CUDA\n");
        _exit(mnp_end_status(end));
    }
    if (!cudart_owes_results())
        return;
    cudart_fail(rt, CUDA_LAUNCH_TIMEOUT);        /* drops pending work of streams */
    if (rt->simulation->end == MNP_END_FINISHED) /* otherwise the machine has ended in its own way */
        rt->simulation->end = end;
    _exit(finish(rt, 0));
}

/* Removes the folder of results if nothing was written into it. */
static void leave_no_empty_folder(const char *options)
{
    const char *folder;
    int length = (int)cudart_options_glance(options, "folder", &folder);
    char *path = length ? strndup(folder, (size_t)length) : NULL;
    if (path)
        rmdir(path);
    free(path);
}

int cudart_refuse_idle(int status)
{
    const char *text = getenv(CUDART_OPTIONS_VARIABLE), *name;
    struct cudart_options options = {.process = (pid_t)cudart_options_glance(text, "process", NULL),
                                     .process_group = (int)cudart_options_glance(text, "process_group", NULL)};
    bool idle = options.process == getpid() && !cudart_state()->calls.begun &&
                cudart_options_glance(text, "opens", NULL) && !cudart_options_glance(text, "trace", &name) &&
                cudart_process_group_members(&options) == 0;
    int length = idle ? (int)cudart_options_glance(text, "program", &name) : 0;
    if (!length)
        return status;
    leave_no_empty_folder(text);
    FILE *kept = cudart_state()->calls.errors ? fdopen(cudart_state()->calls.errors, "w") : NULL;
    if (status == MNP_EXIT_DONE)
        mnp_print_text(
            kept ? kept : stderr,
            "maniple: error: %.*s uses neither CUDA's runtime nor its driver (libcudart.so or libcuda.so), and starts "
            "nothing that does; give a CUDA program built with nvcc, or what starts one\n",
            length, name);
    else
        mnp_print_text(kept ? kept : stderr,
                       "maniple: warning: %.*s has ended with status %d, and has not used CUDA: there are no results\n",
                       length, name, status);
    if (kept)
        fclose(kept);
    return status == MNP_EXIT_DONE ? MNP_EXIT_USER : status;
}

/* The program has never come to use the device. The others of a run in several processes wait for it nevertheless; and
 * the user should know why there are no results. */
static void end_unused(int status, void *opens)
{
    if (cudart_state()->calls.begun)
        return;
    int wanted = cudart_refuse_idle(status);
    if (!opens || cudart_options_glance(getenv(CUDART_OPTIONS_VARIABLE), "processes", NULL)) {
        struct cudart *rt = cudart_look();
        finish(rt, wanted);
        cudart_leave_quietly(rt, CUDA_SUCCESS);
    }
    if (wanted == status)
        return;
    fflush(NULL);
    _exit(wanted);
}

/* Functions that exit calls run in the reverse of their order: behind those of the dynamic linker, which ends
 * libraries, nothing may be opened any more where there is an audit module (the C library loses what it knows of the
 * thread). So where our module is, it says when the program begins, which is behind the dynamic linker's. */
void cudart_expect_end(void)
{
    const char *text = getenv(CUDART_OPTIONS_VARIABLE);
    on_exit(end_unused, cudart_options_glance(text, "opens", NULL) ? cudart_state() : NULL);
}

/* A library of the program's may have made the first call before that, when it was loaded: results are then written by
 * the first of the two functions that exit calls, and the other has nothing to do. */
void cudart_expect_results(void)
{
    if (cudart_state()->calls.begun)
        on_exit(at_exit, NULL);
}

static bool is_audited(void)
{
    const char *modules = getenv("LD_AUDIT");
    return modules && strstr(modules, "libmaniple-redirect");
}

enum { OUT_OF_THE_WAY = 64 }; /* descriptors that no program takes for its own by chance */

/* Programs like cat close standard error before exit comes to functions of ours. */
static void keep_errors(void)
{
    int kept = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, OUT_OF_THE_WAY);
    cudart_state()->calls.errors = kept > 0 ? kept : 0;
}

/* A process that the program has started may have this library too, and is not the one that is spoken of. */
__attribute__((constructor)) static void expect_end(void)
{
    struct cudart_options options;
    struct mnp_error ignored;
    bool read = cudart_options_read(&options, getenv(CUDART_OPTIONS_VARIABLE), &ignored);
    if (read && options.deadline)
        cudart_watch_end(cudart_state(), options.deadline, end_now);
    cudart_watch_main(cudart_state());
    if (read && options.process == getpid()) {
        cudart_process_group_keep(&options, false);
        if (options.opens)
            keep_errors();
        if (!is_audited())
            cudart_expect_end();
    }
    cudart_options_release(&options);
}

/* Results go where standard output went at first, whatever the program does with its own. */
static void keep_output(struct cudart_options *options)
{
    int kept = fcntl(options->output, F_DUPFD_CLOEXEC, OUT_OF_THE_WAY);
    options->output = kept >= 0 ? kept : options->output;
}

/* Parts of a process that a copy of another's state lacks: its place in the run, its thread that waits for ends. */
static void join_run(struct cudart *rt)
{
    struct cudart_calls *calls = &rt->calls;
    calls->thread = pthread_self();
    calls->process = getpid();
    calls->number = cudart_process_group_join(&calls->options);
    keep_output(&calls->options);
    calls->began = mnp_nanoseconds();
    if (calls->options.text && !calls->options.trace)
        cudart_watch_end(rt, calls->options.deadline, end_now);
}

/* The copy of a process that made calls before, such as those by which nvcc's programs register their kernels, uses a
 * device: it becomes a process of the run as by a first call. Its functions of exit are there already. */
static void adopt(struct cudart *rt)
{
    rt->calls.adopt = NULL;
    rt->calls.options.folder = rt->calls.options.common_folder;
    rt->interrupt.watched = false; /* threads are not copied */
    rt->interrupt.own_threads = 0;
    join_run(rt);
}

/* Handles fork(). As with NVIDIA's driver, the copy cannot use a device that was used before. */
static void in_copy(void)
{
    struct cudart *rt = cudart_state();
    cudart_thread()->polled = false; /* this thread has another number than the one that it is a copy of */
    rt->calls.forked = cudart_has_device(rt);
    if (rt->calls.forked)
        cudart_fail(rt, CUDA_INITIALIZATION_ERROR);
    else
        rt->calls.adopt = adopt;
}

static void say_forked(struct cudart *rt)
{
    struct mnp_error error = {{0}};
    rt->calls.forked = false;
    mnp_fail(&error,
             "%s: a process that was made by fork() behind the first use of the device has called CUDA, which cannot "
             "use it there (cudaErrorInitializationError); call fork() before, or start the process anew",
             rt->calls.options.program);
    cudart_say(&error);
}

/* The parts of the rooms above base, from the ground up. */
static void make_parts(struct cudart *rt)
{
    uint32_t devices = rt->calls.options.devices;
    cudart_make_devices(rt, devices ? devices : 1, getenv("CUDA_VISIBLE_DEVICES"));
    rt->streams = mnp_allocate(1, sizeof *rt->streams);
    rt->graphs = mnp_allocate(1, sizeof *rt->graphs);
    rt->clock = mnp_allocate(1, sizeof *rt->clock);
    rt->simulation = mnp_allocate(1, sizeof *rt->simulation);
    rt->snapshots = mnp_allocate(1, sizeof *rt->snapshots);
    if (!rt->ranges) /* there are none before the first range */
        rt->ranges = mnp_allocate(1, sizeof *rt->ranges);
}

static void begin(struct cudart *rt)
{
    struct cudart_calls *calls = &rt->calls;
    struct mnp_error error = {{0}};
    calls->begun = true;
    if (!cudart_options_read(&calls->options, getenv(CUDART_OPTIONS_VARIABLE), &error))
        cudart_fail(rt, cudart_refuse(rt, &error, CUDA_INITIALIZATION_ERROR));
    join_run(rt);
    cudart_take_file_limits();
    cudart_watch_signals(rt);
    make_parts(rt);
    cudart_simulation_init(rt);
    cudart_snapshot_init(rt);
    on_exit(at_exit, NULL);
    at_quick_exit(at_quick_end);
    pthread_atfork(NULL, NULL, in_copy);
}

/* A thread inside a call calls again: the call has ended the program (mnp_end_inside) or a signal handler has, and
 * functions of exit would wait for the lock for ever. Ends the program, with its results. */
static void end_inside(struct cudart *rt)
{
    int status = mnp_ending() ? mnp_ending() : MNP_EXIT_STOPPED;
    if (!mnp_ending())
        fputs("maniple: error: a function that a signal has called inside a CUDA call calls CUDA, or ends the program, "
              "which then does: the program is ended; let such a function set a flag that the program looks at\n",
              stderr);
    status = finish(rt, status);
    fflush(NULL);
    _exit(status);
}

struct cudart *cudart_look(void)
{
    struct cudart *rt = cudart_state();
    if (cudart_thread()->locks || mnp_ending())
        end_inside(rt);
    cudart_take_turn();
    if (!rt->calls.begun)
        begin(rt);
    if (rt->calls.forked)
        say_forked(rt);
    rt->calls.many_threads |= !pthread_equal(rt->calls.thread, pthread_self());
    cudart_load_clock(rt);
    return rt;
}

/* Writes down a call that ends; those inside it are part of it. */
static void keep_span(struct cudart *rt)
{
    struct cudart_calls *calls = &rt->calls;
    if (!calls->function || --calls->inside)
        return;
    if (calls->options.request.timeline)
        mnp_timeline_add(
            &rt->simulation->results.timeline,
            &(struct mnp_span){.kind = "call", .from = calls->since, .to = rt->clock->host, .name = calls->function});
    calls->function = NULL;
}

struct cudart *cudart_enter_function(const char *name)
{
    struct cudart *rt = cudart_look();
    if (!cudart_thread()->in_driver)
        cudart_use_runtime(rt);
    rt->calls.count++;
    if (!rt->calls.inside++) {
        rt->calls.function = name;
        rt->calls.since = rt->clock->host;
    }
    if (rt->calls.inside == 1)
        cudart_snapshot_call(rt, name);
    cudart_count_call(rt, name);
    return rt;
}

int cudart_leave_quietly(struct cudart *rt, enum cuda_error error)
{
    if (cudart_has_device(rt) && !rt->simulation->timed)
        cudart_execute_all(rt);
    if (rt->sharing.timed)
        cudart_meet_processes(rt);
    keep_span(rt);
    cudart_keep_clock(rt);
    bool interrupted = cudart_release_signals(rt);
    cudart_unlock();
    if (interrupted)
        kill(getpid(), SIGINT);
    return (int)error;
}

int cudart_leave(struct cudart *rt, enum cuda_error error)
{
    if (error)
        cudart_thread()->last_error = error;
    return cudart_leave_quietly(rt, error);
}

enum cuda_error cudart_last_error(bool clear)
{
    enum cuda_error error = cudart_thread()->last_error;
    if (clear)
        cudart_thread()->last_error = CUDA_SUCCESS;
    return error;
}
