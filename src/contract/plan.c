/* SPDX-License-Identifier: BSD-3-Clause */
#include "contract/plan.h"

#include "base/arena.h"
#include "base/file.h"
#include "base/print.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char heading[] = "maniple-plan-1";

enum { MOST_BYTES = 1 << 28, MOST_LAUNCHES = 1 << 26 };

/* ===== reading ===== */

struct reader {
    struct mnp_plan *plan;
    const char *path;
    uint32_t line;
    struct mnp_error *error;
};

static bool refuse(const struct reader *reader, const char *what)
{
    return mnp_fail_at(reader->error, reader->path, reader->line, "%s; make the plan again with `maniple plan`", what);
}

/* Reads the next word of a line as a number that is at least `least`. */
static bool next_number(char **rest, uint32_t least, uint32_t *value)
{
    char *word;
    do
        word = strsep(rest, " ");
    while (word && !*word);
    uint64_t number = 0;
    size_t length = word ? strspn(word, "0123456789") : 0;
    if (!length || word[length] || length > 10)
        return false;
    for (size_t i = 0; i < length; i++)
        number = number * 10 + (uint64_t)(word[i] - '0');
    *value = (uint32_t)number;
    return number >= least && number <= UINT32_MAX;
}

static bool read_group(struct reader *reader, char *rest)
{
    struct mnp_plan *plan = reader->plan;
    struct mnp_plan_group group = {0};
    uint32_t number;
    bool good = next_number(&rest, 1, &number) && number == plan->group_count + 1 &&
                next_number(&rest, 1, &group.launches) && group.launches <= plan->launches;
    for (int i = 0; good && i < 3; i++)
        good = next_number(&rest, 1, &group.grid[i]);
    for (int i = 0; good && i < 3; i++)
        good = next_number(&rest, 1, &group.block[i]);
    good = good && next_number(&rest, 0, &group.spread) && rest && *rest;
    if (!good)
        return refuse(reader, "a group is its number, its launches, grid, block, spread and name");
    group.name = strdup(rest);
    plan->groups = mnp_reallocate(plan->groups, plan->group_count + 1, sizeof *plan->groups);
    plan->groups[plan->group_count++] = group;
    return true;
}

static bool read_take(struct reader *reader, char *rest)
{
    struct mnp_plan *plan = reader->plan;
    uint32_t group, launch;
    if (!next_number(&rest, 1, &group) || group > plan->group_count)
        return refuse(reader, "launches are taken of a group that stands before them");
    while (rest && *rest) {
        if (!next_number(&rest, 1, &launch) || launch > plan->launches)
            return refuse(reader, "a launch is a number from 1 to that of all launches");
        if (plan->groups[group - 1].chosen++ == plan->groups[group - 1].launches)
            return refuse(reader, "more launches are taken than the group has");
        plan->chosen = mnp_reallocate(plan->chosen, plan->chosen_count + 1, sizeof *plan->chosen);
        plan->chosen[plan->chosen_count++] = (struct mnp_plan_launch){launch, group - 1};
    }
    return true;
}

static void add_lead(struct mnp_plan *plan, uint32_t launch)
{
    plan->chosen = mnp_reallocate(plan->chosen, plan->chosen_count + 1, sizeof *plan->chosen);
    plan->chosen[plan->chosen_count++] = (struct mnp_plan_launch){launch, MNP_PLAN_LEAD};
    plan->lead_count++;
}

static bool read_lead(struct reader *reader, char *rest)
{
    uint32_t launch;
    while (rest && *rest) {
        if (!next_number(&rest, 1, &launch) || launch > reader->plan->launches)
            return refuse(reader, "a launch is a number from 1 to that of all launches");
        add_lead(reader->plan, launch);
    }
    return true;
}

static bool read_line(struct reader *reader, char *line)
{
    char *rest = line, *word = strsep(&rest, " ");
    if (reader->line == 1)
        return strcmp(line, heading) == 0 || refuse(reader, "is no plan of this version of Maniple's");
    if (reader->line == 2)
        return (strcmp(word, "launches") == 0 && next_number(&rest, 1, &reader->plan->launches) &&
                reader->plan->launches <= MOST_LAUNCHES) ||
               refuse(reader, "here stands how many launches there are");
    if (!*word && !rest)
        return true;
    if (strcmp(word, "group") == 0)
        return read_group(reader, rest);
    if (strcmp(word, "take") == 0)
        return read_take(reader, rest);
    if (strcmp(word, "lead") == 0)
        return read_lead(reader, rest);
    return refuse(reader, "a line is a group, or says which of its launches are taken, or which lead to them");
}

static int by_launch(const void *a, const void *b)
{
    const struct mnp_plan_launch *left = a, *right = b;
    return left->launch < right->launch ? -1 : left->launch > right->launch;
}

