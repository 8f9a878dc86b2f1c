/* SPDX-License-Identifier: BSD-3-Clause */
#include "manycore/manycore.h"

#include "engine/executors/executor.h"
#include "manycore/machine.h"

#include <stdlib.h>
#include <string.h>

struct run {
    struct manycore_machine machine;
    const struct manycore_run_options *options;
    struct manycore_output *texts; /* of the window that has ended, of all blocks */
    uint32_t capacity;
};

/* ===== between windows ===== */

static int by_time(const void *a, const void *b)
{
    const struct manycore_output *left = a, *right = b;
    if (left->cycle != right->cycle)
        return left->cycle < right->cycle ? -1 : 1;
    return left->tile < right->tile ? -1 : left->tile > right->tile;
}

/* Hands on what programs have written, ordered by time and tile. A core writes once in a cycle at most. */
static void pass_on_output(struct run *run)
{
    uint32_t count = 0, all = 0;
    for (uint32_t i = 0; i < run->machine.block_count; i++)
        all += run->machine.blocks[i].output_count;
    if (all == 0)
        return;
    if (all > run->capacity) {
        run->capacity = 2 * all;
        run->texts = mnp_reallocate(run->texts, run->capacity, sizeof *run->texts);
    }
    for (uint32_t i = 0; i < run->machine.block_count; i++) {
        struct manycore_block *block = &run->machine.blocks[i];
        for (uint32_t j = 0; j < block->output_count; j++)
            run->texts[count++] = block->outputs[j];
        block->output_count = 0;
    }
    qsort(run->texts, count, sizeof *run->texts, by_time);
    for (uint32_t i = 0; i < count; i++) {
        if (run->options->on_output)
            run->options->on_output(run->options->context, run->texts[i].text, run->texts[i].bytes);
        free(run->texts[i].text);
    }
}

/* The run is over when the last core has exited. A window ends no later than the epoch of anything in it, so that the
 * time of that exit is not too late to be announced. */
static void look_for_end(struct run *run)
{
    uint64_t exited = 0, last = 0;
    for (uint32_t i = 0; i < run->machine.block_count; i++) {
        const struct manycore_block_state *state = run->machine.blocks[i].state;
        exited += state->exited;
        last = state->last_exit > last ? state->last_exit : last;
    }
    if (exited == run->machine.parameters->tiles)
        mnp_engine_finish(&run->machine.engine, mnp_edge(run->machine.parameters->clock, last));
}

static void on_window(void *context, mnp_time end)
{
    struct run *run = context;
    (void)end;
    pass_on_output(run);
    look_for_end(run);
}

static void on_epoch(void *context, mnp_time end, uint64_t hash)
{
    struct run *run = context;
    run->options->on_epoch(run->options->context, end, hash);
}

/* ===== the run ===== */

static bool engine_options(struct run *run, struct mnp_run_options *to, struct mnp_error *error)
{
    const struct manycore_run_options *options = run->options;
    const struct manycore_parameters *p = run->machine.parameters;
    *to = (struct mnp_run_options){.executor = options->executor,
                                   .threads = options->threads,
                                   .schedule = options->schedule,
                                   .window = mnp_edge(p->clock, options->window_cycles),
                                   .limit = mnp_edge(p->clock, options->max_cycles),
                                   .livelock = mnp_edge(p->clock, p->livelock),
                                   .no_skip = options->no_skip,
                                   .hash_epochs = options->on_epoch != NULL,
                                   .pin = true,
                                   .interrupt = options->interrupt,
                                   .on_epoch = options->on_epoch ? on_epoch : NULL,
                                   .on_window = on_window,
                                   .context = run};
    if (options->max_cycles && options->max_cycles < run->machine.limit)
        run->machine.limit = options->max_cycles;
    if (to->window > run->machine.engine.epoch)
        return mnp_fail(error, "--window %lu is longer than an epoch (%lu cycles); use at most that, or auto",
                        (unsigned long)options->window_cycles, (unsigned long)p->epoch);
    return true;
}

static void collect(struct run *run, struct mnp_results *results)
{
    static const struct mnp_model *const models[] = {&manycore_block_model};
    const struct manycore_parameters *p = run->machine.parameters;
    uint64_t now = mnp_cycle_at(p->clock, run->machine.engine.now);
    mnp_statistics_init(&results->total, models, 1, true);
    for (uint32_t i = 0; i < run->machine.block_count; i++) {
        const struct manycore_block *block = &run->machine.blocks[i];
        uint64_t *counters = mnp_counters(block->unit, 0);
        manycore_block_count(block, now, counters);
        mnp_statistics_add(&results->total, &manycore_block_model, counters);
        if (block->state->status > results->program_status)
            results->program_status = (uint32_t)block->state->status;
    }
}

static bool run_engine(struct run *run, struct mnp_results *results, struct mnp_error *error)
{
    struct mnp_engine *engine = &run->machine.engine;
    struct mnp_run_options options;
    if (!engine_options(run, &options, error))
        return false;
    enum mnp_stop stop = mnp_engine_run(engine, &options);
    pass_on_output(run);
    if (stop == MNP_STOP_FAULT) {
        *error = engine->error;
        return false;
    }
    mnp_results_end(results, engine, stop);
    collect(run, results);
    mnp_results_describe(results, engine, run->machine.parameters->clock);
    results->run.window_cycles = run->options->window_cycles;
    return true;
}

bool manycore_run(struct mnp_settings *settings, const struct mnp_program *program,
                  const struct manycore_run_options *options, struct mnp_results *results, struct mnp_error *error)
{
    struct manycore_parameters *parameters = mnp_allocate(1, sizeof *parameters);
    struct run run = {.options = options};
    bool done = manycore_parameters_read(parameters, settings, error);
    if (done) {
        const char *words = options->command_line ? options->command_line : "";
        if (strlen(words) >= sizeof run.machine.arguments)
            done = mnp_fail(error, "the program's arguments are longer than %d bytes", MANYCORE_ARGUMENTS - 1);
        else
            strcpy(run.machine.arguments, words);
        done =
            done && manycore_machine_init(&run.machine, parameters, program, error) && run_engine(&run, results, error);
        manycore_machine_release(&run.machine);
    }
    free(run.texts);
    free(parameters);
    return done;
}

bool manycore_check(struct mnp_settings *settings, struct mnp_error *error)
{
    struct manycore_parameters parameters;
    return manycore_parameters_read(&parameters, settings, error);
}
