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

/* Reads max and sum over partitions of a count less `factor` times another. */
static void read_partitions(const struct results_reading *reading, const char *statistic, const char *less,
                            double factor, double *most, double *sum)
{
    struct mnp_error ignored = {0};
    sqlite3_stmt *row = results_sqlite_prepare(
        reading->database,
        "SELECT max(count), sum(count) FROM (SELECT max(sum(value * (CASE name WHEN ?2 THEN 1.0 ELSE -?4 END)), 0) AS"
        " count FROM unit_value JOIN statistic ON id = statistic WHERE run = ?1 AND name IN (?2, ?3) GROUP BY"
        " unit_value.unit)",
        &ignored);
    *most = *sum = 0;
    if (!row)
        return;
    sqlite3_bind_int64(row, 1, reading->run);
    sqlite3_bind_text(row, 2, statistic, -1, SQLITE_STATIC);
    sqlite3_bind_text(row, 3, less, -1, SQLITE_STATIC);
    sqlite3_bind_double(row, 4, factor);
    if (sqlite3_step(row) == SQLITE_ROW) {
        *most = sqlite3_column_double(row, 0);
        *sum = sqlite3_column_double(row, 1);
    }
    sqlite3_finalize(row);
}

void results_partition_lookups(const struct results_reading *reading, const struct results_group *group, double *most,
                               double *sum)
{
    double atomics = results_atomic_cycles(reading, results_atomic_sectors(reading, group));
    read_partitions(reading, "L2_busy_cycles", "L2_atomics", atomics, most, sum);
}

/* A warp's access touches the most that one request of it has; what all requests have on average is more where
 * others are wider. */
double results_atomic_sectors(const struct results_reading *reading, const struct results_group *group)
{
    double requests = results_sum(reading, group, "L2_requests"),
           sectors = results_sum(reading, group, "L2_total_cache_accesses");
    double accesses = results_sum(reading, group, "accesses_global_atomic") +
                      results_sum(reading, group, "accesses_global_reduction");
    double touched =
        results_sum(reading, group, "sectors_global_atomic") + results_sum(reading, group, "sectors_global_reduction");
    double mean = fmin(requests > 0 ? sectors / requests : 1, accesses > 0 ? touched / accesses : 4);
    return fmin(fmax(round(mean), 1), 4);
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
    double own = results_sum(reading, group, "L2_atomics"), sectors = results_atomic_sectors(reading, group);
    double most, sum, even = 1 / fmax(results_key(reading, "partition.count"), 1);
    read_partitions(reading, "L2_atomics", "", 0, &most, &sum);
    *share = sum > 0 ? most / sum : 0;
    return own / sectors * results_atomic_cycles(reading, sectors) * results_l2_cycle(reading) *
           (*share > 1.5 * even ? *share : 1 / fmax(results_slices(reading), 1));
}
