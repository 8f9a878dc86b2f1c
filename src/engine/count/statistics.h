/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The values of one set of statistics: those of a part of the work, or of a whole run. A set has one block of values
 * for each model, laid out by the model's table; units are added into it by the kind of each statistic
 * (engine/count/kinds/kind.h). Derived statistics, such as ratios, are never stored: they are computed from integers of
 * the same set when they are read.
 */
#ifndef MNP_ENGINE_COUNT_STATISTICS_H
#define MNP_ENGINE_COUNT_STATISTICS_H

#include "base/text.h"
#include "engine/count/kinds/kind.h"

#include <stdbool.h>
#include <stdint.h>

struct mnp_statistic_block {
    const struct mnp_model *model;
    size_t *places;      /* [statistic_count + 1] mnp_statistic_place of each row, and behind them the width */
    size_t width;        /* mnp_statistic_width(model) */
    uint64_t *values;    /* [width] sums over all units */
    uint64_t *per_unit;  /* [unit_count][width]; NULL: not kept */
    uint32_t unit_count; /* number of units added, in their order */
    bool keep_units;
};

struct mnp_statistic_set {
    struct mnp_statistic_block *blocks;
    uint32_t block_count;
    const struct mnp_settings *machine; /* supplies parameters used as weights; NULL: unknown */
};

/* Number of counters that a model's table needs. */
size_t mnp_statistic_width(const struct mnp_model *model);

/* The first counter of a row. */
size_t mnp_statistic_place(const struct mnp_model *model, size_t row);

/* Initialises a set of zeroes with one block for each model. `keep_units`: also keep the values of each unit. */
void mnp_statistics_init(struct mnp_statistic_set *set, const struct mnp_model *const *models, uint32_t count,
                         bool keep_units);
void mnp_statistics_release(struct mnp_statistic_set *set);

/* The block of a model, or NULL if the set has none. */
struct mnp_statistic_block *mnp_statistics_block(const struct mnp_statistic_set *set, const struct mnp_model *model);

/* Adds counters in a model's layout to others, by the kinds of their rows. */
void mnp_statistics_combine(const struct mnp_model *model, uint64_t *into, const uint64_t *from);

/* Adds the counters of one unit. */
void mnp_statistics_add(struct mnp_statistic_set *set, const struct mnp_model *model, const uint64_t *counters);

/* Adds a set of the same shape, for example a part's set to the total. Values per unit are not added. */
void mnp_statistics_merge(struct mnp_statistic_set *set, const struct mnp_statistic_set *from);

/* Reads the statistic of a row of a block. A missing component of a computed statistic is a bug of the table. */
void mnp_statistics_read(const struct mnp_statistic_set *set, const struct mnp_statistic_block *block, size_t row,
                         struct mnp_statistic_value *value);

/* Reads the statistic of one unit of the block. Returns false if the unit has no such value, or if values per unit were
 * not kept. */
bool mnp_statistics_read_unit(const struct mnp_statistic_set *set, const struct mnp_statistic_block *block, size_t row,
                              uint32_t unit, struct mnp_statistic_value *value);

/* Formats a value without bins: as a whole number, or with 6 decimals. */
const char *mnp_statistic_text(char text[MNP_NUMBER_TEXT], const struct mnp_statistic_value *value);

/* Finds a statistic by name in all blocks. Returns false if no model has it. */
bool mnp_statistics_find(const struct mnp_statistic_set *set, const char *name, struct mnp_statistic_value *value);

/* The value of a counter or maximum; 0 if there is none of that name. */
uint64_t mnp_statistics_get(const struct mnp_statistic_set *set, const char *name);

/* Upper bound, inclusive, of a bin of a histogram: 0, 1, 3, 7, 15, … The last bin has no bound (UINT64_MAX). */
uint64_t mnp_histogram_bound(const struct mnp_statistic *row, uint32_t bin);

/* The bin that a sample belongs to. */
static inline uint32_t mnp_histogram_bin(uint32_t bins, uint64_t sample)
{
    uint32_t bin = sample ? 64 - (uint32_t)__builtin_clzll(sample) : 0;
    return bin < bins ? bin : bins - 1;
}

#endif
