/* SPDX-License-Identifier: BSD-3-Clause */
#include "manycore/manycore.h"

#include "engine/executors/executor.h"
#include "engine/spread/ranks.h"
#include "manycore/machine.h"
#include "manycore/translate.h"

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

/* What the blocks of this process have written since the last time, as bytes: heads, each followed by its text. */
static size_t pack_output(struct run *run, unsigned char **packed)
{
    size_t length = 0, at = 0;
    for (uint32_t i = 0; i < run->machine.block_count; i++)
        for (uint32_t j = 0; j < run->machine.blocks[i].output_count; j++)
            length += sizeof(struct manycore_output) + run->machine.blocks[i].outputs[j].bytes;
    *packed = mnp_allocate(length + 1, 1);
    for (uint32_t i = 0; i < run->machine.block_count; i++) {
        struct manycore_block *block = &run->machine.blocks[i];
        for (uint32_t j = 0; j < block->output_count; j++) {
            const struct manycore_output *output = &block->outputs[j];
            memcpy(*packed + at, output, sizeof *output);
            memcpy(*packed + at + sizeof *output, output->text, output->bytes);
            at += sizeof *output + output->bytes;
            free(output->text);
        }
        block->output_count = 0;
    }
    return length;
}

/* Finds the heads in packed output, and lets them point to their texts there. */
static uint32_t unpack_output(struct run *run, unsigned char *packed, size_t length)
{
    uint32_t count = 0;
    for (size_t at = 0; at < length; count++) {
        if (count == run->capacity) {
            run->capacity = 2 * count + 16;
            run->texts = mnp_reallocate(run->texts, run->capacity, sizeof *run->texts);
        }
        struct manycore_output *output = &run->texts[count];
        memcpy(output, packed + at, sizeof *output);
        output->text = packed + at + sizeof *output;
        at += sizeof *output + output->bytes;
    }
    return count;
}

/* Hands on what programs have written, ordered by time and tile. A core writes once in a cycle at most. */
static void pass_on_output(void *context)
{
    struct run *run = context;
    unsigned char *mine;
    void *all;
    size_t length = pack_output(run, &mine);
    length = mnp_ranks_collect(&run->machine.engine, mine, length, &all);
    uint32_t count = unpack_output(run, all, length);
    if (count)
        qsort(run->texts, count, sizeof *run->texts, by_time);
    for (uint32_t i = 0; i < count && run->options->on_output; i++)
        run->options->on_output(run->options->context, run->texts[i].text, run->texts[i].bytes);
    free(all);
    free(mine);
}

/* Tells the engine which cores have exited, which ends the run with the last of them, and whether any has written. A
 * window ends no later than the epoch of anything in it, so that the time of that exit is not too late to be known. */
