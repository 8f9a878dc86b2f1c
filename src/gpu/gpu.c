/* SPDX-License-Identifier: BSD-3-Clause */
/* Running a GPU: options in, results out. Counters are collected per kernel when the kernel has ended. */
#include "gpu/gpu.h"

#include "engine/executors/executor.h"
#include "engine/ledger.h"
#include "engine/ranks.h"
#include "gpu/machine.h"

#include <stdlib.h>
#include <string.h>

static const struct mnp_model *const counting_models[] = {&dispatch_model, &sm_model, &gpu_gpc_model,
                                                          &gpu_partition_model};
enum { COUNTING_MODELS = sizeof counting_models / sizeof *counting_models };

struct run {
    struct gpu_machine machine;
    const struct gpu_run_options *options;
    struct mnp_results *results;
    uint32_t kernel_count;
    struct mnp_ledger ledger;
};

/* ===== collecting ===== */

static void describe(struct mnp_kernel_results *record, const struct mnp_kernel *kernel, const char *name)
{
    record->id = kernel->id;
    memcpy(record->name, name, sizeof record->name);
    memcpy(record->grid, kernel->grid, sizeof record->grid);
    memcpy(record->block, kernel->block, sizeof record->block);
    record->stream = kernel->stream;
}

/* `end`: core cycle of the kernel's end. */
static void collect_kernel(struct run *run, uint32_t slot, uint64_t end, bool partial)
{
    const struct dispatch_kernel *k = &run->machine.dispatch.state->kernel[slot];
    uint64_t hertz = run->machine.parameters->machine.clock_core;
    struct mnp_kernel_results *record = mnp_results_add_kernel(run->results, counting_models, COUNTING_MODELS);
    const struct mnp_kernel *kernel = run->machine.dispatch.kernels[slot];
    describe(record, kernel, kernel->name);
    record->partial = partial;
    mnp_ledger_collect(&run->ledger, slot, mnp_edge(hertz, k->requested), mnp_edge(hertz, end), &record->statistics);
    dispatch_collected(&run->machine.dispatch, slot);
}

static void collect_ended(struct run *run)
{
    const struct dispatch *dispatch = &run->machine.dispatch;
    for (uint32_t slot; (slot = dispatch_ended_slot(dispatch)) != 0;)
        collect_kernel(run, slot, dispatch->state->kernel[slot].ended, false);
}

/* Kernels under way when the run was stopped, with their cycles so far. */
static void collect_partial(struct run *run)
{
    struct dispatch *dispatch = &run->machine.dispatch;
    for (uint32_t slot = 1; slot < DISPATCH_SLOTS; slot++) {
        const struct dispatch_kernel *k = &dispatch->state->kernel[slot];
        if (k->phase != DISPATCH_LAUNCHING && k->phase != DISPATCH_RUNNING)
            continue;
        uint64_t now = mnp_cycle_at(run->machine.parameters->machine.clock_core, run->machine.engine.now);
        collect_kernel(run, slot, now, true);
    }
}

static int by_launch(const void *a, const void *b)
{
    const struct mnp_kernel_results *left = *(struct mnp_kernel_results *const *)a;
    const struct mnp_kernel_results *right = *(struct mnp_kernel_results *const *)b;
    return left->id < right->id ? -1 : left->id > right->id;
}

/* The total: all kernels and what has no owner. Its cycles are those of the whole run. */
static void total_up(struct run *run)
{
    struct mnp_results *results = run->results;
    mnp_statistics_init(&results->total, counting_models, COUNTING_MODELS, true);
    mnp_ledger_total(&run->ledger, run->machine.engine.now, &results->total);
    const struct dispatch_state *state = run->machine.dispatch.state;
    bool finished = run->machine.engine.stop == MNP_STOP_FINISHED;
    mnp_statistics_block(&results->total, &dispatch_model)->values[DISPATCH_GPU_SIM_CYCLE] =
        finished ? state->last_end : mnp_cycle_at(run->machine.parameters->machine.clock_core, run->machine.engine.now);
}

/* ===== between windows ===== */

