/* SPDX-License-Identifier: BSD-3-Clause */
#include "contract/sampling.h"

#include <stddef.h>

bool mnp_sampling_open(struct mnp_sampling *sampling, struct mnp_error *error)
{
    if (sampling->plan_file && sampling->kernels)
        return mnp_fail(error, "--plan says which launches are simulated; leave --kernels out");
    if (sampling->between && !mnp_sampling_option(sampling))
        return mnp_fail(error, "--between: is about launches that are not simulated; add --kernels or --plan");
    sampling->selection = sampling->kernels ? mnp_selection_read(sampling->kernels, error) : NULL;
    sampling->plan = sampling->plan_file ? mnp_plan_read(sampling->plan_file, error) : NULL;
    return !sampling->kernels == !sampling->selection && !sampling->plan_file == !sampling->plan;
}

void mnp_sampling_release(struct mnp_sampling *sampling)
{
    mnp_selection_free(sampling->selection);
    mnp_plan_free(sampling->plan);
    *sampling = (struct mnp_sampling){0};
}

const char *mnp_sampling_option(const struct mnp_sampling *sampling)
{
    return sampling->plan_file ? "--plan" : sampling->kernels ? "--kernels" : NULL;
}

const char *mnp_sampling_choice(const struct mnp_sampling *sampling)
{
    return sampling->plan_file ? sampling->plan_file : sampling->kernels;
}

void mnp_sampling_meet(const struct mnp_sampling *sampling, uint32_t launch, const char *name)
{
    if (sampling->selection && name)
        mnp_selection_meet(sampling->selection, launch, name);
}

bool mnp_sampling_has(const struct mnp_sampling *sampling, uint32_t launch, const char *name)
{
    if (sampling->plan)
        return mnp_plan_has(sampling->plan, launch);
    return !sampling->selection || mnp_selection_has(sampling->selection, launch, name);
}

void mnp_sampling_estimate(const struct mnp_sampling *sampling, struct mnp_results *results)
{
    if (sampling->plan)
        mnp_plan_estimate(sampling->plan, results);
}
