/* SPDX-License-Identifier: BSD-3-Clause */
/* Geometric means over inputs, and their intervals. */
#ifndef MNP_CLI_SWEEP_INTERVAL_H
#define MNP_CLI_SWEEP_INTERVAL_H

#include <stdint.h>
#include <stdio.h>

#define CLI_SWEEP_WIDEST 4.0 /* an interval whose ends are further apart, as a ratio, says nothing and is not told */

/* Logarithms of ratios, one for each input. */
struct sweep_sample {
    double sum, squares;
    uint32_t count;
};

/* A ratio with the ends of its error bar. NAN: there is none. */
struct sweep_ratio {
    double value, low, high;
};

void cli_sweep_sample_add(struct sweep_sample *sample, double logarithm);

/* The geometric mean, and the interval that holds it in 95 of 100 samples of such inputs (Student's t), which needs two
 * inputs and is not told where it is wider than CLI_SWEEP_WIDEST. */
struct sweep_ratio cli_sweep_sample_mean(const struct sweep_sample *sample);

/* Writes the three numbers of a ratio as columns of CSV, with a comma in front of each. */
void cli_sweep_ratio_csv(const struct sweep_ratio *ratio, FILE *out);

#endif
