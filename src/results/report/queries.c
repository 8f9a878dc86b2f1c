/* SPDX-License-Identifier: BSD-3-Clause */
#include "results/report/queries.h"

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
    return results_report_ask(reading,
                              "SELECT value FROM provenance WHERE run = ? AND kind = 'command' ORDER BY name");
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
