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

double cli_sweep_half_interval(double sum, double squares, uint32_t count)
{
    if (count < 2)
        return NAN;
    double spread = fmax(squares - sum * (sum / count), 0) / (count - 1);
    double half = student(count - 1) * sqrt(spread / count);
    return 2 * half > log(CLI_SWEEP_WIDEST) ? NAN : half;
}
