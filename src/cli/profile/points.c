/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/profile/points.h"

#include "base/allocate.h"
#include "base/file.h"
#include "results/database/database.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 16, LARGEST_HEAD = 64 /* tokens: those that a word is chosen for */ };

const char *const cli_profile_operations[] = {
#define PROFILE_OPERATION(ID, NAME) NAME,
#include "cli/profile/operation_list.h"
#undef PROFILE_OPERATION
};

void cli_profile_product(const struct profile *profile, enum profile_operation operation, uint32_t *n, uint32_t *k)
{
    const struct profile_model *m = &profile->model;
    uint32_t gpus = profile->gpus;
    *n = m->hidden;
    *k = m->hidden;
    switch (operation) {
    case PROFILE_PRE_PROJECTION:
        *n = (m->heads + 2 * m->kv_heads) * m->dimension / gpus;
        break;
    case PROFILE_POST_PROJECTION:
        *k = m->heads * m->dimension / gpus;
        break;
    case PROFILE_UP_PROJECTION:
        *n = 2 * m->intermediate / gpus;
        break;
    case PROFILE_DOWN_PROJECTION:
        *k = m->intermediate / gpus;
        break;
    default:
        *n = m->vocabulary / gpus;
    }
}

/* ===== points ===== */

static struct profile_point *point_at(const struct profile *profile, uint32_t i)
{
    return (struct profile_point *)profile->points.items + i;
}

/* Calls of a product: few where one is long. */
static uint32_t product_calls(uint32_t m, uint32_t n, uint32_t k)
{
    double work = 2.0 * m * n * k, moved = 2.0 * ((double)m * k + (double)n * k + (double)m * n);
    return work <= 1e9 && moved <= 32e6 ? 3 : work <= 1e10 && moved <= 5e8 ? 2 : 1;
}

static void name_point(const struct profile *profile, struct profile_point *point, bool product)
{
    const struct sweep_named named = {.machine = profile->described,
                                      .options = (const char *const *)point->words + 2,
                                      .option_count = 2,
                                      .input = point->words + 5,
                                      .program = true,
                                      .contents = profile->contents[product],
                                      .words = point->words,
                                      .plugins = profile->plugins};
    point->note = cli_sweep_name_run(&named, point->name);
}

/* The number of the point with these words of its program, which becomes one where there is none. */
static uint32_t add_point(struct profile *profile, bool product, uint32_t calls, const char *shape, const char *more)
{
    for (uint32_t i = 0; i < profile->points.count; i++)
        if (strcmp(point_at(profile, i)->shape, shape) == 0)
            return i;
    struct profile_point *point = mnp_array_add(&profile->points, 1, sizeof *point);
    const char *head[] = {
        "--machine", profile->machine, "--values", "needed", "--", product ? profile->products : profile->layers};
    char *text = NULL, *word, *rest, *kept = NULL;
    uint32_t count = 0;
    *point = (struct profile_point){
        .words = mnp_allocate(WORDS + 8, sizeof *point->words), .shape = strdup(shape), .calls = calls};
    for (; count < sizeof head / sizeof head[0]; count++)
        point->words[count] = strdup(head[count]);
    if (asprintf(&text, "%s %s", shape, more) < 0)
        mnp_out_of_memory(strlen(shape));
    for (rest = text; count < WORDS && (word = strtok_r(rest, " ", &kept)); rest = NULL)
        if (!product || rest == NULL) /* the word "product" is no argument */
            point->words[count++] = strdup(word);
    free(text);
    name_point(profile, point, product);
    return profile->points.count - 1;
}

static uint32_t add_product(struct profile *profile, enum profile_operation operation, uint32_t tokens)
{
    uint32_t n, k;
    char shape[96], more[32];
    cli_profile_product(profile, operation, &n, &k);
    uint32_t calls = product_calls(tokens, n, k);
    snprintf(shape, sizeof shape, "product %u %u %u", tokens, n, k);
    snprintf(more, sizeof more, "bf16 6 %u", calls);
    return add_point(profile, true, calls, shape, more);
}

