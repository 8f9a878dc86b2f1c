/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/sweep/summary.h"

#include "base/allocate.h"
#include "base/file.h"
#include "base/print.h"
#include "cli/jobs.h"
#include "cli/sweep/comparison.h"
#include "cli/sweep/effects.h"
#include "cli/sweep/interactions.h"
#include "results/charts/scatter.h"
#include "results/database/database.h"
#include "results/database/merge.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STATISTICS = 1500 /* columns of SQLite's tables end at 2000 */ };

struct summary {
    const struct sweep_plan *plan;
    const char *folder;
    bool *done;       /* [runs] */
    double *value[2]; /* [runs] of the objectives; NAN: not known */
    const char *name[2];
    char unit[2][40]; /* units of the objectives: " (us)"; empty: none, or not known */
    bool most[2];
    uint32_t objectives;
    uint32_t done_count;
    bool kernels;                /* some run has a time of its kernels */
    uint32_t estimated;          /* runs whose time is an estimate, … */
    double margin;               /* … and the greatest of their margins, as a part of it */
    char incomplete[160];        /* "incomplete: 3 of 4 runs", and of estimates; empty: all are done, and none is one */
    sqlite3_stmt *column;        /* adds a row to the table of columns */
    struct mnp_array statistics; /* items: char *; statistics of all runs, in order */
    sqlite3 *table;
    struct mnp_error *error;
};

static const struct sweep_run *run_at(const struct summary *s, uint32_t place)
{
    return (const struct sweep_run *)s->plan->runs.items + place;
}

static const struct sweep_axis *axis_at(const struct summary *s, uint32_t place)
{
    return (const struct sweep_axis *)s->plan->axes.items + place;
}

static const char *machine_of(const struct summary *s, uint32_t machine)
{
    return ((const char *const *)s->plan->shown.items)[machine];
}

static const char *value_of(const struct summary *s, uint32_t axis, uint32_t value)
{
    return ((const char *const *)axis_at(s, axis)->values.items)[value];
}

/* ===== reading ===== */

static sqlite3 *open_run(const struct summary *s, uint32_t place)
{
    char *path = mnp_join_path(s->folder, run_at(s, place)->name);
    sqlite3 *database = results_database_open(path, s->error);
    free(path);
    return database;
}

/* A number that a query with one text yields; NAN: none. */
static double ask(sqlite3 *database, const char *sql, const char *text)
{
    struct mnp_error ignored = {0};
    sqlite3_stmt *query = results_sqlite_prepare(database, sql, &ignored);
    double value = NAN;
    if (query)
        sqlite3_bind_text(query, 1, text, -1, SQLITE_STATIC);
    if (query && sqlite3_step(query) == SQLITE_ROW && sqlite3_column_type(query, 0) != SQLITE_NULL)
        value = sqlite3_column_double(query, 0);
    sqlite3_finalize(query);
    return value;
}

static const char of_statistic[] =
    "SELECT value FROM value JOIN statistic ON id = statistic WHERE run = 1 AND kernel = 0"
    " AND name = ?";
static const char of_key[] = "SELECT number FROM machine WHERE run = 1 AND key = ?";

/* Microseconds of a run; NAN: its machine has no core clock, or counts cycles neither of a GPU nor of many cores. */
static double time_of(sqlite3 *database)
{
    double cycles = ask(database, of_statistic, "gpu_sim_cycle");
    return 1e6 * (isnan(cycles) ? ask(database, of_statistic, "global_cycles") : cycles) /
           ask(database, of_key, "clock.core");
}

/* Microseconds of a run's kernels, one after another: of all launches, where some stood for others (--plan); NAN: as
 * above. */
static double kernel_time_of(sqlite3 *database)
{
    double cycles = ask(database, "SELECT value FROM estimate WHERE run = 1 AND statistic = ?", "gpu_sim_cycle");
    if (isnan(cycles))
        cycles = ask(database,
                     "SELECT sum(value) FROM value JOIN statistic ON id = statistic WHERE run = 1 AND kernel > 0"
                     " AND name = ?",
                     "gpu_sim_cycle");
    return 1e6 * cycles / ask(database, of_key, "clock.core");
}