static void report_progress(struct run *run, mnp_time now)
{
    const struct dispatch *dispatch = &run->machine.dispatch;
    struct gpu_progress progress = {.kernels_ended = dispatch->state->kernels_ended,
                                    .kernel_count = run->kernel_count,
                                    .cycles = mnp_cycle_at(run->machine.parameters->machine.clock_core, now)};
    for (uint32_t slot = 1; slot < DISPATCH_SLOTS; slot++) {
        const struct dispatch_kernel *k = &dispatch->state->kernel[slot];
        if (k->phase == DISPATCH_RUNNING) {
            progress.ctas_done += k->finished;
            progress.ctas_known += k->cta_count;
        }
    }
    for (uint32_t i = 0; i < run->results->kernel_count; i++)
        progress.warp_instructions +=
            mnp_statistics_block(&run->results->kernels[i]->statistics, &sm_model)->values[SM_WARP_INSTRUCTIONS];
    for (uint64_t i = 0; i < run->machine.parameters->sm.count; i++)
        for (uint32_t slot = 1; slot < DISPATCH_SLOTS; slot++)
            progress.warp_instructions += mnp_counters(run->machine.sms[i].unit, slot)[SM_WARP_INSTRUCTIONS];
    run->options->on_progress(run->options->context, &progress);
}

enum { PROGRESS_WINDOWS = 256 /* between two looks at the progress */ };

static void on_window(void *context, mnp_time end)
{
    struct run *run = context;
    struct mnp_source *source = run->machine.dispatch.source;
    if (source->between)
        source->between(source);
    collect_ended(run);
    if (run->options->on_progress && run->machine.engine.windows % PROGRESS_WINDOWS == 0)
        report_progress(run, end);
}

static mnp_time on_sample(void *context, mnp_time now)
{
    struct run *run = context;
    uint64_t hertz = run->machine.parameters->machine.clock_core, cycle = mnp_cycle_at(hertz, now);
    return mnp_edge(hertz, cycle + mnp_samples_take(run->results->samples, &run->ledger, cycle, now));
}

static void on_epoch(void *context, const struct mnp_epoch_hashes *hashes)
{
    struct run *run = context;
    run->options->on_epoch(run->options->context, hashes);
}

static void on_costs(void *context, struct mnp_engine *engine)
{
    struct run *run = context;
    run->options->on_costs(run->options->context, engine);
}

/* ===== the run ===== */

/* Windows longer than is safe, if that is asked for. Those that are safe need no relaxing, and change nothing. */
static void relax(struct run *run)
{
    struct gpu_machine *machine = &run->machine;
    mnp_time window = mnp_edge(machine->parameters->machine.clock_core, run->options->window_cycles);
    if (!run->options->executor->relaxed || window <= machine->engine.lookahead)
        return;
    mnp_engine_relax(&machine->engine, window);
    machine->dispatch.keep_cycles = 2 * run->options->window_cycles + 2; /* see gpu_machine_build */
}

static bool work_ahead(void *context)
{
    struct mnp_source *source = context;
    return source->work_ahead(source);
}

static bool engine_options(const struct run *run, struct mnp_run_options *engine_options, struct mnp_error *error)
{
    const struct gpu_run_options *options = run->options;
    uint64_t hertz = run->machine.parameters->machine.clock_core;
    bool relaxed = run->machine.engine.relaxed;
    struct mnp_source *source = run->machine.dispatch.source;
    *engine_options = (struct mnp_run_options){.executor = options->executor,
                                               .threads = options->threads,
                                               .schedule = options->schedule,
                                               .chunk = options->chunk,
                                               .worth = options->worth,
                                               .window = relaxed ? 0 : mnp_edge(hertz, options->window_cycles),
                                               .limit = mnp_edge(hertz, options->max_cycles),
                                               .livelock = mnp_edge(hertz, run->machine.parameters->machine.livelock),
                                               .no_skip = options->no_skip,
                                               .hash_epochs = options->on_epoch != NULL,
                                               .pin = true,
                                               .interrupt = options->interrupt,
                                               .side = {.work = source->work_ahead ? work_ahead : NULL,
                                                        .wanted = &source->ahead_wanted,
                                                        .context = source},
                                               .on_epoch = options->on_epoch ? on_epoch : NULL,
                                               .on_window = on_window,
                                               .on_costs = options->on_costs ? on_costs : NULL,
                                               .on_sample = options->sample_cycles ? on_sample : NULL,
                                               .first_sample = mnp_edge(hertz, options->sample_cycles),
                                               .context = (void *)(uintptr_t)run};
    const struct mnp_engine *engine = &run->machine.engine;
    if (engine_options->window > engine->lookahead)
        return mnp_fail(error,
                        "--window %lu is longer than is safe: the link from %s to %s has a latency of %lu core "
                        "cycles; use at most that, or auto",
                        (unsigned long)options->window_cycles, engine->shortest->from->name, engine->shortest->to->name,
                        (unsigned long)mnp_cycle_at(hertz, engine->lookahead));
    return true;
}

