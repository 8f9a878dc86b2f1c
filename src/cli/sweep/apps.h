/* SPDX-License-Identifier: BSD-3-Clause */
/* Our own workloads as inputs of sweeps: where their program is, and whether it has a workload of a name. */
#ifndef MNP_CLI_SWEEP_APPS_H
#define MNP_CLI_SWEEP_APPS_H

#include "base/error.h"

/* The path of maniple-apps, to be freed. NULL: an error. */
char *cli_sweep_apps_find(struct mnp_error *error);

/* Asks the program at `path` for the workload `name`. False: it has none, which is an error at `line` of `file`. */
bool cli_sweep_apps_check(const char *path, const char *name, const char *file, unsigned line, struct mnp_error *error);

#endif
