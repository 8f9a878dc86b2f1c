/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A sampling plan: launches of a program or a trace in groups whose members resemble one another, and of each group
 * some that stand for all. What was counted of those gives an estimate of every total, with an interval: stratified
 * sampling, as in any book on surveys (Cochran, Sampling Techniques, chapter 5).
 *
 * The text form, by lines, words separated by blanks:
 *     maniple-plan-1
 *     launches N                                        of the whole program
 *     group G LAUNCHES GX GY GZ BX BY BZ SPREAD NAME    numbers from 1 on; grid and block; the kernel's name
 *     take G LAUNCH...                                  launches of the group that are simulated
 * SPREAD: the deviation of what the plan was made from, in millionths of its mean.
 */
#ifndef MNP_CONTRACT_PLAN_H
#define MNP_CONTRACT_PLAN_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct mnp_results;

struct mnp_plan_group {
    uint32_t launches, chosen; /* chosen: launches of the group that are simulated, 1 … launches */
    uint32_t grid[3], block[3];
    uint32_t spread; /* ppm */
    char *name;
};

/* Of no group: a launch that is simulated so that one behind it finds caches as they would be, and counts for nothing
 * (detailed warming: Wunderlich et al., SMARTS, ISCA 2003). */
#define MNP_PLAN_LEAD UINT32_MAX

struct mnp_plan_launch {
    uint32_t launch; /* from 1 on */
    uint32_t group;  /* place in groups, or MNP_PLAN_LEAD */
};

struct mnp_plan {
    uint32_t launches; /* of the program */
    struct mnp_plan_group *groups;
    uint32_t group_count;
    struct mnp_plan_launch *chosen;    /* by number */
    uint32_t chosen_count, lead_count; /* lead_count: of chosen_count, those of no group */
};

/* NULL: an error, with file and line. */
struct mnp_plan *mnp_plan_read(const char *path, struct mnp_error *error);
void mnp_plan_write(struct mnp_plan *plan, FILE *out); /* sorts it */
void mnp_plan_free(struct mnp_plan *plan);             /* may be NULL */

/* Brings launches that were added into the order of their numbers. */
void mnp_plan_sort(struct mnp_plan *plan);

/* Has up to `count` launches in front of each chosen one simulated too; the plan is sorted. */
void mnp_plan_lead(struct mnp_plan *plan, uint32_t count);

/* Whether a launch is to be simulated. */
bool mnp_plan_has(const struct mnp_plan *plan, uint32_t launch);
/* Whether a chosen launch is what the plan says; else an error. */
bool mnp_plan_agrees(const struct mnp_plan *plan, uint32_t launch, const char *name, const uint32_t grid[3],
                     const uint32_t block[3], struct mnp_error *error);

/* Fills in results->estimate from the parts, which have the launches' numbers. Without an effect while a group has no
 * part that has ended. */
void mnp_plan_estimate(const struct mnp_plan *plan, struct mnp_results *results);

#endif
