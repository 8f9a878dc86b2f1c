/* SPDX-License-Identifier: BSD-3-Clause */
/* A many-core machine as a session sees it: how it is built, what its programs write, and its statistics. */
#include "manycore/manycore.h"

#include "engine/executors/executor.h"
#include "engine/spread/ranks.h"
#include "manycore/gpu/gpu.h"
#include "manycore/mesh/place.h"
#include "manycore/translation/translate.h"

#include <stdlib.h>
#include <string.h>

/* Statistics that are sampled by default. */
#define SAMPLES                                                                                                        \
    "ipc,cache_miss_cycles,s_events,s_event_wait_cycles,s_event_latency,noc_hops,noc_packets,noc_blocked_cycles"

struct run {
    struct manycore_parameters parameters;
    struct manycore_machine machine;
    struct manycore_output *texts; /* output of the last window, from all blocks */
    uint32_t capacity;
};

static struct run *run_of(const struct mnp_session *session)
{
    return session->machine;
}

/* ===== between windows ===== */

static int by_time(const void *a, const void *b)
{
    const struct manycore_output *left = a, *right = b;
    if (left->cycle != right->cycle)
        return left->cycle < right->cycle ? -1 : 1;
    return left->tile < right->tile ? -1 : left->tile > right->tile;
}

/* The blocks, and behind them the one that they may be joined into. */
static struct manycore_block *block_of(struct run *run, uint32_t number)
{
    return number < run->machine.block_count ? &run->machine.blocks[number] : run->machine.whole;
}

