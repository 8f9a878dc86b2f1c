/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts that the whole text output and its summary have in common. */
#ifndef MNP_RESULTS_TEXT_PARTS_H
#define MNP_RESULTS_TEXT_PARTS_H

#include "engine/count/results.h"

/* The machine, with the keys that --set gave other values, and how the run ended where that was too early. */
void results_text_head(const struct mnp_results *results, FILE *out);

/* Totals that were estimated, if any were: the chief ones, or all. */
void results_text_estimate(const struct mnp_results *results, bool all, FILE *out);

/* The table of kernels, at most `most` of them, those of the most cycles; a line says how many are left out. */
void results_text_kernels(const struct mnp_results *results, uint32_t most, FILE *out);

/* The summary of a run of the coprocessor. */
void results_text_cores(const struct mnp_results *results, FILE *out);

/* A line of a summary: a label, a value, and what it is. */
void results_text_line(const char *label, const char *value, const char *rest, FILE *out);

/* The line of a counter; none if it is not counted. */
void results_text_count(const struct mnp_statistic_set *set, const char *label, const char *name, const char *rest,
                        FILE *out);

/* The line of a ratio; none if its denominator is 0. `inverse`: what lacks to its greatest value, hits for misses.
 * `rest` may have a %s, for the denominator. */
void results_text_ratio(const struct mnp_statistic_set *set, const char *label, const char *name, bool inverse,
                        const char *rest, FILE *out);

/* The line of cycles, with their time at the clock of the machine. */
void results_text_time(const struct mnp_results *results, const char *label, uint64_t cycles, const char *rest,
                       FILE *out);

/* The classes of issue slots, which add up to all: where the time of the schedulers went; of the kernels' time, where
 * that is less than the run's. */
void results_text_issue_slots(const struct mnp_results *results, FILE *out);

/* Energy and mean power, and the parts that took the most of it, of a run with --energy; of another, nothing. */
void results_text_energy(const struct mnp_results *results, FILE *out);

#endif
