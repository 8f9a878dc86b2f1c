/* SPDX-License-Identifier: BSD-3-Clause */
/* All that a run has counted, one statistic after another, in the order of the models' tables. */
#ifndef MNP_RESULTS_COUNTS_H
#define MNP_RESULTS_COUNTS_H

#include "base/text.h"
#include "results/figures/reading.h"

struct results_count {
    const char *name, *unit; /* texts of the database, for the time of the call */
    double value;            /* more than 0 */
    char text[MNP_NUMBER_TEXT];
};

/* Calls `write` with each statistic of the whole run that is not zero, quotients such as `ipc` among them. Returns how
 * many there were; `write` may be NULL. */
uint32_t results_counts_each(const struct results_reading *reading,
                             void (*write)(const struct results_count *count, void *context), void *context);

/* The text of a statistic's value; "-" if it is zero or not counted. */
const char *results_count_text(const struct results_reading *reading, const char *name, char text[MNP_NUMBER_TEXT],
                               double *value);

#endif
