/* SPDX-License-Identifier: BSD-3-Clause */
#include "results/rules/pace.h"

#include "base/array.h"
#include "results/rules/rules.h"

#include <math.h>

enum {
    SAMPLES = 400, /* samples of a launch */
    MOST = 100000, /* samples of a run, at most */
    FEWEST = 8,    /* samples that tell a pace, at least */
};
#define FULL    0.9  /* SMs have their CTAs where this share of the most warps is resident */
#define WARM_UP 0.25 /* share of that time that is left out: warps start, and queues fill */

struct sample {
    double cycle, cycles, instructions, warps; /* its end and length; warps resident, the mean */
};

struct launch {
    double begin, end; /* core cycles of its first CTA and its end */
    bool alone;
};

static double cycles_of(const struct results_reading *reading, double femtoseconds)
{
    return 1e-15 * femtoseconds / results_report_seconds(reading, 1);
}

/* The longest launch of a kernel; false: there is none. */
static bool longest(const struct results_reading *reading, const char *kernel, struct launch *launch)
{
    struct mnp_error ignored = {0};
    sqlite3_stmt *row = results_sqlite_prepare(
        reading->database,
        "SELECT one.\"end\", (SELECT sum(value * (CASE name WHEN 'gpu_sim_cycle' THEN 1 ELSE -1 END)) FROM statistics"
        " WHERE run = one.run AND kernel = one.kernel AND name IN ('gpu_sim_cycle', 'kernel_launch_cycle')),"
        " NOT EXISTS (SELECT 1 FROM span AS other WHERE other.run = one.run AND kind = 'kernel' AND other.kernel <>"
        " one.kernel AND other.start < one.\"end\" AND other.\"end\" > one.start)"
        " FROM span AS one JOIN kernel ON kernel.run = one.run AND kernel.id = one.kernel WHERE one.run = ? AND "
        "one.kind ="
        " 'kernel' AND kernel.name = ? ORDER BY one.\"end\" - one.start DESC, one.kernel LIMIT 1",
        &ignored);
    if (!row)
        return false;
    sqlite3_bind_int64(row, 1, reading->run);
    sqlite3_bind_text(row, 2, kernel, -1, SQLITE_STATIC);
    bool found = sqlite3_step(row) == SQLITE_ROW;
    if (found) {
        launch->end = cycles_of(reading, sqlite3_column_double(row, 0));
        launch->begin = launch->end - sqlite3_column_double(row, 1);
        launch->alone = sqlite3_column_int(row, 2);
    }
    sqlite3_finalize(row);
    return found;
}

uint64_t results_pace_interval(const struct results_reading *reading, const char *kernel)
{
    struct launch launch;
    double all = results_sum(reading, &reading->total, "gpu_sim_cycle");
    if (!longest(reading, kernel, &launch) || !launch.alone)
        return 0;
    double cycles = launch.end - launch.begin, interval = ceil(fmax(cycles / SAMPLES, fmax(all, launch.end) / MOST));
    return interval * 10 * FEWEST < cycles ? (uint64_t)interval : 0;
}

/* Samples in which the launch had warps, struct sample. */
static void read_samples(const struct results_reading *reading, const struct launch *launch, struct mnp_array *samples)
{
    struct mnp_error ignored = {0};
    double before = 0;
    sqlite3_stmt *rows = results_sqlite_prepare(
        reading->database,
        "SELECT cycle, sum(value * (name = 'gpgpu_n_tot_w_icount')), sum(value * (name = 'resident_warp_cycles'))"
        " FROM sample JOIN statistic ON id = statistic WHERE run = ? GROUP BY cycle ORDER BY cycle",
        &ignored);
    if (!rows)
        return;
    sqlite3_bind_int64(rows, 1, reading->run);
    while (sqlite3_step(rows) == SQLITE_ROW) {
        struct sample one = {.cycle = sqlite3_column_double(rows, 0), .instructions = sqlite3_column_double(rows, 1)};
        one.cycles = one.cycle - before;
        one.warps = sqlite3_column_double(rows, 2) / fmax(one.cycles, 1);
        if (one.cycle > launch->begin && before < launch->end && one.warps > 0)
            *(struct sample *)mnp_array_add(samples, 1, sizeof one) = one;
        before = one.cycle;
    }
    sqlite3_finalize(rows);
}

/* The time in cycles of the launch, shared evenly; 0: it cannot be told. */
static double shared_evenly(const struct sample *samples, uint32_t count, double begin)
{
    double most = 0, done = 0, at_pace = 0, all = 0;
    uint32_t first = 0, last = 0;
    for (uint32_t i = 0; i < count; i++)
        most = fmax(most, samples[i].warps);
    while (first < count && samples[first].warps < FULL * most)
        first++;
    for (uint32_t i = first; i < count; i++)
        last = samples[i].warps >= FULL * most ? i : last;
    uint32_t warm = first + (uint32_t)(WARM_UP * (last - first + 1));
    if (last < warm + FEWEST)
        return 0;
    for (uint32_t i = 0; i < count; i++) {
        all += samples[i].instructions;
        *(i <= warm ? &done : &at_pace) += i <= last ? samples[i].instructions : 0;
    }
    double pace = at_pace / (samples[last].cycle - samples[warm].cycle);
    return pace > 0 ? samples[warm].cycle - begin + (all - done) / pace : 0;
}

double results_pace_saved(const struct results_reading *reading, const char *kernel)
{
    struct launch launch;
    struct mnp_array samples = {0};
    if (!longest(reading, kernel, &launch) || !launch.alone)
        return RESULTS_UNMEASURED;
    read_samples(reading, &launch, &samples);
    double shared = shared_evenly(samples.items, samples.count, launch.begin);
    mnp_array_release(&samples);
    return shared > 0 ? 1 - shared / (launch.end - launch.begin) : RESULTS_UNMEASURED;
}
