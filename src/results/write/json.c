/* SPDX-License-Identifier: BSD-3-Clause */
/* results.json: the format "maniple-results-1". Keys stand in a fixed order, that of the models' tables. */
#include "results/encoding/json.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"
#include "base/version.h"
#include "results/provenance/provenance.h"
#include "results/write/results.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_MODELS = 16 };

/* ===== statistics ===== */

static void write_bounds(struct mnp_json *json, const struct mnp_statistic *row)
{
    results_json_open_inline(json, "bounds", '[');
    for (uint32_t bin = 0; bin + 1 < row->bins; bin++) /* the last bin has no bound */
        results_json_number(json, NULL, mnp_histogram_bound(row, bin));
    results_json_close_inline(json, ']');
}

static void write_statistic(struct mnp_json *json, const struct mnp_statistic_value *value)
{
    const struct mnp_statistic *row = value->row;
    char text[MNP_NUMBER_TEXT];
    results_json_open_inline(json, row->name, '{');
    if (value->form == MNP_BINS) {
        results_json_open_inline(json, "value", '[');
        for (uint32_t bin = 0; bin < row->bins; bin++)
            results_json_number(json, NULL, value->values[bin]);
        results_json_close_inline(json, ']');
        write_bounds(json, row);
    } else {
        results_json_verbatim(json, "value", mnp_statistic_text(text, value));
    }
    results_json_text(json, "unit", row->unit);
    results_json_close_inline(json, '}');
}

/* A statistic of every unit of its model: {"value": {"sm": [1, 2, …]}, "unit": …}. */
static void write_per_unit(struct mnp_json *json, const struct mnp_statistic_set *set,
                           const struct mnp_statistic_block *block, size_t row)
{
    const struct mnp_statistic *statistic = &block->model->statistics[row];
    struct mnp_statistic_value value;
    char name[128], text[MNP_NUMBER_TEXT];
    if (!mnp_statistics_read_unit(set, block, row, 0, &value))
        return;
    snprintf(name, sizeof name, "%s_per_unit", statistic->name);
    results_json_open_inline(json, name, '{');
    results_json_open_inline(json, "value", '{');
    results_json_open_inline(json, block->model->name, '[');
    for (uint32_t unit = 0; unit < block->unit_count; unit++) {
        mnp_statistics_read_unit(set, block, row, unit, &value);
        results_json_verbatim(json, NULL, mnp_statistic_text(text, &value));
    }
    results_json_close_inline(json, ']');
    results_json_close_inline(json, '}');
    results_json_text(json, "unit", statistic->unit);
    results_json_close_inline(json, '}');
}

static void write_statistics(struct mnp_json *json, const struct mnp_statistic_set *set)
{
    results_json_open(json, "statistics", '{');
    for (uint32_t i = 0; i < set->block_count; i++)
        for (size_t row = 0; row < set->blocks[i].model->statistic_count; row++) {
            struct mnp_statistic_value value;
            mnp_statistics_read(set, &set->blocks[i], row, &value);
            write_statistic(json, &value);
            write_per_unit(json, set, &set->blocks[i], row);
        }
    results_json_close(json, '}');
}

/* ===== the machine: its keys as nested objects, sizes in bytes, clocks in hertz ===== */

static void machine_open(void *context, const char *group, unsigned depth)
{
    (void)depth;
    results_json_open(context, group, '{');
}

static void machine_close(void *context, unsigned depth)
{
    (void)depth;
    results_json_close(context, '}');
}

static void machine_value(void *context, const char *name, const struct mnp_resolved *resolved, unsigned depth)
{
    (void)depth;
    struct mnp_json *json = context;
    switch (resolved->row->type) {
    case MNP_UINT:
    case MNP_SIZE:
    case MNP_HERTZ:
        results_json_number(json, name, resolved->number);
        break;
    case MNP_BOOL:
        results_json_boolean(json, name, resolved->number != 0);
        break;
    case MNP_CHOICE:
        results_json_text(json, name, resolved->word);
        break;
    case MNP_LIST:
        results_json_open_inline(json, name, '[');
        for (uint64_t i = 0; i < resolved->list.count; i++)
            results_json_number(json, NULL, resolved->list.value[i]);
        results_json_close_inline(json, ']');
        break;
    case MNP_TEXT:
        results_json_text(json, name, resolved->text.text);
        break;
    }
}

