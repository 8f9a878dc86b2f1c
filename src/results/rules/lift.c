/* SPDX-License-Identifier: BSD-3-Clause */
#include "results/rules/lift.h"

#include "base/text.h"
#include "results/encoding/sqlite_rows.h"

#include <stdlib.h>
#include <string.h>

/* A value as a lift states it: a number, a size, a frequency, or a flag. */
static bool read_number(const char *value, uint64_t *number)
{
    bool is_true = strcmp(value, "true") == 0;
    *number = is_true;
    return is_true || strcmp(value, "false") == 0 || !mnp_parse_number(value, number) ||
           !mnp_parse_size(value, number) || !mnp_parse_hertz(value, number);
}

static bool has_already(const struct results_reading *reading, const char *key, const char *value)
{
    struct mnp_error ignored = {0};
    sqlite3_stmt *row = results_sqlite_prepare(reading->database,
                                               "SELECT value, number FROM machine WHERE run = ? AND key = ?", &ignored);
    uint64_t number;
    bool same = false;
    if (!row)
        return false;
    sqlite3_bind_int64(row, 1, reading->run);
    sqlite3_bind_text(row, 2, key, -1, SQLITE_STATIC);
    if (sqlite3_step(row) == SQLITE_ROW) {
        const char *text = (const char *)sqlite3_column_text(row, 0);
        same = text && strcmp(text, value) == 0;
        if (!same && sqlite3_column_type(row, 1) == SQLITE_INTEGER && read_number(value, &number))
            same = (uint64_t)sqlite3_column_int64(row, 1) == number;
    }
    sqlite3_finalize(row);
    return same;
}

void results_lift_reduce(const struct results_reading *reading, char *lift)
{
    char *copy = strdup(lift), *rest = copy, *at = lift;
    *lift = 0;
    for (char *word; (word = strsep(&rest, " "));) {
        char *equals = strchr(word, '=');
        if (!equals)
            continue;
        *equals = 0;
        bool same = has_already(reading, word, equals + 1);
        *equals = '=';
        if (!same)
            at += sprintf(at, "%s%s", at == lift ? "" : " ", word);
    }
    free(copy);
}
