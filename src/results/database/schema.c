/* SPDX-License-Identifier: BSD-3-Clause */
/* The tables of a database of results, and how one is opened. */
#include "base/file.h"
#include "results/database/database.h"

#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const char *const results_database_tables[] = {"run",         "machine",    "statistic", "kernel",     "value",
                                               "histogram",   "unit_value", "sample",    "span",       "instruction",
                                               "source_line", "estimate",   "warning",   "provenance", NULL};

static const char schema[] =
    "CREATE TABLE run (id INTEGER PRIMARY KEY, source TEXT, version TEXT, input TEXT, machine TEXT, kind TEXT,"
    " architecture INTEGER, description TEXT, ended TEXT, hash TEXT, host_executor TEXT, host_schedule TEXT,"
    " host_threads INTEGER, host_processes INTEGER, host_windows INTEGER, host_wall_seconds REAL,"
    " host_cpu_seconds REAL, host_peak_memory_bytes INTEGER, host_name TEXT, host_processors INTEGER);"
    "CREATE TABLE machine (run INTEGER, key TEXT, value TEXT, unit TEXT, origin TEXT, number INTEGER,"
    " PRIMARY KEY (run, key)) WITHOUT ROWID;"
    "CREATE TABLE statistic (id INTEGER PRIMARY KEY, name TEXT, unit TEXT, kind TEXT, model TEXT, what TEXT,"
    " scale INTEGER, numerator TEXT, denominator TEXT);"
    "CREATE TABLE kernel (run INTEGER, id INTEGER, name TEXT, partial INTEGER, grid_x INTEGER, grid_y INTEGER,"
    " grid_z INTEGER, block_x INTEGER, block_y INTEGER, block_z INTEGER, stream INTEGER,"
    " registers INTEGER, shared_bytes INTEGER, ctas_by_warps INTEGER, ctas_by_registers INTEGER,"
    " ctas_by_shared INTEGER,"
    " PRIMARY KEY (run, id)) WITHOUT ROWID;"
    "CREATE TABLE value (run INTEGER, kernel INTEGER, statistic INTEGER, value NUMERIC,"
    " PRIMARY KEY (run, kernel, statistic)) WITHOUT ROWID;"
    "CREATE TABLE histogram (run INTEGER, kernel INTEGER, statistic INTEGER, bin INTEGER, upper INTEGER,"
    " count INTEGER, PRIMARY KEY (run, kernel, statistic, bin)) WITHOUT ROWID;"
    "CREATE TABLE unit_value (run INTEGER, statistic INTEGER, unit INTEGER, value INTEGER,"
    " PRIMARY KEY (run, statistic, unit)) WITHOUT ROWID;"
    "CREATE TABLE sample (run INTEGER, cycle INTEGER, statistic INTEGER, value NUMERIC,"
    " PRIMARY KEY (run, cycle, statistic)) WITHOUT ROWID;"
    "CREATE TABLE span (run INTEGER, kind TEXT, kernel INTEGER, number INTEGER, place INTEGER, stream INTEGER,"
    " name TEXT, start INTEGER, \"end\" INTEGER);"
    "CREATE TABLE instruction (run INTEGER, kernel TEXT, pc INTEGER, opcode INTEGER, text TEXT, source TEXT,"
    " issues INTEGER, lanes INTEGER, ready INTEGER, result INTEGER, memory INTEGER, barrier INTEGER, fence INTEGER,"
    " fetch INTEGER, ended INTEGER, sectors INTEGER, conflicts INTEGER, awaited INTEGER, energy INTEGER, PRIMARY KEY "
    "(run, kernel, pc, "
    "opcode))"
    " WITHOUT ROWID;"
    "CREATE TABLE source_line (run INTEGER, source TEXT, text TEXT, PRIMARY KEY (run, source)) WITHOUT ROWID;"
    "CREATE TABLE estimate (run INTEGER, statistic TEXT, unit TEXT, value INTEGER, margin INTEGER,"
    " PRIMARY KEY (run, statistic)) WITHOUT ROWID;"
    "CREATE TABLE warning (run INTEGER, text TEXT, count INTEGER);"
    "CREATE TABLE provenance (run INTEGER, kind TEXT, name TEXT, value TEXT);"
    "CREATE VIEW statistics AS SELECT value.run AS run, value.kernel AS kernel,"
    " coalesce(kernel.name, 'total') AS kernel_name, statistic.name AS name, statistic.unit AS unit,"
    " value.value AS value FROM value JOIN statistic ON statistic.id = value.statistic"
    " LEFT JOIN kernel ON kernel.run = value.run AND kernel.id = value.kernel;"
    "PRAGMA user_version = 7;";
_Static_assert(RESULTS_DATABASE_VERSION == 7, "the schema states its version");

bool results_database_create(sqlite3 *database, struct mnp_error *error)
{
    return results_sqlite_execute(database, schema, error);
}

/* A number that a query yields; -1: it fails. */
static sqlite3_int64 number_of(sqlite3 *database, const char *sql)
{
    sqlite3_stmt *query = NULL;
    sqlite3_int64 number = -1;
    if (sqlite3_prepare_v2(database, sql, -1, &query, NULL) == SQLITE_OK && sqlite3_step(query) == SQLITE_ROW)
        number = sqlite3_column_int64(query, 0);
    sqlite3_finalize(query);
    return number;
}