static void write_machine(struct mnp_json *json, const struct mnp_settings *settings, bool one)
{
    results_json_open(json, "machine", '{');
    if (settings) {
        results_json_text(json, "name", mnp_settings_name(settings));
        results_json_text(json, "kind", mnp_settings_kind(settings));
        if (mnp_settings_architecture(settings))
            results_json_number(json, "architecture", mnp_settings_architecture(settings));
        results_json_text(json, "description", mnp_settings_description(settings));
        mnp_settings_walk(settings,
                          &(struct mnp_settings_visitor){machine_open, machine_value, machine_close, json, one});
    }
    results_json_close(json, '}');
}

/* ===== the rest ===== */

/* Only of runs that have some. */
static void write_plugins(struct mnp_json *json, const struct mnp_run_info *run)
{
    if (!run->plugin_count)
        return;
    results_json_open(json, "plugins", '[');
    for (uint32_t i = 0; i < run->plugin_count; i++) {
        results_json_open_inline(json, NULL, '{');
        results_json_text(json, "name", run->plugins[i].name);
        results_json_text(json, "file", run->plugins[i].file);
        results_json_text(json, "sha256", run->plugins[i].sha256);
        results_json_close_inline(json, '}');
    }
    results_json_close(json, ']');
}

/* The facts of one kind, from `*at` on: as words, as members named after them, or as files with their hashes. */
static void write_facts(struct mnp_json *json, const struct mnp_array *facts, const char *kind, char bracket)
{
    const struct results_fact *all = facts->items;
    results_json_open(json, kind, bracket);
    for (uint32_t i = 0; i < facts->count; i++)
        if (strcmp(all[i].kind, kind) == 0)
            results_json_text(json, bracket == '{' ? all[i].name : NULL, all[i].value);
    results_json_close(json, bracket == '{' ? '}' : ']');
}

static void write_provenance(struct mnp_json *json, const struct mnp_results *results)
{
    static const char *const files[] = {"program", "argument", "input", "library"};
    struct mnp_array facts = {0};
    results_provenance_collect(results, &facts);
    const struct results_fact *all = facts.items;
    write_facts(json, &facts, "command", '[');
    for (uint32_t i = 0; i < facts.count; i++)
        if (strcmp(all[i].kind, "folder") == 0)
            results_json_text(json, "folder", all[i].value);
    write_facts(json, &facts, "environment", '{');
    write_facts(json, &facts, "build", '{');
    results_json_open(json, "files", '[');
    for (uint32_t i = 0; i < facts.count; i++) {
        for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
            if (strcmp(all[i].kind, files[k]) != 0)
                continue;
            results_json_open_inline(json, NULL, '{');
            results_json_text(json, "kind", all[i].kind);
            results_json_text(json, "file", all[i].name);
            results_json_text(json, "hash", all[i].value);
            results_json_close_inline(json, '}');
        }
    }
    results_json_close(json, ']');
    results_provenance_release(&facts);
}

