/* SPDX-License-Identifier: BSD-3-Clause */
/* A process that helps to simulate a CUDA program which another one, the first, runs (cudart/spread.h). */
#ifndef MNP_CLI_FOLLOW_H
#define MNP_CLI_FOLLOW_H

#include "cli/run_options.h"
#include "engine/executors/processes.h"

/* Does as the first process says, to the end of the program. `processes` have been joined. False: an error. */
bool follow(const struct run_options *options, struct processes *processes, struct mnp_error *error);

#endif