/* Half of its interval of 95 %; NAN: it is no estimate. */
static double margin_of(sqlite3 *database)
{
    return 1e6 * ask(database, "SELECT margin FROM estimate WHERE run = 1 AND statistic = ?", "gpu_sim_cycle") /
           ask(database, of_key, "clock.core");
}

static double objective_of(sqlite3 *database, const char *name)
{
    if (strcmp(name, "time") == 0)
        return time_of(database);
    if (strcmp(name, "kernel-time") == 0)
        return kernel_time_of(database);
    if (strcmp(name, "energy-delay") == 0) /* microjoules times microseconds */
        return 1e-6 * ask(database, of_statistic, "energy") * time_of(database);
    double value = ask(database, of_statistic, name);
    return isnan(value) ? ask(database, of_key, name) : value;
}

static bool knows(const struct summary *s, const char *statistic)
{
    char *const *names = s->statistics.items;
    for (uint32_t i = 0; i < s->statistics.count; i++)
        if (strcmp(names[i], statistic) == 0)
            return true;
    return false;
}

static bool learn_statistics(struct summary *s, sqlite3 *database)
{
    sqlite3_stmt *rows =
        results_sqlite_prepare(database,
                               "SELECT name, unit, kind, what FROM statistic JOIN value ON statistic = id WHERE "
                               "run = 1 AND kernel = 0 ORDER BY id",
                               s->error);
    while (rows && sqlite3_step(rows) == SQLITE_ROW && s->statistics.count < MOST_STATISTICS) {
        const char *name = (const char *)sqlite3_column_text(rows, 0);
        if (!name || knows(s, name))
            continue;
        *(char **)mnp_array_add(&s->statistics, 1, sizeof(char *)) = strdup(name);
        for (int i = 0; i < 4; i++)
            sqlite3_bind_value(s->column, i + 1, sqlite3_column_value(rows, i));
        sqlite3_step(s->column);
        sqlite3_reset(s->column);
    }
    sqlite3_finalize(rows);
    return rows;
}

static void learn_unit(sqlite3 *database, const char *name, char *unit, size_t room)
{
    sqlite3_stmt *row = NULL;
    static const char of_name[] = "SELECT unit FROM statistic WHERE name = ?";
    const char *word = strcmp(name, "time") == 0 || strcmp(name, "kernel-time") == 0 ? "us" : "";
    if (strcmp(name, "energy-delay") == 0)
        word = "uJ us";
    if (!*word && sqlite3_prepare_v2(database, of_name, -1, &row, NULL) == SQLITE_OK) {
        sqlite3_bind_text(row, 1, name, -1, SQLITE_STATIC);
        if (sqlite3_step(row) == SQLITE_ROW && sqlite3_column_text(row, 0))
            word = (const char *)sqlite3_column_text(row, 0);
    }
    if (*word)
        snprintf(unit, room, " (%.32s)", word);
    sqlite3_finalize(row);
}

static bool learn_run(struct summary *s, uint32_t place)
{
    char *path = mnp_join_path(s->folder, run_at(s, place)->name);
    s->done[place] = cli_job_look(path) == CLI_JOB_DONE;
    free(path);
    if (!s->done[place])
        return true;
    s->done_count++;
    sqlite3 *database = open_run(s, place);
    bool done = database && learn_statistics(s, database);
    s->kernels |= done && !isnan(kernel_time_of(database));
    double margin = done ? margin_of(database) : NAN;
    if (!isnan(margin)) {
        s->estimated++;
        s->margin = fmax(s->margin, margin / kernel_time_of(database));
    }
    for (uint32_t i = 0; done && i < s->objectives; i++) {
        s->value[i][place] = objective_of(database, s->name[i]);
        if (!s->unit[i][0])
            learn_unit(database, s->name[i], s->unit[i], sizeof s->unit[i]);
        if (isnan(s->value[i][place]) && s->plan->objectives.count)
            done =
                mnp_fail_at(s->error, s->plan->file, 0,
                            "objectives: %.100s is neither time, kernel-time (of GPUs), a statistic "
                            "of these runs nor a number among the machine's keys (`maniple models` has the last two)",
                            s->name[i]);
    }
    sqlite3_close(database);
    return done;
}

