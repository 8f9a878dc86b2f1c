/* SPDX-License-Identifier: BSD-3-Clause */
/* Keys that lift a limit, beside those that a run's machine has. */
#ifndef MNP_RESULTS_LIFT_H
#define MNP_RESULTS_LIFT_H

#include "results/figures/reading.h"

/* Takes out of "KEY=VALUE KEY=VALUE …" what the machine of the run has already: a second run with it would measure
 * nothing. What is left may be empty. */
void results_lift_reduce(const struct results_reading *reading, char *lift);

#endif
