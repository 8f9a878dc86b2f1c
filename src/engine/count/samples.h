/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Statistics over time: the values of selected statistics in each interval of simulated time. Intervals end at times
 * that are fixed in advance, so samples are the same for every executor, thread count and window.
 *
 * Memory is bounded: after MNP_SAMPLE_ROWS intervals, they are joined in pairs, and later intervals are twice as long.
 */
#ifndef MNP_ENGINE_COUNT_SAMPLES_H
#define MNP_ENGINE_COUNT_SAMPLES_H

#include "base/array.h"
#include "engine/count/kinds/kind.h"
#include "engine/count/ledger.h"

enum { MNP_SAMPLE_ROWS = 65536, MNP_SAMPLE_COLUMNS = 512 };

struct mnp_sample_part { /* a counter that is read, or a sum that is computed from the counters behind it */
    const struct mnp_statistic *statistic;
    uint32_t model; /* index in the ledger */
    size_t row;
    uint64_t before, now; /* sum up to the end of the previous interval, and increase in this interval */
};

struct mnp_sample_column {
    const struct mnp_statistic *statistic;
    uint32_t part, part_count; /* range in `parts`: all components, or the statistic itself */
    uint64_t scale;            /* scale of its values (struct mnp_statistic_value) */
};

struct mnp_samples {
    uint64_t interval; /* cycles of the machine's clock */
    struct mnp_sample_column *columns;
    uint32_t column_count;
    uint64_t *cycles; /* [row_count] ends of the intervals, from the start of the run */
    uint64_t *values; /* [row_count][column_count][2] numerators and denominators (struct mnp_statistic_value) */
    uint32_t row_count;
    struct mnp_array parts;             /* struct mnp_sample_part */
    const struct mnp_settings *machine; /* supplies parameters used as weights; NULL: unknown */
};

/* Selects statistics by shell patterns ("dram*"), separated by commas; histograms are never selected. Returns false if
 * a pattern matches nothing. */
bool mnp_samples_init(struct mnp_samples *samples, const struct mnp_model *const *models, uint32_t model_count,
                      const char *patterns, uint64_t interval, struct mnp_error *error);
void mnp_samples_release(struct mnp_samples *samples);

/* Ends an interval at `now`, which is cycle `cycle`. Returns the length of the next interval, in cycles. */
uint64_t mnp_samples_take(struct mnp_samples *samples, const struct mnp_ledger *ledger, uint64_t cycle, mnp_time now);

/* Lets the last interval end at `cycle`, the end of the run: the engine stops later, at an epoch's end. What was
 * counted until then belongs to that interval, so that sums over intervals are the totals. */
void mnp_samples_end(struct mnp_samples *samples, uint64_t cycle);

/* The value of a column's statistic in the interval of a row. */
struct mnp_statistic_value mnp_samples_value(const struct mnp_samples *samples, uint32_t row, uint32_t column);

#endif
