/* SPDX-License-Identifier: BSD-3-Clause */
#include "cudart/stream/run_output.h"

#include "base/arena.h"
#include "base/file.h"
#include "cudart/base/interrupt.h"
#include "cudart/base/options.h"
#include "cudart/base/signals.h"
#include "cudart/base/state.h"
#include "cudart/stream/simulation.h"
#include "results/scaling/costs.h"
#include "results/write/epochs.h"
#include "results/write/watch.h"

#include <stdlib.h>
#include <unistd.h>

#define PATIENCE UINT64_C(500000000) /* ns of simulation after which progress is watched */

struct cudart_output {
    bool hashes;
    struct epochs epochs;
    FILE *lines;
    struct mnp_output costs_file; /* stream NULL: no record is made */
    struct mnp_costs_writer costs;
    bool quiet, watching;
    uint64_t resumed, simulated; /* ns: when the present piece began, and what all before it took */
    struct watch watch;
    sigset_t held, before; /* signals in the present piece, and outside */
};

static void on_epoch(void *context, const struct mnp_epoch_hashes *hashes)
{
    struct cudart *rt = context;
    results_epochs_write(&rt->simulation->output->epochs, hashes);
}

static void on_costs(void *context, struct mnp_engine *engine)
{
    struct cudart *rt = context;
    results_costs_window(&rt->simulation->output->costs, engine);
}

/* A simulation that takes long is worth a thread that watches it. */
static void on_progress(void *context, const struct mnp_progress *progress)
{
    struct cudart *rt = context;
    struct cudart_output *output = rt->simulation->output;
    if (!output->watching && output->simulated + results_watch_now() - output->resumed > PATIENCE) {
        struct mnp_error none = {{0}};
        results_watch_start(&output->watch, output->quiet, 0, &none);
        /* The watch blocks one more signal, which belongs to the program. */
        pthread_sigmask(SIG_SETMASK, &output->held, NULL);
        output->watching = true;
    }
    if (output->watching)
        results_watch_progress(&output->watch, progress);
    if (output->watch.interrupted)
        cudart_wish_end(rt);
}

static bool open_costs(struct cudart_output *output, const struct cudart_options *o, struct mnp_error *error)
{
    char *path = mnp_join_path(o->folder, MNP_COSTS_FILE);
    bool open = mnp_output_open(&output->costs_file, path, error);
    free(path);
    if (open)
        results_costs_begin(&output->costs, output->costs_file.stream, (uint32_t)o->request.window_cycles);
    return open;
}

/* Hashes belong behind what the program prints, unless standard output is to be one JSON value. */
static bool open_hashes(struct cudart_output *output, const struct cudart_options *o, struct mnp_error *error)
{
    output->lines = o->format == CUDART_JSON ? stderr : fdopen(dup(o->output), "w");
    if (!output->lines)
        return mnp_fail(error, "the hashes cannot be written: standard output is closed");
    return results_epochs_open(&output->epochs, output->lines, o->folder, error);
}

bool cudart_output_open(struct cudart *rt, struct mnp_session_options *options, struct mnp_error *error)
{
    const struct cudart_options *o = &rt->calls.options;
    struct cudart_output *output = rt->simulation->output = mnp_allocate(1, sizeof *output);
    output->quiet = o->verbosity <= MNP_QUIET;
    output->hashes = o->hash;
    options->on_epoch = o->hash ? on_epoch : NULL;
    options->on_costs = o->costs ? on_costs : NULL;
    options->on_progress = on_progress;
    options->interrupt = &rt->interrupt.wish;
    return (!o->hash || open_hashes(output, o, error)) && (!o->costs || open_costs(output, o, error));
}

void cudart_output_resume(struct cudart *rt)
{
    struct cudart_output *output = rt->simulation->output;
    if (output->hashes)
        fflush(stdout); /* the program's output and the hashes go to one place, by whole lines */
    output->resumed = results_watch_now();
    pthread_sigmask(SIG_BLOCK, NULL, &output->before);
    cudart_hold_signals(rt);
    cudart_ending_signals(&output->held);
    if (rt->interrupt.held.ours)
        sigdelset(&output->held, SIGINT);
    sigorset(&output->held, &output->held, &output->before);
    pthread_sigmask(SIG_SETMASK, &output->held, NULL);
}

/* A signal that has come meanwhile and that nobody has seen is taken: it is for the simulation. */
bool cudart_output_pause(struct cudart *rt)
{
    struct cudart_output *output = rt->simulation->output;
    struct timespec at_once = {0};
    sigset_t wanted;
    output->simulated += results_watch_now() - output->resumed;
    if (output->hashes)
        fflush(output->lines);
    cudart_ending_signals(&wanted);
    if (rt->interrupt.held.ours)
        sigdelset(&wanted, SIGINT);
    for (int each = 1; each < NSIG; each++)
        if (sigismember(&output->before, each) == 1)
            sigdelset(&wanted, each);
    if (sigtimedwait(&wanted, NULL, &at_once) > 0)
        cudart_wish_end(rt);
    if (output->watch.interrupted)
        cudart_wish_end(rt);
    if (output->watching)
        results_watch_clear(&output->watch);
    pthread_sigmask(SIG_SETMASK, &output->before, NULL);
    return cudart_is_ending(rt);
}

bool cudart_output_close(struct cudart *rt, struct mnp_output records[CUDART_RECORDS], struct mnp_error *error)
{
    struct cudart_output *output = rt->simulation->output;
    bool done = true;
    if (!output)
        return true;
    if (output->watching)
        results_watch_end(&output->watch);
    if (output->costs_file.stream) {
        results_costs_end(&output->costs);
        done = mnp_output_finish(&output->costs_file, error);
    }
    if (output->hashes && output->lines != stderr)
        done = (fclose(output->lines) == 0 || mnp_fail(error, "the hashes cannot be written")) && done;
    done = results_epochs_finish(&output->epochs, error) && done;
    records[0] = output->costs_file;
    records[1] = output->epochs.table;
    free(output);
    rt->simulation->output = NULL;
    return done;
}
