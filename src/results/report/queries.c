/* SPDX-License-Identifier: BSD-3-Clause */
#include "results/report/queries.h"

#include "base/allocate.h"
#include "base/print.h"

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
