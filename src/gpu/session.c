/* SPDX-License-Identifier: BSD-3-Clause */
/* A GPU while it is run: options in, results out. Counters are collected per kernel when the kernel has ended. */
#include "gpu/session.h"

#include "engine/executors/executor.h"
#include "engine/count/ledger.h"
#include "engine/spread/ranks.h"
#include "gpu/machine.h"

#include <stdlib.h>
#include <string.h>

static const struct mnp_model *const counting_models[] = {&dispatch_model, &sm_model, &gpu_gpc_model,
                                                          &gpu_partition_model};
enum { COUNTING_MODELS = sizeof counting_models / sizeof *counting_models };

struct gpu_session {
    struct gpu_machine machine;
    struct gpu_run_options options;
    struct mnp_results *results;
    uint32_t kernel_count;
    struct mnp_ledger ledger;
    struct mnp_run_options engine_options;
    enum mnp_stop stop; /* why the last run of the engine ended; before the first one, NOT_YET */
    bool reached;       /* that was the time asked for */
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
static void collect_kernel(struct gpu_session *session, uint32_t slot, uint64_t end, bool partial)
{
    const struct dispatch_kernel *k = &session->machine.dispatch.state->kernel[slot];
    uint64_t hertz = session->machine.parameters->machine.clock_core;
    struct mnp_kernel_results *record = mnp_results_add_kernel(session->results, counting_models, COUNTING_MODELS);
    const struct mnp_kernel *kernel = session->machine.dispatch.kernels[slot];
    describe(record, kernel, kernel->name);
    record->partial = partial;
    if (session->options.on_kernel_end && !partial)
        session->options.on_kernel_end(session->options.context, kernel, mnp_edge(hertz, k->requested),
                                       mnp_edge(hertz, end));
    mnp_ledger_collect(&session->ledger, slot, mnp_edge(hertz, k->requested), mnp_edge(hertz, end),
                       &record->statistics);
    dispatch_collected(&session->machine.dispatch, slot);
}

static void collect_ended(struct gpu_session *session)
{
    const struct dispatch *dispatch = &session->machine.dispatch;
    for (uint32_t slot; (slot = dispatch_ended_slot(dispatch)) != 0;)
        collect_kernel(session, slot, dispatch->state->kernel[slot].ended, false);
}

/* Kernels under way when the run was stopped, with their cycles so far. */
static void collect_partial(struct gpu_session *session)
{
    struct dispatch *dispatch = &session->machine.dispatch;
    for (uint32_t slot = 1; slot < DISPATCH_SLOTS; slot++) {
        const struct dispatch_kernel *k = &dispatch->state->kernel[slot];
        if (k->phase != DISPATCH_LAUNCHING && k->phase != DISPATCH_RUNNING)
            continue;
        uint64_t now = mnp_cycle_at(session->machine.parameters->machine.clock_core, session->machine.engine.now);
        collect_kernel(session, slot, now, true);
    }
}

static int by_launch(const void *a, const void *b)
{
    const struct mnp_kernel_results *left = *(struct mnp_kernel_results *const *)a;
    const struct mnp_kernel_results *right = *(struct mnp_kernel_results *const *)b;
    return left->id < right->id ? -1 : left->id > right->id;
}

/* The total: all kernels and what has no owner. Its cycles are those of the whole run. */
static void total_up(struct gpu_session *session, bool finished)
{
    struct mnp_results *results = session->results;
    mnp_statistics_init(&results->total, counting_models, COUNTING_MODELS, true);
    mnp_ledger_total(&session->ledger, session->machine.engine.now, &results->total);
    const struct dispatch_state *state = session->machine.dispatch.state;
    mnp_statistics_block(&results->total, &dispatch_model)->values[DISPATCH_GPU_SIM_CYCLE] =
        finished ? state->last_end
                 : mnp_cycle_at(session->machine.parameters->machine.clock_core, session->machine.engine.now);
}

/* ===== between windows ===== */

static void report_progress(struct gpu_session *session, mnp_time now)
{
    const struct dispatch *dispatch = &session->machine.dispatch;
    struct mnp_progress progress = {.kernels_ended = dispatch->state->kernels_ended,
                                    .kernel_count = session->kernel_count,
                                    .cycles = mnp_cycle_at(session->machine.parameters->machine.clock_core, now)};
    for (uint32_t slot = 1; slot < DISPATCH_SLOTS; slot++) {
        const struct dispatch_kernel *k = &dispatch->state->kernel[slot];
        if (k->phase == DISPATCH_RUNNING) {
            progress.ctas_done += k->finished;
            progress.ctas_known += k->cta_count;
        }
    }
    for (uint32_t i = 0; i < session->results->kernel_count; i++)
        progress.warp_instructions +=
            mnp_statistics_block(&session->results->kernels[i]->statistics, &sm_model)->values[SM_WARP_INSTRUCTIONS];
    for (uint64_t i = 0; i < session->machine.parameters->sm.count; i++)
        for (uint32_t slot = 1; slot < DISPATCH_SLOTS; slot++)
            progress.warp_instructions += mnp_counters(sm_unit(session->machine.sms[i]), slot)[SM_WARP_INSTRUCTIONS];
    session->options.on_progress(session->options.context, &progress);
}

enum { PROGRESS_WINDOWS = 256 /* between two looks at the progress */ };

static void on_window(void *context, mnp_time end)
{
    struct gpu_session *session = context;
    struct mnp_source *source = session->machine.dispatch.source;
    if (source->between)
        source->between(source);
    collect_ended(session);
    if (session->options.on_progress && session->machine.engine.windows % PROGRESS_WINDOWS == 0)
        report_progress(session, end);
}

static mnp_time on_sample(void *context, mnp_time now)
{
    struct gpu_session *session = context;
    uint64_t hertz = session->machine.parameters->machine.clock_core, cycle = mnp_cycle_at(hertz, now);
    return mnp_edge(hertz, cycle + mnp_samples_take(session->results->samples, &session->ledger, cycle, now));
}

static void on_epoch(void *context, const struct mnp_epoch_hashes *hashes)
{
    struct gpu_session *session = context;
    session->options.on_epoch(session->options.context, hashes);
}

static void on_costs(void *context, struct mnp_engine *engine)
{
    struct gpu_session *session = context;
    session->options.on_costs(session->options.context, engine);
}

/* ===== the run ===== */

/* Windows longer than is safe, if that is asked for. Those that are safe need no relaxing, and change nothing. */
static void relax(struct gpu_session *session)
{
    struct gpu_machine *machine = &session->machine;
    mnp_time window = mnp_edge(machine->parameters->machine.clock_core, session->options.request.window_cycles);
    if (!session->options.request.executor->relaxed || window <= machine->engine.lookahead)
        return;
    mnp_engine_relax(&machine->engine, window);
    machine->dispatch.keep_cycles = 2 * session->options.request.window_cycles + 2; /* see gpu_machine_build */
}

static bool is_idle(void *context)
{
    return gpu_session_is_idle(context);
}

static bool work_ahead(void *context)
{
    struct mnp_source *source = context;
    return source->work_ahead(source);
}

static bool engine_options(const struct gpu_session *session, struct mnp_run_options *engine_options,
                           struct mnp_error *error)
{
    const struct gpu_run_options *options = &session->options;
    uint64_t hertz = session->machine.parameters->machine.clock_core;
    bool relaxed = session->machine.engine.relaxed;
    struct mnp_source *source = session->machine.dispatch.source;
    *engine_options = (struct mnp_run_options){
        .executor = options->request.executor,
        .threads = options->request.threads,
        .schedule = options->request.schedule,
        .chunk = options->request.chunk,
        .worth = options->worth,
        .window = relaxed ? 0 : mnp_edge(hertz, options->request.window_cycles),
        .limit = mnp_edge(hertz, options->request.max_cycles),
        .livelock = mnp_edge(hertz, session->machine.parameters->machine.livelock),
        .no_skip = options->request.no_skip,
        .hash_epochs = options->on_epoch != NULL,
        .pin = true,
        .interrupt = options->interrupt,
        .is_idle = options->open_ended ? is_idle : NULL,
        .side = {.work = source->work_ahead ? work_ahead : NULL, .wanted = &source->ahead_wanted, .context = source},
        .on_epoch = options->on_epoch ? on_epoch : NULL,
        .on_window = on_window,
        .on_costs = options->on_costs ? on_costs : NULL,
        .on_sample = options->request.sample_cycles ? on_sample : NULL,
        .first_sample = mnp_edge(hertz, options->request.sample_cycles),
        .context = (void *)(uintptr_t)session};
    const struct mnp_engine *engine = &session->machine.engine;
    if (engine_options->window > engine->lookahead)
        return mnp_fail(error,
                        "--window %lu is longer than is safe: the link from %s to %s has a latency of %lu core "
                        "cycles; use at most that, or auto",
                        (unsigned long)options->request.window_cycles, engine->shortest->from->name,
                        engine->shortest->to->name, (unsigned long)mnp_cycle_at(hertz, engine->lookahead));
    return true;
}

/* What one usually wants to see over time. */
static const char usual_samples[] = "gpu_warp_ipc,gpu_occupancy,sm_activity,L1D_total_cache_miss_rate,"
                                    "L2_total_cache_miss_rate,noc_*_utilisation,dram_row_hit_rate,"
                                    "dram_bandwidth_utilisation";

static bool prepare_samples(struct gpu_session *session, struct mnp_error *error)
{
    const struct gpu_run_options *options = &session->options;
    if (!options->request.sample_cycles)
        return true;
    if (session->machine.engine.relaxed && options->request.sample_cycles % options->request.window_cycles)
        return mnp_fail(error, "--sample %lu is no multiple of the relaxed windows, which have %lu cycles",
                        (unsigned long)options->request.sample_cycles, (unsigned long)options->request.window_cycles);
    const char *patterns = options->request.sample_statistics ? options->request.sample_statistics : usual_samples;
    session->results->samples = mnp_allocate(1, sizeof *session->results->samples);
    return mnp_samples_init(session->results->samples, counting_models, COUNTING_MODELS, patterns,
                            options->request.sample_cycles, error);
}

/* The last interval ends with the run. */
static void end_samples(struct gpu_session *session)
{
    struct mnp_samples *samples = session->results->samples;
    uint64_t cycle = mnp_cycle_at(session->machine.parameters->machine.clock_core, session->machine.engine.now);
    if (samples && (!samples->row_count || samples->cycles[samples->row_count - 1] < cycle))
        mnp_samples_take(samples, &session->ledger, cycle, session->machine.engine.now);
}

/* ===== opening, running, closing ===== */

static bool prepare(struct gpu_session *session, struct mnp_error *error)
{
    relax(session);
    return engine_options(session, &session->engine_options, error) && prepare_samples(session, error);
}

struct gpu_session *gpu_session_open(const struct gpu_parameters *parameters, struct mnp_source *source,
                                     const struct gpu_run_options *options, struct mnp_results *results,
                                     struct mnp_error *error)
{
    struct gpu_session *session = mnp_allocate(1, sizeof *session);
    *session = (struct gpu_session){.options = *options, .results = results, .kernel_count = source->kernel_count};
    gpu_machine_init(&session->machine, parameters, source);
    session->machine.dispatch.selects = options->selects;
    session->machine.dispatch.selection = options->selection;
    session->machine.dispatch.stops_at_ends = options->open_ended;
    if (options->transport)
        mnp_ranks_spread(&session->machine.engine, options->transport);
    mnp_ledger_init(&session->ledger, &session->machine.engine, counting_models, COUNTING_MODELS);
    if (prepare(session, error))
        return session;
    gpu_session_release(session);
    return NULL;
}

enum mnp_stop gpu_session_run(struct gpu_session *session, mnp_time until, struct mnp_error *error)
{
    struct mnp_engine *engine = &session->machine.engine;
    struct mnp_run_options options = session->engine_options;
    bool earlier = until != MNP_NEVER && (!options.limit || until < options.limit);
    options.limit = earlier ? until : options.limit;
    if (session->stop != MNP_STOP_NOT_YET)
        options.first_sample = engine->next_sample;
    session->stop = mnp_engine_run(engine, &options);
    collect_ended(session);
    if (session->stop == MNP_STOP_FAULT)
        *error = engine->error;
    session->reached = session->stop == MNP_STOP_LIMIT && earlier;
    return session->reached ? MNP_STOP_NOT_YET : session->stop;
}

void gpu_session_wake(struct gpu_session *session)
{
    mnp_engine_wake(&session->machine.engine, session->machine.dispatch.unit, session->machine.engine.now);
}

void gpu_session_expect(struct gpu_session *session, mnp_time time)
{
    struct mnp_unit *unit = session->machine.dispatch.unit;
    unit->due = time > unit->due ? time : unit->due;
}

mnp_time gpu_session_now(const struct gpu_session *session)
{
    return session->machine.engine.now;
}

mnp_time gpu_session_epoch(const struct gpu_session *session)
{
    return session->machine.engine.epoch;
}

bool gpu_session_is_idle(const struct gpu_session *session)
{
    return dispatch_is_idle(&session->machine.dispatch);
}

void gpu_session_collect(struct gpu_session *session)
{
    struct mnp_results *results = session->results;
    struct mnp_engine *engine = &session->machine.engine;
    bool well = session->reached || session->stop == MNP_STOP_FAULT || session->stop == MNP_STOP_NOT_YET;
    enum mnp_stop stop = well ? MNP_STOP_FINISHED : session->stop;
    end_samples(session);
    collect_ended(session);
    collect_partial(session);
    qsort(results->kernels, results->kernel_count, sizeof(struct mnp_kernel_results *), by_launch);
    total_up(session, stop == MNP_STOP_FINISHED && session->stop != MNP_STOP_FAULT);
    mnp_results_end(results, engine, stop);
    mnp_results_describe(results, engine, session->machine.parameters->machine.clock_core);
    results->run.window_cycles = session->options.request.window_cycles;
}

void gpu_session_release(struct gpu_session *session)
{
    mnp_ledger_release(&session->ledger);
    gpu_machine_release(&session->machine);
    free(session);
}
