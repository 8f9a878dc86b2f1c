/* SPDX-License-Identifier: BSD-3-Clause */
/* Counters are whole numbers; quotients have three decimals. */
#include "results/report/counts.h"

#include "results/report/queries.h"

#define SELECT                                                                                                         \
    "SELECT name, unit, value, statistic.kind FROM value JOIN statistic ON id = statistic WHERE run = ? AND kernel = " \
    "0"

/* Reads a row; false: its value is not above zero, or no number. */
static bool read_row(sqlite3_stmt *row, struct results_count *count)
{
    const struct mnp_statistic_kind *kind = results_kind_of(row, 3);
    count->name = results_report_text_of(row, 0);
    count->unit = results_report_text_of(row, 1);
    count->value = sqlite3_column_double(row, 2);
    if (!(count->value > 0))
        return false;
    if (kind && kind->quotient)
        snprintf(count->text, sizeof count->text, "%.3f", count->value);
    else
        mnp_format_grouped(count->text, (uint64_t)count->value);
    return true;
}

uint32_t results_counts_each(const struct results_reading *reading,
                             void (*write)(const struct results_count *count, void *context), void *context)
{
    struct results_count count;
    uint32_t rows = 0;
    sqlite3_stmt *row = results_report_ask(reading, SELECT " AND name <> 'core_contended_word' ORDER BY id");
    while (row && sqlite3_step(row) == SQLITE_ROW) {
        if (!read_row(row, &count))
            continue;
        rows++;
        if (write)
            write(&count, context);
    }
    sqlite3_finalize(row);
    return rows;
}

const char *results_count_text(const struct results_reading *reading, const char *name, char text[MNP_NUMBER_TEXT],
                               double *value)
{
    struct results_count count;
    sqlite3_stmt *row = results_report_ask(reading, SELECT " AND name = ?");
    bool known = row && sqlite3_bind_text(row, 2, name, -1, SQLITE_STATIC) == SQLITE_OK &&
                 sqlite3_step(row) == SQLITE_ROW && read_row(row, &count);
    *value = known ? count.value : 0;
    snprintf(text, MNP_NUMBER_TEXT, "%s", known ? count.text : "-");
    sqlite3_finalize(row);
    return text;
}
