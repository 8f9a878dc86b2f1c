/* SPDX-License-Identifier: BSD-3-Clause */
/* How launches are put into groups, and which of them are simulated for all. */
#ifndef MNP_CLI_PLAN_GROUPS_H
#define MNP_CLI_PLAN_GROUPS_H

#include "contract/plan.h"

struct plan_launch {
    uint32_t number; /* from 1 on */
    uint32_t grid[3], block[3];
    char *name;
    double amount; /* amount of work: instructions, or cycles */
};

struct plan_order {
    bool sieve;     /* by Sieve's strata; else by STEM+ROOT */
    double error;   /* error of a group's mean, as a share, that 95 of 100 cases should not exceed; STEM */
    uint32_t least; /* launches of a group that are simulated, if it has so many; STEM */
    uint64_t seed;
};

/* Sorts the launches. */
struct mnp_plan *cli_plan_make(struct plan_launch *launches, uint32_t count, const struct plan_order *order);

#endif
