/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/sweep/interval.h"

#include <math.h>

enum { STUDENTS = 30 };

/* Student's t for 95 % of two sides, by degrees of freedom; beyond them, the normal distribution's. */
static double student(uint32_t freedom)
{
    static const double t[STUDENTS] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
                                       2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
                                       2.080,  2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042};
    return freedom <= STUDENTS ? t[freedom - 1] : 1.960;
}

void cli_sweep_sample_add(struct sweep_sample *sample, double logarithm)
{
    sample->sum += logarithm;
    sample->squares += logarithm * logarithm;
    sample->count++;
}

/* Half of the interval, as a logarithm; NAN: there is none. */
static double half_interval(const struct sweep_sample *sample)
{
    uint32_t count = sample->count;
    if (count < 2)
        return NAN;
    double spread = fmax(sample->squares - sample->sum * (sample->sum / count), 0) / (count - 1);
    double half = student(count - 1) * sqrt(spread / count);
    return 2 * half > log(CLI_SWEEP_WIDEST) ? NAN : half;
}

struct sweep_ratio cli_sweep_sample_mean(const struct sweep_sample *sample)
{
    if (!sample->count)
        return (struct sweep_ratio){NAN, NAN, NAN};
    double mean = sample->sum / sample->count, half = half_interval(sample);
    return (struct sweep_ratio){exp(mean), exp(mean - half), exp(mean + half)};
}

void cli_sweep_ratio_csv(const struct sweep_ratio *ratio, FILE *out)
{
    const double numbers[] = {ratio->value, ratio->low, ratio->high};
    for (int i = 0; i < 3; i++) {
        putc(',', out);
        if (isfinite(numbers[i]))
            fprintf(out, "%.6f", numbers[i]);
    }
}
