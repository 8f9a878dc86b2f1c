/* SPDX-License-Identifier: BSD-3-Clause */
/* Drawings of the page of a report: HTML and SVG without anything from elsewhere. */
#ifndef MNP_RESULTS_CHARTS_H
#define MNP_RESULTS_CHARTS_H

#include "results/figures/figures.h"

/* A bar for each peak, of one run or of two (`b` may be NULL). */
void results_page_peaks(const struct results_reading *a, const struct results_reading *b, FILE *out);

/* Whether a page shows a peak: one that is seldom used, where the run used it. */
bool results_page_shows(const struct results_reading *reading, const struct results_peak *peak);

/* From the SMs to DRAM: what passes each arrow, and what is found at its end. */
void results_page_memory(const struct results_reading *reading, FILE *out);

/* A bar of issue slots for the run and for its kernels by name. */
void results_page_slots(const struct results_reading *reading, FILE *out);

/* The colours of classes of issue slots. */
extern const char *const results_page_colours[RESULTS_CLASSES];

/* Operations per byte and second of the run and its kernels, under what the machine can do; `b` may be NULL. */
void results_page_roofline(const struct results_reading *a, const struct results_reading *b, FILE *out);

/* Watts over time, by the parts of energy, where energies were sampled. */
void results_page_power(const struct results_reading *reading, FILE *out);

/* Samples over time. */
void results_page_time(const struct results_reading *reading, FILE *out);

/* A heat map for each counter of units. */
void results_page_units(const struct results_reading *reading, FILE *out);

/* A drawing of each histogram of the whole run. */
void results_page_histograms(const struct results_reading *reading, FILE *out);

#endif
