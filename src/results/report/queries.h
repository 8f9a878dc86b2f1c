/* SPDX-License-Identifier: BSD-3-Clause */
/* Questions of a report to the database of its run. */
#ifndef MNP_RESULTS_QUERIES_H
#define MNP_RESULTS_QUERIES_H

#include "results/figures/reading.h"

/* Prepares a query whose first parameter is the run; NULL: the database has no such table. End it with
 * sqlite3_finalize. */
sqlite3_stmt *results_report_ask(const struct results_reading *reading, const char *sql);

/* The words of the command, one a row. */
sqlite3_stmt *results_report_ask_command(const struct results_reading *reading);

/* Keys of the machine that the command line has set, with values, one a row; without lists of SMs that a number of SMs
 * has emptied. */
sqlite3_stmt *results_report_ask_settings(const struct results_reading *reading);

/* Keys of the machine that the command line has set, "sm.count=8, l2.slice.size=4KiB"; empty: none. To be freed. */
char *results_report_settings(const struct results_reading *reading);

/* Warnings of the run, one a row, in order: the first ones. */
sqlite3_stmt *results_report_ask_warnings(const struct results_reading *reading);

struct results_estimate { /* estimate of the cycles of kernels */
    double value, margin; /* margin: half of the interval of 95 % */
    bool of_all;      /* value for all launches, of which some stood for others; the kernels in the results are fewer */
    bool passed_over; /* instructions of kernels were */
};

/* The estimate of a run; false: all was simulated. */
bool results_report_find_estimate(const struct results_reading *reading, struct results_estimate *estimate);

/* The estimate of the kernels' time, of a run in which some launches stood for all (--plan), or instructions were
 * passed over (--steady), as a sentence; empty: all was simulated. To be freed. */
char *results_report_estimate(const struct results_reading *reading);

/* The margin of the time of the kernels that were simulated, as a part of it; 0: it is exact. */
double results_report_margin(const struct results_reading *reading);

/* A text of a row; "" in place of NULL. */
const char *results_report_text_of(sqlite3_stmt *row, int column);

/* A line of the source without the folders of its file; NULL: none. */
const char *results_report_place(const char *source);

#endif
