/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of the page of a report but for its drawings: style, tables, texts. */
#ifndef MNP_RESULTS_REPORT_PARTS_H
#define MNP_RESULTS_REPORT_PARTS_H

#include "results/charts/charts.h"
#include "results/report/report.h"

/* The style and the script of the page. */
extern const char results_page_style[], results_page_script[];

/* The limit of a run of the coprocessor. */
void results_page_tiles(const struct results_reading *reading, FILE *out);

/* Resources that CTAs ask of an SM, and the one that limits how many of them an SM holds. */
void results_page_occupancy(const struct results_reading *reading, FILE *out);

/* A kernel's name as a column has room for it; the whole name shows where the pointer rests on it. */
void results_page_kernel_name(const char *name, FILE *out);

/* The kernels whose instructions are shown, in the order of their places: number N of a run has the id lines-PLACE-N.
 * Names are to be freed. */
enum { RESULTS_LINE_KERNELS = 6 };
uint32_t results_page_line_kernels(const struct results_reading *reading, char *names[RESULTS_LINE_KERNELS]);

/* Energy by part and by kernel, and what costs the most of it. */
void results_page_energy(const struct results_reading *reading, FILE *out);
void results_page_energy_lines(const struct results_reading *reading, FILE *out);

/* Time by range that the program has named (NVTX), and whether it has named any. */
void results_page_ranges(const struct results_reading *reading, FILE *out);
bool results_page_has_ranges(const struct results_reading *reading);

/* The title of a page; a run's name with its machine and what was set of it; and what ran. */
void results_page_title(const struct results_reading *reading, FILE *out);
void results_page_subject(const struct results_reading *reading, FILE *out);
void results_page_ran(const struct results_reading *reading, FILE *out);

/* Settings of one of several runs that others do not share, "sm.count=8, l2.slice.size=4KiB", behind its input where
 * inputs differ; to be freed. Names of folders, such as a sweep's, need not tell them. `shared` (struct results_named,
 * empty before the first call) collects keys that are the same in all. */
char *results_many_settings(const struct results_reading *readings, uint32_t count, uint32_t place,
                            struct mnp_array *shared);

/* The time of a run in seconds, as a report states it first: of a program that does more, the time with kernels. */
double results_many_seconds(const struct results_reading *reading);

/* Whether a run has not been finished; whether its time says something beside that of the first, of the same work. */
bool results_many_ended_early(const struct results_reading *reading);
bool results_many_comparable(const struct results_reading *first, const struct results_reading *reading);

/* Faults worth mending, with gains by estimate and as measured. */
void results_page_findings(const struct results_reading *reading, const struct results_findings *findings, FILE *out);

/* Costs of instructions and lines of the source. */
void results_page_lines(const struct results_reading *reading, FILE *out);

#endif
