/* SPDX-License-Identifier: BSD-3-Clause */
/* The one context, its lock and its errors: the only state that outlives a call (DESIGN §2.7). */
#include "cudart/context.h"

#include "base/ticks.h"
#include "cudart/serve.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static struct cudart context;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t called = PTHREAD_COND_INITIALIZER;
static _Thread_local struct cudart_thread thread;

/* The program has ended: results are written, and where we have refused something, it cannot end well. */
static void at_exit(int status, void *unused)
{
    struct timespec soon;
    (void)unused;
    clock_gettime(CLOCK_REALTIME, &soon);
    soon.tv_sec++; /* where somebody ends the program inside a call, it is not waited for */
    bool locked = pthread_mutex_timedlock(&lock, &soon) == 0;
    int wanted = cudart_report(&context, status);
    if (locked)
        cudart_unlock();
    if (wanted == status)
        return;
    fflush(NULL);
    _exit(wanted);
}

bool cudart_owes_results(void)
{
    return !context.reported && context.process == getpid();
}

struct cudart_thread *cudart_thread(void)
{
    return &thread;
}

CUDART_API void maniple_serve_runtime(int major)
{
    context.major = major;
}

void cudart_lock(void)
{
    pthread_mutex_lock(&lock);
}

void cudart_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

/* The program has never come to use the device. The others of a run in several processes wait for it nevertheless; and
 * the user should know why there are no results. */
static void end_unused(int status, void *unused)
{
    (void)unused;
    if (context.prepared)
        return;
    struct cudart *rt = cudart_look();
    cudart_report(rt, status);
    cudart_leave_quietly(rt, CUDA_SUCCESS);
}

/* A process that the program has started may have this library too, and is not the one that is spoken of. */
__attribute__((constructor)) static void expect_end(void)
{
    struct cudart_options options;
    struct mnp_error ignored;
    if (cudart_options_read(&options, getenv(CUDART_OPTIONS_VARIABLE), &ignored) && options.process == getpid())
        on_exit(end_unused, NULL);
    cudart_options_release(&options);
}

/* While a function of the program's runs, its thread alone may make calls. */
static void lock_between(void)
{
    cudart_lock();
    while (context.calling && !pthread_equal(context.caller, pthread_self()))
        pthread_cond_wait(&called, &lock);
}

void cudart_call_out(struct cudart *rt, void (*work)(struct cudart *rt, const void *what), const void *what)
{
    rt->calling = true;
    rt->caller = pthread_self();
    cudart_unlock();
    work(rt, what);
    cudart_lock();
    rt->calling = false;
    pthread_cond_broadcast(&called);
}

/* Results go where standard output went at first, whatever the program does with its own. */
static void keep_output(struct cudart_options *options)
{
    enum { OUT_OF_THE_WAY = 64 };
    int kept = fcntl(options->output, F_DUPFD_CLOEXEC, OUT_OF_THE_WAY);
    options->output = kept >= 0 ? kept : options->output;
}

struct cudart *cudart_look(void)
{
    lock_between();
    if (!context.prepared) {
        struct mnp_error error = {{0}};
        context.prepared = true;
        context.thread = pthread_self();
        context.process = getpid();
        if (!cudart_options_read(&context.options, getenv(CUDART_OPTIONS_VARIABLE), &error))
            context.failure = cudart_refuse(&context, &error, CUDA_INITIALIZATION_ERROR);
        keep_output(&context.options);
        context.timed = !context.options.functional;
        context.began = mnp_nanoseconds();
        cudart_watch_signals(&context);
        mnp_results_init(&context.results, context.options.verbosity);
        on_exit(at_exit, NULL);
    }
    context.many_threads |= !pthread_equal(context.thread, pthread_self());
    return &context;
}

struct cudart *cudart_enter(void)
{
    struct cudart *rt = cudart_look();
    rt->runtime |= !thread.in_driver;
    rt->calls++;
    if (rt->settings) /* time begins when the device is chosen */
        rt->now += rt->parameters.host.call * CUDART_FS_PER_NS;
    return rt;
}

int cudart_leave_quietly(struct cudart *rt, enum cuda_error error)
{
    if (rt->settings && !rt->timed)
        cudart_execute_all(rt);
    cudart_unlock();
    return (int)error;
}

int cudart_leave(struct cudart *rt, enum cuda_error error)
{
    if (error)
        thread.last_error = error;
    return cudart_leave_quietly(rt, error);
}

enum cuda_error cudart_last_error(bool clear)
{
    enum cuda_error error = thread.last_error;
    if (clear)
        thread.last_error = CUDA_SUCCESS;
    return error;
}

void cudart_say(const struct mnp_error *error)
{
    fflush(stdout);
    fprintf(stderr, "maniple: error: %s\n", error->text);
}

enum cuda_error cudart_refuse(struct cudart *rt, const struct mnp_error *error, enum cuda_error code)
{
    cudart_say(error);
    rt->refused = true;
    return code;
}

enum cuda_error cudart_surface(struct cudart *rt)
{
    if (rt->pending && !rt->failure)
        rt->failure = rt->pending;
    return rt->failure;
}
