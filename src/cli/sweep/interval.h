/* SPDX-License-Identifier: BSD-3-Clause */
/* Intervals of geometric means over inputs. */
#ifndef MNP_CLI_SWEEP_INTERVAL_H
#define MNP_CLI_SWEEP_INTERVAL_H

#include <stdint.h>

#define CLI_SWEEP_WIDEST 4.0 /* an interval whose ends are further apart, as a ratio, says nothing and is not told */

/* Half of the interval that holds a mean in 95 of 100 samples of such inputs (Student's t), of `count` logarithms with
 * this sum and sum of squares. NAN: there are fewer than two, or the interval is wider than CLI_SWEEP_WIDEST. */
double cli_sweep_half_interval(double sum, double squares, uint32_t count);

#endif
