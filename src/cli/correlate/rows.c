/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/correlate/rows.h"

#include "base/allocate.h"
#include "cli/correlate/kernels.h"
#include "results/encoding/sqlite.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ===== the table ===== */

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct correlate_measured *)a)->name, ((const struct correlate_measured *)b)->name);
}

static int by_name_and_line(const void *a, const void *b)
{
    unsigned left = ((const struct correlate_measured *)a)->line, right = ((const struct correlate_measured *)b)->line;
    int names = by_name(a, b);
    return names ? names : (left > right) - (left < right);
}

static void add(struct correlate_measurements *m, const char *name, double value, unsigned line)
{
    *(struct correlate_measured *)mnp_array_add(&m->table, 1, sizeof(struct correlate_measured)) =
        (struct correlate_measured){.name = strdup(name), .value = value, .line = line, .count = 1};
}

/* A name that a table of one's own has twice: its values may be repeated measurements, or parts of one. */
static bool refuse_twice(const struct correlate_measurements *m, const char *path, struct mnp_error *error)
{
    const struct correlate_measured *each = m->table.items;
    for (uint32_t i = 1; i < m->table.count; i++)
        if (strcmp(each[i - 1].name, each[i].name) == 0)
            return mnp_fail_at(error, path, each[i].line,
                               "\"%.60s\" is measured in line %u, too; state it once: the median of repeated "
                               "measurements, or the sum of parts",
                               each[i].name, each[i - 1].line);
    return true;
}

/* Sorts by name; launches of one kernel become their sum. */
static bool settle(struct correlate_measurements *m, const char *path, struct mnp_error *error)
{
    struct correlate_measured *each = m->table.items;
    uint32_t kept = 0;
    if (!m->table.count)
        return true;
    qsort(each, m->table.count, sizeof *each, by_name_and_line);
    if (!m->by_kernel && !refuse_twice(m, path, error))
        return false;
    for (uint32_t i = 1; i < m->table.count; i++) {
        if (strcmp(each[i].name, each[kept].name) != 0) {
            each[++kept] = each[i];
            continue;
        }
        each[kept].value += each[i].value;
        each[kept].count++;
        free(each[i].name);
    }
    m->table.count = kept + 1;
    return true;
}

static double find_kernel(const struct correlate_measurements *m, const char *name, struct mnp_error *error)
{
    const struct correlate_measured *each = m->table.items;
    const char **names = mnp_allocate(m->table.count + 1, sizeof *names);
    bool *chosen = mnp_allocate(m->table.count + 1, sizeof *chosen);
    double value = 0;
    for (uint32_t i = 0; i < m->table.count; i++)
        names[i] = each[i].name;
    if (cli_correlate_choose(names, m->table.count, name, chosen) == CORRELATE_UNCLEAR)
        mnp_fail(error,
                 "several kernels that were measured are called like %.100s; write one of their names as it is there",
                 name);
    for (uint32_t i = 0; i < m->table.count; i++)
        value += chosen[i] ? each[i].value : 0;
    free(names);
    free(chosen);
    return value;
}

double cli_correlate_find(const struct correlate_measurements *m, const char *name, struct mnp_error *error)
{
    const struct correlate_measured key = {.name = (char *)(uintptr_t)name};
    if (m->by_kernel)
        return find_kernel(m, name, error);
    const struct correlate_measured *found =
        m->table.count ? bsearch(&key, m->table.items, m->table.count, sizeof key, by_name) : NULL;
    return found ? found->value : 0;
}

void cli_correlate_release(struct correlate_measurements *m)
{
    struct correlate_measured *each = m->table.items;
    for (uint32_t i = 0; i < m->table.count; i++)
        free(each[i].name);
    mnp_array_release(&m->table);
}

/* ===== units ===== */

struct unit {
    const char *name;
    enum correlate_unit unit;
    double scale;
};

static const struct unit units[] = {
    {"cycle", CORRELATE_CYCLES, 1},       {"cycles", CORRELATE_CYCLES, 1},      {"", CORRELATE_CYCLES, 1},
    {"s", CORRELATE_SECONDS, 1},          {"second", CORRELATE_SECONDS, 1},     {"ms", CORRELATE_SECONDS, 1e-3},
    {"msecond", CORRELATE_SECONDS, 1e-3}, {"us", CORRELATE_SECONDS, 1e-6},      {"usecond", CORRELATE_SECONDS, 1e-6},
    {"ns", CORRELATE_SECONDS, 1e-9},      {"nsecond", CORRELATE_SECONDS, 1e-9}, {"W", CORRELATE_WATTS, 1},
    {"mW", CORRELATE_WATTS, 1e-3},
};

