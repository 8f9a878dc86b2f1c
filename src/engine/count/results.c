/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/count/results.h"

#include "engine/spread/ranks.h"

#include "base/allocate.h"
#include "engine/executors/executor.h"

#include <stdlib.h>
#include <string.h>

void mnp_results_init(struct mnp_results *results, enum mnp_verbosity verbosity)
{
    static const struct mnp_results_form plain = {0};
    *results = (struct mnp_results){.form = &plain};
    mnp_log_init(&results->log, verbosity);
}

void mnp_results_add_devices(struct mnp_results *results, uint32_t count)
{
    results->devices = mnp_allocate(count, sizeof(struct mnp_results *));
    results->device_count = count;
    for (uint32_t i = 0; i < count; i++) {
        results->devices[i] = mnp_allocate(1, sizeof **results->devices);
        mnp_results_init(results->devices[i], results->log.verbosity);
        results->devices[i]->form = results->form;
        results->devices[i]->one = true;
    }
}

static void release_part(struct mnp_part_results *part)
{
    mnp_statistics_release(&part->statistics);
    free(part->name);
    free(part);
}

void mnp_results_release(struct mnp_results *results)
{
    for (uint32_t i = 0; i < results->device_count; i++) {
        mnp_results_release(results->devices[i]);
        free(results->devices[i]);
    }
    free((void *)results->devices);
    for (uint32_t i = 0; i < results->part_count; i++)
        release_part(results->parts[i]);
    free((void *)results->parts);
    for (uint32_t i = 0; i < results->texts.count; i++)
        free(((char **)results->texts.items)[i]);
    mnp_array_release(&results->texts);
    free(results->report);
    if (results->samples)
        mnp_samples_release(results->samples);
    free(results->samples);
    mnp_estimate_free(results->estimate);
    mnp_timeline_release(&results->timeline);
    mnp_tally_release(&results->tally);
    mnp_statistics_release(&results->total);
    mnp_log_release(&results->log);
    *results = (struct mnp_results){0};
}

struct mnp_part_results *mnp_results_add_part(struct mnp_results *results, const struct mnp_model *const *models,
                                              uint32_t model_count)
{
    struct mnp_part_results *part = mnp_allocate(1, sizeof *part);
    part->name = mnp_allocate(1, 1);
    mnp_statistics_init(&part->statistics, models, model_count, false);
    results->parts = mnp_reallocate(results->parts, results->part_count + 1, sizeof(struct mnp_part_results *));
    results->parts[results->part_count++] = part;
    return part;
}

static int by_number(const void *a, const void *b)
{
    const struct mnp_part_results *left = *(struct mnp_part_results *const *)a;
    const struct mnp_part_results *right = *(struct mnp_part_results *const *)b;
    return left->id < right->id ? -1 : left->id > right->id;
}

void mnp_results_sort_parts(struct mnp_results *results)
{
    if (results->part_count)
        qsort((void *)results->parts, results->part_count, sizeof *results->parts, by_number);
}

void mnp_results_drop_part(struct mnp_results *results, uint32_t place)
{
    release_part(results->parts[place]);
    results->part_count--;
    memmove((void *)&results->parts[place], (void *)&results->parts[place + 1],
            (results->part_count - place) * sizeof *results->parts);
}

void mnp_part_name(struct mnp_part_results *part, const char *name)
{
    size_t bytes = strlen(name) + 1;
    part->name = mnp_reallocate(part->name, bytes, 1);
    memcpy(part->name, name, bytes);
}

void mnp_part_describe(struct mnp_part_results *part, const char *name, const uint64_t *values, uint32_t count)
{
    MNP_REQUIRE(part->attribute_count < MNP_ATTRIBUTES && count <= 3, "a part with too much of %s", name);
    struct mnp_attribute *attribute = &part->attributes[part->attribute_count++];
    *attribute = (struct mnp_attribute){.name = name, .count = count};
    for (uint32_t i = 0; i < count; i++)
        attribute->value[i] = values[i];
}

void mnp_part_describe_text(struct mnp_part_results *part, const char *name, const char *text)
{
    mnp_part_describe(part, name, NULL, 0);
    part->attributes[part->attribute_count - 1].text = text;
}

const struct mnp_attribute *mnp_part_attribute(const struct mnp_part_results *part, const char *name)
{
    for (uint32_t i = 0; name && i < part->attribute_count; i++)
        if (strcmp(part->attributes[i].name, name) == 0)
            return &part->attributes[i];
    return NULL;
}

void mnp_results_end(struct mnp_results *results, struct mnp_engine *engine, enum mnp_stop stop, bool hash)
{
    static const enum mnp_end ends[] = {[MNP_STOP_FINISHED] = MNP_END_FINISHED,
                                        [MNP_STOP_LIMIT] = MNP_END_LIMIT,
                                        [MNP_STOP_HANG] = MNP_END_HANG,
                                        [MNP_STOP_LIVELOCK] = MNP_END_LIVELOCK,
                                        [MNP_STOP_INTERRUPTED] = MNP_END_INTERRUPTED,
                                        [MNP_STOP_TIME] = MNP_END_TIME};
    results->end = ends[stop];
    if (hash)
        snprintf(results->hash, sizeof results->hash, "%016llx", (unsigned long long)mnp_engine_hash(engine));
    if (stop == MNP_STOP_HANG || stop == MNP_STOP_LIVELOCK) {
        mnp_ranks_gather_states(engine);
        results->report = mnp_engine_report_text(engine);
    }
}

void mnp_results_describe(struct mnp_results *results, const struct mnp_engine *engine, uint64_t hertz)
{
    struct mnp_run_info *info = &results->run;
    info->executor = engine->options.executor->name;
    info->threads = engine->options.threads;
    info->no_skip = engine->options.no_skip;
    info->windows = engine->windows;
    info->unit_runs = engine->unit_runs;
    info->device_clocks = engine->device.clocks;
    info->device_mesh_clocks = engine->device.mesh_clocks;
    info->placed = engine->placed;
    mnp_ranks_describe(engine, info);
    if (engine->shortest)
        snprintf(info->shortest_link, sizeof info->shortest_link, "%s to %s, %lu core cycles",
                 engine->shortest->from->name, engine->shortest->to->name,
                 (unsigned long)mnp_cycle_at(hertz, engine->lookahead));
    else
        snprintf(info->shortest_link, sizeof info->shortest_link, "none: the machine is one unit");
}

const char *mnp_end_name(enum mnp_end end)
{
    static const char *const names[] = {
        [MNP_END_FINISHED] = "finished",
        [MNP_END_LIMIT] = "limit",
        [MNP_END_HANG] = "hang",
        [MNP_END_LIVELOCK] = "livelock",
        [MNP_END_INTERRUPTED] = "interrupted",
        [MNP_END_TIME] = "time limit",
        [MNP_END_SNAPSHOT] = "snapshot",
    };
    return names[end];
}

int mnp_end_status(enum mnp_end end)
{
    switch (end) {
    case MNP_END_FINISHED:
    case MNP_END_SNAPSHOT:
        return MNP_EXIT_DONE;
    case MNP_END_INTERRUPTED:
        return MNP_EXIT_INTERRUPTED;
    default:
        return MNP_EXIT_STOPPED;
    }
}
