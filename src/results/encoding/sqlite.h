/* SPDX-License-Identifier: BSD-3-Clause */
/* SQLite with the errors and files of this program: statements, rows that are added, a database as one file. */
#ifndef MNP_RESULTS_SQLITE_H
#define MNP_RESULTS_SQLITE_H

#include "base/error.h"

#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>

/* A database in memory, which can be written to a file as a whole: whatever ends the program, no half of one is left.
 * NULL: an error. */
sqlite3 *results_sqlite_memory(struct mnp_error *error);

/* Writes such a database. */
bool results_sqlite_write(sqlite3 *database, FILE *out, struct mnp_error *error);

/* Executes statements whose rows nobody wants. */
bool results_sqlite_execute(sqlite3 *database, const char *sql, struct mnp_error *error);

/* Prepares a statement; NULL: an error. End it with sqlite3_finalize. */
sqlite3_stmt *results_sqlite_prepare(sqlite3 *database, const char *sql, struct mnp_error *error);

/* Binds the values that a row of `types` describes, from the first parameter on: 'i' a uint64_t, 'd' a double, 't' a
 * text that may be NULL and stays valid until the statement has been reset, 'n' NULL, without an argument. */
void results_sqlite_bind(sqlite3_stmt *statement, const char *types, ...);

/* The same, and executes a statement that adds a row. */
bool results_sqlite_add(sqlite3_stmt *statement, struct mnp_error *error, const char *types, ...);

/* Fails with what SQLite says of the database. Returns false. */
bool results_sqlite_fail(sqlite3 *database, struct mnp_error *error);

#endif
