/* SPDX-License-Identifier: BSD-3-Clause */
/* The end of the program: results as `maniple run` writes them, and the exit status. */
#include "cudart/context.h"
#include "results/results.h"

#include <stdio.h>
#include <stdlib.h>
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

static void describe(struct cudart *rt)
{
    struct mnp_run_info *info = &rt->results.run;
    info->input = rt->options.program;
    info->executor = "functional";
    info->schedule = "none";
    info->threads = 1;
    info->processes = 1;
    gethostname(info->host, sizeof info->host - 1);
    rt->results.machine = rt->settings;
}

int cudart_report(struct cudart *rt, int status)
{
    struct mnp_error error = {{0}};
    if (rt->reported || rt->process != getpid())
        return status;
    rt->reported = true;
    fflush(stdout);
    if (rt->settings && rt->results.kernel_count && rt->options.text) {
        describe(rt);
        if (!write_results(rt, &error)) {
            cudart_say(&error);
            rt->refused = true;
        }
        if (!rt->options.functional)
            mnp_warn(&rt->results.log, "CUDA programs are executed without timing yet, as with --functional");
        if (rt->many_threads)
            mnp_warn(&rt->results.log,
                     "several threads of the program have called the CUDA runtime: the order of their "
                     "calls, and so the results, may differ from run to run");
        mnp_log_summary(&rt->results.log, stderr);
    }
    return rt->refused && status == MNP_EXIT_DONE ? MNP_EXIT_USER : status;
}
