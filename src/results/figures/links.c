/* SPDX-License-Identifier: BSD-3-Clause */
#include "results/figures/links.h"

#include "base/array.h"

#include <math.h>

const struct results_link_kind results_link_kinds[RESULTS_LINK_KINDS] = {
    {"requests to read", "fabric_read_bytes"},
    {"writes", "fabric_write_bytes"},
    {"atomics and reductions", "fabric_atomic_bytes"},
    {"replies with data", "fabric_reply_bytes"},
    {"acknowledgements", "fabric_acknowledgement_bytes"},
};

bool results_has_links(const struct results_reading *reading)
{
    return results_counts(reading, "fabric_bytes_out");
}

/* ===== time ===== */

struct interval {
    double from, to;
};

/* Adds an interval, which begins no earlier than those before it. */
static void add_interval(struct mnp_array *list, double from, double to)
{
    struct interval *last = list->count ? (struct interval *)list->items + list->count - 1 : NULL;
    if (last && from <= last->to)
        last->to = fmax(last->to, to);
    else
        *(struct interval *)mnp_array_add(list, 1, sizeof *last) = (struct interval){from, to};
}

static double length(const struct mnp_array *list)
{
    const struct interval *each = list->items;
    double sum = 0;
    for (uint32_t i = 0; i < list->count; i++)
        sum += each[i].to - each[i].from;
    return sum;
}

/* The length of what lies in both of two lists. */
static double length_of_both(const struct mnp_array *one, const struct mnp_array *other)
{
    const struct interval *a = one->items, *b = other->items;
    double sum = 0;
    for (uint32_t i = 0, k = 0; i < one->count && k < other->count;) {
        sum += fmax(fmin(a[i].to, b[k].to) - fmax(a[i].from, b[k].from), 0);
        if (a[i].to < b[k].to)
            i++;
        else
            k++;
    }
    return sum;
}

static double most_latency(const struct results_reading *reading, struct mnp_error *error)
{
    sqlite3_stmt *row =
        results_sqlite_prepare(reading->database,
                               "SELECT value FROM value WHERE run = ? AND kernel = 0 AND statistic = (SELECT id FROM "
                               "statistic WHERE name = 'fabric_max_latency')",
                               error);
    double cycles = 0, hertz = results_key(reading, "clock.noc");
    if (row && sqlite3_bind_int64(row, 1, reading->run) == SQLITE_OK && sqlite3_step(row) == SQLITE_ROW)
        cycles = sqlite3_column_double(row, 0);
    sqlite3_finalize(row);
    return hertz > 0 ? cycles / hertz : 0;
}

bool results_link_times(const struct results_reading *reading, struct results_link_times *times,
                        struct mnp_error *error)
{
    static const char sql[] = "SELECT start, \"end\", (SELECT sum(value) FROM value WHERE run = span.run AND kernel = "
                              "span.kernel AND statistic IN (SELECT id FROM statistic WHERE name IN "
                              "('fabric_bytes_out', 'fabric_bytes_in'))) FROM span WHERE run = ? AND "
                              "kind = 'kernel' ORDER BY start, \"end\"";
    sqlite3_stmt *rows = results_sqlite_prepare(reading->database, sql, error);
    struct mnp_array compute = {0}, communication = {0};
    int status = SQLITE_ERROR;
    if (rows)
        sqlite3_bind_int64(rows, 1, reading->run);
    while (rows && (status = sqlite3_step(rows)) == SQLITE_ROW)
        add_interval(sqlite3_column_double(rows, 2) > 0 ? &communication : &compute, sqlite3_column_double(rows, 0),
                     sqlite3_column_double(rows, 1));
    bool done = rows && (status == SQLITE_DONE || results_sqlite_fail(reading->database, error));
    sqlite3_finalize(rows);
    *times = (struct results_link_times){
        .compute = length(&compute) / 1e15,
        .communication = length(&communication) / 1e15,
        .exposed = (length(&communication) - length_of_both(&communication, &compute)) / 1e15,
        .most_latency = most_latency(reading, error),
    };
    mnp_array_release(&compute);
    mnp_array_release(&communication);
    return done && !error->text[0];
}

/* ===== traffic ===== */

double results_link_latency(const struct results_reading *reading)
{
    double replies = results_sum(reading, &reading->total, "fabric_replies");
    double hertz = results_key(reading, "clock.noc");
    return replies > 0 && hertz > 0 ? results_sum(reading, &reading->total, "fabric_latency_cycles") / replies / hertz
                                    : 0;
}

double results_link_within(const struct results_reading *reading, double share)
{
    struct mnp_error error = {0};
    sqlite3_stmt *rows = results_sqlite_prepare(reading->database,
                                                "SELECT upper, count FROM histogram WHERE run = ? AND kernel = 0 AND "
                                                "statistic = (SELECT id FROM statistic WHERE name = 'fabric_latency') "
                                                "ORDER BY bin",
                                                &error);
    double replies = results_sum(reading, &reading->total, "fabric_replies"), seen = 0, seconds = 0;
    double hertz = results_key(reading, "clock.noc");
    if (rows)
        sqlite3_bind_int64(rows, 1, reading->run);
    while (rows && replies > 0 && hertz > 0 && seen < share * replies && sqlite3_step(rows) == SQLITE_ROW) {
        bool open = sqlite3_column_type(rows, 0) == SQLITE_NULL;
        seen += sqlite3_column_double(rows, 1);
        seconds = open ? most_latency(reading, &error) : sqlite3_column_double(rows, 0) / hertz;
    }
    sqlite3_finalize(rows);
    return fmin(seconds, most_latency(reading, &error));
}

double results_link_data(const struct results_reading *reading, uint32_t to)
{
    char name[48];
    snprintf(name, sizeof name, "fabric_data_to_gpu%u", to);
    return results_sum(reading, &reading->total, name);
}

double results_link_copied(const struct results_reading *reading, uint32_t to)
{
    char name[48];
    snprintf(name, sizeof name, "fabric_copied_to_gpu%u", to);
    return results_sum(reading, &reading->total, name);
}

double results_link_bytes(const struct results_reading *reading, uint32_t row, const char *direction)
{
    char name[48];
    if (row + 1 < RESULTS_LINK_ROWS)
        snprintf(name, sizeof name, "fabric_link%u_%s", row, direction);
    else
        snprintf(name, sizeof name, "fabric_links_more_%s", direction);
    return results_sum(reading, &reading->total, name);
}

double results_link_use(const struct results_reading *reading, uint32_t row, const char *direction)
{
    double peak = results_sum(reading, &reading->total, "fabric_link_peak_bytes");
    return peak > 0 ? results_link_bytes(reading, row, direction) / peak : 0;
}

/* ===== switches ===== */

bool results_has_switches(const struct results_reading *reading)
{
    return results_counts(reading, "switch_bytes");
}

/* A row of each switch, with an end of its own. */
static double of_switch(const struct results_reading *reading, uint32_t row, const char *what)
{
    char name[48];
    if (row + 1 < RESULTS_LINK_SWITCHES)
        snprintf(name, sizeof name, "switch%u_%s", row, what);
    else
        snprintf(name, sizeof name, "switches_more_%s", what);
    return results_sum(reading, &reading->total, name);
}

double results_switch_bytes(const struct results_reading *reading, uint32_t row)
{
    return of_switch(reading, row, "bytes");
}

double results_switch_wait(const struct results_reading *reading, uint32_t row)
{
    double hertz = results_key(reading, "clock.noc");
    return hertz > 0 ? of_switch(reading, row, "wait_cycles") / hertz : 0;
}
