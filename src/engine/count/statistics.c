/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/count/statistics.h"

#include "base/allocate.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

static size_t counters_of(const struct mnp_statistic *row)
{
    return row->kind == MNP_HISTOGRAM ? row->bins : 1;
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

void mnp_statistics_init(struct mnp_statistic_set *set, const struct mnp_model *const *models, uint32_t count,
                         bool keep_units)
{
    *set = (struct mnp_statistic_set){.blocks = mnp_allocate(count, sizeof *set->blocks), .block_count = count};
    for (uint32_t i = 0; i < count; i++) {
        struct mnp_statistic_block *block = &set->blocks[i];
        block->model = models[i];
        block->values = mnp_allocate(mnp_statistic_width(models[i]), sizeof *block->values);
        block->keep_units = keep_units && !models[i]->grouped;
    }
}

void mnp_statistics_release(struct mnp_statistic_set *set)
{
    for (uint32_t i = 0; i < set->block_count; i++) {
        free(set->blocks[i].values);
        free(set->blocks[i].per_unit);
    }
    free(set->blocks);
    *set = (struct mnp_statistic_set){0};
}

struct mnp_statistic_block *mnp_statistics_block(const struct mnp_statistic_set *set, const struct mnp_model *model)
{
    for (uint32_t i = 0; i < set->block_count; i++)
        if (set->blocks[i].model == model)
            return &set->blocks[i];
    return NULL;
}

void mnp_statistics_combine(const struct mnp_model *model, uint64_t *into, const uint64_t *from)
{
    size_t place = 0;
    for (size_t row = 0; row < model->statistic_count; row++) {
        const struct mnp_statistic *statistic = &model->statistics[row];
        if (statistic->kind == MNP_RATIO) {
            place++;
            continue;
        }
        for (size_t i = counters_of(statistic); i--; place++) {
            if (statistic->kind != MNP_MAXIMUM)
                into[place] += from[place];
            else if (into[place] < from[place])
                into[place] = from[place];
        }
    }
}

void mnp_statistics_add(struct mnp_statistic_set *set, const struct mnp_model *model, const uint64_t *counters)
{
    struct mnp_statistic_block *block = mnp_statistics_block(set, model);
    MNP_REQUIRE(block, "no statistics are kept of model %s", model->name);
    mnp_statistics_combine(model, block->values, counters);
    if (block->keep_units) {
        size_t width = mnp_statistic_width(model);
        size_t row_bytes = width * sizeof *counters;
        block->per_unit = mnp_reallocate(block->per_unit, block->unit_count + 1, row_bytes);
        memcpy(block->per_unit + block->unit_count * width, counters, row_bytes);
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

static bool find_row(const struct mnp_statistic_set *set, const char *name, const struct mnp_statistic_block **block,
                     size_t *row)
{
    for (uint32_t i = 0; i < set->block_count; i++) {
        const struct mnp_model *model = set->blocks[i].model;
        for (size_t j = 0; j < model->statistic_count; j++)
            if (strcmp(model->statistics[j].name, name) == 0) {
                *block = &set->blocks[i];
                *row = j;
                return true;
            }
    }
    return false;
}

/* The value of a part of a ratio: a counter or a maximum. */
static uint64_t part(const struct mnp_statistic_set *set, const char *ratio, const char *name)
{
    const struct mnp_statistic_block *block;
    size_t row;
    MNP_REQUIRE(find_row(set, name, &block, &row), "the ratio %s needs the statistic %s", ratio, name);
    const struct mnp_statistic *statistic = &block->model->statistics[row];
    MNP_REQUIRE(statistic->kind != MNP_RATIO && statistic->kind != MNP_HISTOGRAM,
                "the ratio %s needs a counter, but %s is none", ratio, name);
    return block->values[mnp_statistic_place(block->model, row)];
}

void mnp_statistics_read(const struct mnp_statistic_set *set, const struct mnp_statistic_block *block, size_t row,
                         struct mnp_statistic_value *value)
{
    const struct mnp_statistic *statistic = &block->model->statistics[row];
    *value = (struct mnp_statistic_value){.row = statistic, .block = block};
    if (statistic->kind == MNP_RATIO) {
        value->numerator = part(set, statistic->name, statistic->numerator);
        value->denominator = part(set, statistic->name, statistic->denominator);
    } else {
        value->values = block->values + mnp_statistic_place(block->model, row);
    }
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
