/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Warnings and remarks. A warning says that the results may not be what the user expects; equal warnings are counted,
 * and all are listed at the end of a run. Remarks are printed to standard error immediately, with -v.
 *
 * A log belongs to one thread: units report to the leader, which knows the order of simulated time.
 */
#ifndef MNP_BASE_LOG_H
#define MNP_BASE_LOG_H

#include <stdint.h>
#include <stdio.h>

/* MNP_SILENT: errors alone; MNP_QUIET: warnings too. */
enum mnp_verbosity { MNP_SILENT = -2, MNP_QUIET = -1, MNP_NORMAL = 0, MNP_VERBOSE = 1 };

struct mnp_warning {
    char *text;
    uint64_t count;
};

struct mnp_log {
    enum mnp_verbosity verbosity;
    struct mnp_warning *warnings; /* in order of their first occurrence */
    uint32_t warning_count;
    uint64_t dropped; /* warnings lost because the limit of different warnings was reached */
};

void mnp_log_init(struct mnp_log *log, enum mnp_verbosity verbosity);
void mnp_log_release(struct mnp_log *log);

/* Counts a warning. Nothing is printed before the end. */
void mnp_warn(struct mnp_log *log, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints a line to standard error at once, when -v was given. */
void mnp_remark(const struct mnp_log *log, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints all warnings with their counts, unless silent. */
void mnp_log_summary(const struct mnp_log *log, FILE *out);

#endif
