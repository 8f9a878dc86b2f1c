/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A sampling plan divides the launches of a program or a trace into groups of similar launches and selects some of each
 * group to stand for all. Counters of the selected launches give an estimate of every total, with a confidence
 * interval: stratified sampling (Cochran, Sampling Techniques, chapter 5).
 *
 * The text form has one record per line; words are separated by blanks:
 *     maniple-plan-1
 *     launches N                                        of the whole program
 *     group G LAUNCHES GX GY GZ BX BY BZ SPREAD NAME    numbers from 1 on; grid and block; the kernel's name
 *     take G LAUNCH...                                  launches of the group that are simulated
 * SPREAD is the standard deviation of the quantity that the plan was made from, in millionths of its mean.
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

/* Group of a lead launch. It is simulated only to warm up the caches for the chosen launch behind it, and its counters
 * are ignored (detailed warming: Wunderlich et al., SMARTS, ISCA 2003). */
#define MNP_PLAN_LEAD UINT32_MAX

struct mnp_plan_launch {
    uint32_t launch; /* counted from 1 */
    uint32_t group;  /* index into `groups`, or MNP_PLAN_LEAD */
};

struct mnp_plan {
    uint32_t launches; /* number of launches of the program */
    struct mnp_plan_group *groups;
    uint32_t group_count;
    struct mnp_plan_launch *chosen;    /* sorted by launch number */
    uint32_t chosen_count, lead_count; /* lead_count: those of chosen_count that belong to no group */
};

/* Returns NULL on an error, which names file and line. */
struct mnp_plan *mnp_plan_read(const char *path, struct mnp_error *error);
void mnp_plan_write(struct mnp_plan *plan, FILE *out); /* sorts it */
void mnp_plan_free(struct mnp_plan *plan);             /* may be NULL */

/* Sorts launches that were added by their numbers. */
void mnp_plan_sort(struct mnp_plan *plan);

/* Also simulates up to `count` launches in front of each chosen one; the plan must be sorted. */
void mnp_plan_lead(struct mnp_plan *plan, uint32_t count);

/* Whether a launch is to be simulated. */
bool mnp_plan_has(const struct mnp_plan *plan, uint32_t launch);
/* Checks that a chosen launch has the name, grid and block that the plan states; otherwise fails. */
bool mnp_plan_agrees(const struct mnp_plan *plan, uint32_t launch, const char *name, const uint32_t grid[3],
                     const uint32_t block[3], struct mnp_error *error);

/* Fills in results->estimate from the parts, which carry the launches' numbers. Does nothing as long as some group has
 * no completed part. */
void mnp_plan_estimate(const struct mnp_plan *plan, struct mnp_results *results);

#endif