static const struct unit *unit_of(const char *name)
{
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(units[i].name, name) == 0)
            return &units[i];
    return NULL;
}

/* Errors are relative to the measurement, so it cannot be 0 or less. */
static bool refuse_value(const char *path, unsigned line, const char *name, double value, struct mnp_error *error)
{
    return mnp_fail_at(error, path, line,
                       "the measurement of \"%.60s\" is %g; it must be above 0: measure it again, or leave it out",
                       name, value);
}

/* Adds a value of a unit by name; all of a file must be of cycles, or all of time, or all of power. */
static bool add_in(struct correlate_measurements *m, const struct results_csv *csv, const struct results_csv_row *row,
                   const char *name, double value, const char *unit, struct mnp_error *error)
{
    const struct unit *known = unit_of(unit);
    if (known && !(value * known->scale > 0))
        return refuse_value(csv->path, row->line, name, value, error);
    if (!known)
        return mnp_fail_at(error, csv->path, row->line,
                           "\"%.60s\" is no unit of time or power; there are cycle, s, ms, us, ns, W, mW", unit);
    if (m->table.count && m->unit != known->unit)
        return mnp_fail_at(
            error, csv->path, row->line,
            "is in %.60s, and rows above are of another kind; a file has cycles, or times, or watts: give a "
            "file for each",
            *unit ? unit : "cycle");
    m->unit = known->unit;
    add(m, name, value * known->scale, row->line);
    return true;
}

/* ===== tables of one's own ===== */

static int need(const struct results_csv *csv, const char *column, struct mnp_error *error)
{
    int place = results_csv_column(csv, column);
    if (place < 0)
        mnp_fail_at(error, csv->path, 1,
                    "has no column \"%.60s\", but %.60s%s%.60s%s; name them with --columns NAME,VALUE", column,
                    csv->names[0], csv->columns > 1 ? ", " : "", csv->columns > 1 ? csv->names[1] : "",
                    csv->columns > 2 ? ", ..." : "");
    return place;
}

static bool read_own(struct correlate_measurements *m, const struct results_csv *csv,
                     const struct correlate_columns *columns, struct mnp_error *error)
{
    int name = need(csv, columns->name ? columns->name : "name", error);
    int value = name < 0 ? -1 : need(csv, columns->value ? columns->value : "value", error);
    int unit = columns->unit ? -1 : results_csv_column(csv, "unit");
    const struct results_csv_row *rows = csv->rows.items;
    bool done = value >= 0;
    for (uint32_t i = 0; done && i < csv->rows.count; i++) {
        double number;
        if (!*rows[i].fields[value])
            continue; /* a row without a measurement */
        done = results_csv_number(csv, &rows[i], (uint32_t)value, &number, error) &&
               add_in(m, csv, &rows[i], rows[i].fields[name], number,
                      columns->unit ? columns->unit
                      : unit >= 0   ? rows[i].fields[unit]
                                    : "cycle",
                      error);
    }
    return done;
}

/* ===== Nsight Compute ===== */

/* Metrics that are a kernel's time, the best first. */
static const char *const metrics[] = {"gpc__cycles_elapsed.max", "gpc__cycles_elapsed.avg", "gpu__time_duration.sum",
                                      "sm__cycles_elapsed.max",  "Elapsed Cycles",          "Duration"};
enum { METRICS = sizeof metrics / sizeof *metrics };

/* The best of the metrics that a file has; -1: none. */
static int best_metric(const struct results_csv *csv, int metric)
{
    const struct results_csv_row *rows = csv->rows.items;
    int best = METRICS;
    for (uint32_t i = 0; i < csv->rows.count; i++)
        for (int k = 0; k < best; k++)
            if (strcmp(rows[i].fields[metric], metrics[k]) == 0)
                best = k;
    return best < METRICS ? best : -1;
}