static void on_window(void *context, mnp_time end)
{
    struct run *run = context;
    (void)end;
    for (uint32_t i = 0; i < run->machine.block_count; i++) {
        struct manycore_block *block = &run->machine.blocks[i];
        if (!mnp_engine_owns(&run->machine.engine, block->unit->id))
            continue;
        block->unit->ended = block->state->exited;
        block->unit->last_end = mnp_edge(run->machine.parameters->clock, block->state->last_exit);
        run->machine.engine.news |= block->output_count > 0;
    }
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

/* Cores from which a translation is compiled without being asked for. */
enum { WORTH_COMPILING = 256 };

/* Chooses how cores are computed. */
static bool choose_core(struct run *run, struct mnp_error *error)
{
    const struct manycore_run_options *options = run->options;
    struct manycore_machine *machine = &run->machine;
    bool asked = options->core == MANYCORE_CORE_TRANSLATION;
    struct mnp_error why = {""};
    if (options->core == MANYCORE_CORE_INTERPRETER ||
        manycore_library_open(&machine->image, machine->parameters,
                              asked || machine->parameters->tiles >= WORTH_COMPILING, options->interrupt, &why))
        return true;
    if (asked && !(options->interrupt && *options->interrupt))
        return mnp_fail(error, "--core translation: %s; use --core auto", why.text);
    if (options->on_remark)
        options->on_remark(options->context, why.text);
    return true;
}

static bool engine_options(struct run *run, struct mnp_run_options *to, struct mnp_error *error)
{
    const struct manycore_run_options *options = run->options;
    const struct manycore_parameters *p = run->machine.parameters;
    *to = (struct mnp_run_options){.executor = options->request.executor,
                                   .threads = options->request.threads,
                                   .schedule = options->request.schedule,
                                   .chunk = options->request.chunk,
                                   .window = mnp_edge(p->clock, options->request.window_cycles),
                                   .limit = mnp_edge(p->clock, options->request.max_cycles),
                                   .livelock = mnp_edge(p->clock, p->livelock),
                                   .no_skip = options->request.no_skip,
                                   .hash_epochs = options->on_epoch != NULL,
                                   .pin = true,
                                   .interrupt = options->interrupt,
                                   .on_epoch = options->on_epoch ? on_epoch : NULL,
                                   .on_window = on_window,
                                   .on_costs = options->on_costs ? on_costs : NULL,
                                   .on_news = pass_on_output,
                                   .context = run};
    if (options->request.max_cycles && options->request.max_cycles < run->machine.limit)
        run->machine.limit = options->request.max_cycles;
    if (to->window > run->machine.engine.epoch)
        return mnp_fail(error, "--window %lu is longer than an epoch (%lu cycles); use at most that, or auto",
                        (unsigned long)options->request.window_cycles, (unsigned long)p->epoch);
    return true;
}

/* Tiles in the order of their numbers, however they are cut into blocks and spread over processes. */
static void collect_tiles(const struct manycore_machine *machine, uint64_t now, struct mnp_results *results)
{
    const struct manycore_parameters *p = machine->parameters;
    uint32_t width = (uint32_t)p->width;
    uint64_t *counters = mnp_allocate(p->tiles * MANYCORE_TILE_STATISTICS, sizeof *counters);
    for (uint32_t tile = 0; tile < p->tiles; tile++) {
        const struct manycore_block *block = manycore_block_of(machine, tile);
        if (mnp_engine_owns(&machine->engine, block->unit->id))
            manycore_tile_count(block, manycore_place_of(block, tile, width), now,
                                counters + (size_t)tile * MANYCORE_TILE_STATISTICS);
    }
    mnp_ranks_sum(&machine->engine, counters, p->tiles * MANYCORE_TILE_STATISTICS);
    for (uint32_t tile = 0; tile < p->tiles; tile++)
        mnp_statistics_add(&results->total, &manycore_tile_model, counters + (size_t)tile * MANYCORE_TILE_STATISTICS);
    free(counters);
    if (p->network == MANYCORE_MESH) {
        results->mesh_width = width;
        results->mesh_height = (uint32_t)p->height;
    }
}

static void collect(struct run *run, struct mnp_results *results)
{
    static const struct mnp_model *const models[] = {&manycore_block_model, &manycore_tile_model};
    const struct manycore_parameters *p = run->machine.parameters;
    uint64_t now = mnp_cycle_at(p->clock, run->machine.engine.now);
    uint64_t *status = mnp_allocate(run->machine.block_count, sizeof *status);
    mnp_statistics_init(&results->total, models, 2, true);
    for (uint32_t i = 0; i < run->machine.block_count; i++) {
        const struct manycore_block *block = &run->machine.blocks[i];
        if (!mnp_engine_owns(&run->machine.engine, block->unit->id))
            continue;
        manycore_block_count(block, now, mnp_counters(block->unit, 0));
        status[i] = block->state->status;
    }
    mnp_ranks_gather_counters(&run->machine.engine, 0);
    mnp_ranks_sum(&run->machine.engine, status, run->machine.block_count);
    for (uint32_t i = 0; i < run->machine.block_count; i++) {
        mnp_statistics_add(&results->total, &manycore_block_model, mnp_counters(run->machine.blocks[i].unit, 0));
        if (status[i] > results->program_status)
            results->program_status = (uint32_t)status[i];
    }
    free(status);
    collect_tiles(&run->machine, now, results);
}

static bool run_engine(struct run *run, struct mnp_results *results, struct mnp_error *error)
{
    struct mnp_engine *engine = &run->machine.engine;
    struct mnp_run_options options;
    if (!engine_options(run, &options, error))
        return false;
    engine->ends_after = run->machine.parameters->tiles;
    if (run->options->transport)
        mnp_ranks_spread(engine, run->options->transport);
    enum mnp_stop stop = mnp_engine_run(engine, &options);
    if (stop == MNP_STOP_FAULT) {
        *error = engine->error;
        return false;
    }
    mnp_results_end(results, engine, stop);
    collect(run, results);
    if (stop == MNP_STOP_LIMIT)
        mnp_ranks_gather_states(engine);
    if (stop == MNP_STOP_LIVELOCK || stop == MNP_STOP_LIMIT) { /* cores that spin say more than units that wait */
        free(results->report);
        results->report = manycore_waiting_text(&run->machine);
    }
    mnp_results_describe(results, engine, run->machine.parameters->clock);
    results->run.window_cycles = run->options->request.window_cycles;
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
        done = done && manycore_machine_init(&run.machine, parameters, program, error) && choose_core(&run, error) &&
               run_engine(&run, results, error);
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
