/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums by name of kernel come from one pass over the values, which lie in the order of kernels. */
#include "results/figures/reading.h"

#include "base/allocate.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

static char *copy_text(sqlite3_stmt *row, int column)
{
    const char *text = (const char *)sqlite3_column_text(row, column);
    return strdup(text ? text : "");
}

/* A query about the run alone, whose number is its first parameter. */
static sqlite3_stmt *ask(const struct results_reading *reading, const char *sql, struct mnp_error *error)
{
    sqlite3_stmt *query = results_sqlite_prepare(reading->database, sql, error);
    if (query)
        sqlite3_bind_int64(query, 1, reading->run);
    return query;
}

static bool ended_well(sqlite3_stmt *query, int status, struct mnp_error *error)
{
    bool done = status == SQLITE_DONE || results_sqlite_fail(sqlite3_db_handle(query), error);
    sqlite3_finalize(query);
    return done;
}

static bool read_run(struct results_reading *reading, struct mnp_error *error)
{
    sqlite3_stmt *row = ask(reading,
                            "SELECT input, machine, kind, description, ended, hash, host_executor || ', ' || "
                            "host_threads || ' thread' || iif(host_threads = 1, '', 's'), host_wall_seconds, "
                            "architecture FROM run WHERE id = ?",
                            error);
    if (!row)
        return false;
    char **texts[] = {&reading->input, &reading->machine, &reading->kind, &reading->description,
                      &reading->ended, &reading->hash,    &reading->host};
    int status = sqlite3_step(row);
    for (int i = 0; i < 7; i++)
        *texts[i] = status == SQLITE_ROW ? copy_text(row, i) : strdup("");
    reading->wall_seconds = status == SQLITE_ROW ? sqlite3_column_double(row, 7) : 0;
    reading->architecture = status == SQLITE_ROW ? sqlite3_column_int(row, 8) : 0;
    return ended_well(row, status == SQLITE_ROW ? SQLITE_DONE : status, error);
}

static bool is_trace(const char *input)
{
    const char *ending = strrchr(input, '.');
    return ending && (strcmp(ending, ".g") == 0 || strcmp(ending, ".mtrace") == 0);
}

/* The program and its arguments, as the command has them behind "--"; without these the input, unless it is a trace, or
 * the program of all our own workloads. */
static bool read_program(struct results_reading *reading, struct mnp_error *error)
{
    sqlite3_stmt *words =
        ask(reading, "SELECT value FROM provenance WHERE run = ? AND kind = 'command' ORDER BY name", error);
    size_t size;
    FILE *text = open_memstream(&reading->program, &size);
    if (!text) {
        sqlite3_finalize(words);
        return mnp_fail(error, "out of memory");
    }
    int status = SQLITE_ERROR;
    bool behind = false, any = false, workload = false;
    for (int number = 0; words && (status = sqlite3_step(words)) == SQLITE_ROW; number++) {
        const char *word = (const char *)sqlite3_column_text(words, 0);
        if (behind && word) {
            fputs(any ? " " : "", text);
            fwrite(word, 1, strlen(word), text); /* readers escape it */
            any = true;
        }
        behind |= word && strcmp(word, "--") == 0;
        workload |= word && number == 1 && strcmp(word, "app") == 0;
    }
    if (!any && !workload && !is_trace(reading->input))
        fwrite(reading->input, 1, strlen(reading->input), text);
    fclose(text);
    return words && ended_well(words, status, error);
}

const struct mnp_statistic_kind *results_kind_of(sqlite3_stmt *row, int column)
{
    const char *name = (const char *)sqlite3_column_text(row, column);
    return name ? mnp_statistic_kind_named(name) : NULL;
}

/* Only what the run counts has a name: a merged database has other machines' statistics too. */
static bool read_statistics(struct results_reading *reading, struct mnp_error *error)
{
    sqlite3_stmt *rows = ask(reading,
                             "SELECT id, name, statistic.kind FROM statistic JOIN value ON statistic = id WHERE run = ?"
                             " AND kernel = 0 ORDER BY id DESC",
                             error);
    int status = SQLITE_ERROR;
    while (rows && (status = sqlite3_step(rows)) == SQLITE_ROW) {
        sqlite3_int64 id = sqlite3_column_int64(rows, 0);
        const struct mnp_statistic_kind *kind = results_kind_of(rows, 2);
        if (kind && kind->quotient)
            continue;
        if (!reading->statistics && id > 0 && id < 100000) { /* the greatest comes first */
            reading->statistic_count = (uint32_t)id + 1;
            reading->statistics = mnp_allocate(reading->statistic_count, sizeof *reading->statistics);
            reading->elapsed = mnp_allocate(reading->statistic_count, sizeof *reading->elapsed);
        }
        if (id > 0 && id < reading->statistic_count && !reading->statistics[id]) {
            reading->statistics[id] = copy_text(rows, 1);
            reading->elapsed[id] = kind && kind->paced;
            results_named_add(&reading->names, reading->statistics[id], (double)id);
        }
    }
    results_named_sort(&reading->names);
    return rows && ended_well(rows, status, error);
}