/* ===== the table ===== */

/* The table of what the columns are: a maximum over units is no sum. */
static bool open_tables(struct summary *s)
{
    s->table = results_sqlite_memory(s->error);
    if (!s->table || !results_sqlite_execute(
                         s->table, "CREATE TABLE columns (name TEXT, unit TEXT, kind TEXT, what TEXT)", s->error))
        return false;
    s->column = results_sqlite_prepare(s->table, "INSERT INTO columns VALUES (?, ?, ?, ?)", s->error);
    return s->column;
}

static void write_name(const char *name, FILE *out)
{
    fputs(", \"", out);
    for (; *name; name++) {
        if (*name == '"')
            putc('"', out);
        putc(*name, out);
    }
    putc('"', out);
}

static bool create_table(struct summary *s)
{
    char *sql = NULL;
    size_t size;
    FILE *out = open_memstream(&sql, &size);
    fputs("CREATE TABLE sweep (name TEXT, machine TEXT, input TEXT, runs_done INTEGER, runs_planned INTEGER", out);
    for (uint32_t i = 0; i < s->plan->axes.count; i++)
        write_name(axis_at(s, i)->key, out);
    fputs(s->kernels ? ", time_us REAL, kernel_time_us REAL" : ", time_us REAL", out);
    fputs(s->estimated ? ", kernel_time_margin_us REAL" : "", out);
    for (uint32_t i = 0; i < s->statistics.count; i++)
        write_name(((char *const *)s->statistics.items)[i], out);
    fputs(")", out);
    fclose(out);
    bool done = results_sqlite_execute(s->table, sql, s->error);
    free(sql);
    return done;
}

static sqlite3_stmt *prepare_row(struct summary *s)
{
    char *sql = NULL;
    size_t size;
    uint32_t columns = 6 + s->kernels + (s->estimated > 0) + s->plan->axes.count + s->statistics.count;
    FILE *out = open_memstream(&sql, &size);
    fputs("INSERT INTO sweep VALUES (", out);
    for (uint32_t i = 0; i < columns; i++)
        fputs(i ? ", ?" : "?", out);
    fputs(")", out);
    fclose(out);
    sqlite3_stmt *row = results_sqlite_prepare(s->table, sql, s->error);
    free(sql);
    return row;
}

static void bind_text(sqlite3_stmt *row, int at, const char *text)
{
    sqlite3_bind_text(row, at, text, -1, SQLITE_TRANSIENT);
}

/* A value that is a number becomes one, so that tables sort by it. */
static void bind_value(sqlite3_stmt *row, int at, const char *text)
{
    char *end;
    double number = strtod(text, &end);
    if (*text && !*end && number == floor(number) && fabs(number) < 9e15)
        sqlite3_bind_int64(row, at, (sqlite3_int64)number);
    else if (*text && !*end)
        sqlite3_bind_double(row, at, number);
    else
        bind_text(row, at, text);
}

