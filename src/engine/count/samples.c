/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/count/samples.h"

#include "base/range.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

/* ===== choosing ===== */

struct choice {
    struct mnp_samples *samples;
    const struct mnp_model *const *models;
    uint32_t model_count;
};

static struct mnp_sample_part find_part(const struct choice *choice, const char *ratio, const char *name)
{
    for (uint32_t model = 0; model < choice->model_count; model++)
        for (size_t row = 0; row < choice->models[model]->statistic_count; row++)
            if (strcmp(choice->models[model]->statistics[row].name, name) == 0)
                return (struct mnp_sample_part){model, row};
    mnp_bug(__FILE__, __LINE__, "the ratio %s needs the statistic %s", ratio, name);
}

static void add_column(const struct choice *choice, uint32_t model, size_t row)
{
    struct mnp_samples *samples = choice->samples;
    const struct mnp_statistic *statistic = &choice->models[model]->statistics[row];
    for (uint32_t i = 0; i < samples->column_count; i++)
        if (samples->columns[i].statistic == statistic)
            return;
    MNP_REQUIRE(samples->column_count < MNP_SAMPLE_COLUMNS, "there are more statistics than samples can hold");
    struct mnp_sample_column *column = &samples->columns[samples->column_count++];
    *column = (struct mnp_sample_column){.statistic = statistic, .part = {{model, row}, {model, row}}};
    if (statistic->kind == MNP_RATIO) {
        column->part[0] = find_part(choice, statistic->name, statistic->numerator);
        column->part[1] = find_part(choice, statistic->name, statistic->denominator);
    }
}

/* Adds what a pattern matches, in the order of the tables; false: nothing. */
static bool add_pattern(const struct choice *choice, const char *pattern)
{
    bool any = false;
    for (uint32_t model = 0; model < choice->model_count; model++)
        for (size_t row = 0; row < choice->models[model]->statistic_count; row++) {
            const struct mnp_statistic *statistic = &choice->models[model]->statistics[row];
            if (statistic->kind == MNP_HISTOGRAM || fnmatch(pattern, statistic->name, 0) != 0)
                continue;
            add_column(choice, model, row);
            any = true;
        }
    return any;
}

bool mnp_samples_init(struct mnp_samples *samples, const struct mnp_model *const *models, uint32_t model_count,
                      const char *patterns, uint64_t interval, struct mnp_error *error)
{
    *samples = (struct mnp_samples){.interval = interval};
    samples->columns = mnp_allocate(MNP_SAMPLE_COLUMNS, sizeof *samples->columns);
    samples->before = mnp_allocate(MNP_SAMPLE_COLUMNS, 2 * sizeof *samples->before);
    struct choice choice = {.samples = samples, .models = models, .model_count = model_count};
    for (const char *at = patterns; *at;) {
        size_t length = strcspn(at, ",");
        char pattern[128];
        if (length >= sizeof pattern)
            return mnp_fail(error, "--sample-statistics: the pattern %.40s… is too long", at);
        memcpy(pattern, at, length);
        pattern[length] = 0;
        if (length && !add_pattern(&choice, pattern))
            return mnp_fail(error,
                            "--sample-statistics %s: no statistic that can be sampled has such a name (`maniple "
                            "models` lists them; histograms cannot); quote the pattern",
                            pattern);
        at += length + (at[length] == ',');
    }
    return samples->column_count ||
           mnp_fail(error, "--sample-statistics: there is no pattern; give one, such as 'dram*'");
}

void mnp_samples_release(struct mnp_samples *samples)
{
    free(samples->columns);
    free(samples->cycles);
    free(samples->values);
    free(samples->before);
    *samples = (struct mnp_samples){0};
}

/* ===== taking ===== */

static uint64_t *new_row(struct mnp_samples *samples, uint64_t cycle)
{
    uint32_t count = samples->row_count, room = count ? 2 * count : 1;
    size_t width = (size_t)samples->column_count * 2;
    if (count == 0 || mnp_is_power_of_two(count)) {
        samples->cycles = mnp_reallocate(samples->cycles, room, sizeof *samples->cycles);
        samples->values = mnp_reallocate(samples->values, room, width * sizeof *samples->values);
    }
    samples->cycles[count] = cycle;
    samples->row_count++;
    return samples->values + count * width;
}

/* The values of two intervals together: sums, but the later one of a greatest value so far. */
static void join_rows(struct mnp_samples *samples)
{
    size_t width = (size_t)samples->column_count * 2;
    for (uint32_t row = 0; row < samples->row_count / 2; row++) {
        uint64_t *to = samples->values + row * width;
        const uint64_t *first = samples->values + 2 * row * width, *second = first + width;
        for (size_t i = 0; i < width; i++) {
            bool greatest = samples->columns[i / 2].statistic->kind == MNP_MAXIMUM;
            to[i] = greatest ? second[i] : first[i] + second[i];
        }
        samples->cycles[row] = samples->cycles[2 * row + 1];
    }
    samples->row_count /= 2;
    samples->interval *= 2;
}

uint64_t mnp_samples_take(struct mnp_samples *samples, const struct mnp_ledger *ledger, uint64_t cycle, mnp_time now)
{
    uint64_t *row = new_row(samples, cycle);
    mnp_ledger_gather(ledger);
    for (uint32_t i = 0; i < samples->column_count; i++) {
        const struct mnp_sample_column *column = &samples->columns[i];
        uint32_t parts = column->statistic->kind == MNP_RATIO ? 2 : 1;
        for (uint32_t part = 0; part < parts; part++) {
            uint64_t sum = mnp_ledger_sum(ledger, column->part[part].model, column->part[part].row, 0, now);
            bool greatest = column->statistic->kind == MNP_MAXIMUM;
            row[2 * i + part] = greatest ? sum : sum - samples->before[2 * i + part];
            samples->before[2 * i + part] = sum;
        }
        if (parts == 1)
            row[2 * i + 1] = row[2 * i];
    }
    if (samples->row_count == MNP_SAMPLE_ROWS)
        join_rows(samples);
    return samples->interval;
}
