/* SPDX-License-Identifier: BSD-3-Clause */
/* Point at which two runs part: the first epoch, and its units, in which two tables of state hashes (`--hash -o`)
 * differ. */
#ifndef MNP_RESULTS_PART_H
#define MNP_RESULTS_PART_H

#include "base/error.h"

#include <stdio.h>

/* Compares the tables of two folders, row by row at the times that both have, and says on `out` where they part, or why
 * that cannot be told. Returns false, having said nothing, when a folder has no such table. */
bool results_compare_epochs(const char *first, const char *second, FILE *out);

#endif
