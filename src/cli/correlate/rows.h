/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rows that `maniple correlate` compares: those of a list, whose inputs are run, with measurements of silicon.
 * Measurements come from tables of comma-separated values (a name, a value), from such tables exported by Nsight
 * Compute, or from Nsight Systems' SQLite; the contents of a file say which of them it is.
 */
#ifndef MNP_CLI_CORRELATE_ROWS_H
#define MNP_CLI_CORRELATE_ROWS_H

#include "results/encoding/csv.h"

enum correlate_unit { CORRELATE_CYCLES, CORRELATE_SECONDS, CORRELATE_WATTS };

/* A measurement. Launches of a kernel of one name are added up; a table of one's own has each name once. */
struct correlate_measured {
    char *name;
    double value;  /* in the unit, above 0; seconds where the file has others of time */
    unsigned line; /* its place in the file; 0: a database */
    uint64_t count;
};

struct correlate_measurements {
    enum correlate_unit unit;
    bool by_kernel;         /* names are those of kernels: Nsight's */
    struct mnp_array table; /* struct correlate_measured */
};

/* Columns of a table of one's own; NULL: "name" and "value". */
struct correlate_columns {
    const char *name, *value, *unit; /* unit: "cycle", "s", "ms", "us" or "ns"; NULL: the column `unit`, or cycles */
};

bool cli_correlate_read(struct correlate_measurements *measurements, const char *path,
                        const struct correlate_columns *columns, struct mnp_error *error);
void cli_correlate_release(struct correlate_measurements *measurements);

/* The measurement of a name, 0: there is none. Of several kernels that have the name, instances of a template, it is
 * their sum; it is an error if the name is of one of them, and which is unclear. */
double cli_correlate_find(const struct correlate_measurements *measurements, const char *name, struct mnp_error *error);

#endif
