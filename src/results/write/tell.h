/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages about a run at its end: on standard error, where they disturb no reader of the results. */
#ifndef MNP_RESULTS_TELL_H
#define MNP_RESULTS_TELL_H

#include "engine/count/results.h"

/* Facts that the user should know and that are no statistic. */
void results_tell_end(const struct mnp_results *results);

/* Lines of -v about how the run was done. */
void results_tell_how(const struct mnp_results *results);

#endif