static uint32_t add_layer(struct profile *profile, enum profile_operation operation, uint32_t tokens)
{
    const struct profile_model *m = &profile->model;
    uint32_t gpus = profile->gpus, calls = operation == PROFILE_PREFILL ? 2 : 3;
    char shape[96], more[32];
    switch (operation) {
    case PROFILE_NORM:
        snprintf(shape, sizeof shape, "norm %u %u", tokens, m->hidden);
        break;
    case PROFILE_ACTIVATION:
        snprintf(shape, sizeof shape, "activation %u %u", tokens, m->intermediate / gpus);
        break;
    case PROFILE_ADD:
        snprintf(shape, sizeof shape, "add %u %u", tokens, m->hidden);
        break;
    case PROFILE_EMBEDDING:
        snprintf(shape, sizeof shape, "embedding %u %u %u", tokens, m->hidden, m->vocabulary / gpus);
        break;
    case PROFILE_ROTARY:
        snprintf(shape, sizeof shape, "rotary %u %u %u %u", tokens, m->heads / gpus, m->kv_heads / gpus, m->dimension);
        break;
    case PROFILE_CACHE:
        snprintf(shape, sizeof shape, "cache %u %u %u", tokens, m->kv_heads / gpus, m->dimension);
        break;
    default:
        snprintf(shape, sizeof shape, "prefill 1 %u %u %u %u", tokens, m->heads / gpus, m->kv_heads / gpus,
                 m->dimension);
    }
    snprintf(more, sizeof more, "--calls %u", calls);
    return add_point(profile, false, calls, shape, more);
}

static void add_series(struct profile *profile, enum profile_operation operation)
{
    struct profile_samples *at = &profile->series[operation].at;
    for (uint32_t i = 0; i < profile->tokens.count; i++) {
        uint32_t tokens = profile->tokens.at[i];
        if (operation == PROFILE_HEAD && tokens > LARGEST_HEAD && at->count > 1)
            continue;
        if (operation == PROFILE_PREFILL && tokens == 1)
            continue;
        profile->series[operation].point[at->count] =
            operation <= PROFILE_HEAD ? add_product(profile, operation, tokens) : add_layer(profile, operation, tokens);
        at->at[at->count++] = tokens;
    }
}

/* Contexts of a batch as far as its keys are few; at least the two shortest ones, or there is no slope. */
static void add_decode(struct profile *profile, uint32_t batch)
{
    const struct profile_model *m = &profile->model;
    struct profile_samples *at = &profile->decode[batch].at;
    char shape[96];
    for (uint32_t i = 0; i < profile->contexts.count; i++) {
        uint32_t sequences = profile->batches.at[batch], context = profile->contexts.at[i];
        if ((uint64_t)sequences * context > profile->most_keys && at->count >= 2)
            continue;
        snprintf(shape, sizeof shape, "decode %u %u %u %u %u", sequences, context, m->heads / profile->gpus,
                 m->kv_heads / profile->gpus, m->dimension);
        profile->decode[batch].point[at->count] = add_point(profile, false, 2, shape, "--calls 2");
        at->at[at->count++] = context;
    }
}

bool cli_profile_points_make(struct profile *profile, struct mnp_error *error)
{
    char *words[2][2] = {{profile->layers, NULL}, {profile->products, NULL}};
    profile->described = cli_sweep_name_machine(profile->plugins, profile->machine, NULL, 0, error);
    if (!profile->described || !cli_sweep_hash_input(words[0], true, profile->contents[0], error) ||
        !cli_sweep_hash_input(words[1], true, profile->contents[1], error))
        return false;
    for (int i = 0; i < PROFILE_OPERATIONS; i++)
        add_series(profile, (enum profile_operation)i);
    for (uint32_t i = 0; i < profile->batches.count; i++)
        add_decode(profile, i);
    return !error->text[0];
}

