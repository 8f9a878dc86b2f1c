/* SPDX-License-Identifier: BSD-3-Clause */
/* What is told of a run at its end: on standard error, where it disturbs no reader of the results. */
#ifndef MNP_RESULTS_TELL_H
#define MNP_RESULTS_TELL_H

#include "engine/count/results.h"

/* What the user should know that is no statistic. */
void results_tell_end(const struct mnp_results *results);

/* What -v tells of how the run was done. */
void results_tell_how(const struct mnp_results *results);

#endif
