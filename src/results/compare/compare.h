/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two results of runs side by side: how much faster, and how far every statistic deviates.
 * Results of one machine and the same launches must be equal to the last byte, unless a run was relaxed or ended early:
 * everything but the description of the run itself.
 */
#ifndef MNP_RESULTS_COMPARE_H
#define MNP_RESULTS_COMPARE_H

#include "base/error.h"

#include <stdint.h>
#include <stdio.h>

struct json_t;

/* A results.json that was read. */
struct mnp_read_results {
    struct json_t *root;
    const char *path;
};

/* Reads the results.json of a folder, or a file of that format. */
bool results_read(struct mnp_read_results *results, const char *path, struct mnp_error *error);
void results_free(struct mnp_read_results *results);

/* A number of the description of the run, such as "wall_seconds"; 0 when it is not there. */
double results_run_number(const struct mnp_read_results *results, const char *name);

/* A text of it, such as "executor"; "" when it is not there. Valid as long as the results. */
const char *results_run_text(const struct mnp_read_results *results, const char *name);

/* Whether two results are of the same launches, or of one program with the same arguments, on machines of one kind;
 * otherwise an error says what they are of. */
bool results_of_one_work(const struct mnp_read_results *a, const struct mnp_read_results *b, struct mnp_error *error);

struct mnp_comparison {
    bool equal;                   /* in all but the description of the run */
    char different_by[96];        /* why they may differ; empty: they must be equal */
    uint64_t compared, deviating; /* statistics of the whole run and of kernels */
};

/* Compares b with a, and writes the tables; with `all`, of equal statistics too. */
void results_compare(const struct mnp_read_results *a, const struct mnp_read_results *b, bool all, FILE *out,
                     struct mnp_comparison *comparison);

#endif
