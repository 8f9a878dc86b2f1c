/* SPDX-License-Identifier: BSD-3-Clause */
/* Text of the source lines that instructions come from: kept with the results, as files change and are not at hand
 * everywhere. */
#ifndef MNP_RESULTS_SOURCE_LINES_H
#define MNP_RESULTS_SOURCE_LINES_H

#include "results/encoding/sqlite.h"

/* Adds a row to `source_line` for each line that the instructions of run 1 name and whose file can be read. */
bool results_add_source_lines(sqlite3 *database, struct mnp_error *error);

#endif
