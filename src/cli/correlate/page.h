/* SPDX-License-Identifier: BSD-3-Clause */
/* The pages of `maniple correlate`: a table, Markdown, HTML with a drawing, and what is said in a terminal. */
#ifndef MNP_CLI_CORRELATE_PAGE_H
#define MNP_CLI_CORRELATE_PAGE_H

#include "base/error.h"
#include "cli/correlate/rows.h"

#include <stdio.h>

/* A row of the list, and what came of it. */
struct correlate_row {
    const char *name, *group, *machine;
    double measured;  /* 0: there is no measurement */
    double simulated; /* 0: the run has failed */
    double margin;    /* half of the interval of 95 % of an estimate, in the same unit; 0: it is none */
    char bound[48], evidence[240];
    char *command; /* that makes the run again */
};

struct correlate_pages {
    const struct correlate_row *rows;
    uint32_t count;
    enum correlate_unit unit;
    const char *list, *measurements; /* paths */
};

/* How far off rows are. */
struct correlate_error {
    uint32_t rows;
    double mean, worst; /* absolute errors, 0 …; NaN: no rows, as are the others */
    double bias;        /* geometric mean of simulated by measured */
    double linear,
        logarithmic; /* coefficients of correlation (Pearson), of values and of their logarithms; NaN: too few */
};

/* Rows of a group; NULL: all rows. */
void cli_correlate_error(const struct correlate_pages *pages, const char *group, struct correlate_error *error);

void cli_correlate_csv(const struct correlate_pages *pages, FILE *out);
void cli_correlate_markdown(const struct correlate_pages *pages, FILE *out);
void cli_correlate_html(const struct correlate_pages *pages, FILE *out);
void cli_correlate_text(const struct correlate_pages *pages, FILE *out);

#endif
