/* SPDX-License-Identifier: BSD-3-Clause */
/* The end of the program: results as `maniple run` writes them, and the exit status. */
#include "base/ticks.h"
#include "cudart/context.h"
#include "cudart/output.h"
#include "cudart/queue.h"
#include "results/results.h"
#include "results/tell.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

static bool write_results(struct cudart *rt, struct mnp_error *error)
{
    FILE *out = fdopen(dup(rt->options.output), "w");
    if (!out)
        return mnp_fail(error, "the results cannot be written: standard output is closed");
    switch (rt->options.format) {
    case CUDART_TEXT:
        mnp_results_write_text(&rt->results, out);
        break;
    case CUDART_JSON:
        mnp_results_write_json(&rt->results, out);
        break;
    case CUDART_GPGPUSIM:
        mnp_results_write_gpgpusim(&rt->results, out);
        break;
    case CUDART_NO_RESULTS:
        break;
    }
    bool done = fclose(out) == 0 || mnp_fail(error, "the results cannot be written to standard output");
    return done && (!rt->options.folder || mnp_results_save(&rt->results, rt->options.folder, error));
}

static uint64_t nanoseconds(const struct timeval *time)
{
    return (uint64_t)time->tv_sec * UINT64_C(1000000000) + (uint64_t)time->tv_usec * 1000;
}

/* Times are of the whole program, host code and loading included. */
static void describe(struct cudart *rt)
{
    struct mnp_run_info *info = &rt->results.run;
    struct rusage usage;
    info->input = rt->options.program;
    info->executor = rt->session ? rt->options.executor_name : "functional";
    info->schedule = rt->session ? rt->options.schedule_name : "none";
    info->threads = rt->session ? rt->options.request.threads : 1;
    info->processes = processes_joined(&rt->processes) ? rt->processes.transport.count : 1;
    info->wall_ns = mnp_nanoseconds() - rt->began;
    if (getrusage(RUSAGE_SELF, &usage) == 0) {
        info->cpu_ns = nanoseconds(&usage.ru_utime) + nanoseconds(&usage.ru_stime);
        info->peak_bytes = (uint64_t)usage.ru_maxrss * 1024;
    }
    gethostname(info->host, sizeof info->host - 1);
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    info->host_processors = processors > 0 ? (uint32_t)processors : 0;
    rt->results.machine = rt->settings;
}

/* What the user should know that is no statistic. */
static void tell(struct cudart *rt)
{
    struct mnp_results *results = &rt->results;
    if (rt->many_threads)
        mnp_warn(&results->log, "several threads of the program have called the CUDA runtime: the order of their "
                                "calls, and so the results, may differ from run to run");
    if (rt->session && rt->device.launches)
        mnp_warn(&results->log, "the machine has stopped: kernels that the program has launched after resetting the "
                                "device were executed without timing");
    if (rt->session) {
        tell_end(results);
        tell_how(results);
    } else {
        mnp_log_summary(&results->log, stderr);
    }
}

int cudart_report(struct cudart *rt, int status)
{
    struct mnp_error error = {{0}};
    if (rt->reported || rt->process != getpid())
        return status;
    rt->reported = true;
    if (!rt->failure && !rt->pending)
        cudart_advance_all(rt); /* what the program has launched and not waited for */
    fflush(stdout);
    cudart_end_machine(rt);
    bool closed = cudart_output_close(rt, &error);
    if (rt->recorder)
        closed = execute_recorder_close(rt->recorder, &error) && closed;
    rt->recorder = NULL;
    if (!closed)
        rt->refused = true;
    if (rt->settings && (rt->results.kernel_count || rt->session) && rt->options.text) {
        describe(rt);
        closed = write_results(rt, &error) && closed;
        tell(rt);
    } else if (rt->options.text && !rt->options.trace && status == MNP_EXIT_DONE && !rt->refused &&
               rt->options.verbosity != MNP_QUIET) {
        fputs("maniple: the program has launched no kernel, so there are no results\n", stderr);
    }
    if (!closed) {
        cudart_say(&error);
        rt->refused = true;
    }
    cudart_spread_end(rt);
    if (status != MNP_EXIT_DONE)
        return status;
    return rt->refused ? MNP_EXIT_USER : mnp_end_status(rt->results.end);
}
