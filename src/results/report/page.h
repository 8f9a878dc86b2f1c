/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of the page of a report: the texts of its head, and drawings. */
#ifndef MNP_RESULTS_REPORT_PARTS_H
#define MNP_RESULTS_REPORT_PARTS_H

#include "results/report/report.h"

/* The style and the script of the page. */
extern const char results_page_style[], results_page_script[];

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

/* What limits a run of the coprocessor. */
void results_page_tiles(const struct results_reading *reading, FILE *out);

/* Samples over time. */
void results_page_time(const struct results_reading *reading, FILE *out);

/* A heat map for each counter of units. */
void results_page_units(const struct results_reading *reading, FILE *out);

/* What CTAs ask of an SM, and what limits how many of them it holds. */
void results_page_occupancy(const struct results_reading *reading, FILE *out);

/* The kernels whose instructions are shown, in the order of their places: number N of a run has the id lines-PLACE-N.
 * Names are to be freed. */
enum { RESULTS_LINE_KERNELS = 6 };
uint32_t results_page_line_kernels(const struct results_reading *reading, char *names[RESULTS_LINE_KERNELS]);

/* What instructions and lines of the source have cost. */
void results_page_lines(const struct results_reading *reading, FILE *out);

/* A drawing of each histogram of the whole run. */
void results_page_histograms(const struct results_reading *reading, FILE *out);

#endif
