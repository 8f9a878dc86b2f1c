/* SPDX-License-Identifier: BSD-3-Clause */
/* The number of GPUs that --gpus asks for. */
#ifndef MNP_CLI_RUN_GPUS_H
#define MNP_CLI_RUN_GPUS_H

#include "cli/run/options.h"

/* Whether a machine has the GPUs that are asked for. A file that describes one GPU is of any number; one of a node has
 * those that it states. */
bool cli_run_gpus_check(const struct run_options *options, const char *machine, struct mnp_error *error);

#endif
