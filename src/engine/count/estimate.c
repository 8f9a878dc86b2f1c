/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/count/estimate.h"

#include <stdlib.h>

/* Non-integer degrees of freedom use the next smaller row of the table. */
double mnp_estimate_quantile(double freedom)
{
    static const struct {
        double freedom, quantile;
    } rows[] = {{1, 12.706}, {2, 4.303},  {3, 3.182},  {4, 2.776},  {5, 2.571},   {6, 2.447},    {7, 2.365},
                {8, 2.306},  {9, 2.262},  {10, 2.228}, {12, 2.179}, {15, 2.131},  {20, 2.086},   {25, 2.060},
                {30, 2.042}, {40, 2.021}, {60, 2.000}, {80, 1.990}, {120, 1.980}, {1e300, 1.960}};
    size_t at = 0;
    while (at + 1 < sizeof rows / sizeof *rows && rows[at + 1].freedom <= freedom)
        at++;
    return rows[at].quantile;
}

/* Sample variance of a group's values; negative results of rounding become 0. */
static double variance(const struct mnp_stratum *stratum)
{
    double n = (double)stratum->chosen, rest = stratum->squares - stratum->sum * stratum->sum / n;
    return stratum->chosen > 1 && rest > 0 ? rest / (n - 1) : 0;
}

/* Weighted mean of the deviation over mean of the groups with several values; weights are their shares of the total. */
static double common_spread(const struct mnp_stratum *strata, uint32_t count)
{
    double weights = 0, sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        double n = (double)strata[i].chosen, total = (double)strata[i].parts * strata[i].sum / n;
        if (strata[i].chosen < 2 || strata[i].sum <= 0)
            continue;
        weights += total;
        sum += total * __builtin_sqrt(variance(&strata[i])) * n / strata[i].sum;
    }
    return weights > 0 ? sum / weights : 0;
}

/* The least deviation over mean of a group of which some parts were not simulated: few that were equal do not show that
 * all are, since what others leave in caches, DRAM rows and the dispatcher differs from part to part. */
static const double least_spread = 1.0 / 256;

/* The contribution of a group to the variance of the total. */
static double share(const struct mnp_stratum *stratum, double common)
{
    double n = (double)stratum->chosen, all = (double)stratum->parts, each = variance(stratum);
    if (stratum->chosen == 1) {
        double spread = stratum->spread > common ? stratum->spread : common;
        each = stratum->sum * spread * stratum->sum * spread;
    }
    double least = least_spread * stratum->sum / n;
    each = each > least * least ? each : least * least;
    return all * (all - n) * each / n;
}

void mnp_estimate_total(const struct mnp_stratum *strata, uint32_t count, uint64_t *value, uint64_t *margin)
{
    double total = 0, all = 0, by_freedom = 0, common = common_spread(strata, count);
    for (uint32_t i = 0; i < count; i++) {
        double part = share(&strata[i], common);
        double freedom = strata[i].chosen > 1 ? (double)strata[i].chosen - 1 : 1;
        total += (double)strata[i].parts * strata[i].sum / (double)strata[i].chosen;
        all += part;
        by_freedom += part * part / freedom;
    }
    *value = (uint64_t)(total + 0.5);
    *margin = all > 0 ? (uint64_t)(mnp_estimate_quantile(all * all / by_freedom) * __builtin_sqrt(all) + 0.5) : 0;
}

void mnp_estimate_free(struct mnp_estimate *estimate)
{
    if (estimate)
        free(estimate->rows);
    free(estimate);
}
