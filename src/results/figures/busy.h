/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The time of a run in which kernels were there, and what they have to answer for. A program's run lasts from its first
 * call to its last copy, and per cents of that time say nothing of its kernels: their limits are looked for in the time
 * in which one was there.
 */
#ifndef MNP_RESULTS_BUSY_H
#define MNP_RESULTS_BUSY_H

#include "results/figures/reading.h"

/* Reads a run for a report (results_reading_load), with what a reading says of the time with kernels, and of traffic
 * without an owner. */
bool results_busy_load(struct results_reading *reading, sqlite3 *database, sqlite3_int64 run, const char *label,
                       struct mnp_error *error);

#endif
