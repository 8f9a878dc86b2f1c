/* SPDX-License-Identifier: BSD-3-Clause */
/* Databases of results joined to one, which can be written as a file or, table by table, as comma-separated values. */
#ifndef MNP_RESULTS_MERGE_H
#define MNP_RESULTS_MERGE_H

#include "results/database/database.h"

/* Adds all runs of the database at a path (a file, or a folder of -o) to one in memory that has the tables; runs are
 * numbered on, and `source` of each says the path. */
bool results_merge_add(sqlite3 *all, const char *path, struct mnp_error *error);

/* Writes a file TABLE.csv per table into a folder, with a line of names: all of them or, on an error, none. */
bool results_merge_write_csv(sqlite3 *all, const char *folder, struct mnp_error *error);

/* One table, with a line of names. */
bool results_write_csv(sqlite3 *all, const char *table, FILE *out, struct mnp_error *error);

#endif