static void write_run(struct mnp_json *json, const struct mnp_results *results)
{
    const struct mnp_run_info *run = &results->run;
    const uint64_t second = UINT64_C(1000000000);
    char text[MNP_NUMBER_TEXT];
    results_json_open(json, "run", '{');
    results_json_text(json, "version", MANIPLE_VERSION);
    results_json_text(json, "input", run->input ? run->input : "");
    results_json_text(json, "executor", run->executor ? run->executor : "");
    results_json_text(json, "schedule", run->schedule ? run->schedule : "");
    results_json_number(json, "threads", run->threads);
    results_json_number(json, "threads_started", run->placed.threads);
    results_json_boolean(json, "threads_bound", run->placed.binding == MNP_BINDING_BOUND);
    results_json_number(json, "processes", run->processes);
    if (run->processes > 1) {
        results_json_number(json, "exchanges", run->exchanges);
        results_json_number(json, "exchange_bytes", run->exchange_bytes);
        results_json_number(json, "exchange_bytes_of_all", run->exchange_bytes_of_all);
        results_json_verbatim(json, "exchange_bytes_mean",
                              mnp_format_ratio(text, run->exchange_bytes_of_all, 1, run->exchanges));
        results_json_number(json, "exchange_bytes_most", run->exchange_most_of_all);
        results_json_number(json, "exchange_bytes_most_of_one", run->exchange_most_of_one);
        results_json_verbatim(json, "exchange_seconds", mnp_format_ratio(text, run->exchange_ns, 1, second));
    }
    if (run->window_cycles)
        results_json_number(json, "window", run->window_cycles);
    else
        results_json_text(json, "window", "auto");
    results_json_boolean(json, "no_skip", run->no_skip);
    results_json_number(json, "windows", run->windows);
    results_json_number(json, "unit_runs", run->unit_runs);
    results_json_text(json, "shortest_link", run->shortest_link);
    results_json_verbatim(json, "wall_seconds", mnp_format_ratio(text, run->wall_ns, 1, second));
    results_json_verbatim(json, "cpu_seconds", mnp_format_ratio(text, run->cpu_ns, 1, second));
    uint64_t instructions = mnp_statistics_get(&results->total, "gpgpu_n_tot_w_icount");
    results_json_verbatim(json, "warp_instructions_per_second",
                          mnp_format_ratio(text, instructions, second, run->wall_ns));
    uint64_t simulated = mnp_statistics_get(&results->total, "instructions"); /* instructions of a program's cores */
    if (simulated) { /* millions of simulated instructions per second of wall time, and of CPU time */
        uint64_t simulation_ns = run->wall_ns - run->translation_ns;
        results_json_verbatim(json, "translation_seconds", mnp_format_ratio(text, run->translation_ns, 1, second));
        results_json_verbatim(json, "s_mips", mnp_format_ratio(text, simulated, 1000, simulation_ns));
        results_json_verbatim(json, "s_mips_cpu", mnp_format_ratio(text, simulated, 1000, run->cpu_ns));
    }
    if (run->device_clocks) { /* clocks of all threads of the device that has computed the machine */
        results_json_number(json, "device_clocks", run->device_clocks);
        results_json_verbatim(json, "device_mesh_share",
                              mnp_format_ratio(text, run->device_mesh_clocks, 1, run->device_clocks));
    }
    results_json_number(json, "peak_memory_bytes", run->peak_bytes);
    results_json_text(json, "host", run->host);
    results_json_number(json, "host_processors", run->host_processors);
    write_plugins(json, run);
    write_provenance(json, results);
    results_json_close(json, '}');
}

static void write_attribute(struct mnp_json *json, const struct mnp_attribute *attribute)
{
    if (attribute->text) {
        results_json_text(json, attribute->name, attribute->text);
        return;
    }
    if (attribute->count == 1) {
        results_json_number(json, attribute->name, attribute->value[0]);
        return;
    }
    results_json_open_inline(json, attribute->name, '[');
    for (uint32_t i = 0; i < attribute->count; i++)
        results_json_number(json, NULL, attribute->value[i]);
    results_json_close_inline(json, ']');
}

/* Ranges of the host program around the part's launch, the outermost first. */
static void write_ranges(struct mnp_json *json, const struct mnp_range *range)
{
    if (range->outer)
        write_ranges(json, range->outer);
    results_json_text(json, NULL, range->name);
}

/* The error of cycles that were estimated inside of the part: half of the interval of 95 %, and how much later than it
 * would it may seem to end. */
