/* SPDX-License-Identifier: BSD-3-Clause */
/* Our own workloads as inputs of sweeps: where their program is, and what it takes. */
#ifndef MNP_CLI_SWEEP_APPS_H
#define MNP_CLI_SWEEP_APPS_H

#include "base/error.h"

#include <stddef.h>

/* The path of maniple-apps, to be freed. NULL: an error. */
char *cli_sweep_apps_find(struct mnp_error *error);

/* Asks the program at `path` whether it has the workload words[0] and takes the `count` - 1 words behind it. False: it
 * does not, which is an error at `line` of `file`. */
bool cli_sweep_apps_check(const char *path, const char *const *words, size_t count, const char *file, unsigned line,
                          struct mnp_error *error);

#endif
