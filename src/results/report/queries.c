/* SPDX-License-Identifier: BSD-3-Clause */
#include "results/report/queries.h"

#include "base/allocate.h"
#include "base/print.h"
#include "base/text.h"
#include "results/figures/figures.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

sqlite3_stmt *results_report_ask(const struct results_reading *reading, const char *sql)
{
    struct mnp_error ignored = {0};
    sqlite3_stmt *rows = results_sqlite_prepare(reading->database, sql, &ignored);
    if (rows)
        sqlite3_bind_int64(rows, 1, reading->run);
    return rows;
}

sqlite3_stmt *results_report_ask_command(const struct results_reading *reading)
{
    return results_report_ask(reading, "SELECT value FROM provenance WHERE run = ? AND kind = 'command' ORDER BY name");
}

sqlite3_stmt *results_report_ask_warnings(const struct results_reading *reading)
{
    return results_report_ask(reading, "SELECT text FROM warning WHERE run = ? ORDER BY rowid LIMIT 5");
}

sqlite3_stmt *results_report_ask_settings(const struct results_reading *reading)
{
    return results_report_ask(
        reading, "SELECT key, value FROM machine AS m WHERE run = ? AND origin = '--set' AND NOT (key IN ('gpc.sms',"
                 " 'gpc.groups') AND value = '[]' AND EXISTS (SELECT 1 FROM machine WHERE run = m.run AND origin ="
                 " '--set' AND key IN ('sm.count', 'gpc.count'))) ORDER BY key");
}

char *results_report_settings(const struct results_reading *reading)
{
    sqlite3_stmt *rows = results_report_ask_settings(reading);
    char *line = NULL;
    size_t length = 0;
    FILE *text = open_memstream(&line, &length);
    MNP_NEED_MEMORY(text, "a machine's settings");
    for (bool first = true; rows && sqlite3_step(rows) == SQLITE_ROW; first = false)
        mnp_print_text(text, "%s%s=%s", first ? "" : ", ", results_report_text_of(rows, 0),
                       results_report_text_of(rows, 1));
    sqlite3_finalize(rows);
    fclose(text);
    return line;
}

const char *results_report_text_of(sqlite3_stmt *row, int column)
{
    const char *text = (const char *)sqlite3_column_text(row, column);
    return text ? text : "";
}

const char *results_report_place(const char *source)
{
    const char *slash = source ? strrchr(source, '/') : NULL;
    return slash ? slash + 1 : source;
}

/* ===== estimates ===== */

bool results_report_find_estimate(const struct results_reading *reading, struct results_estimate *estimate)
{
    sqlite3_stmt *row = results_report_ask(
        reading, "SELECT e.value, e.margin, (SELECT sum(v.value) FROM value AS v JOIN statistic ON id = v.statistic"
                 " WHERE v.run = e.run AND kernel > 0 AND name = e.statistic), (SELECT sum(v.value) FROM value AS v"
                 " JOIN statistic ON id = v.statistic WHERE v.run = e.run AND kernel > 0 AND name ="
                 " 'steady_instructions') FROM estimate AS e WHERE e.run = ? AND e.statistic = 'gpu_sim_cycle'");
    bool found = row && sqlite3_step(row) == SQLITE_ROW;
    if (found) {
        double value = sqlite3_column_double(row, 0), simulated = sqlite3_column_double(row, 2);
        *estimate = (struct results_estimate){.value = value,
                                              .margin = sqlite3_column_double(row, 1),
                                              .of_all = fabs(value - simulated) > 1,
                                              .passed_over = sqlite3_column_double(row, 3) > 0};
    }
    sqlite3_finalize(row);
    return found && estimate->value > 0;
}

double results_report_margin(const struct results_reading *reading)
{
    struct results_estimate e;
    return results_report_find_estimate(reading, &e) && e.passed_over ? e.margin / e.value : 0;
}

char *results_report_estimate(const struct results_reading *reading)
{
    struct results_estimate e;
    char value[MNP_NUMBER_TEXT], around[MNP_NUMBER_TEXT], time[RESULTS_REPORT_TIME], text[640] = "";
    if (!results_report_find_estimate(reading, &e))
        return strdup(text);
    snprintf(text, sizeof text, "%s: %s +- %s core cycles (%.2f %%, 95 %%), %s%s%s",
             e.of_all ? "all launches, of which some stood for others (--plan)" : "the kernels' time",
             mnp_format_grouped(value, (uint64_t)(e.value + 0.5)),
             mnp_format_grouped(around, (uint64_t)(e.margin + 0.5)), 100 * e.margin / e.value,
             results_report_time(time, results_report_seconds(reading, e.value)),
             e.of_all ? "; what follows is of those that were simulated" : "",
             e.passed_over ? "; instructions were passed over (--steady), and counters of caches, networks, memory and "
                             "pipes are known between none and twice as many"
                           : "");
    return strdup(text);
}
