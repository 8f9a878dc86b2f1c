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

static bool find(const struct choice *choice, const char *name, uint32_t *model, size_t *row)
{
    for (*model = 0; *model < choice->model_count; ++*model)
        for (*row = 0; *row < choice->models[*model]->statistic_count; ++*row)
            if (strcmp(choice->models[*model]->statistics[*row].name, name) == 0)
                return true;
    return false;
}

static void add_part(const struct choice *choice, struct mnp_sample_column *column, uint32_t model, size_t row)
{
    struct mnp_sample_part *part = mnp_array_add(&choice->samples->parts, 1, sizeof *part);
    *part = (struct mnp_sample_part){.statistic = &choice->models[model]->statistics[row], .model = model, .row = row};
    column->part_count++;
}

/* Adds the counters of a statistic: itself, or its components. */
static void add_parts(const struct choice *choice, struct mnp_sample_column *column, uint32_t model, size_t row)
{
    const struct mnp_statistic *statistic = &choice->models[model]->statistics[row];
    const char *name;
    if (!statistic->kind->part) {
        add_part(choice, column, model, row);
        return;
    }
    for (size_t i = 0; (name = statistic->kind->part(statistic, i)); i++) {
        uint32_t of;
        size_t place;
        MNP_REQUIRE(find(choice, name, &of, &place), "%s is computed from %s, which nothing counts", statistic->name,
                    name);
        if (choice->models[of]->statistics[place].kind->part)
            add_part(choice, column, of, place);
        add_parts(choice, column, of, place);
    }
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
    *column = (struct mnp_sample_column){.statistic = statistic, .part = samples->parts.count};
    add_parts(choice, column, model, row);
}

/* Whether something counts a row while a machine runs: what a model without units counts is found at the end. */
static bool is_counted(const struct mnp_model *model, const struct mnp_statistic *statistic)
{
    return model->advance || statistic->kind->part;
}

/* Adds what a pattern matches, in the order of the tables; false: nothing. */
static bool add_pattern(const struct choice *choice, const char *pattern)
{
    bool any = false;
    for (uint32_t model = 0; model < choice->model_count; model++)
        for (size_t row = 0; row < choice->models[model]->statistic_count; row++) {
            const struct mnp_statistic *statistic = &choice->models[model]->statistics[row];
            if (statistic->bins || !is_counted(choice->models[model], statistic) ||
                fnmatch(pattern, statistic->name, 0) != 0)
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
    mnp_array_release(&samples->parts);
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

/* Joins two neighbouring intervals into row `to`, which may be the first of them: numerators are added, and so are
 * denominators that are sums. A level takes the later value. */
static void join_two(struct mnp_samples *samples, uint32_t to, uint32_t first, uint32_t second)
{
    size_t width = (size_t)samples->column_count * 2;
    uint64_t *sum = samples->values + to * width;
    const uint64_t *a = samples->values + first * width, *b = samples->values + second * width;
    for (size_t i = 0; i < width; i += 2) {
        const struct mnp_statistic_kind *kind = samples->columns[i / 2].statistic->kind;
        sum[i] = kind->level ? b[i] : a[i] + b[i];
        sum[i + 1] = kind->quotient ? a[i + 1] + b[i + 1] : b[i + 1];
    }
    samples->cycles[to] = samples->cycles[second];
}

/* Joins pairs of intervals. */
static void join_rows(struct mnp_samples *samples)
{
    for (uint32_t row = 0; row < samples->row_count / 2; row++)
        join_two(samples, row, 2 * row, 2 * row + 1);
    samples->row_count /= 2;
    samples->interval *= 2;
}

/* Supplies the components of one column: their increases in the interval. */
struct column_source {
    struct mnp_statistic_source source;
    const struct mnp_samples *samples;
    const struct mnp_sample_column *column;
};

static struct mnp_sample_part *part_of(const struct mnp_samples *samples, const struct mnp_sample_column *column,
                                       uint32_t i)
{
    return (struct mnp_sample_part *)samples->parts.items + column->part + i;
}

static uint64_t count_in(struct mnp_statistic_source *source, const char *of, const char *name)
{
    const struct column_source *from = (const struct column_source *)source;
    for (uint32_t i = 0; i < from->column->part_count; i++) {
        const struct mnp_sample_part *part = part_of(from->samples, from->column, i);
        struct mnp_statistic_value value = {0};
        if (strcmp(part->statistic->name, name) != 0)
            continue;
        if (!part->statistic->kind->part)
            return part->now;
        part->statistic->kind->compute(part->statistic, source, &value);
        return value.numerator;
    }
    mnp_bug(__FILE__, __LINE__, "%s is computed from %s, which nothing counts", of, name);
}

static void take_column(const struct mnp_samples *samples, const struct mnp_sample_column *column,
                        const struct mnp_ledger *ledger, mnp_time now, struct mnp_statistic_value *value)
{
    const struct mnp_statistic *statistic = column->statistic;
    for (uint32_t i = 0; i < column->part_count; i++) {
        struct mnp_sample_part *part = part_of(samples, column, i);
        if (part->statistic->kind->part)
            continue;
        uint64_t sum = mnp_ledger_sum(ledger, part->model, part->row, 0, now);
        part->now = statistic->kind->level ? sum : sum - part->before;
        part->before = sum;
    }
    struct column_source from = {.source = {count_in, samples->machine}, .samples = samples, .column = column};
    value->numerator = part_of(samples, column, 0)->now;
    if (statistic->kind->part)
        statistic->kind->compute(statistic, &from.source, value);
}

uint64_t mnp_samples_take(struct mnp_samples *samples, const struct mnp_ledger *ledger, uint64_t cycle, mnp_time now)
{
    uint64_t *row = new_row(samples, cycle);
    mnp_ledger_gather(ledger);
    for (uint32_t i = 0; i < samples->column_count; i++) {
        struct mnp_statistic_value value = {.scale = 1, .denominator = 1};
        take_column(samples, &samples->columns[i], ledger, now, &value);
        row[2 * i] = value.numerator;
        row[2 * i + 1] = value.denominator;
        samples->columns[i].scale = value.scale;
    }
    if (samples->row_count == MNP_SAMPLE_ROWS)
        join_rows(samples);
    return samples->interval;
}

void mnp_samples_end(struct mnp_samples *samples, uint64_t cycle)
{
    uint32_t last = 0;
    while (last < samples->row_count && samples->cycles[last] < cycle)
        last++;
    if (last == samples->row_count)
        return;
    for (uint32_t row = last + 1; row < samples->row_count; row++)
        join_two(samples, last, last, row);
    samples->cycles[last] = cycle;
    samples->row_count = last + 1;
}

struct mnp_statistic_value mnp_samples_value(const struct mnp_samples *samples, uint32_t row, uint32_t column)
{
    const struct mnp_statistic *statistic = samples->columns[column].statistic;
    const uint64_t *pair = samples->values + 2 * ((size_t)row * samples->column_count + column);
    return (struct mnp_statistic_value){.row = statistic,
                                        .form = statistic->kind->form,
                                        .numerator = pair[0],
                                        .scale = samples->columns[column].scale,
                                        .denominator = pair[1]};
}