static bool add_row(struct summary *s, sqlite3_stmt *row, uint32_t place)
{
    const struct sweep_run *run = run_at(s, place);
    sqlite3 *database = open_run(s, place);
    sqlite3_stmt *values = database ? results_sqlite_prepare(database, of_statistic, s->error) : NULL;
    int at = 1;
    if (!values) {
        sqlite3_close(database);
        return false;
    }
    sqlite3_reset(row);
    bind_text(row, at++, run->name);
    bind_text(row, at++, machine_of(s, run->machine));
    bind_text(row, at++, ((const struct sweep_input *)s->plan->inputs.items)[run->input].text);
    sqlite3_bind_int64(row, at++, s->done_count);
    sqlite3_bind_int64(row, at++, s->plan->runs.count);
    for (uint32_t i = 0; i < s->plan->axes.count; i++)
        bind_value(row, at++, value_of(s, i, run->values[i]));
    sqlite3_bind_double(row, at++, time_of(database)); /* NAN: NULL */
    if (s->kernels)
        sqlite3_bind_double(row, at++, kernel_time_of(database));
    if (s->estimated)
        sqlite3_bind_double(row, at++, margin_of(database));
    for (uint32_t i = 0; i < s->statistics.count; i++, at++) {
        sqlite3_reset(values);
        sqlite3_bind_text(values, 1, ((char *const *)s->statistics.items)[i], -1, SQLITE_STATIC);
        if (sqlite3_step(values) == SQLITE_ROW)
            sqlite3_bind_value(row, at, sqlite3_column_value(values, 0));
        else
            sqlite3_bind_null(row, at);
    }
    bool done = sqlite3_step(row) == SQLITE_DONE || results_sqlite_fail(s->table, s->error);
    sqlite3_finalize(values);
    sqlite3_close(database);
    return done;
}

static bool fill_table(struct summary *s)
{
    sqlite3_stmt *row = create_table(s) ? prepare_row(s) : NULL;
    bool done = row && results_sqlite_execute(s->table, "BEGIN", s->error);
    for (uint32_t i = 0; done && i < s->plan->runs.count; i++)
        done = !s->done[i] || add_row(s, row, i);
    sqlite3_finalize(row);
    return done && results_sqlite_execute(s->table, "COMMIT", s->error);
}

/* ===== the front ===== */

struct mean {
    double sum; /* sum of logarithms */
    uint32_t count;
};

static void take(struct mean *mean, double value)
{
    if (!(value > 0) || !isfinite(value))
        return;
    mean->sum += log(value);
    mean->count++;
}

static double result(const struct mean *mean)
{
    return mean->count ? exp(mean->sum / mean->count) : NAN;
}

/* A machine with values, over all inputs. */
struct configuration {
    uint32_t place; /* the first of its places */
    double value[2];
    char *label;
};

static const struct sweep_place *place_at(const struct summary *s, uint32_t place)
{
    return (const struct sweep_place *)s->plan->places.items + place;
}

static bool same_configuration(const struct summary *s, const struct sweep_place *a, const struct sweep_place *b)
{
    return a->machine == b->machine && memcmp(a->values, b->values, s->plan->axes.count * sizeof *a->values) == 0;
}

/* Label of a configuration: its machine, where there are several, and the keys that vary. To be freed. */
static char *label_of(const struct summary *s, const struct sweep_place *place)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    const char *between = "";
    if (s->plan->machines.count > 1) {
        mnp_print_text(out, "%s", machine_of(s, place->machine));
        between = " ";
    }
    for (uint32_t i = 0; i < s->plan->axes.count; i++) {
        if (axis_at(s, i)->values.count < 2)
            continue;
        mnp_print_text(out, "%s%s=%s", between, axis_at(s, i)->key, value_of(s, i, place->values[i]));
        between = " ";
    }
    fclose(out);
    return text;
}

/* Places of one configuration lie side by side: inputs run fastest in a plan. Those without all inputs are left out,
 * and those that are others by other words. */
static void find_configurations(const struct summary *s, struct mnp_array *found)
{
    for (uint32_t i = 0, next; i < s->plan->places.count; i = next) {
        struct mean means[2] = {0};
        bool whole = true, again = true;
        for (next = i; next < s->plan->places.count && same_configuration(s, place_at(s, i), place_at(s, next));
             next++) {
            uint32_t run = place_at(s, next)->run;
            whole &= s->done[run];
            again &= place_at(s, next)->again;
            take(&means[0], s->value[0][run]);
            take(&means[1], s->value[1][run]);
        }
        if (!whole || again || !means[0].count || !means[1].count)
            continue;
        struct configuration *each = mnp_array_add(found, 1, sizeof *each);
        *each = (struct configuration){
            .place = i, .value = {result(&means[0]), result(&means[1])}, .label = label_of(s, place_at(s, i))};
    }
}

