/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of comma-separated values (RFC 4180), as tables of texts; lines that begin with # before the names are passed
 * over. */
#ifndef MNP_RESULTS_CSV_H
#define MNP_RESULTS_CSV_H

#include "base/array.h"
#include "base/error.h"

struct results_csv_row {
    char **fields; /* [columns] as many as there are names */
    unsigned line;
};

struct results_csv {
    char *text, *path;
    char **names; /* [columns] */
    uint32_t columns;
    struct mnp_array rows; /* struct results_csv_row */
};

/* Reads a file; rows with more or fewer fields than names are errors. False: an error, and nothing is to be released.
 */
bool results_csv_read(struct results_csv *csv, const char *path, struct mnp_error *error);
void results_csv_release(struct results_csv *csv);

/* The place of a column; -1: there is none. */
int results_csv_column(const struct results_csv *csv, const char *name);

/* A number with a decimal point, or with commas between groups of three digits ("1,234,567.5"). Anything else is an
 * error that says how to write it. */
bool results_csv_number(const struct results_csv *csv, const struct results_csv_row *row, uint32_t column,
                        double *value, struct mnp_error *error);

#endif
