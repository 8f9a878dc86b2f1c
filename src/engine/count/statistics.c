/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/count/statistics.h"

#include "base/allocate.h"
#include "base/error.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static size_t counters_of(const struct mnp_statistic *row)
{
    return row->bins ? row->bins : 1;
}

size_t mnp_statistic_place(const struct mnp_model *model, size_t row)
{
    size_t place = 0;
    for (size_t i = 0; i < row; i++)
        place += counters_of(&model->statistics[i]);
    return place;
}

size_t mnp_statistic_width(const struct mnp_model *model)
{
    return mnp_statistic_place(model, model->statistic_count);
}

/* Looked up for each value that is read, of each unit: counted once. */
static size_t *list_places(const struct mnp_model *model)
{
    size_t *places = mnp_allocate(model->statistic_count + 1, sizeof *places);
    for (size_t row = 0; row < model->statistic_count; row++)
        places[row + 1] = places[row] + counters_of(&model->statistics[row]);
    return places;
}

void mnp_statistics_init(struct mnp_statistic_set *set, const struct mnp_model *const *models, uint32_t count,
                         bool keep_units)
{
    *set = (struct mnp_statistic_set){.blocks = mnp_allocate(count, sizeof *set->blocks), .block_count = count};
    for (uint32_t i = 0; i < count; i++) {
        struct mnp_statistic_block *block = &set->blocks[i];
        block->model = models[i];
        block->places = list_places(models[i]);
        block->width = block->places[models[i]->statistic_count];
        block->values = mnp_allocate(block->width, sizeof *block->values);
        block->keep_units = keep_units && !models[i]->grouped;
    }
}

void mnp_statistics_release(struct mnp_statistic_set *set)
{
    for (uint32_t i = 0; i < set->block_count; i++) {
        free(set->blocks[i].places);
        free(set->blocks[i].values);
        free(set->blocks[i].per_unit);
    }
    free(set->blocks);
    *set = (struct mnp_statistic_set){0};
}

struct mnp_statistic_block *mnp_statistics_block(const struct mnp_statistic_set *set, const struct mnp_model *model)
{
    for (uint32_t i = 0; i < set->block_count; i++)
        if (set->blocks[i].model == model || set->blocks[i].model->extends == model)
            return &set->blocks[i];
    return NULL;
}

void mnp_statistics_combine(const struct mnp_model *model, uint64_t *into, const uint64_t *from)
{
    const struct mnp_statistic *end = model->statistics + model->statistic_count;
    for (const struct mnp_statistic *row = model->statistics; row < end; row++) {
        size_t count = counters_of(row);
        if (!row->kind->join && !row->kind->add && count == 1)
            *into += *from;
        else if (row->kind->join)
            row->kind->join(into, from, (uint32_t)count);
        else if (row->kind->add)
            for (size_t i = 0; i < count; i++)
                row->kind->add(&into[i], from[i]);
        else
            for (size_t i = 0; i < count; i++)
                into[i] += from[i];
        into += count;
        from += count;
    }
}

void mnp_statistics_add(struct mnp_statistic_set *set, const struct mnp_model *model, const uint64_t *counters)
{
    struct mnp_statistic_block *block = mnp_statistics_block(set, model);
    MNP_REQUIRE(block, "no statistics are kept of model %s", model->name);
    mnp_statistics_combine(model, block->values, counters);
    if (block->keep_units) {
        size_t row_bytes = block->width * sizeof *counters;
        block->per_unit = mnp_reallocate(block->per_unit, block->unit_count + 1, row_bytes);
        memcpy(block->per_unit + block->unit_count * block->width, counters, row_bytes);
    }
    block->unit_count++;
}

void mnp_statistics_merge(struct mnp_statistic_set *set, const struct mnp_statistic_set *from)
{
    for (uint32_t i = 0; i < from->block_count; i++) {
        struct mnp_statistic_block *block = mnp_statistics_block(set, from->blocks[i].model);
        MNP_REQUIRE(block, "no statistics are kept of model %s", from->blocks[i].model->name);
        mnp_statistics_combine(block->model, block->values, from->blocks[i].values);
    }
}

/* Whether two names are the same. Their first two letters settle most comparisons. */
static inline bool is_name(const char *a, const char *b)
{
    return a[0] == b[0] && a[0] && a[1] == b[1] && strcmp(a, b) == 0;
}

/* Looks for a row from row `start` on, through the end to the rows before it. */
static bool find_row_from(const struct mnp_statistic_block *block, const char *name, size_t start, size_t *row)
{
    const struct mnp_statistic *rows = block->model->statistics;
    size_t count = block->model->statistic_count;
    for (*row = start; *row < count; (*row)++)
        if (is_name(rows[*row].name, name))
            return true;
    for (*row = 0; *row < start; (*row)++)
        if (is_name(rows[*row].name, name))
            return true;
    return false;
}

static bool find_row(const struct mnp_statistic_set *set, const char *name, const struct mnp_statistic_block **block,
                     size_t *row)
{
    for (uint32_t i = 0; i < set->block_count; i++) {
        *block = &set->blocks[i];
        if (find_row_from(*block, name, 0, row))
            return true;
    }
    return false;
}

