/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The part of a run that is simulated with timing: which launches (--kernels or --plan), what happens to the other
 * launches (--between), and how much of each launch (--steady). docs/sampling.md compares these options.
 */
#ifndef MNP_CONTRACT_SAMPLING_H
#define MNP_CONTRACT_SAMPLING_H

#include "contract/plan.h"
#include "contract/selection.h"

/* Strings belong to the caller. An all-zero structure means that everything is simulated. */
struct mnp_sampling {
    const char *kernels;   /* launches to simulate, in the syntax of contract/selection.h; NULL: all */
    const char *plan_file; /* alternative to `kernels`: a sampling plan (contract/plan.h); NULL: none */
    bool between;          /* --between was given: other launches are executed without timing, unless `skip` */
    bool warm;             /* other launches also update the L2 with the sectors that they access */
    bool skip;             /* other launches are not executed at all */
    bool steady;           /* steady phases inside kernels are fast-forwarded */

    /* Set by mnp_sampling_open. */
    struct mnp_selection *selection;
    struct mnp_plan *plan;
};

/* Reads the list or the plan, and checks that the options are compatible. Returns false on an error. */
bool mnp_sampling_open(struct mnp_sampling *sampling, struct mnp_error *error);
void mnp_sampling_release(struct mnp_sampling *sampling);

/* The option that selects launches, "--plan" or "--kernels", and its value; NULL: all launches are simulated. */
const char *mnp_sampling_option(const struct mnp_sampling *sampling);
const char *mnp_sampling_choice(const struct mnp_sampling *sampling);

/* Announces a launch; callers announce launches in order (mnp_selection_meet). */
void mnp_sampling_meet(const struct mnp_sampling *sampling, uint32_t launch, const char *name);

/* Whether an announced launch is simulated. If `name` is NULL (not known yet): whether it may be. */
bool mnp_sampling_has(const struct mnp_sampling *sampling, uint32_t launch, const char *name);

/* Adds the estimates of the plan, if any, to the results of a completed run. */
void mnp_sampling_estimate(const struct mnp_sampling *sampling, struct mnp_results *results);

#endif