/* What one usually wants to see over time. */
static const char usual_samples[] = "gpu_warp_ipc,gpu_occupancy,sm_activity,L1D_total_cache_miss_rate,"
                                    "L2_total_cache_miss_rate,noc_*_utilisation,dram_row_hit_rate,"
                                    "dram_bandwidth_utilisation";

static bool prepare_samples(struct run *run, struct mnp_error *error)
{
    const struct gpu_run_options *options = run->options;
    if (!options->sample_cycles)
        return true;
    if (run->machine.engine.relaxed && options->sample_cycles % options->window_cycles)
        return mnp_fail(error, "--sample %lu is no multiple of the relaxed windows, which have %lu cycles",
                        (unsigned long)options->sample_cycles, (unsigned long)options->window_cycles);
    const char *patterns = options->sample_statistics ? options->sample_statistics : usual_samples;
    run->results->samples = mnp_allocate(1, sizeof *run->results->samples);
    return mnp_samples_init(run->results->samples, counting_models, COUNTING_MODELS, patterns, options->sample_cycles,
                            error);
}

/* The last interval ends with the run. */
static void end_samples(struct run *run)
{
    struct mnp_samples *samples = run->results->samples;
    uint64_t cycle = mnp_cycle_at(run->machine.parameters->machine.clock_core, run->machine.engine.now);
    if (samples && (!samples->row_count || samples->cycles[samples->row_count - 1] < cycle))
        mnp_samples_take(samples, &run->ledger, cycle, run->machine.engine.now);
}

static bool run_engine(struct run *run, struct mnp_error *error)
{
    struct mnp_engine *engine = &run->machine.engine;
    struct mnp_run_options options;
    relax(run);
    if (!engine_options(run, &options, error) || !prepare_samples(run, error))
        return false;
    enum mnp_stop stop = mnp_engine_run(engine, &options);
    if (stop == MNP_STOP_FAULT) {
        *error = engine->error;
        return false;
    }
    struct mnp_results *results = run->results;
    end_samples(run);
    collect_ended(run);
    collect_partial(run);
    qsort(results->kernels, results->kernel_count, sizeof(struct mnp_kernel_results *), by_launch);
    total_up(run);
    mnp_results_end(results, engine, stop);
    mnp_results_describe(results, engine, run->machine.parameters->machine.clock_core);
    results->run.window_cycles = run->options->window_cycles;
    return true;
}

bool gpu_run(struct mnp_settings *settings, struct mnp_source *source, const struct gpu_run_options *options,
             struct mnp_results *results, struct mnp_error *error)
{
    struct gpu_parameters *parameters = mnp_allocate(1, sizeof *parameters);
    struct run run = {.options = options, .results = results, .kernel_count = source->kernel_count};
    bool done = gpu_parameters_read(parameters, settings, error);
    if (done) {
        gpu_machine_init(&run.machine, parameters, source);
        run.machine.dispatch.selects = options->selects;
        run.machine.dispatch.selection = options->selection;
        if (options->transport)
            mnp_ranks_spread(&run.machine.engine, options->transport);
        mnp_ledger_init(&run.ledger, &run.machine.engine, counting_models, COUNTING_MODELS);
        done = run_engine(&run, error);
        mnp_ledger_release(&run.ledger);
        gpu_machine_release(&run.machine);
    }
    free(parameters);
    return done;
}

bool gpu_check(struct mnp_settings *settings, struct mnp_error *error)
{
    struct gpu_parameters parameters;
    return gpu_parameters_read(&parameters, settings, error);
}
