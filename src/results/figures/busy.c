/* SPDX-License-Identifier: BSD-3-Clause */
#include "results/figures/busy.h"

#include "base/allocate.h"

#include <math.h>
#include <string.h>

/* A query about the run alone, whose number is its only parameter. */
static sqlite3_stmt *ask(const struct results_reading *reading, const char *sql, struct mnp_error *error)
{
    sqlite3_stmt *query = results_sqlite_prepare(reading->database, sql, error);
    if (query)
        sqlite3_bind_int64(query, 1, reading->run);
    return query;
}

/* Sectors that were written to the L2, atomics included. */
static double written_by(const struct results_reading *reading, const struct results_group *group)
{
    return results_sum(reading, group, "L2_writes") + results_sum(reading, group, "L2_atomics");
}

double results_dram_bytes(const struct results_reading *reading, const struct results_group *group)
{
    double bytes = results_sum(reading, group, "dram_bytes");
    if (group == &reading->total || group == &reading->busy || reading->written <= 0)
        return bytes;
    return bytes + reading->unowned_bytes * written_by(reading, group) / reading->written;
}

/* ===== the time with kernels ===== */

/* Femtoseconds of the run in which a kernel was there, between its request and its end. */
static double busy_time(const struct results_reading *reading, struct mnp_error *error)
{
    sqlite3_stmt *rows =
        ask(reading, "SELECT start, \"end\" FROM span WHERE run = ? AND kind = 'kernel' ORDER BY start", error);
    double busy = 0, until = 0;
    int status = SQLITE_ERROR;
    while (rows && (status = sqlite3_step(rows)) == SQLITE_ROW) {
        double start = fmax(sqlite3_column_double(rows, 0), until), end = sqlite3_column_double(rows, 1);
        busy += fmax(end - start, 0);
        until = fmax(until, end);
    }
    if (rows && status != SQLITE_DONE)
        results_sqlite_fail(reading->database, error);
    sqlite3_finalize(rows);
    return busy;
}

/* Time without a kernel is taken from the elapsed time, and from the issue slots that were idle then. Less than a
 * hundredth of the time is not worth a word: units end some cycles after the last kernel. */
static void make_busy(struct results_reading *reading, double share)
{
    uint32_t slots = results_number(reading, "issue_slots"), idle = results_number(reading, "issue_slots_idle");
    reading->busy.name = strdup("total");
    reading->busy.sums = mnp_allocate(reading->statistic_count + 1, sizeof *reading->busy.sums);
    reading->busy_share = share > 0 && share < 0.99 ? share : 1;
    for (uint32_t i = 1; i < reading->statistic_count; i++)
        reading->busy.sums[i] = reading->total.sums[i] * (reading->elapsed[i] ? reading->busy_share : 1);
    double without = fmin((1 - reading->busy_share) * reading->total.sums[slots], reading->total.sums[idle]);
    reading->busy.sums[slots] -= slots && idle ? without : 0;
    reading->busy.sums[idle] -= slots && idle ? without : 0;
}

static bool read_busy(struct results_reading *reading, struct mnp_error *error)
{
    double hertz = results_key(reading, "clock.core"), sms = results_key(reading, "sm.count");
    double all = hertz > 0 && sms > 0 ? 1e15 * results_sum(reading, &reading->total, "sm_cycles") / sms / hertz : 0;
    make_busy(reading, all > 0 ? busy_time(reading, error) / all : 1);
    if (reading->busy_share == 1)
        return !error->text[0];
    reading->busy.sums[results_number(reading, "gpu_sim_cycle")] =
        results_sum(reading, &reading->busy, "sm_cycles") / sms;
    sqlite3_stmt *row =
        ask(reading, "SELECT sum(\"end\" - start) FROM span WHERE run = ? AND kind IN ('copy', 'fill')", error);
    int status = row ? sqlite3_step(row) : SQLITE_ERROR;
    reading->copy_seconds = status == SQLITE_ROW ? 1e-15 * sqlite3_column_double(row, 0) : 0;
    if (row && status != SQLITE_ROW)
        results_sqlite_fail(reading->database, error);
    sqlite3_finalize(row);
    return !error->text[0];
}

static void find_unowned(struct results_reading *reading)
{
    reading->unowned_bytes = results_sum(reading, &reading->total, "dram_bytes");
    for (uint32_t i = 0; i < reading->group_count; i++) {
        reading->unowned_bytes -= results_sum(reading, &reading->groups[i], "dram_bytes");
        reading->written += written_by(reading, &reading->groups[i]);
    }
    reading->unowned_bytes = fmax(reading->unowned_bytes, 0);
}

bool results_busy_load(struct results_reading *reading, sqlite3 *database, sqlite3_int64 run, const char *label,
                       struct mnp_error *error)
{
    if (!results_reading_load(reading, database, run, label, error))
        return false;
    find_unowned(reading);
    bool done = read_busy(reading, error);
    reading->busy.kernels = reading->kernel_count;
    return done;
}