static void write_margin(struct mnp_json *json, const struct mnp_part_results *part)
{
    if (!part->chance && !part->late)
        return;
    results_json_open_inline(json, "margin", '{');
    results_json_number(json, "chance", part->chance);
    results_json_number(json, "late", part->late);
    results_json_close_inline(json, '}');
}

static void write_part(struct mnp_json *json, const struct mnp_part_results *part)
{
    results_json_open(json, NULL, '{');
    results_json_number(json, "id", part->id);
    results_json_text(json, "name", part->name);
    for (uint32_t i = 0; i < part->attribute_count; i++)
        write_attribute(json, &part->attributes[i]);
    if (part->range) {
        results_json_open_inline(json, "ranges", '[');
        write_ranges(json, part->range);
        results_json_close_inline(json, ']');
    }
    if (part->partial)
        results_json_boolean(json, "partial", true);
    write_margin(json, part);
    write_statistics(json, &part->statistics);
    results_json_close(json, '}');
}

/* The format has "kernels" always, whatever a machine's parts are. */
static void write_parts(struct mnp_json *json, const struct mnp_results *results)
{
    static const char fixed[] = "kernels";
    const char *parts = results->form->parts ? results->form->parts : fixed;
    if (strcmp(parts, fixed) != 0) {
        results_json_open(json, fixed, '[');
        results_json_close(json, ']');
    }
    results_json_open(json, parts, '[');
    for (uint32_t i = 0; i < results->part_count; i++)
        write_part(json, results->parts[i]);
    results_json_close(json, ']');
}

/* Members that the parts of one group have in common. */
static uint64_t group_of(const struct mnp_results *results, uint32_t part)
{
    const struct mnp_attribute *attribute = mnp_part_attribute(results->parts[part], results->form->group);
    return attribute ? attribute->value[0] : 0;
}

/* Sums over the parts of each group, in the order in which the groups first appear. */
static void write_groups(struct mnp_json *json, const struct mnp_results *results)
{
    const struct mnp_model *models[MOST_MODELS];
    uint32_t model_count = results->total.block_count, parts = results->part_count;
    bool *done = mnp_allocate(parts + 1, sizeof *done);
    MNP_REQUIRE(model_count <= MOST_MODELS, "a machine of more than %d models", MOST_MODELS);
    for (uint32_t i = 0; i < model_count; i++)
        models[i] = results->total.blocks[i].model;
    results_json_open(json, results->form->groups, '[');
    for (uint32_t first = 0; first < parts; first++) {
        if (done[first])
            continue;
        struct mnp_statistic_set sum;
        uint64_t group = group_of(results, first), count = 0;
        mnp_statistics_init(&sum, models, model_count, false);
        sum.machine = results->total.machine;
        for (uint32_t i = first; i < parts; i++) {
            if (group_of(results, i) != group)
                continue;
            mnp_statistics_merge(&sum, &results->parts[i]->statistics);
            done[i] = true;
            count++;
        }
        results_json_open(json, NULL, '{');
        results_json_number(json, results->form->group, group);
        results_json_number(json, results->form->parts, count);
        write_statistics(json, &sum);
        results_json_close(json, '}');
        mnp_statistics_release(&sum);
    }
    results_json_close(json, ']');
    free(done);
}

static void write_sampled(struct mnp_json *json, const struct mnp_samples *samples, uint32_t column)
{
    const struct mnp_statistic *statistic = samples->columns[column].statistic;
    results_json_open_inline(json, statistic->name, '{');
    results_json_open_inline(json, "value", '[');
    for (uint32_t row = 0; row < samples->row_count; row++) {
        struct mnp_statistic_value value = mnp_samples_value(samples, row, column);
        char text[MNP_NUMBER_TEXT];
        results_json_verbatim(json, NULL, mnp_statistic_text(text, &value));
    }
    results_json_close_inline(json, ']');
    results_json_text(json, "unit", statistic->unit);
    results_json_close_inline(json, '}');
}