/* Whether `a` is as good as `b` in both objectives, and better in one. */
static bool dominates(const struct summary *s, const struct configuration *a, const struct configuration *b)
{
    bool better = false;
    for (int i = 0; i < 2; i++) {
        double left = s->most[i] ? -a->value[i] : a->value[i], right = s->most[i] ? -b->value[i] : b->value[i];
        if (left > right)
            return false;
        better |= left < right;
    }
    return better;
}

static int by_second(const void *a, const void *b)
{
    const struct configuration *left = a, *right = b;
    for (int i = 1; i >= 0; i--)
        if (left->value[i] != right->value[i])
            return left->value[i] < right->value[i] ? -1 : 1;
    return (left->place > right->place) - (left->place < right->place);
}

static bool draw(const struct summary *s, const struct results_scatter *scatter, const char *prefix)
{
    struct mnp_output output = {0};
    char *path = NULL;
    if (asprintf(&path, "%s.svg", prefix) < 0)
        mnp_out_of_memory(strlen(prefix));
    bool open = mnp_output_open(&output, path, s->error);
    if (open)
        results_draw_scatter(scatter, output.stream);
    bool done = open && mnp_output_finish(&output, s->error) && mnp_output_commit(&output, s->error);
    mnp_output_discard(&output);
    free(path);
    return done;
}

static bool write_front(const struct summary *s, const char *prefix, FILE *out)
{
    struct mnp_array found = {0};
    find_configurations(s, &found);
    struct configuration *all = found.items;
    if (found.count)
        qsort(all, found.count, sizeof *all, by_second);
    struct results_point *points = mnp_allocate(found.count + 1, sizeof *points);
    uint32_t *path = mnp_allocate(found.count + 1, sizeof *path), path_count = 0;
    mnp_print_text(out, "\nFront of %s%s, %s is better, and %s%s, %s is better%s%s\n", s->name[0], s->unit[0],
                   s->most[0] ? "more" : "less", s->name[1], s->unit[1], s->most[1] ? "more" : "less",
                   s->incomplete[0] ? "; " : "", s->incomplete);
    for (uint32_t i = 0; i < found.count; i++) {
        bool front = true;
        for (uint32_t k = 0; front && k < found.count; k++)
            front = !dominates(s, &all[k], &all[i]);
        points[i] =
            (struct results_point){.x = all[i].value[1], .y = all[i].value[0], .label = all[i].label, .marked = front};
        if (!front)
            continue;
        path[path_count++] = i;
        mnp_print_text(out, "%4u %15.*f %16.*f  %s\n", path_count, cli_sweep_decimals(all[i].value[0]), all[i].value[0],
                       cli_sweep_decimals(all[i].value[1]), all[i].value[1], all[i].label);
    }
    char axes[2][160];
    for (int i = 0; i < 2; i++)
        snprintf(axes[i], sizeof axes[i], "%.100s%s", s->name[i], s->unit[i]);
    char title[300];
    snprintf(title, sizeof title, "Means over all inputs; filled and numbered: the front%s%s",
             s->incomplete[0] ? "; " : "", s->incomplete);
    const struct results_scatter scatter = {.points = points,
                                            .count = found.count,
                                            .title = title,
                                            .x = axes[1],
                                            .y = axes[0],
                                            .path = path,
                                            .path_count = path_count,
                                            .numbered = true};
    bool done = draw(s, &scatter, prefix);
    for (uint32_t i = 0; i < found.count; i++)
        free(all[i].label);
    mnp_array_release(&found);
    free(points);
    free(path);
    return done;
}

/* ===== all of it ===== */

static void choose_objectives(struct summary *s)
{
    const struct sweep_objective *chosen = s->plan->objectives.items;
    s->objectives = s->plan->objectives.count ? s->plan->objectives.count : 1;
    s->name[0] = "time";
    for (uint32_t i = 0; i < s->plan->objectives.count; i++) {
        s->name[i] = chosen[i].name;
        s->most[i] = chosen[i].most;
    }
    for (int i = 0; i < 2; i++) {
        s->value[i] = mnp_allocate(s->plan->runs.count + 1, sizeof(double));
        for (uint32_t k = 0; k < s->plan->runs.count; k++)
            s->value[i][k] = NAN;
    }
}