/* ===== reading: counters of a set, or of one unit of a block ===== */

struct set_source {
    struct mnp_statistic_source source;
    const struct mnp_statistic_set *set;
    const struct mnp_statistic_block *near;    /* block of the row that is read, which has most of its components */
    const struct mnp_statistic_block *unit_of; /* NULL: the whole set is read */
    uint32_t unit;
    bool missing; /* a component is counted by other units */
    /* The component found last: the next one often stands behind it. */
    const struct mnp_statistic_block *last;
    size_t last_row;
};

static const uint64_t *counters_in(const struct set_source *from, const struct mnp_statistic_block *block, size_t row)
{
    const uint64_t *values = from->unit_of ? block->per_unit + from->unit * block->width : block->values;
    return values + block->places[row];
}

static bool is_in(struct set_source *from, const struct mnp_statistic_block *block, const char *name, size_t *row)
{
    return find_row_from(block, name, block == from->last ? from->last_row : 0, row);
}

/* Finds a component: in the block of the row that is read, or else in the first one that has it. */
static bool find_component(struct set_source *from, const char *name, const struct mnp_statistic_block **block,
                           size_t *row)
{
    *block = from->near;
    bool found = is_in(from, *block, name, row);
    for (uint32_t i = 0; !found && i < from->set->block_count; i++) {
        *block = &from->set->blocks[i];
        found = is_in(from, *block, name, row);
    }
    from->last = *block;
    from->last_row = *row;
    return found;
}

/* Supplies components of computed statistics: counters, and whole-number statistics computed from counters. */
static uint64_t count_in(struct mnp_statistic_source *source, const char *of, const char *name)
{
    struct set_source *from = (struct set_source *)source;
    const struct mnp_statistic_block *block;
    size_t row;
    bool found = find_component(from, name, &block, &row);
    MNP_REQUIRE(found, "%s is computed from %s, which nothing counts", of, name);
    const struct mnp_statistic *statistic = &block->model->statistics[row];
    MNP_REQUIRE(statistic->kind->form != MNP_BINS && !statistic->kind->quotient,
                "%s is computed from %s, which is no count", of, name);
    if (from->unit_of && block != from->unit_of) {
        from->missing = true;
        return 0;
    }
    struct mnp_statistic_value value = {0};
    if (!statistic->kind->part)
        return *counters_in(from, block, row);
    statistic->kind->compute(statistic, source, &value);
    from->last = block;
    from->last_row = row;
    return value.numerator;
}

static void read_row(struct set_source *from, const struct mnp_statistic_block *block, size_t row,
                     struct mnp_statistic_value *value)
{
    const struct mnp_statistic *statistic = &block->model->statistics[row];
    from->near = block;
    *value = (struct mnp_statistic_value){
        .row = statistic, .block = block, .form = statistic->kind->form, .scale = 1, .denominator = 1};
    if (statistic->kind->part) {
        statistic->kind->compute(statistic, &from->source, value);
    } else {
        value->values = counters_in(from, block, row);
        value->numerator = value->values[0];
    }
}

void mnp_statistics_read(const struct mnp_statistic_set *set, const struct mnp_statistic_block *block, size_t row,
                         struct mnp_statistic_value *value)
{
    struct set_source from = {.source = {count_in, set->machine}, .set = set};
    read_row(&from, block, row, value);
}

bool mnp_statistics_read_unit(const struct mnp_statistic_set *set, const struct mnp_statistic_block *block, size_t row,
                              uint32_t unit, struct mnp_statistic_value *value)
{
    const struct mnp_statistic_kind *kind = block->model->statistics[row].kind;
    struct set_source from = {.source = {count_in, set->machine}, .set = set, .unit_of = block, .unit = unit};
    if (!block->per_unit || kind->form == MNP_BINS || kind->quotient)
        return false;
    read_row(&from, block, row, value);
    return !from.missing;
}

const char *mnp_statistic_text(char text[MNP_NUMBER_TEXT], const struct mnp_statistic_value *value)
{
    if (value->form == MNP_DECIMAL)
        return mnp_format_ratio(text, value->numerator, value->scale, value->denominator);
    snprintf(text, MNP_NUMBER_TEXT, "%" PRIu64, value->numerator);
    return text;
}

bool mnp_statistics_find(const struct mnp_statistic_set *set, const char *name, struct mnp_statistic_value *value)
{
    const struct mnp_statistic_block *block;
    size_t row;
    if (!find_row(set, name, &block, &row))
        return false;
    mnp_statistics_read(set, block, row, value);
    return true;
}

uint64_t mnp_statistics_get(const struct mnp_statistic_set *set, const char *name)
{
    struct mnp_statistic_value value;
    return mnp_statistics_find(set, name, &value) && value.values ? value.values[0] : 0;
}

uint64_t mnp_histogram_bound(const struct mnp_statistic *row, uint32_t bin)
{
    return bin + 1 >= row->bins || bin >= 64 ? UINT64_MAX : (UINT64_C(1) << bin) - 1;
}
