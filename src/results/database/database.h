/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * results.sqlite: a run, or several that `maniple merge` has joined, as tables in long form. Everything but the columns
 * of `run` that begin with host_ depends on the machine and its input alone.
 *
 *   run         a row per run: input, machine, how it ended, state hash; host_…: all that may differ between hosts
 *   machine     its keys, with their values as text and, where they are one, as a number
 *   statistic   what is counted: name, unit, kind, model; a ratio's parts
 *   kernel      id, name, grid, block, stream; registers of a thread, shared memory of a CTA, CTAs that an SM's warps,
 *               registers, shared memory would hold; the parts of a run
 *   value       a number for each kernel and statistic; kernel 0: the whole run
 *   histogram   bins that are not empty; `upper` NULL: the last, open one
 *   unit_value  counters of the whole run by unit of their model
 *   sample      statistics over time: of the interval that ends in the cycle
 *   span        what lasted from `start` to `end`, in femtoseconds: kernels, copies, and what --timeline asked for; of
 *               kind "range" a row for each launch and NVTX range around it, as long as the launch: `place` is the
 *               number of ranges around that one, `number` tells each time that a range was entered
 *   instruction  what each instruction of a kernel's name has cost, by PC, with its text and source line; of
 *                --by-instruction. Columns: engine/count/tally.h
 *   source_line  text of the lines that `source` of instructions names, as their files were when the run ended
 *   estimate    totals of all launches where some stood for all (--plan): the true value lies within `margin` of
 *               `value` in 95 of 100 cases
 *   warning
 *   provenance  what ran, as facts: command line, environment, hashes of files (provenance/provenance.h). Like the
 *               columns host_…, they may differ between hosts
 *
 * The view `statistics` (run, kernel, kernel_name, name, unit, value) is for people and data frames. There are no
 * further indices: they would double the file. SQLite's user_version is RESULTS_DATABASE_VERSION.
 */
#ifndef MNP_RESULTS_DATABASE_H
#define MNP_RESULTS_DATABASE_H

#include "engine/count/results.h"
#include "results/encoding/sqlite.h"

enum { RESULTS_DATABASE_VERSION = 7 };

#define RESULTS_DATABASE_FILE "results.sqlite"

/* Makes the tables. */
bool results_database_create(sqlite3 *database, struct mnp_error *error);

/* Writes a run to a file that is being written, as run 1. */
bool results_write_database(const struct mnp_results *results, FILE *out, struct mnp_error *error);

/* Opens a database that must exist, to be read: the file of that name, or RESULTS_DATABASE_FILE in a folder. NULL: an
 * error; the file is none, is damaged, or was written by another version. */
sqlite3 *results_database_open(const char *path, struct mnp_error *error);

/* The tables, in the order above; NULL ends them. */
extern const char *const results_database_tables[];

/* The folders of the GPUs of a run of several, by number; free each of them and the list. NULL, and count 0: `folder`
 * has a database itself, or no such folders. */
char **results_device_folders(const char *folder, uint32_t *count);

#endif