static bool read_compute(struct correlate_measurements *m, const struct results_csv *csv, struct mnp_error *error)
{
    int kernel = need(csv, "Kernel Name", error), metric = need(csv, "Metric Name", error),
        unit = need(csv, "Metric Unit", error), value = need(csv, "Metric Value", error);
    const struct results_csv_row *rows = csv->rows.items;
    if (kernel < 0 || metric < 0 || unit < 0 || value < 0)
        return false;
    int best = best_metric(csv, metric);
    bool done = best >= 0 || mnp_fail_at(error, csv->path, 0,
                                         "has neither cycles nor times of kernels; measure with ncu --metrics "
                                         "gpc__cycles_elapsed.max,gpu__time_duration.sum --csv");
    m->by_kernel = true;
    for (uint32_t i = 0; done && i < csv->rows.count; i++) {
        double number;
        if (strcmp(rows[i].fields[metric], metrics[best]) != 0)
            continue;
        done = results_csv_number(csv, &rows[i], (uint32_t)value, &number, error) &&
               add_in(m, csv, &rows[i], rows[i].fields[kernel], number, rows[i].fields[unit], error);
    }
    return done;
}

/* ===== Nsight Systems ===== */

/* Both tables are tables: a view would have SQL of somebody else executed. */
static bool has_tables(sqlite3 *database)
{
    sqlite3_stmt *query = NULL;
    sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    bool good =
        sqlite3_prepare_v2(database,
                           "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND sql LIKE 'CREATE TABLE%'"
                           " AND name IN ('CUPTI_ACTIVITY_KIND_KERNEL', 'StringIds')",
                           -1, &query, NULL) == SQLITE_OK &&
        sqlite3_step(query) == SQLITE_ROW && sqlite3_column_int(query, 0) == 2;
    sqlite3_finalize(query);
    return good;
}

static bool read_systems(struct correlate_measurements *m, const char *path, struct mnp_error *error)
{
    sqlite3 *database = NULL;
    struct mnp_error problem = {0};
    sqlite3_stmt *rows = NULL;
    bool done = sqlite3_open_v2(path, &database, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK;
    if (done && has_tables(database))
        rows = results_sqlite_prepare(database,
                                      "SELECT value, \"end\" - start FROM CUPTI_ACTIVITY_KIND_KERNEL JOIN StringIds ON "
                                      "id = demangledName",
                                      &problem);
    m->unit = CORRELATE_SECONDS;
    m->by_kernel = true;
    int status = SQLITE_ERROR;
    while (rows && (status = sqlite3_step(rows)) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(rows, 0);
        double nanoseconds = sqlite3_column_double(rows, 1);
        if (!(nanoseconds > 0) && !refuse_value(path, 0, name ? name : "", nanoseconds, error))
            break;
        add(m, name ? name : "", nanoseconds * 1e-9, 0);
    }
    done = status == SQLITE_DONE || error->text[0] ||
           mnp_fail_at(error, path, 0,
                       "is no database of Nsight Systems with kernels in it (%.200s); export one with nsys "
                       "export --type sqlite",
                       problem.text[0] ? problem.text : sqlite3_errmsg(database));
    sqlite3_finalize(rows);
    sqlite3_close(database);
    return done && !error->text[0];
}

static bool is_database(const char *path)
{
    static const char head[] = "SQLite format 3";
    char text[sizeof head] = "";
    FILE *file = fopen(path, "rb");
    bool whole = file && fread(text, 1, sizeof head, file) == sizeof head;
    if (file)
        fclose(file);
    return whole && memcmp(text, head, sizeof head) == 0;
}

bool cli_correlate_read(struct correlate_measurements *m, const char *path, const struct correlate_columns *columns,
                        struct mnp_error *error)
{
    struct results_csv csv;
    bool done;
    *m = (struct correlate_measurements){0};
    if (is_database(path)) {
        done = read_systems(m, path, error);
    } else {
        if (!results_csv_read(&csv, path, error))
            return false;
        bool compute = results_csv_column(&csv, "Kernel Name") >= 0;
        done = compute ? read_compute(m, &csv, error) : read_own(m, &csv, columns, error);
        results_csv_release(&csv);
    }
    return done && settle(m, path, error) && (m->table.count || mnp_fail_at(error, path, 0, "has no measurement"));
}
