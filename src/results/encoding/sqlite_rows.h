/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rows of numbers for one table, many to a statement: SQLite seeks a row's place from the root of the table for each
 * statement, but goes on behind the last row inside of one, if rows come in the order of their keys.
 */
#ifndef MNP_RESULTS_SQLITE_ROWS_H
#define MNP_RESULTS_SQLITE_ROWS_H

#include "results/encoding/sqlite.h"

enum { RESULTS_SQLITE_ROWS = 64, RESULTS_SQLITE_COLUMNS = 6 };

struct results_sqlite_cell {
    char type; /* a letter of results_sqlite_rows_add's `types` */
    union {
        uint64_t whole;
        double number;
    };
};

struct results_sqlite_rows {
    sqlite3 *database;
    struct mnp_error *error;
    const char *table;
    int columns;
    int count;          /* rows that wait to be added */
    sqlite3_stmt *many; /* adds RESULTS_SQLITE_ROWS of them; NULL: not prepared yet */
    struct results_sqlite_cell cells[RESULTS_SQLITE_ROWS * RESULTS_SQLITE_COLUMNS];
};

/* Adds a row of the columns that `types` describes: 'i' a uint64_t, 'd' a double, 'n' NULL, without an argument.
 * Returns false, with an error, if a statement fails. */
bool results_sqlite_rows_add(struct results_sqlite_rows *rows, const char *types, ...);

/* Adds the rows that wait, if `done`: nothing has failed before; otherwise they are dropped. Returns whether nothing
 * has failed. */
bool results_sqlite_rows_end(struct results_sqlite_rows *rows, bool done);

#endif
