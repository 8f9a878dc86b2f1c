/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The part of a run that is simulated with time: which launches (--kernels or --plan), what is left of the others
 * (--between), and how much of each (--steady). docs/sampling.md compares these ways.
 */
#ifndef MNP_CONTRACT_SAMPLING_H
#define MNP_CONTRACT_SAMPLING_H

#include "contract/plan.h"
#include "contract/selection.h"

/* Texts are the caller's. All zero: everything is simulated. */
struct mnp_sampling {
    const char *kernels;   /* launches that are simulated, in the words of contract/selection.h; NULL: all of them */
    const char *plan_file; /* in their place, a sampling plan (contract/plan.h); NULL: none */
    bool between;          /* the user has said what is left of other launches: their values, or … */
    bool warm;             /* … in the L2 what they touch, too */
    bool skip;             /* … or nothing: they are not executed */
    bool steady;           /* most of what is steady inside kernels is passed over */

    /* Set by mnp_sampling_open. */
    struct mnp_selection *selection;
    struct mnp_plan *plan;
};

/* Reads the list or the plan, and checks whether the ways go together. False: an error. */
bool mnp_sampling_open(struct mnp_sampling *sampling, struct mnp_error *error);
void mnp_sampling_release(struct mnp_sampling *sampling);

/* The option that leaves launches out, "--plan" or "--kernels", and its value; NULL: none are left out. */
const char *mnp_sampling_option(const struct mnp_sampling *sampling);
const char *mnp_sampling_choice(const struct mnp_sampling *sampling);

/* Announces a launch; launches are announced in their order (mnp_selection_meet). */
void mnp_sampling_meet(const struct mnp_sampling *sampling, uint32_t launch, const char *name);

/* Whether a launch that was announced is simulated. `name` NULL: it is not known yet; then whether it could be. */
bool mnp_sampling_has(const struct mnp_sampling *sampling, uint32_t launch, const char *name);

/* Adds the estimates of a plan, if there is one, to the results of a run that has ended. */
void mnp_sampling_estimate(const struct mnp_sampling *sampling, struct mnp_results *results);

#endif
