/* SPDX-License-Identifier: BSD-3-Clause */
/* Figures that reports and charts share: times, rates and shares. */
#ifndef MNP_RESULTS_FIGURES_H
#define MNP_RESULTS_FIGURES_H

#include "results/figures/peaks.h"

/* The share of a class of issue slots, 0 … 1. */
double results_report_slots(const struct results_reading *reading, const struct results_group *group, int class);

/* Core cycles over which the elapsed amounts of a group were added up: of the run, also those behind its last
 * kernel. */
double results_report_cycles(const struct results_reading *reading, const struct results_group *group);

/* Seconds that core cycles take on the machine; 0: its clock is unknown. */
double results_report_seconds(const struct results_reading *reading, double cycles);

/* A rate of a peak in its unit, of what was done or what is possible. */
double results_report_rate(const struct results_reading *reading, const struct results_group *group,
                           const struct results_peak *peak, double amount);

enum { RESULTS_REPORT_TIME = 32 };

/* A time for people, in a unit that fits: "56.83 us". */
const char *results_report_time(char text[RESULTS_REPORT_TIME], double seconds);

#endif
