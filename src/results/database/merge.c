/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs of a database that is added get the numbers behind those that are there; statistics are joined by name. */
#include "results/database/merge.h"

#include "base/file.h"
#include "base/print.h"
#include "results/files/folder.h"

#include <stdlib.h>
#include <string.h>

/* Opens a database beside the others, under the name `one`, once it has been found whole. */
static bool attach(sqlite3 *all, const char *path, struct mnp_error *error)
{
    sqlite3 *looked_at = results_database_open(path, error);
    if (!looked_at)
        return false;
    char *file = strdup(sqlite3_db_filename(looked_at, "main"));
    sqlite3_close(looked_at);
    sqlite3_stmt *join = results_sqlite_prepare(all, "ATTACH ? AS one", error);
    bool done = join && results_sqlite_add(join, error, "t", file);
    sqlite3_finalize(join);
    free(file);
    return done;
}

static const char copy[] =
    "CREATE TEMP TABLE base AS SELECT coalesce(max(id), 0) AS base FROM main.run;"
    "INSERT INTO main.statistic (name, unit, kind, model, what, scale, numerator, denominator)"
    " SELECT name, unit, kind, model, what, scale, numerator, denominator FROM one.statistic"
    " WHERE name NOT IN (SELECT name FROM main.statistic) ORDER BY id;"
    "CREATE TEMP TABLE map (old INTEGER PRIMARY KEY, new INTEGER);"
    "INSERT INTO map SELECT theirs.id, ours.id FROM one.statistic AS theirs JOIN main.statistic AS ours USING (name);"
    "INSERT INTO main.machine SELECT run + base, key, value, unit, origin, number FROM one.machine, base;"
    "INSERT INTO main.kernel SELECT run + base, id, name, partial, grid_x, grid_y, grid_z, block_x, block_y, block_z,"
    " stream, registers, shared_bytes, ctas_by_warps, ctas_by_registers, ctas_by_shared FROM one.kernel, base;"
    "INSERT INTO main.value SELECT run + base, kernel, new, value FROM base CROSS JOIN one.value JOIN map"
    " ON old = statistic;"
    "INSERT INTO main.histogram SELECT run + base, kernel, new, bin, upper, count FROM base CROSS JOIN one.histogram"
    " JOIN map ON old = statistic;"
    "INSERT INTO main.unit_value SELECT run + base, new, unit, value FROM base CROSS JOIN one.unit_value JOIN map"
    " ON old = statistic;"
    "INSERT INTO main.sample SELECT run + base, cycle, new, value FROM base CROSS JOIN one.sample JOIN map"
    " ON old = statistic;"
    "INSERT INTO main.span SELECT run + base, kind, kernel, number, place, stream, name, start, \"end\""
    " FROM one.span, base;"
    "INSERT INTO main.instruction SELECT run + base, kernel, pc, opcode, text, source, issues, lanes, ready, result,"
    " memory, barrier, fence, fetch, ended, sectors, conflicts, awaited, energy FROM one.instruction, base;"
    "INSERT INTO main.source_line SELECT run + base, source, text FROM one.source_line, base;"
    "INSERT INTO main.estimate SELECT run + base, statistic, unit, value, margin FROM one.estimate, base;"
    "INSERT INTO main.warning SELECT run + base, text, count FROM one.warning, base;"
    "INSERT INTO main.provenance SELECT run + base, kind, name, value FROM one.provenance, base;";

/* Runs that were joined before keep their `source`. */
static bool copy_runs(sqlite3 *all, const char *path, struct mnp_error *error)
{
    sqlite3_stmt *runs = results_sqlite_prepare(
        all,
        "INSERT INTO main.run SELECT id + base, coalesce(source, ?), version, input, machine, kind, architecture,"
        " description, ended, hash, host_executor, host_schedule, host_threads, host_processes, host_windows,"
        " host_wall_seconds, host_cpu_seconds, host_peak_memory_bytes, host_name, host_processors FROM one.run, base",
        error);
    bool done = runs && results_sqlite_add(runs, error, "t", path);
    sqlite3_finalize(runs);
    return done;
}

bool results_merge_add(sqlite3 *all, const char *path, struct mnp_error *error)
{
    struct mnp_error problem = {0};
    if (!attach(all, path, error))
        return false;
    bool done = results_sqlite_execute(all, "BEGIN", &problem) && results_sqlite_execute(all, copy, &problem) &&
                copy_runs(all, path, &problem) &&
                results_sqlite_execute(all, "DROP TABLE map; DROP TABLE base; COMMIT; DETACH one", &problem);
    return done || mnp_fail_at(error, path, 0, "cannot be joined: %.300s; make the run again", problem.text);
}

/* ===== comma-separated values ===== */

bool results_write_csv(sqlite3 *all, const char *table, FILE *out, struct mnp_error *error)
{
    char sql[64];
    snprintf(sql, sizeof sql, "SELECT * FROM %s", table);
    sqlite3_stmt *rows = results_sqlite_prepare(all, sql, error);
    if (!rows)
        return false;
    int columns = sqlite3_column_count(rows), status;
    for (int i = 0; i < columns; i++)
        mnp_print_csv(out, i ? ",%s" : "%s", sqlite3_column_name(rows, i));
    putc('\n', out);
    while ((status = sqlite3_step(rows)) == SQLITE_ROW) {
        for (int i = 0; i < columns; i++) {
            const char *text = (const char *)sqlite3_column_text(rows, i);
            fputs(i ? "," : "", out);
            mnp_put_csv(text ? text : "", out);
        }
        putc('\n', out);
    }
    sqlite3_finalize(rows);
    return status == SQLITE_DONE || results_sqlite_fail(all, error);
}

bool results_merge_write_csv(sqlite3 *all, const char *folder, struct mnp_error *error)
{
    enum { MOST_TABLES = 16 };
    static const char *const none[] = {NULL};
    struct mnp_output outputs[MOST_TABLES] = {0}, *each[MOST_TABLES];
    uint32_t count = 0;
    bool done = mnp_make_folder(folder, error);
    for (int i = 0; done && results_database_tables[i]; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s.csv", results_database_tables[i]);
        char *path = mnp_join_path(folder, name);
        done = mnp_output_open(&outputs[i], path, error) &&
               results_write_csv(all, results_database_tables[i], outputs[i].stream, error) &&
               mnp_output_finish(&outputs[i], error);
        free(path);
    }
    for (; results_database_tables[count]; count++)
        each[count] = &outputs[count];
    done = done && results_folder_commit(folder, each, count, none, error);
    for (int i = 0; results_database_tables[i]; i++)
        mnp_output_discard(&outputs[i]);
    return done;
}
