/* SPDX-License-Identifier: BSD-3-Clause */
/* Estimates of totals by a sampling plan, from the parts that were simulated. */
#include "base/arena.h"
#include "contract/plan.h"
#include "engine/count/results.h"

#include <stdlib.h>
#include <string.h>

/* Finds the completed part of a launch, or NULL. Parts are sorted by number. */
static const struct mnp_part_results *part_of(const struct mnp_results *results, uint32_t launch)
{
    uint32_t low = 0, high = results->part_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (results->parts[middle]->id < launch)
            low = middle + 1;
        else
            high = middle;
    }
    bool found = low < results->part_count && results->parts[low]->id == launch && !results->parts[low]->partial;
    return found ? results->parts[low] : NULL;
}

/* Gathers one statistic (a row of a block) of all chosen parts, by group. */
static void gather(const struct mnp_plan *plan, const struct mnp_part_results *const *parts, uint32_t block, size_t row,
                   struct mnp_stratum *strata)
{
    for (uint32_t g = 0; g < plan->group_count; g++)
        strata[g] = (struct mnp_stratum){.parts = plan->groups[g].launches,
                                         .chosen = plan->groups[g].chosen,
                                         .spread = (double)plan->groups[g].spread / 1e6};
    for (uint32_t i = 0; i < plan->chosen_count; i++) {
        struct mnp_statistic_value value;
        if (plan->chosen[i].group == MNP_PLAN_LEAD)
            continue;
        const struct mnp_statistic_set *set = &parts[i]->statistics;
        mnp_statistics_read(set, &set->blocks[block], row, &value);
        double each = (double)value.numerator / (double)value.denominator;
        strata[plan->chosen[i].group].sum += each;
        strata[plan->chosen[i].group].squares += each * each;
    }
}

static void estimate_all(const struct mnp_plan *plan, const struct mnp_part_results *const *parts,
                         struct mnp_estimate *estimate)
{
    const struct mnp_statistic_set *shape = &parts[0]->statistics;
    struct mnp_stratum *strata = mnp_allocate(plan->group_count, sizeof *strata);
    for (uint32_t block = 0; block < shape->block_count; block++) {
        const struct mnp_model *model = shape->blocks[block].model;
        for (size_t row = 0; row < model->statistic_count; row++) {
            if (!model->statistics[row].kind->adds_up)
                continue;
            estimate->rows = mnp_reallocate(estimate->rows, estimate->count + 1, sizeof *estimate->rows);
            struct mnp_estimated *each = &estimate->rows[estimate->count++];
            each->statistic = &model->statistics[row];
            gather(plan, parts, block, row, strata);
            mnp_estimate_total(strata, plan->group_count, &each->value, &each->margin);
        }
    }
    free(strata);
}

/* The part of a counter of the simulated launches that is its margin, where these were estimated; 0: it is exact. */
static double inner_part(const struct mnp_estimate *inner, const char *name)
{
    for (uint32_t i = 0; inner && i < inner->count; i++)
        if (strcmp(inner->rows[i].statistic->name, name) == 0)
            return inner->rows[i].value ? (double)inner->rows[i].margin / (double)inner->rows[i].value : 0;
    return 0;
}

/* Adds the error of launches whose cycles and counters were themselves estimated (--steady; `inner`). Each stands for
 * several launches of its group, and all of these have the same error. */
static void add_inner(const struct mnp_plan *plan, const struct mnp_part_results *const *parts,
                      const struct mnp_estimate *inner, struct mnp_estimate *estimate)
{
    double squares = 0, late = 0;
    for (uint32_t i = 0; i < plan->chosen_count; i++) {
        if (plan->chosen[i].group == MNP_PLAN_LEAD)
            continue;
        const struct mnp_plan_group *group = &plan->groups[plan->chosen[i].group];
        double each = (double)group->launches / (double)group->chosen, chance = each * (double)parts[i]->chance;
        squares += chance * chance;
        late += each * (double)parts[i]->late;
    }
    for (uint32_t i = 0; i < estimate->count; i++) {
        double margin = (double)estimate->rows[i].margin;
        if (strcmp(estimate->rows[i].statistic->name, "gpu_sim_cycle") == 0)
            estimate->rows[i].margin = (uint64_t)(__builtin_sqrt(margin * margin + squares) + late + 0.5);
        else
            estimate->rows[i].margin +=
                (uint64_t)(inner_part(inner, estimate->rows[i].statistic->name) * (double)estimate->rows[i].value +
                           0.5);
    }
}

void mnp_plan_estimate(const struct mnp_plan *plan, struct mnp_results *results)
{
    const struct mnp_part_results **parts = mnp_allocate(plan->chosen_count + 1, sizeof *parts);
    bool all = plan->chosen_count > 0;
    for (uint32_t i = 0; all && i < plan->chosen_count; i++) {
        parts[i] = part_of(results, plan->chosen[i].launch);
        all = parts[i] != NULL;
    }
    struct mnp_estimate *inner = results->estimate;
    results->estimate = NULL;
    if (all) {
        results->estimate = mnp_allocate(1, sizeof *results->estimate);
        *results->estimate = (struct mnp_estimate){.parts = plan->launches,
                                                   .chosen = plan->chosen_count - plan->lead_count,
                                                   .groups = plan->group_count,
                                                   .passed_over = inner ? inner->passed_over : 0};
        estimate_all(plan, parts, results->estimate);
        add_inner(plan, parts, inner, results->estimate);
    }
    mnp_estimate_free(inner);
    free((void *)parts);
}