/* Definition of a table in a database, to be freed; NULL: the database has none of that name. */
static char *definition(sqlite3 *database, const char *table)
{
    sqlite3_stmt *query = NULL;
    char *text = NULL;
    if (sqlite3_prepare_v2(database, "SELECT sql FROM sqlite_schema WHERE name = ?", -1, &query, NULL) == SQLITE_OK &&
        sqlite3_bind_text(query, 1, table, -1, SQLITE_STATIC) == SQLITE_OK && sqlite3_step(query) == SQLITE_ROW) {
        const char *sql = (const char *)sqlite3_column_text(query, 0);
        text = strdup(sql ? sql : "");
    }
    sqlite3_finalize(query);
    return text;
}

/* A view, a virtual table or a generated column in place of a table would have SQL of somebody else executed. */
static bool check_definitions(sqlite3 *database, const char *path, struct mnp_error *error)
{
    sqlite3 *ours = results_sqlite_memory(error);
    bool good = ours && results_database_create(ours, error);
    for (const char *const *table = results_database_tables; good && *table; table++) {
        char *known = definition(ours, *table), *found = definition(database, *table);
        good = !found || strcmp(known, found) == 0;
        if (!good)
            mnp_fail_at(error, path, 0,
                        "its \"%s\" is not the table that Maniple makes; give a folder that `maniple run -o` wrote",
                        *table);
        free(known);
        free(found);
    }
    sqlite3_close(ours);
    return good;
}

static bool check(sqlite3 *database, const char *path, struct mnp_error *error)
{
    sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_int64 tables = number_of(database, "SELECT count(*) FROM sqlite_schema WHERE type = 'table'"
                                               " AND name IN ('run', 'value', 'statistic', 'kernel', 'machine')");
    sqlite3_int64 version = number_of(database, "PRAGMA user_version");
    if (tables < 0)
        return mnp_fail_at(error, path, 0,
                           "is damaged or no database (%.200s); make the run again, or give the folder "
                           "of its -o",
                           sqlite3_errmsg(database));
    if (version > RESULTS_DATABASE_VERSION || (tables == 5 && version != RESULTS_DATABASE_VERSION))
        return mnp_fail_at(error, path, 0,
                           "was written by another version of Maniple (its tables are version %d, "
                           "here %d); make the run again with this one",
                           (int)version, RESULTS_DATABASE_VERSION);
    if (number_of(database, "PRAGMA page_count") == 0)
        return mnp_fail_at(error, path, 0,
                           "is empty, as of a run that ended before it wrote its results; make the run again, or give "
                           "the folder of its -o");
    if (tables != 5)
        return mnp_fail_at(error, path, 0,
                           "is a database, but not one of results; give a folder that `maniple run -o` "
                           "wrote, or its " RESULTS_DATABASE_FILE);
    if (!check_definitions(database, path, error))
        return false;
    sqlite3_stmt *sound = NULL;
    bool good = sqlite3_prepare_v2(database, "PRAGMA quick_check(1)", -1, &sound, NULL) == SQLITE_OK &&
                sqlite3_step(sound) == SQLITE_ROW && strcmp((const char *)sqlite3_column_text(sound, 0), "ok") == 0;
    sqlite3_finalize(sound);
    if (!good)
        return mnp_fail_at(error, path, 0, "is damaged; make the run again");
    return number_of(database, "SELECT count(*) FROM run") > 0 ||
           mnp_fail_at(error, path, 0, "holds no run; give a folder that `maniple run -o` wrote");
}

/* Whether folders in a folder have databases, such as those of a sweep. */
static bool some_have_one(const char *folder)
{
    char *pattern = mnp_join_path(folder, "*/" RESULTS_DATABASE_FILE);
    glob_t found = {0};
    bool some = glob(pattern, GLOB_NOSORT, NULL, &found) == 0 && found.gl_pathc > 0;
    globfree(&found);
    free(pattern);
    return some;
}

/* A folder without a database, maybe one of a run on several GPUs. */
static void refuse_folder(const char *path, struct mnp_error *error)
{
    struct stat status;
    char *first = mnp_join_path(path, "gpu0/" RESULTS_DATABASE_FILE);
    if (stat(first, &status) == 0)
        mnp_fail_at(error, path, 0, "has the results of several GPUs; give the folder of one of them, %.200s/gpu0",
                    path);
    else if (some_have_one(path))
        mnp_fail_at(error, path, 0, "is a folder of runs; give these: %.200s/*/", path);
    else
        mnp_fail_at(error, path, 0,
                    "has no " RESULTS_DATABASE_FILE "; give a folder that this version's "
                    "`maniple run -o` wrote");
    free(first);
}

sqlite3 *results_database_open(const char *path, struct mnp_error *error)
{
    struct stat status;
    sqlite3 *database = NULL;
    bool there = stat(path, &status) == 0;
    bool folder = there && S_ISDIR(status.st_mode);
    char *file = folder ? mnp_join_path(path, RESULTS_DATABASE_FILE) : strdup(path);
    if (!there)
        mnp_fail_at(error, path, 0, "cannot open: %s; give a folder that `maniple run -o` wrote", strerror(errno));
    else if (folder && stat(file, &status) != 0)
        refuse_folder(path, error);
    else if (sqlite3_open_v2(file, &database, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK)
        mnp_fail_at(error, file, 0, "cannot open: %.200s", database ? sqlite3_errmsg(database) : "out of memory");
    else if (check(database, file, error)) {
        free(file);
        return database;
    }
    free(file);
    sqlite3_close(database);
    return NULL;
}
