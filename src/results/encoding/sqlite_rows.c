/* SPDX-License-Identifier: BSD-3-Clause */
#include "results/encoding/sqlite_rows.h"

#include <stdarg.h>
#include <string.h>

enum { MOST_TABLE = 32 };

/* "INSERT INTO table VALUES (?, …), (?, …), …" */
static sqlite3_stmt *prepare(const struct results_sqlite_rows *rows, int count)
{
    char text[MOST_TABLE + 32 + RESULTS_SQLITE_ROWS * (2 * RESULTS_SQLITE_COLUMNS + 2)];
    size_t length = (size_t)snprintf(text, sizeof text, "INSERT INTO %.*s VALUES ", MOST_TABLE, rows->table);
    for (int row = 0; row < count; row++)
        for (int column = 0; column < rows->columns; column++) {
            text[length++] = column ? ',' : '(';
            text[length++] = '?';
            if (column + 1 == rows->columns) {
                text[length++] = ')';
                text[length++] = ',';
            }
        }
    text[length - 1] = 0;
    return results_sqlite_prepare(rows->database, text, rows->error);
}

static bool add(struct results_sqlite_rows *rows, sqlite3_stmt *statement)
{
    if (!statement)
        return false;
    for (int i = 0; i < rows->count * rows->columns; i++)
        if (rows->cells[i].type == 'i')
            sqlite3_bind_int64(statement, i + 1, (sqlite3_int64)rows->cells[i].whole);
        else if (rows->cells[i].type == 'd')
            sqlite3_bind_double(statement, i + 1, rows->cells[i].number);
        else
            sqlite3_bind_null(statement, i + 1);
    bool done = sqlite3_step(statement) == SQLITE_DONE;
    if (!done)
        results_sqlite_fail(rows->database, rows->error);
    sqlite3_reset(statement);
    rows->count = 0;
    return done;
}

bool results_sqlite_rows_add(struct results_sqlite_rows *rows, const char *types, ...)
{
    va_list values;
    struct results_sqlite_cell *cell = &rows->cells[rows->count * rows->columns];
    MNP_REQUIRE(strlen(types) == (size_t)rows->columns && rows->columns <= RESULTS_SQLITE_COLUMNS,
                "a row of %d columns is \"%s\"", rows->columns, types);
    va_start(values, types);
    for (; *types; types++, cell++) {
        cell->type = *types;
        if (*types == 'i')
            cell->whole = va_arg(values, uint64_t);
        else if (*types == 'd')
            cell->number = va_arg(values, double);
    }
    va_end(values);
    if (++rows->count < RESULTS_SQLITE_ROWS)
        return true;
    rows->many = rows->many ? rows->many : prepare(rows, RESULTS_SQLITE_ROWS);
    return add(rows, rows->many);
}

bool results_sqlite_rows_end(struct results_sqlite_rows *rows, bool done)
{
    if (done && rows->count) {
        sqlite3_stmt *last = prepare(rows, rows->count);
        done = add(rows, last);
        sqlite3_finalize(last);
    }
    sqlite3_finalize(rows->many);
    rows->many = NULL;
    return done;
}
