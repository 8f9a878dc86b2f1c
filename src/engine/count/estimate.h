/* SPDX-License-Identifier: BSD-3-Clause */
/* Totals that were not counted but estimated from a sample of the parts, each with an interval. */
#ifndef MNP_ENGINE_COUNT_ESTIMATE_H
#define MNP_ENGINE_COUNT_ESTIMATE_H

#include "engine/declare/model.h"

#include <stdint.h>

struct mnp_estimated {
    const struct mnp_statistic *statistic;
    uint64_t value;  /* over all parts */
    uint64_t margin; /* the true value lies no further away, with a probability of 95 % */
};

struct mnp_estimate {
    uint32_t parts, chosen, groups; /* of the whole run; those that were simulated; kinds of them */
    uint32_t passed_over;           /* of their work, hundredths of a per cent that were not simulated but counted */
    struct mnp_estimated *rows;     /* [count] counters */
    uint32_t count;
};

/* A group of parts that resemble one another, and one counter's values in those that were simulated. */
struct mnp_stratum {
    uint64_t parts;
    uint64_t chosen;     /* at least 1 */
    double sum, squares; /* of the values, and of their squares */
    double spread;       /* deviation over mean where a single value does not show it */
};

/* Student's t for 95 %, both sides, by degrees of freedom, which need not be whole. */
double mnp_estimate_quantile(double freedom);

/* Stratified sampling (Cochran, Sampling Techniques, chapter 5), with Satterthwaite's degrees of freedom. A group with
 * one value takes the spread that it is given, or that of the groups with several, whichever is greater. */
void mnp_estimate_total(const struct mnp_stratum *strata, uint32_t count, uint64_t *value, uint64_t *margin);

void mnp_estimate_free(struct mnp_estimate *estimate); /* may be NULL */

#endif
