/* SPDX-License-Identifier: BSD-3-Clause */
/* Reports on runs: for a terminal of 80 columns, and as a page. */
#ifndef MNP_RESULTS_REPORT_H
#define MNP_RESULTS_REPORT_H

#include "results/rules/joint.h"

/* The answer first: time, what is worth mending, what limits; then per cent of each peak, issue slots and kernels by
 * time. `findings`: of results_rules_find and results_joint_find. */
void results_report_text(const struct results_reading *reading, const struct results_findings *findings, FILE *out);

/* The run and its answer alone: time, what is worth mending, what limits. `letter`: the run's name in a comparison. */
void results_report_answer(const struct results_reading *reading, const char *letter,
                           const struct results_findings *findings, FILE *out);

/* Faults worth mending: the first few of them, and what is gained if two or more are mended together. */
enum { RESULTS_FINDINGS_TOLD = 5 };
void results_report_findings(const struct results_reading *reading, const struct results_findings *findings, FILE *out);

/* Time by range that the program has named (NVTX); nothing where it has named none. */
void results_report_ranges(const struct results_reading *reading, FILE *out);

/* Two runs of the same work beside one another. */
void results_report_two(const struct results_reading *a, const struct results_reading *b, FILE *out);

/* A line for each of several runs. */
void results_report_many(const struct results_reading *readings, uint32_t count, FILE *out);

/* The same as a page, with bars of time, peaks and issue slots, and what ran. */
void results_page_many(const struct results_reading *readings, uint32_t count, FILE *out);

/* One page without anything from elsewhere; `b` NULL: of one run, otherwise of two beside one another. `findings` of
 * each have gains that second runs have measured. */
void results_report_html(const struct results_reading *a, const struct results_reading *b,
                         const struct results_findings *findings, FILE *out);

/* A node: what each GPU has computed and communicated, and what went from each to each. Fails where they share no
 * links. */
bool results_report_node(const struct results_reading *readings, uint32_t count, FILE *out, struct mnp_error *error);

/* The same as a page. */
void results_page_node(const struct results_reading *readings, uint32_t count, FILE *out);

/* A row for each kernel and metric, in the columns of `ncu --csv`. */
bool results_write_ncu(const struct results_reading *reading, FILE *out, struct mnp_error *error);

/* Whether a run is one of the coprocessor; and what limits it. */
bool results_has_tiles(const struct results_reading *reading);
const char *results_tiles_limit(const struct results_reading *reading);

/* Parts of the cycles of its cores, each with its share (0 … 1) of all; returns how many there are. */
enum { RESULTS_TILE_PARTS = 9 };
struct results_share {
    const char *name;
    double share;
};
uint32_t results_tiles_shares(const struct results_reading *reading, struct results_share shares[RESULTS_TILE_PARTS]);

/* Whether its routers move one packet a cycle. */
bool results_tiles_moves_one(const struct results_reading *reading);

/* lifts.c: finds the keys that may lift what its cores wait for, for second runs to measure. */
void results_tiles_find_lifts(struct results_reading *reading);
void results_report_tiles(const struct results_reading *reading, FILE *out);

/* The instructions that cost most, those that cause the findings which are told, and the lines that cost most, of a run
 * with --by-instruction; of another, nothing. */
void results_report_lines(const struct results_reading *reading, const struct results_finding *found, uint32_t count,
                          FILE *out);

/* Energy by part and by kernel, of a run with --energy; of another, nothing. */
void results_report_energy(const struct results_reading *reading, FILE *out);

/* Energy by instruction, of a run with --energy and --by-instruction; of another, nothing. */
void results_report_energy_lines(const struct results_reading *reading, FILE *out);

/* Cycles of warps that were given to instructions; 0: the run was without --by-instruction. */
double results_tally_cycles(const struct results_reading *reading);

/* The cycle in which the last kernel, or core, had ended. */
double results_report_end(const struct results_reading *reading);

#endif
