/* SPDX-License-Identifier: BSD-3-Clause */
#include "results/encoding/sqlite.h"

#include <stdarg.h>
#include <string.h>

bool results_sqlite_fail(sqlite3 *database, struct mnp_error *error)
{
    return mnp_fail(error, "the database: %.300s", database ? sqlite3_errmsg(database) : "out of memory");
}

sqlite3 *results_sqlite_memory(struct mnp_error *error)
{
    sqlite3 *database = NULL;
    sqlite3_int64 limit = INT64_MAX;
    bool open = sqlite3_open_v2(":memory:", &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) == SQLITE_OK;
    /* The kind of memory that can be written without copying it. */
    open = open && sqlite3_deserialize(database, "main", NULL, 0, 0,
                                       SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE) == SQLITE_OK;
    open = open && sqlite3_file_control(database, "main", SQLITE_FCNTL_SIZE_LIMIT, &limit) == SQLITE_OK;
    if (open && results_sqlite_execute(database, "PRAGMA journal_mode = off; PRAGMA temp_store = memory", error))
        return database;
    results_sqlite_fail(database, error);
    sqlite3_close(database);
    return NULL;
}

bool results_sqlite_write(sqlite3 *database, FILE *out, struct mnp_error *error)
{
    sqlite3_int64 size = 0;
    unsigned char *bytes = sqlite3_serialize(database, "main", &size, SQLITE_SERIALIZE_NOCOPY);
    if (!bytes)
        return results_sqlite_fail(database, error);
    fwrite(bytes, 1, (size_t)size, out);
    return true;
}

bool results_sqlite_execute(sqlite3 *database, const char *sql, struct mnp_error *error)
{
    return sqlite3_exec(database, sql, NULL, NULL, NULL) == SQLITE_OK || results_sqlite_fail(database, error);
}

sqlite3_stmt *results_sqlite_prepare(sqlite3 *database, const char *sql, struct mnp_error *error)
{
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(database, sql, -1, &statement, NULL) == SQLITE_OK)
        return statement;
    results_sqlite_fail(database, error);
    return NULL;
}

static void bind(sqlite3_stmt *statement, const char *types, va_list values)
{
    for (int i = 1; *types; i++, types++) {
        const char *text;
        switch (*types) {
        case 'i':
            sqlite3_bind_int64(statement, i, (sqlite3_int64)va_arg(values, uint64_t));
            break;
        case 'd':
            sqlite3_bind_double(statement, i, va_arg(values, double));
            break;
        case 't':
            text = va_arg(values, const char *);
            sqlite3_bind_text(statement, i, text, -1, SQLITE_STATIC);
            break;
        default:
            sqlite3_bind_null(statement, i);
        }
    }
}

void results_sqlite_bind(sqlite3_stmt *statement, const char *types, ...)
{
    va_list values;
    va_start(values, types);
    sqlite3_reset(statement);
    bind(statement, types, values);
    va_end(values);
}

bool results_sqlite_add(sqlite3_stmt *statement, struct mnp_error *error, const char *types, ...)
{
    va_list values;
    if (!statement)
        return false;
    va_start(values, types);
    bind(statement, types, values);
    va_end(values);
    bool done = sqlite3_step(statement) == SQLITE_DONE;
    if (!done)
        results_sqlite_fail(sqlite3_db_handle(statement), error);
    sqlite3_reset(statement);
    return done;
}
