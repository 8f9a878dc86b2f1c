/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Statistics over time: what chosen statistics came to in each interval of simulated time. Intervals are cut at times
 * that are fixed in advance, so samples are the same for every executor, thread count and window.
 *
 * Memory is bounded: when MNP_SAMPLE_ROWS intervals have passed, they are joined two by two, and those that follow are
 * twice as long.
 */
#ifndef MNP_ENGINE_COUNT_SAMPLES_H
#define MNP_ENGINE_COUNT_SAMPLES_H

#include "engine/count/ledger.h"

enum { MNP_SAMPLE_ROWS = 65536, MNP_SAMPLE_COLUMNS = 512 };

struct mnp_sample_part { /* a counter that is read */
    uint32_t model;      /* place in the ledger */
    size_t row;
};

struct mnp_sample_column {
    const struct mnp_statistic *statistic;
    struct mnp_sample_part part[2]; /* a ratio's numerator and denominator; the statistic itself, twice */
};

struct mnp_samples {
    uint64_t interval; /* cycles of the machine's clock */
    struct mnp_sample_column *columns;
    uint32_t column_count;
    uint64_t *cycles; /* [row_count] ends of the intervals, from the start of the run */
    uint64_t *values; /* [row_count][column_count][2] numerators and denominators, or the value twice */
    uint64_t *before; /* [column_count][2] sums up to the last interval's end */
    uint32_t row_count;
};

/* Which statistics, by the patterns of a shell ("dram*"), separated by commas; histograms are never meant. False: a
 * pattern matches none. */
bool mnp_samples_init(struct mnp_samples *samples, const struct mnp_model *const *models, uint32_t model_count,
                      const char *patterns, uint64_t interval, struct mnp_error *error);
void mnp_samples_release(struct mnp_samples *samples);

/* Ends an interval at `now`, which is cycle `cycle`. Returns the interval that follows, in cycles. */
uint64_t mnp_samples_take(struct mnp_samples *samples, const struct mnp_ledger *ledger, uint64_t cycle, mnp_time now);

#endif