static bool read_keys(struct results_reading *reading, struct mnp_error *error)
{
    sqlite3_stmt *rows = ask(reading, "SELECT key, number FROM machine WHERE run = ?", error);
    int status = SQLITE_ERROR;
    while (rows && (status = sqlite3_step(rows)) == SQLITE_ROW) {
        const char *key = (const char *)sqlite3_column_text(rows, 0);
        results_named_add(&reading->keys, key ? key : "", sqlite3_column_double(rows, 1));
    }
    results_named_sort(&reading->keys);
    return rows && ended_well(rows, status, error);
}

static void begin_group(const struct results_reading *reading, struct results_group *group, const char *name)
{
    group->name = strdup(name);
    group->sums = mnp_allocate(reading->statistic_count + 1, sizeof *group->sums);
}

/* Names of kernels, in the order of strcmp. */
static bool read_names(struct results_reading *reading, struct mnp_error *error)
{
    struct mnp_array groups = {0};
    sqlite3_stmt *rows =
        ask(reading, "SELECT name, count(*) FROM kernel WHERE run = ? GROUP BY name ORDER BY name", error);
    int status = SQLITE_ERROR;
    while (rows && (status = sqlite3_step(rows)) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(rows, 0);
        struct results_group *group = mnp_array_add(&groups, 1, sizeof *group);
        begin_group(reading, group, name ? name : "");
        group->kernels = (uint64_t)sqlite3_column_int64(rows, 1);
        reading->kernel_count += group->kernels;
    }
    reading->groups = groups.items;
    reading->group_count = groups.count;
    return rows && ended_well(rows, status, error);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct results_group *)a)->name, ((const struct results_group *)b)->name);
}

static struct results_group *find_group(const struct results_reading *reading, const char *name)
{
    struct results_group key = {.name = (char *)(uintptr_t)name};
    return reading->group_count ? bsearch(&key, reading->groups, reading->group_count, sizeof key, by_name) : NULL;
}

/* A kernel's row: id, name, grid and block. */
static struct results_group *take_kernel(struct results_reading *reading, sqlite3_stmt *row)
{
    const char *name = (const char *)sqlite3_column_text(row, 1);
    struct results_group *group = find_group(reading, name ? name : "");
    uint64_t shape[6];
    for (int i = 0; i < 6; i++)
        shape[i] = (uint64_t)sqlite3_column_int64(row, 2 + i);
    reading->launches_hash = XXH3_64bits_withSeed(shape, sizeof shape, reading->launches_hash);
    if (!group)
        return NULL;
    reading->launches_hash = XXH3_64bits_withSeed(group->name, strlen(group->name), reading->launches_hash);
    if (!group->first) {
        group->first = (uint64_t)sqlite3_column_int64(row, 0);
        snprintf(group->shape, sizeof group->shape, "%" PRIu64 "x%" PRIu64 "x%" PRIu64 " of %" PRIu64, shape[0],
                 shape[1], shape[2], shape[3] * shape[4] * shape[5]);
    }
    return group;
}

/* Adds the values of a kernel; 0: of the whole run. */
static bool add_values(const struct results_reading *reading, sqlite3_stmt *values, sqlite3_int64 kernel,
                       struct results_group *group)
{
    int status;
    sqlite3_reset(values);
    sqlite3_bind_int64(values, 2, kernel);
    while ((status = sqlite3_step(values)) == SQLITE_ROW) {
        sqlite3_int64 id = sqlite3_column_int64(values, 0);
        if (id > 0 && id < reading->statistic_count)
            group->sums[id] += sqlite3_column_double(values, 1);
    }
    return status == SQLITE_DONE;
}