/* Packs the output of this process's blocks since the last call into bytes: heads, each followed by its text. */
static size_t pack_output(struct run *run, unsigned char **packed)
{
    size_t length = 0, at = 0;
    uint32_t blocks = run->machine.block_count + (run->machine.whole != NULL);
    for (uint32_t i = 0; i < blocks; i++)
        for (uint32_t j = 0; j < block_of(run, i)->output_count; j++)
            length += sizeof(struct manycore_output) + block_of(run, i)->outputs[j].bytes;
    *packed = mnp_allocate(length + 1, 1);
    for (uint32_t i = 0; i < blocks; i++) {
        struct manycore_block *block = block_of(run, i);
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
static void pass_on_output(struct mnp_session *session)
{
    struct run *run = run_of(session);
    unsigned char *mine;
    void *all;
    size_t length = pack_output(run, &mine);
    length = mnp_ranks_collect(&run->machine.engine, mine, length, &all);
    uint32_t count = unpack_output(run, all, length);
    if (count)
        qsort(run->texts, count, sizeof *run->texts, by_time);
    for (uint32_t i = 0; i < count && session->options.on_output; i++)
        session->options.on_output(session->options.context, run->texts[i].text, run->texts[i].bytes);
    free(all);
    free(mine);
}

/* Tells the engine whether any program has written: blocks say so in one place, as their own are other threads'. */
static void look_for_news(struct mnp_session *session, mnp_time end)
{
    struct manycore_machine *machine = &run_of(session)->machine;
    (void)end;
    if (!atomic_load_explicit(&machine->spoken, memory_order_relaxed))
        return;
    atomic_store_explicit(&machine->spoken, false, memory_order_relaxed);
    machine->engine.news = true;
}

/* ===== building ===== */

/* Cores from which a translation is compiled without being asked for. */
enum { WORTH_COMPILING = 256 };

static void remark(const struct mnp_session_options *options, const struct mnp_error *why)
{
    char text[sizeof why->text + 32];
    snprintf(text, sizeof text, "cores are interpreted: %s", why->text);
    if (options->on_remark)
        options->on_remark(options->context, text);
}

/* Listeners need cores that the host computes, and times at which all of them are cut. */
static bool check_watch(const struct mnp_session *session, struct mnp_error *error)
{
    const struct mnp_session_options *options = &session->options;
    const struct mnp_executor *executor = options->request.executor;
    const char *option = options->request.by_instruction  ? "--by-instruction"
                         : options->request.timeline_to   ? "--timeline accesses"
                         : options->request.sample_cycles ? "--sample"
                                                          : NULL;
    if (option && (executor->free || executor->device))
        return mnp_fail(error, "%s: executor %s does not have that; use --executor window", option, executor->name);
    if (option && options->on_epoch)
        return mnp_fail(error, "%s: cores run ahead less far then, and --hash shows how far; leave one of them out",
                        option);
    if (options->request.by_instruction && options->core == MNP_CORE_TRANSLATION)
        return mnp_fail(error, "--by-instruction: translated code counts blocks, not instructions; use --core auto");
    return true;
}

/* Says why nothing seems to happen. */
static void say_compiling(void *context)
{
    const struct mnp_session *session = context;
    const struct mnp_session_options *options = &session->options;
    const char *path = run_of(session)->machine.image.program->path, *slash = strrchr(path, '/');
    char text[256];
    snprintf(text, sizeof text,
             "translating %.100s, once for each program and set of core and cache parameters (--core interpreter: not)",
             slash ? slash + 1 : path);
    if (options->on_notice)
        options->on_notice(options->context, text);
}

/* Chooses how cores are computed. */
static bool choose_core(struct mnp_session *session, struct mnp_error *error)
{
    const struct mnp_session_options *options = &session->options;
    struct manycore_machine *machine = &run_of(session)->machine;
    bool asked = options->core == MNP_CORE_TRANSLATION;
    struct mnp_error why = {""};
    struct manycore_compiling compiling = {
        .allowed = asked || machine->parameters->tiles >= WORTH_COMPILING,
        .stop = options->interrupt,
        .begins = say_compiling,
        .context = session,
    };
    if (options->core == MNP_CORE_INTERPRETER || options->request.by_instruction)
        return true;
    bool translated = manycore_library_open(&machine->image, machine->parameters, &compiling, &why);
    session->results->run.translation_ns = compiling.took_ns;
    if (translated)
        return true;
    if (asked && !(options->interrupt && *options->interrupt))
        return mnp_fail(error, "--core translation: %s; use --core auto", why.text);
    remark(options, &why);
    return true;
}

/* Puts the machine on a GPU, with a translation of its program if that is wanted and can be had. */
static bool choose_gpu(struct mnp_session *session, const struct mnp_executor *executor, struct mnp_error *error)
{
    const struct mnp_session_options *options = &session->options;
    struct manycore_machine *machine = &run_of(session)->machine;
    bool asked = options->core == MNP_CORE_TRANSLATION;
    struct mnp_error why = {""};
    char *translated = NULL;
    if (options->core != MNP_CORE_INTERPRETER) {
        translated = manycore_gpu_translate(&machine->image, machine->parameters,
                                            asked || machine->parameters->tiles >= WORTH_COMPILING, &why);
        if (!translated && asked)
            return mnp_fail(error, "--core translation: %s; use --core auto", why.text);
        if (!translated)
            remark(options, &why);
    }
    bool done = manycore_gpu_open(machine, executor, translated, error);
    free(translated);
    return done;
}

/* Extends blocks by energies, if the machine counts them. */
static void open_energy(struct mnp_session *session, struct manycore_parameters *p)
{
    if (!p->energy.model)
        return;
    size_t count;
    struct mnp_statistic *rows = manycore_energy_settle(session, p->clock, p->tiles, &count);
    p->block = mnp_session_extend(session, &manycore_block_model, rows, count);
    if (!session->options.request.sample_statistics)
        session->options.request.sample_statistics = SAMPLES ",energy*,power";
}

static bool build(struct run *run, const struct mnp_work *work, struct mnp_error *error)
{
    const char *words = work->words ? work->words : "";
    if (strlen(words) >= sizeof run->machine.common.arguments)
        return mnp_fail(error, "the program's arguments are longer than %d bytes", MANYCORE_ARGUMENTS - 1);
    if (!manycore_machine_init(&run->machine, &run->parameters, work->program, error))
        return false;
    strcpy(run->machine.common.arguments, words);
    return true;
}

/* Threads that the machine is cut into blocks for. 0: blocks themselves are seen (hashes of epochs and costs have a
 * column for each), or are units of other hosts: then they are the same for any number of threads. */
static uint32_t cutting_threads(const struct mnp_session *session)
{
    const struct mnp_session_options *options = &session->options;
    bool seen = options->on_epoch || options->on_costs || options->transport || options->request.executor->device;
    return seen ? 0 : options->request.threads;
}

/* Whether nothing but the end of the run sees what cores do that wait for a word of the global space. */
static bool may_sleep(const struct mnp_session *session)
{
    const struct mnp_session_options *options = &session->options;
    const struct mnp_run_request *request = &options->request;
    bool listens = request->sample_cycles || request->timeline_to || request->by_instruction;
    return !listens && !options->on_epoch && !options->transport && !request->executor->device &&
           !request->executor->free;
}

static bool open_manycore(struct mnp_session *session, struct mnp_settings *settings, const struct mnp_work *work,
                          struct mnp_error *error)
{
    struct run *run = session->machine = mnp_allocate(1, sizeof *run);
    uint64_t limit = session->options.request.max_cycles;
    if (!manycore_parameters_read(&run->parameters, settings, error) || !check_watch(session, error))
        return false;
    open_energy(session, &run->parameters);
    manycore_parameters_cut(&run->parameters, cutting_threads(session));
    if (!build(run, work, error))
        return false;
    if (limit && limit < run->machine.common.limit)
        run->machine.common.limit = limit;
    const struct mnp_executor *executor = session->options.request.executor;
    if (executor->free && !executor->device)
        manycore_free_init(&run->machine);
    if (may_sleep(session))
        manycore_polls_open(&run->machine);
    manycore_watch_open(&run->machine, &session->options.request);
    if (executor->device ? !choose_gpu(session, executor, error) : !choose_core(session, error))
        return false;
    session->engine = &run->machine.engine;
    session->hertz = run->parameters.clock;
    session->livelock = run->parameters.livelock;
    session->ends_after = run->parameters.tiles;
    return true;
}

static void close_manycore(struct mnp_session *session)
{
    struct run *run = run_of(session);
    manycore_gpu_close(&run->machine);
    manycore_watch_release(&run->machine);
    if (run->machine.parameters)
        manycore_machine_release(&run->machine);
    free(run->texts);
    free(run);
}

/* ===== collecting ===== */

/* The counts of a block are computed from its tiles, whenever they are read. */
static void count_blocks(struct mnp_session *session)
{
    const struct manycore_machine *machine = &run_of(session)->machine;
    uint64_t now = mnp_session_cycle(session, session->engine->now);
    for (uint32_t i = 0; i < machine->block_count; i++) {
        const struct manycore_block *block = &machine->blocks[i];
        uint64_t *counters = mnp_counters(block->unit, 0);
        memset(counters, 0, block->unit->counter_width * sizeof *counters);
        if (mnp_engine_owns(session->engine, block->unit->id))
            manycore_block_count(block, now, counters);
    }
}

/* Longest way between two tiles, in hops, of a mesh of so many tiles that is as near to a square as it goes; 0: a side
 * would be too long. */
static uint64_t longest_way(uint64_t tiles)
{
    uint64_t width = manycore_nearest_width(tiles);
    return width > MANYCORE_SIDE ? 0 : width + tiles / width - 2;
}

/* A number of tiles that makes a chain, where a square is expected, is warned of. */
static void warn_of_chain(const struct manycore_parameters *p, struct mnp_log *log)
{
    enum { LONGER = 2 };
    uint64_t side = 1, other = p->tiles, way = p->width + p->height - 2;
    while (side * side < p->tiles)
        side++;
    if (p->tiles == 1 || p->mesh_width || way < LONGER * 2 * (side - 1))
        return;
    do
        other--;
    while (!longest_way(other) || longest_way(other) > 2 * side);
    mnp_warn(log, "%llu tiles make a mesh of %llu x %llu, in which packets take up to %llu hops; %llu tiles take %llu",
             (unsigned long long)p->tiles, (unsigned long long)p->width, (unsigned long long)p->height,
             (unsigned long long)way, (unsigned long long)other, (unsigned long long)longest_way(other));
}

/* Tiles in the order of their numbers, however they are cut into blocks and spread over processes. */
static void collect_tiles(struct mnp_session *session)
{
    const struct manycore_machine *machine = &run_of(session)->machine;
    const struct manycore_parameters *p = machine->parameters;
    struct mnp_results *results = session->results;
    uint64_t now = mnp_session_cycle(session, session->engine->now);
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
        results->map_width = width;
        results->map_height = (uint32_t)p->height;
        warn_of_chain(p, &results->log);
    }
}

/* The program's status is the greatest of its cores'. */
static void total_up(struct mnp_session *session, uint32_t device, bool finished)
{
    const struct manycore_machine *machine = &run_of(session)->machine;
    uint64_t *status = mnp_allocate(machine->block_count, sizeof *status);
    (void)device, (void)finished;
    for (uint32_t i = 0; i < machine->block_count; i++)
        if (mnp_engine_owns(session->engine, machine->blocks[i].unit->id))
            status[i] = machine->blocks[i].state->status;
    mnp_ranks_sum(session->engine, status, machine->block_count);
    if (machine->whole)
        session->results->program_status = (uint32_t)machine->whole->state->status;
    for (uint32_t i = 0; i < machine->block_count; i++)
        if (status[i] > session->results->program_status)
            session->results->program_status = (uint32_t)status[i];
    free(status);
    collect_tiles(session);
}

static void collect(struct mnp_session *session, uint32_t device)
{
    uint64_t now = mnp_session_cycle(session, session->engine->now);
    (void)device;
    manycore_watch_collect(&run_of(session)->machine, &session->options.request, now, session->results);
}

static char *waiting(const struct mnp_session *session)
{
    return manycore_waiting_text(&run_of(session)->machine);
}

static unsigned char *memory(const struct mnp_session *session, uint32_t bank, uint64_t address, uint64_t bytes)
{
    const struct manycore_machine *machine = &run_of(session)->machine;
    uint64_t from = 0, room = machine->shared_bytes;
    if (bank == MNP_WHOLE_MEMORY) {
        address -= MANYCORE_SHARED; /* an address below wraps around, and is too great */
    } else {
        if (bank >= machine->parameters->tiles)
            return NULL;
        room = machine->parameters->bank_bytes;
        from = bank * room;
    }
    return address <= room && bytes <= room - address ? machine->shared.base + from + address : NULL;
}

static bool check(struct mnp_settings *settings, struct mnp_error *error)
{
    struct manycore_parameters parameters;
    return manycore_parameters_read(&parameters, settings, error);
}

static const struct mnp_model *const counting[] = {&manycore_block_model, &manycore_tile_model, NULL};

static const struct mnp_map maps[] = {
    {"mesh.links.svg", "Use of the links", "bank_accesses", "accesses served by the bank", "link", "packets"},
    {"mesh.stalls.svg", "Stalls", "core_wait_cycles", "cycles that the core waited for shared memory", "stall",
     "cycles in which packets were there and none could go"},
};

static const struct mnp_results_form form = {
    .cycles = "global_cycles",
    .work = "instructions",
    .speed = "S-MIPS",
    .speed_scale = 1000,
    .speed_decimals = 1,
    .maps = maps,
    .map_count = sizeof maps / sizeof *maps,
    .squares = "tiles",
};

const struct mnp_machine_kind manycore_kind = {
    .name = "manycore",
    .summary = "A many-core coprocessor: tiles of simple A32 cores in a mesh, with distributed shared memory.",
    .models = manycore_models,
    .counting = counting,
    .form = &form,
    .inputs = MNP_INPUT_PROGRAM,
    .cores = "tile.count",
    .samples = SAMPLES,
    .tally = true,
    .energy = true,
    .timeline = {"cores", "accesses"},
    .check = check,
    .open = open_manycore,
    .close = close_manycore,
    .between = look_for_news,
    .news = pass_on_output,
    .collect = collect,
    .count = count_blocks,
    .total = total_up,
    .waiting = waiting,
    .memory = memory,
};
