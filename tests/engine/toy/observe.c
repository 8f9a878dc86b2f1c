/* SPDX-License-Identifier: BSD-3-Clause */
/* Running a toy machine and collecting everything that the contract says must be the same for every executor. */
#include "toy.h"

#include "../../sanitized.h"
#include "engine/count/statistics.h"
#include "engine/spread/ranks.h"

#include <stdlib.h>
#include <string.h>

enum { SLOWER = TEST_SANITIZED ? 6 : 1 };

uint64_t toy_effort(uint64_t usual)
{
    const char *percent = getenv("MNP_TEST_EFFORT");
    uint64_t effort = usual / SLOWER * (percent ? strtoull(percent, NULL, 10) : 100) / 100;
    return effort ? effort : 1;
}

static void append(struct toy_result *result, const void *bytes, size_t length)
{
    while (result->length + length > result->capacity) {
        result->capacity = result->capacity ? 2 * result->capacity : 4096;
        result->bytes = mnp_reallocate(result->bytes, result->capacity, 1);
    }
    if (length > 0)
        memcpy(result->bytes + result->length, bytes, length);
    result->length += length;
}

static void on_epoch(void *context, const struct mnp_epoch_hashes *hashes)
{
    uint64_t record[2] = {hashes->end, hashes->hash};
    append(context, record, sizeof record);
}

struct mnp_run_options toy_reference_options(const struct toy_machine *machine)
{
    const struct toy_parameters *p = &machine->parameters;
    uint64_t fastest = p->core_hertz > p->ring_hertz ? p->core_hertz : p->ring_hertz;
    fastest = p->slice_hertz > fastest ? p->slice_hertz : fastest;
    return (struct mnp_run_options){.executor = &mnp_executor_serial, .threads = 1, .window = MNP_SECOND / fastest,
                                    .limit = MNP_SECOND / 1000, .no_skip = true, .hash_epochs = true};
}

/* A statistic that is computed from counters of all cores. */
static uint64_t energy_of(const struct mnp_engine *engine)
{
    const struct mnp_model *models[] = {&toy_core_model};
    struct mnp_statistic_set set;
    struct mnp_statistic_value value;
    mnp_statistics_init(&set, models, 1, false);
    for (uint32_t i = 0; i < engine->unit_count; i++)
        if (engine->units[i]->model == &toy_core_model)
            mnp_statistics_add(&set, &toy_core_model, engine->units[i]->counters);
    mnp_statistics_read(&set, &set.blocks[0], TOY_CORE_ENERGY, &value);
    mnp_statistics_release(&set);
    return value.numerator;
}

void toy_observe(struct toy_machine *machine, const struct mnp_run_options *options, struct toy_result *result)
{
    struct mnp_engine *engine = &machine->engine;
    struct mnp_run_options mine = *options;
    mine.on_epoch = on_epoch;
    mine.context = result;
    result->length = 0;
    result->stop = mnp_engine_run(engine, &mine);
    result->now = engine->now;
    result->epoch = engine->epoch;
    result->progress = 0;
    for (uint32_t i = 0; i < engine->unit_count; i++)
        if (engine->units[i]->progress > result->progress)
            result->progress = engine->units[i]->progress;
    mnp_ranks_gather_counters(engine, MNP_ALL_SLOTS);
    uint64_t end[4] = {result->stop, engine->now, mnp_engine_hash(engine), mnp_memory_hash(&machine->memory)};
    append(result, end, sizeof end);
    for (uint32_t i = 0; i < engine->unit_count; i++) {
        const struct mnp_unit *unit = engine->units[i];
        append(result, unit->counters, unit->model->statistic_count * sizeof *unit->counters);
    }
    uint64_t energy = energy_of(engine);
    append(result, &energy, sizeof energy);
    append(result, engine->error.text, strlen(engine->error.text));
}

bool toy_same(const struct toy_result *a, const struct toy_result *b)
{
    if (a->length == b->length && memcmp(a->bytes, b->bytes, a->length) == 0)
        return true;
    size_t at = 0;
    while (at < a->length && at < b->length && a->bytes[at] == b->bytes[at])
        at++;
    uint64_t record[2] = {0, 0};
    size_t from = at / sizeof record * sizeof record;
    if (from + sizeof record <= a->length)
        memcpy(record, a->bytes + from, sizeof record);
    fprintf(stderr, "results of %zu and %zu bytes part at byte %zu (%llu, %llx); stops %d %d, ends %llu %llu\n",
            a->length, b->length, at, (unsigned long long)record[0], (unsigned long long)record[1], a->stop, b->stop,
            (unsigned long long)a->now, (unsigned long long)b->now);
    return false;
}

/* A point of the matrix. Point 0 is the reference, 1 the serial executor with the longest windows. */
static struct mnp_run_options draw_point(const struct toy_machine *machine, uint64_t seed, uint64_t point)
{
    struct mnp_run_options options = toy_reference_options(machine);
    if (point == 0)
        return options;
    static const uint64_t cycles[] = {0, 1, 5};
    uint64_t window = point == 1 ? 0 : cycles[toy_below(seed, 10 * point, 3)] * options.window;
    options.window = window > machine->engine.lookahead ? 0 : window;
    options.no_skip = point > 1 && toy_below(seed, 10 * point + 1, 3) == 0;
    options.executor = point == 1 ? &mnp_executor_serial : &mnp_executor_window;
    options.threads = (uint32_t)(1 + toy_below(seed, 10 * point + 2, 3));
    options.schedule = (enum mnp_schedule)toy_below(seed, 10 * point + 3, 3);
    options.worth = 1;
    return options;
}

static char *report_of(const struct toy_machine *machine)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    MNP_REQUIRE(out != NULL, "no memory for a report");
    mnp_engine_report(&machine->engine, out);
    fclose(out);
    return text;
}

bool toy_same_everywhere(const struct toy_parameters *parameters, const struct toy_program programs[][TOY_THREADS],
                         const struct mnp_run_options *options, uint64_t seed, uint64_t points,
                         struct toy_result *reference, char **report)
{
    bool same = true;
    *reference = (struct toy_result){0};
    struct toy_machine *machine = mnp_allocate(1, sizeof *machine);
    for (uint64_t point = 0; point <= points && same; point++) {
        struct toy_result result = {0};
        toy_build(machine, parameters, programs);
        struct mnp_run_options mine = draw_point(machine, seed, point);
        mine.limit = options->limit;
        mine.livelock = options->livelock;
        mine.hash_epochs = options->hash_epochs;
        toy_observe(machine, &mine, point ? &result : reference);
        if (point == 0 && report)
            *report = report_of(machine);
        same = point == 0 || toy_same(reference, &result);
        toy_release(machine);
        free(result.bytes);
    }
    free(machine);
    return same;
}