static bool read_values(struct results_reading *reading, struct mnp_error *error)
{
    sqlite3_stmt *values = ask(reading, "SELECT statistic, value FROM value WHERE run = ? AND kernel = ?", error);
    sqlite3_stmt *kernels = ask(reading,
                                "SELECT id, name, grid_x, grid_y, grid_z, block_x, block_y, block_z"
                                " FROM kernel WHERE run = ? ORDER BY id",
                                error);
    bool done = values && kernels && add_values(reading, values, 0, &reading->total);
    int status = SQLITE_DONE;
    while (done && (status = sqlite3_step(kernels)) == SQLITE_ROW) {
        struct results_group *group = take_kernel(reading, kernels);
        done = !group || add_values(reading, values, sqlite3_column_int64(kernels, 0), group);
    }
    if (!done || status != SQLITE_DONE)
        results_sqlite_fail(reading->database, error);
    sqlite3_finalize(values);
    sqlite3_finalize(kernels);
    return !error->text[0];
}

bool results_reading_kernel(const struct results_reading *reading, sqlite3_int64 kernel, struct results_group *group,
                            struct mnp_error *error)
{
    sqlite3_stmt *values = ask(reading, "SELECT statistic, value FROM value WHERE run = ? AND kernel = ?", error);
    memset(group->sums, 0, (reading->statistic_count + 1) * sizeof *group->sums);
    bool done = values && add_values(reading, values, kernel, group);
    if (values && !done)
        results_sqlite_fail(reading->database, error);
    sqlite3_finalize(values);
    return done;
}

uint32_t results_number(const struct results_reading *reading, const char *statistic)
{
    return (uint32_t)results_named_number(&reading->names, statistic);
}

double results_sum(const struct results_reading *reading, const struct results_group *group, const char *statistic)
{
    return group->sums[results_number(reading, statistic)];
}

bool results_counts(const struct results_reading *reading, const char *statistic)
{
    return results_number(reading, statistic) > 0;
}

double results_key(const struct results_reading *reading, const char *key)
{
    return results_named_number(&reading->keys, key);
}

static int by_time(const void *a, const void *b, void *context)
{
    uint32_t cycles = *(const uint32_t *)context;
    const struct results_group *left = a, *right = b;
    if (left->sums[cycles] != right->sums[cycles])
        return left->sums[cycles] < right->sums[cycles] ? 1 : -1;
    return (left->first > right->first) - (left->first < right->first);
}

bool results_reading_load(struct results_reading *reading, sqlite3 *database, sqlite3_int64 run, const char *label,
                          struct mnp_error *error)
{
    *reading = (struct results_reading){.database = database, .run = run, .label = strdup(label)};
    if (!read_run(reading, error) || !read_program(reading, error) || !read_statistics(reading, error) ||
        !read_keys(reading, error))
        return false;
    begin_group(reading, &reading->total, "total");
    bool done = read_names(reading, error) && read_values(reading, error);
    uint32_t cycles = results_number(reading, "gpu_sim_cycle");
    if (done && reading->group_count)
        qsort_r(reading->groups, reading->group_count, sizeof *reading->groups, by_time, &cycles);
    reading->total.kernels = reading->kernel_count;
    return done;
}

static void release_group(struct results_group *group)
{
    free(group->name);
    free(group->sums);
}

void results_reading_release(struct results_reading *reading)
{
    char *texts[] = {reading->label,       reading->input, reading->machine, reading->kind,
                     reading->description, reading->ended, reading->hash,    reading->host,
                     reading->program};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        free(texts[i]);
    for (uint32_t i = 0; i < reading->statistic_count; i++)
        free(reading->statistics[i]);
    for (uint32_t i = 0; i < reading->group_count; i++)
        release_group(&reading->groups[i]);
    release_group(&reading->total);
    release_group(&reading->busy);
    results_named_release(&reading->names);
    results_named_release(&reading->keys);
    free(reading->elapsed);
    free(reading->groups);
    free(reading->statistics);
    *reading = (struct results_reading){0};
}

bool results_same_launches(const struct results_reading *a, const struct results_reading *b)
{
    return a->kernel_count == b->kernel_count && a->launches_hash == b->launches_hash;
}

bool results_same_work(const struct results_reading *a, const struct results_reading *b, struct mnp_error *error)
{
    bool launches = results_same_launches(a, b) && (a->kernel_count || strcmp(a->input, b->input) == 0);
    bool program = *a->program && strcmp(a->program, b->program) == 0;
    if (strcmp(a->kind, b->kind) == 0 && (launches || program))
        return true;
    return mnp_fail(error,
                    "%.200s and %.200s are runs of different inputs (%.100s, %" PRIu64 " kernels; %.100s, %" PRIu64
                    " kernels), which cannot be compared; give runs of the same launches or of one program, or one "
                    "at a time",
                    a->label, b->label, *a->program ? a->program : a->input, a->kernel_count,
                    *b->program ? b->program : b->input, b->kernel_count);
}
