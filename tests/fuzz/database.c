/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fuzz target of what reads a database of results: tables with any values, or none, are read, reported in each form,
 * drawn over time and merged, or refused with an error. An input is text: a line per row, "TABLE|VALUE|VALUE…", where
 * nothing is NULL and what looks like a number is one. (SQLite's own reading of damaged files is for its own fuzzers;
 * tests/cli/database.py has some of them.)
 */
#include "results/database/merge.h"
#include "results/figures/busy.h"
#include "results/report/report.h"
#include "results/timeline/gpu_packets.h"
#include "results/timeline/timeline.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LONGEST_LINE = 512 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A row has as many values as its table has columns: what is too much is left out, what is missing is NULL. */
static void insert(sqlite3 *database, const char *table, char *values)
{
    char sql[LONGEST_LINE];
    sqlite3_stmt *row = NULL;
    snprintf(sql, sizeof sql, "SELECT count(*) FROM pragma_table_info('%s')", table);
    int columns = 0;
    if (sqlite3_prepare_v2(database, sql, -1, &row, NULL) == SQLITE_OK && sqlite3_step(row) == SQLITE_ROW)
        columns = sqlite3_column_int(row, 0);
    sqlite3_finalize(row);
    int length = snprintf(sql, sizeof sql, "INSERT OR IGNORE INTO %s VALUES (?", table);
    for (int i = 1; i < columns; i++)
        length += snprintf(sql + length, sizeof sql - (size_t)length, ", ?");
    snprintf(sql + length, sizeof sql - (size_t)length, ")");
    if (!columns || sqlite3_prepare_v2(database, sql, -1, &row, NULL) != SQLITE_OK)
        return;
    for (int i = 1; i <= columns && values; i++) {
        char *value = strsep(&values, "|"), *end;
        double number = strtod(value, &end);
        if (*value && !*end && strpbrk(value, ".eExX"))
            sqlite3_bind_double(row, i, number);
        else if (*value && !*end)
            sqlite3_bind_int64(row, i, strtoll(value, NULL, 10));
        else if (*value)
            sqlite3_bind_text(row, i, value, -1, SQLITE_TRANSIENT);
    }
    sqlite3_step(row);
    sqlite3_finalize(row);
}

static void fill(sqlite3 *database, const uint8_t *data, size_t size)
{
    char line[LONGEST_LINE];
    for (size_t begin = 0; begin < size;) {
        const uint8_t *end = memchr(data + begin, '\n', size - begin);
        size_t length = end ? (size_t)(end - data) - begin : size - begin;
        size_t kept = length < sizeof line - 1 ? length : sizeof line - 1;
        memcpy(line, data + begin, kept);
        line[kept] = '\0';
        begin += length + 1;
        char *values = line;
        const char *name = strsep(&values, "|");
        for (const char *const *table = results_database_tables; *table; table++)
            if (values && strcmp(*table, name) == 0)
                insert(database, *table, values);
    }
}

/* The tables as a file, which SQLite opens by its name. */
static void write_file(char *path, const uint8_t *data, size_t size)
{
    struct mnp_error error = {0};
    sqlite3 *database = results_sqlite_memory(&error);
    FILE *file = fdopen(mkstemp(path), "wb");
    if (!database || !file || !results_database_create(database, &error))
        abort();
    sqlite3_exec(database, "BEGIN", NULL, NULL, NULL);
    fill(database, data, size);
    sqlite3_exec(database, "COMMIT", NULL, NULL, NULL);
    if (!results_sqlite_write(database, file, &error))
        abort();
    fclose(file);
    sqlite3_close(database);
}

static void expect(bool done, struct mnp_error *error)
{
    if (!done && !error->text[0])
        abort(); /* refused without a word */
    *error = (struct mnp_error){0};
}

static void report(sqlite3 *database, FILE *out)
{
    struct mnp_error error = {0};
    struct results_reading reading;
    bool read = results_busy_load(&reading, database, 1, "run", &error);
    expect(read, &error);
    if (read) {
        struct results_findings both[2];
        both[0].count = results_rules_find(&reading, both[0].all);
        results_joint_find(&reading, &both[0].joint);
        both[1] = both[0];
        results_report_text(&reading, &both[0], out);
        results_report_two(&reading, &reading, out);
        results_report_answer(&reading, "A", &both[0], out);
        results_report_html(&reading, &reading, both, out);
        results_report_lines(&reading, both[0].all, both[0].count, out);
        results_page_many((struct results_reading[]){reading, reading, reading}, 3, out);
        expect(results_write_ncu(&reading, out, &error), &error);
    }
    results_reading_release(&reading);
    expect(results_write_timeline(&database, 1, false, out, &error), &error);
    expect(results_write_timeline((sqlite3 *[]){database, database}, 2, true, out, &error), &error);
    expect(results_write_gpu_packets(database, 0, false, out, &error), &error);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[] = "/tmp/fuzz-database-XXXXXX";
    struct mnp_error error = {0};
    FILE *out = fopen("/dev/null", "w");
    write_file(path, data, size);
    sqlite3 *database = results_database_open(path, &error);
    expect(database, &error);
    if (database) {
        report(database, out);
        sqlite3 *all = results_sqlite_memory(&error);
        expect(results_database_create(all, &error) && results_merge_add(all, path, &error), &error);
        sqlite3_close(all);
    }
    sqlite3_close(database);
    unlink(path);
    fclose(out);
    return 0;
}