void cli_profile_points_release(struct profile *profile)
{
    for (uint32_t i = 0; i < profile->points.count; i++) {
        struct profile_point *point = point_at(profile, i);
        for (char **word = point->words; *word; word++)
            free(*word);
        free(point->words);
        free(point->note);
        free(point->shape);
        free((char *)(uintptr_t)point->time.kernels);
    }
    mnp_array_release(&profile->points);
    free(profile->layers);
    free(profile->products);
    free(profile->described);
}

/* ===== their runs ===== */

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median of an even number of calls is the shorter one in the middle: the longer of two calls is the first, which
 * finds no code in the instruction caches. */
static void set_figures(double *figures, double *calls, uint32_t count)
{
    double sum = 0, squares = 0;
    qsort(calls, count, sizeof *calls, by_size);
    for (uint32_t i = 0; i < count; i++)
        sum += calls[i];
    for (uint32_t i = 0; i < count; i++)
        squares += (calls[i] - sum / count) * (calls[i] - sum / count);
    figures[PROFILE_LEAST] = calls[0];
    figures[PROFILE_MOST] = calls[count - 1];
    figures[PROFILE_MEAN] = sum / count;
    figures[PROFILE_MEDIAN] = calls[(count - 1) / 2];
    figures[PROFILE_DEVIATION] = sqrt(squares / count);
}

/* Names of a call's kernels, joined by "+". */
static char *join_names(char *names, const char *name)
{
    char *joined = NULL;
    if (asprintf(&joined, "%s%s%s", names ? names : "", names ? "+" : "", name) < 0)
        mnp_out_of_memory(strlen(name));
    free(names);
    return joined;
}

/* All kernels but `touch` belong to the calls, in equal shares. */
static bool read_calls(struct profile_point *point, sqlite3 *database, double hertz, struct mnp_error *error)
{
    sqlite3_stmt *query = results_sqlite_prepare(
        database,
        "SELECT kernel.name, value.value, count(*) OVER () FROM kernel JOIN value ON value.run = kernel.run AND "
        "value.kernel = kernel.id JOIN statistic ON statistic.id = value.statistic WHERE kernel.run = 1 AND "
        "statistic.name = 'gpu_sim_cycle' AND kernel.name <> 'touch' ORDER BY kernel.id",
        error);
    double calls[PROFILE_CALLS] = {0};
    char *names = NULL;
    uint32_t each = 0, count = 0;
    for (; query && sqlite3_step(query) == SQLITE_ROW; count++) {
        each = (uint32_t)sqlite3_column_int64(query, 2) / point->calls;
        uint32_t call = each ? count / each : 0;
        if (call < point->calls)
            calls[call] += sqlite3_column_double(query, 1) / hertz * 1e6;
        if (call == 0)
            names = join_names(names, (const char *)sqlite3_column_text(query, 0));
    }
    sqlite3_finalize(query);
    point->time.kernels = names;
    set_figures(point->time.us, calls, point->calls);
    return each && count == each * point->calls;
}

static bool read_point(struct profile_point *point, const char *folder, struct mnp_error *error)
{
    char *path = mnp_join_path(folder, point->name);
    sqlite3 *database = results_database_open(path, error);
    sqlite3_stmt *query =
        database
            ? results_sqlite_prepare(database, "SELECT number FROM machine WHERE key = 'clock.core' AND run = 1", error)
            : NULL;
    double hertz = query && sqlite3_step(query) == SQLITE_ROW ? sqlite3_column_double(query, 0) : 0;
    sqlite3_finalize(query);
    bool good = hertz > 0 && read_calls(point, database, hertz, error);
    if (!good && !error->text[0])
        mnp_fail_at(error, path, 0, "does not hold the kernels of \"%s\"; remove it, and give the same command again",
                    point->shape);
    sqlite3_close(database);
    free(path);
    return good;
}

bool cli_profile_points_read(struct profile *profile, const char *folder, struct mnp_error *error)
{
    for (uint32_t i = 0; i < profile->points.count; i++)
        if (!read_point(point_at(profile, i), folder, error))
            return false;
    return true;
}
