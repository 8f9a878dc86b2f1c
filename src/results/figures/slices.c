/* SPDX-License-Identifier: BSD-3-Clause */
#include "results/figures/slices.h"

#include "results/encoding/sqlite_rows.h"

#include <math.h>

double results_slices(const struct results_reading *reading)
{
    return results_key(reading, "l2.slices_per_partition") * results_key(reading, "partition.count");
}

double results_l2_cycle(const struct results_reading *reading)
{
    double l2 = results_key(reading, "clock.l2");
    return l2 > 0 ? results_key(reading, "clock.core") / l2 : 1;
}

void results_partitions(const struct results_reading *reading, const char *statistic, double *most, double *sum)
{
    struct mnp_error ignored = {0};
    sqlite3_stmt *row = results_sqlite_prepare(reading->database,
                                               "SELECT max(value), sum(value) FROM unit_value JOIN statistic ON id ="
                                               " statistic WHERE run = ? AND name = ?",
                                               &ignored);
    *most = *sum = 0;
    if (!row)
        return;
    sqlite3_bind_int64(row, 1, reading->run);
    sqlite3_bind_text(row, 2, statistic, -1, SQLITE_STATIC);
    if (sqlite3_step(row) == SQLITE_ROW) {
        *most = sqlite3_column_double(row, 0);
        *sum = sqlite3_column_double(row, 1);
    }
    sqlite3_finalize(row);
}

double results_request_sectors(const struct results_reading *reading, const struct results_group *group)
{
    double requests = results_sum(reading, group, "L2_requests"),
           sectors = results_sum(reading, group, "L2_total_cache_accesses");
    return requests > 0 ? fmin(fmax(round(sectors / requests), 1), 4) : 1;
}

/* With no interval of its own, a slice reads the sectors of a request and writes them. */
double results_atomic_cycles(const struct results_reading *reading, double sectors)
{
    double interval = results_key(reading, "l2.atomic_interval"), read = fmax(results_key(reading, "l2.port"), 1);
    double write = results_key(reading, "l2.write_port");
    return interval > 0 ? interval * sectors
                        : ceil(32 * sectors / read) + ceil(32 * sectors / (write > 0 ? write : read));
}

/* A partition with more than its share has one hot slice; otherwise atomics are spread over all. */
double results_hot_atomics(const struct results_reading *reading, const struct results_group *group, double *share)
{
    double own = results_sum(reading, group, "L2_atomics"), sectors = results_request_sectors(reading, group);
    double most, sum, even = 1 / fmax(results_key(reading, "partition.count"), 1);
    results_partitions(reading, "L2_atomics", &most, &sum);
    *share = sum > 0 ? most / sum : 0;
    return own / sectors * results_atomic_cycles(reading, sectors) * results_l2_cycle(reading) *
           (*share > 1.5 * even ? *share : 1 / fmax(results_slices(reading), 1));
}