/* Writes a table as CSV, or all as a database (`table` NULL). */
static bool write_table(const struct summary *s, const char *table, const char *prefix, const char *suffix)
{
    struct mnp_output output = {0};
    char *path = NULL;
    if (asprintf(&path, "%s%s", prefix, suffix) < 0)
        mnp_out_of_memory(strlen(prefix));
    bool done = mnp_output_open(&output, path, s->error) &&
                (table ? results_write_csv(s->table, table, output.stream, s->error)
                       : results_sqlite_write(s->table, output.stream, s->error)) &&
                mnp_output_finish(&output, s->error) && mnp_output_commit(&output, s->error);
    mnp_output_discard(&output);
    free(path);
    return done;
}

static void release(struct summary *s)
{
    char **names = s->statistics.items;
    for (uint32_t i = 0; i < s->statistics.count; i++)
        free(names[i]);
    mnp_array_release(&s->statistics);
    sqlite3_finalize(s->column);
    sqlite3_close(s->table);
    free(s->done);
    free(s->value[0]);
    free(s->value[1]);
}

/* Adds to the words of all files that times are estimates. */
static void say_estimates(struct summary *s)
{
    size_t length = strlen(s->incomplete);
    if (s->estimated)
        snprintf(s->incomplete + length, sizeof s->incomplete - length,
                 "%stimes of %u runs are estimates, within %.1f per cent", length ? "; " : "", s->estimated,
                 100 * s->margin);
}

bool cli_sweep_summary_write(const struct sweep_plan *plan, const char *folder, const char *prefix, FILE *out,
                             struct mnp_error *error)
{
    struct summary s = {.plan = plan, .folder = folder, .error = error};
    s.done = mnp_allocate(plan->runs.count + 1, sizeof *s.done);
    choose_objectives(&s);
    bool done = open_tables(&s);
    for (uint32_t i = 0; done && i < plan->runs.count; i++)
        done = learn_run(&s, i);
    if (done && !s.done_count)
        done = mnp_fail(error, "%s: none of the %u runs of %s is there; make them first (`maniple sweep`)", folder,
                        plan->runs.count, plan->file);
    if (s.done_count < plan->runs.count)
        snprintf(s.incomplete, sizeof s.incomplete, "incomplete: %u of %u runs", s.done_count, plan->runs.count);
    say_estimates(&s);
    done = done && fill_table(&s) && write_table(&s, "sweep", prefix, ".csv") &&
           write_table(&s, "columns", prefix, "-columns.csv") && write_table(&s, NULL, prefix, ".sqlite");
    if (done) {
        mnp_print_text(out, "%u of %u runs are done: %s.csv, %s.sqlite%s%s%s\n", s.done_count, plan->runs.count, prefix,
                       prefix, s.objectives == 2 ? ", " : "", s.objectives == 2 ? prefix : "",
                       s.objectives == 2 ? ".svg" : "");
        char objective[160];
        snprintf(objective, sizeof objective, "%.100s%s", s.name[0], s.unit[0]);
        if (s.estimated)
            mnp_print_text(out,
                           "\nTimes of %u runs are estimates, +- up to %.1f %% (95 %%; kernel_time_margin_us): smaller "
                           "effects may be chance\n",
                           s.estimated, 100 * s.margin);
        cli_sweep_effects_write(plan, s.value[0], objective, out);
        const struct sweep_comparison comparison = {.plan = plan,
                                                    .value = s.value[0],
                                                    .objective = s.name[0],
                                                    .lacks = s.done_count < plan->runs.count,
                                                    .incomplete = s.incomplete,
                                                    .most = s.most[0]};
        done =
            !cli_sweep_interacts(plan) || cli_sweep_interactions_write(plan, s.value[0], objective, prefix, out, error);
        done = done && (!cli_sweep_compares(plan) || cli_sweep_comparison_write(&comparison, prefix, out, error));
        done = done && (s.objectives < 2 || write_front(&s, prefix, out));
    }
    release(&s);
    return done;
}
