/* SPDX-License-Identifier: BSD-3-Clause */
/* Totals estimated from a sample of the parts, each with a confidence interval. */
#ifndef MNP_ENGINE_COUNT_ESTIMATE_H
#define MNP_ENGINE_COUNT_ESTIMATE_H

#include "engine/declare/model.h"

#include <stdint.h>

struct mnp_estimated {
    const struct mnp_statistic *statistic;
    uint64_t value;  /* estimated sum over all parts */
    uint64_t margin; /* half width of the 95 % confidence interval */
};

struct mnp_estimate {
    uint32_t parts, chosen, groups; /* parts of the whole run, parts that were simulated, and groups of parts */
    /* share of the simulated parts' work that was fast-forwarded, in hundredths of a per cent */
    uint32_t passed_over;
    struct mnp_estimated *rows; /* [count] counters */
    uint32_t count;
};

/* A group of similar parts, and the values of one counter in its simulated parts. */
struct mnp_stratum {
    uint64_t parts;
    uint64_t chosen;     /* at least 1 */
    double sum, squares; /* sums of the values and of their squares */
    double spread;       /* assumed deviation over mean, for groups with a single value */
};

/* Student's t for two-sided 95 %, by degrees of freedom, which may be fractional. */
double mnp_estimate_quantile(double freedom);

/* Estimate by stratified sampling (Cochran, Sampling Techniques, chapter 5), with Satterthwaite's degrees of freedom. A
 * group with one value uses its assumed spread, or the spread of the groups with several values if that is greater. No
 * group's spread is below 1/256 of its mean, unless all of its parts were simulated. */
void mnp_estimate_total(const struct mnp_stratum *strata, uint32_t count, uint64_t *value, uint64_t *margin);

void mnp_estimate_free(struct mnp_estimate *estimate); /* may be NULL */

#endif
