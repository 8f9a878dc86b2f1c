/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/executors/split.h"

#include "engine/core/engine.h"

#include <stdlib.h>
#include <string.h>

#define NOBODY UINT32_MAX

static bool is_core(const struct mnp_engine *engine, uint32_t unit)
{
    return engine->units[unit]->model->domain == MNP_DOMAIN_CORE;
}

/* ===== shares that the user assigns ===== */

struct assignment {
    uint32_t *numbered; /* [count] units that have numbers */
    uint32_t *share;    /* [count] whose they are */
    uint32_t count, shares;
};

/* Units of the model that most cores have. */
static void number_cores(const struct mnp_engine *engine, struct assignment *assignment)
{
    const struct mnp_model *chosen = NULL;
    uint32_t most = 0;
    for (uint32_t i = 0; i < engine->unit_count; i++) {
        const struct mnp_model *model = engine->units[i]->model;
        uint32_t count = 0;
        for (uint32_t j = i; is_core(engine, i) && model != chosen && j < engine->unit_count; j++)
            count += engine->units[j]->model == model;
        if (count > most) {
            most = count;
            chosen = model;
        }
    }
    assignment->numbered = mnp_allocate(most + 1, sizeof(uint32_t));
    assignment->share = mnp_allocate(most + 1, sizeof(uint32_t));
    for (uint32_t i = 0; i < engine->unit_count; i++)
        if (engine->units[i]->model == chosen) {
            assignment->share[assignment->count] = NOBODY;
            assignment->numbered[assignment->count++] = i;
        }
}

static void release_assignment(struct assignment *assignment)
{
    free(assignment->numbered);
    free(assignment->share);
}

/* Reads a number at *at and moves behind it. */
static bool read_number(const char **at, uint32_t *number)
{
    char *end;
    if (**at < '0' || **at > '9')
        return false;
    unsigned long long value = strtoull(*at, &end, 10);
    *number = value < NOBODY ? (uint32_t)value : NOBODY;
    *at = end;
    return true;
}

/* Gives the cores of a range to a share. */
static bool give(struct assignment *assignment, uint32_t first, uint32_t last, uint32_t share, struct mnp_error *error)
{
    if (last >= assignment->count || first > last)
        return mnp_fail(error, "--assign: there are cores 0 to %u, and %u-%u is none of their ranges",
                        assignment->count - 1, first, last);
    for (uint32_t i = first; i <= last; i++) {
        if (assignment->share[i] != NOBODY)
            return mnp_fail(error, "--assign: core %u is assigned twice; give each to one thread", i);
        assignment->share[i] = share;
    }
    return true;
}

static bool read_assignment(struct assignment *assignment, const char *text, struct mnp_error *error)
{
    for (const char *at = text;; at++) {
        uint32_t first, last;
        if (!read_number(&at, &first))
            return mnp_fail(
                error, "--assign: a number is missing at \"%.20s\"; use numbers and ranges of cores, as 0-3,8/4-7", at);
        last = first;
        if (*at == '-' && (++at, !read_number(&at, &last)))
            return mnp_fail(
                error, "--assign: a range has no end at \"%.20s\"; use numbers and ranges of cores, as 0-3,8/4-7", at);
        if (!give(assignment, first, last, assignment->shares, error))
            return false;
        if (*at && *at != ',' && *at != '/')
            return mnp_fail(error, "--assign: \"%.20s\" follows a number; use commas, and a slash between threads", at);
        assignment->shares += *at != ',';
        if (!*at)
            return true;
    }
}

static bool is_complete(const struct assignment *assignment, uint32_t threads, struct mnp_error *error)
{
    if (assignment->shares != threads)
        return mnp_fail(error,
                        "--assign: names cores of %u threads, and there are %u for cores; put a slash between threads",
                        assignment->shares, threads);
    for (uint32_t i = 0; i < assignment->count; i++)
        if (assignment->share[i] == NOBODY)
            return mnp_fail(error, "--assign: core %u is assigned to no thread; there are cores 0 to %u", i,
                            assignment->count - 1);
    return true;
}