/* Checks conditions that involve several lines. */
static bool check(struct reader *reader)
{
    struct mnp_plan *plan = reader->plan;
    uint64_t launches = 0;
    mnp_plan_sort(plan);
    for (uint32_t i = 1; i < plan->chosen_count; i++)
        if (plan->chosen[i].launch == plan->chosen[i - 1].launch)
            return refuse(reader, "a launch is taken twice");
    for (uint32_t i = 0; i < plan->group_count; i++) {
        launches += plan->groups[i].launches;
        if (!plan->groups[i].chosen)
            return refuse(reader, "no launch is taken of one of the groups");
    }
    return launches == plan->launches || refuse(reader, "the groups do not have all launches");
}

struct mnp_plan *mnp_plan_read(const char *path, struct mnp_error *error)
{
    size_t length;
    char *text = mnp_read_file(path, MOST_BYTES, &length, error), *rest = text;
    struct reader reader = {.path = path, .error = error};
    bool good = text != NULL;
    if (!text)
        return NULL;
    reader.plan = mnp_allocate(1, sizeof *reader.plan);
    for (char *line; good && (line = strsep(&rest, "\n"));) {
        reader.line++;
        good = read_line(&reader, line);
    }
    good = good && (reader.line > 1 || refuse(&reader, "is no plan")) && check(&reader);
    free(text);
    if (good)
        return reader.plan;
    mnp_plan_free(reader.plan);
    return NULL;
}

void mnp_plan_free(struct mnp_plan *plan)
{
    if (!plan)
        return;
    for (uint32_t i = 0; i < plan->group_count; i++)
        free(plan->groups[i].name);
    free(plan->groups);
    free(plan->chosen);
    free(plan);
}

/* ===== writing ===== */

static int by_group(const void *a, const void *b)
{
    const struct mnp_plan_launch *left = a, *right = b;
    return left->group != right->group ? (left->group < right->group ? -1 : 1) : by_launch(a, b);
}

void mnp_plan_sort(struct mnp_plan *plan)
{
    if (plan->chosen_count)
        qsort(plan->chosen, plan->chosen_count, sizeof *plan->chosen, by_launch);
}

void mnp_plan_write(struct mnp_plan *plan, FILE *out)
{
    uint32_t next = 0;
    if (plan->chosen_count)
        qsort(plan->chosen, plan->chosen_count, sizeof *plan->chosen, by_group);
    mnp_print_text(out, "%s\nlaunches %u\n", heading, plan->launches);
    for (uint32_t g = 0; g < plan->group_count; g++) {
        const struct mnp_plan_group *group = &plan->groups[g];
        mnp_print_text(out, "group %u %u %u %u %u %u %u %u %u %s\ntake %u", g + 1, group->launches, group->grid[0],
                       group->grid[1], group->grid[2], group->block[0], group->block[1], group->block[2], group->spread,
                       group->name, g + 1);
        for (; next < plan->chosen_count && plan->chosen[next].group == g; next++)
            fprintf(out, " %u", plan->chosen[next].launch);
        fputc('\n', out);
    }
    if (plan->lead_count)
        fputs("lead", out);
    for (; next < plan->chosen_count; next++)
        fprintf(out, next + 1 == plan->chosen_count ? " %u\n" : " %u", plan->chosen[next].launch);
    mnp_plan_sort(plan);
}

/* ===== use ===== */

static const struct mnp_plan_launch *find(const struct mnp_plan *plan, uint32_t launch)
{
    const struct mnp_plan_launch wanted = {.launch = launch};
    return plan->chosen_count ? bsearch(&wanted, plan->chosen, plan->chosen_count, sizeof *plan->chosen, by_launch)
                              : NULL;
}

void mnp_plan_lead(struct mnp_plan *plan, uint32_t count)
{
    uint32_t chosen = plan->chosen_count;
    for (uint32_t i = 0; i < chosen; i++) {
        uint32_t launch = plan->chosen[i].launch, before = i ? plan->chosen[i - 1].launch : 0;
        for (uint32_t lead = launch - 1; lead > before && lead + count >= launch; lead--)
            add_lead(plan, lead);
    }
    mnp_plan_sort(plan);
}

bool mnp_plan_has(const struct mnp_plan *plan, uint32_t launch)
{
    return find(plan, launch) != NULL;
}

bool mnp_plan_agrees(const struct mnp_plan *plan, uint32_t launch, const char *name, const uint32_t grid[3],
                     const uint32_t block[3], struct mnp_error *error)
{
    const struct mnp_plan_launch *chosen = find(plan, launch);
    const struct mnp_plan_group *group = chosen && chosen->group != MNP_PLAN_LEAD ? &plan->groups[chosen->group] : NULL;
    if (!group || (strcmp(group->name, name) == 0 && memcmp(group->grid, grid, sizeof group->grid) == 0 &&
                   memcmp(group->block, block, sizeof group->block) == 0))
        return true;
    return mnp_fail(error,
                    "--plan: launch %u is %.200s with a grid of %ux%ux%u and blocks of %ux%ux%u, and in the plan "
                    "%.200s, %ux%ux%u, %ux%ux%u: it is a plan for another program, or for other arguments; make one "
                    "for these with `maniple plan`",
                    launch, name, grid[0], grid[1], grid[2], block[0], block[1], block[2], group->name, group->grid[0],
                    group->grid[1], group->grid[2], group->block[0], group->block[1], group->block[2]);
}