/* Statistics over time: the ends of the intervals, and of each statistic a value for each. */
static void write_samples(struct mnp_json *json, const struct mnp_samples *samples)
{
    results_json_open(json, "samples", '{');
    results_json_number(json, "interval", samples->interval);
    results_json_open_inline(json, "cycles", '[');
    for (uint32_t row = 0; row < samples->row_count; row++)
        results_json_number(json, NULL, samples->cycles[row]);
    results_json_close_inline(json, ']');
    results_json_open(json, "statistics", '{');
    for (uint32_t i = 0; i < samples->column_count; i++)
        write_sampled(json, samples, i);
    results_json_close(json, '}');
    results_json_close(json, '}');
}

static void write_warnings(struct mnp_json *json, const struct mnp_log *log)
{
    results_json_open(json, "warnings", '[');
    for (uint32_t i = 0; i < log->warning_count; i++) {
        results_json_open_inline(json, NULL, '{');
        results_json_text(json, "text", log->warnings[i].text);
        results_json_number(json, "count", log->warnings[i].count);
        results_json_close_inline(json, '}');
    }
    results_json_close(json, ']');
}

/* Totals of all launches, of which some were simulated. */
static void write_estimate(struct mnp_json *json, const struct mnp_estimate *estimate)
{
    results_json_open(json, "estimate", '{');
    results_json_number(json, "launches", estimate->parts);
    results_json_number(json, "simulated", estimate->chosen);
    results_json_number(json, "groups", estimate->groups);
    if (estimate->passed_over)
        results_json_number(json, "passed_over_ppm", estimate->passed_over * UINT64_C(100));
    results_json_number(json, "confidence", 95);
    results_json_open(json, "statistics", '{');
    for (uint32_t i = 0; i < estimate->count; i++) {
        results_json_open_inline(json, estimate->rows[i].statistic->name, '{');
        results_json_number(json, "value", estimate->rows[i].value);
        results_json_number(json, "margin", estimate->rows[i].margin);
        results_json_text(json, "unit", estimate->rows[i].statistic->unit);
        results_json_close_inline(json, '}');
    }
    results_json_close(json, '}');
    results_json_close(json, '}');
}

static void write_body(struct mnp_json *json, const struct mnp_results *results);

/* Results of a machine of several devices, each with the members that results of one have. */
static void write_devices(struct mnp_json *json, const struct mnp_results *results)
{
    results_json_open(json, "devices", '[');
    for (uint32_t i = 0; i < results->device_count; i++) {
        const struct mnp_results *device = results->devices[i];
        results_json_open(json, NULL, '{');
        results_json_number(json, "device", i);
        results_json_text(json, "input", device->run.input ? device->run.input : "");
        write_body(json, device);
        results_json_close(json, '}');
    }
    results_json_close(json, ']');
}

/* All but the descriptions of the run and of the machine. */
static void write_body(struct mnp_json *json, const struct mnp_results *results)
{
    write_parts(json, results);
    if (results->device_count)
        write_devices(json, results);
    if (results->part_count && results->form->group)
        write_groups(json, results);
    results_json_open(json, "total", '{');
    results_json_text(json, "end", mnp_end_name(results->end));
    if (results->values)
        results_json_text(json, "values", results->values);
    write_statistics(json, &results->total);
    if (results->estimate)
        write_estimate(json, results->estimate);
    results_json_text(json, "hash", results->hash);
    results_json_close(json, '}');
    if (results->samples)
        write_samples(json, results->samples);
    write_warnings(json, &results->log);
}

void results_write_json(const struct mnp_results *results, FILE *out)
{
    struct mnp_json json = {.out = out};
    results_json_open(&json, NULL, '{');
    results_json_text(&json, "format", "maniple-results-1");
    write_run(&json, results);
    write_machine(&json, results->machine, results->one);
    write_body(&json, results);
    results_json_close(&json, '}');
}
