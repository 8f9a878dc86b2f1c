/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A writer of Parquet files, in the subset that a table of texts and numbers needs: one row group, a page for each
 * column, plain encoding, no compression, no empty cells (https://parquet.apache.org/docs/file-format/).
 */
#ifndef MNP_CLI_PROFILE_PARQUET_H
#define MNP_CLI_PROFILE_PARQUET_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct parquet;

/* Begins a table. `types` has a character for each column: 't' a text, 'i' an int64_t, 'd' a double. */
struct parquet *cli_parquet_begin(const char *types, const char *const *names);

/* Adds a row: const char *, int64_t or double for each column. */
void cli_parquet_add(struct parquet *table, ...);

/* Writes the table, and releases it. */
void cli_parquet_end(struct parquet *table, FILE *out);

#endif