bool mnp_split_check(const struct mnp_engine *engine, const char *assign, uint32_t threads, struct mnp_error *error)
{
    struct assignment assignment = {0};
    number_cores(engine, &assignment);
    bool good = read_assignment(&assignment, assign, error) && is_complete(&assignment, threads, error);
    release_assignment(&assignment);
    return good;
}

/* Puts the cores share by share; those without a number come first. */
static void sort_by_share(struct mnp_split *split, const char *assign)
{
    struct mnp_engine *engine = split->engine;
    struct assignment assignment = {0};
    struct mnp_error error = {{0}};
    number_cores(engine, &assignment);
    bool good = read_assignment(&assignment, assign, &error);
    MNP_REQUIRE(good, "an assignment was not checked: %s", error.text);
    uint32_t *share_of = mnp_allocate(engine->unit_count, sizeof *share_of), count = 0;
    for (uint32_t i = 0; i < assignment.count; i++)
        share_of[assignment.numbered[i]] = assignment.share[i];
    split->share_count = assignment.shares;
    split->shares = mnp_allocate(split->share_count + 1, sizeof *split->shares);
    for (uint32_t share = 0; share < split->share_count; share++) {
        split->shares[share] = count;
        for (uint32_t i = 0; i < engine->unit_count; i++)
            if (is_core(engine, i) && share_of[i] == share)
                split->units[count++] = i;
    }
    split->shares[split->share_count] = count;
    free(share_of);
    release_assignment(&assignment);
}

/* ===== building ===== */

static void find_bundles(struct mnp_split *split)
{
    const struct mnp_engine *engine = split->engine;
    split->bundles = mnp_allocate(split->cores + 1, sizeof *split->bundles);
    for (uint32_t i = 0; i < split->cores; i++) {
        uint32_t bundle = engine->units[split->units[i]]->bundle;
        if (!i || !bundle || bundle != engine->units[split->units[i - 1]]->bundle)
            split->bundles[split->bundle_count++] = i;
    }
    split->bundles[split->bundle_count] = split->cores;
}

void mnp_split_init(struct mnp_split *split, struct mnp_engine *engine)
{
    *split = (struct mnp_split){.engine = engine};
    split->units = mnp_allocate(engine->unit_count, sizeof *split->units);
    for (uint32_t i = 0; i < engine->unit_count; i++)
        if (is_core(engine, i))
            split->units[split->count++] = i;
    split->cores = split->count;
    for (uint32_t i = 0; i < engine->unit_count; i++)
        if (!is_core(engine, i))
            split->units[split->count++] = i;
    if (engine->options.assign)
        sort_by_share(split, engine->options.assign);
    find_bundles(split);
}

void mnp_split_release(struct mnp_split *split)
{
    free(split->units);
    free(split->bundles);
    free(split->shares);
}

/* ===== running ===== */

void mnp_split_bounds(const struct mnp_split *split, uint32_t chunk, uint32_t chunks, uint32_t *first, uint32_t *end)
{
    if (split->share_count == chunks) {
        *first = split->shares[chunk];
        *end = split->shares[chunk + 1];
    } else {
        *first = split->bundles[(uint64_t)split->bundle_count * chunk / chunks];
        *end = split->bundles[(uint64_t)split->bundle_count * (chunk + 1) / chunks];
    }
}

void mnp_split_run(const struct mnp_split *split, uint32_t first, uint32_t end)
{
    for (uint32_t i = first; i < end; i++)
        if (mnp_window_concerns(split->engine, split->units[i]))
            mnp_window_run_unit(split->engine, split->units[i]);
}

void mnp_split_run_chunk(const struct mnp_split *split, uint32_t chunk, uint32_t chunks)
{
    uint32_t first, end;
    mnp_split_bounds(split, chunk, chunks, &first, &end);
    mnp_split_run(split, first, end);
}

void mnp_split_run_memory(const struct mnp_split *split)
{
    mnp_split_run(split, split->cores, split->count);
}
