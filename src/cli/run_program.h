/* SPDX-License-Identifier: BSD-3-Clause */
/* `maniple run … -- PROGRAM ARGUMENTS`: programs that run on the simulated machine itself. */
#ifndef MNP_CLI_RUN_PROGRAM_H
#define MNP_CLI_RUN_PROGRAM_H

#include "cli/processes.h"
#include "cli/run_options.h"
#include "cli/watch.h"
#include "engine/results.h"

/* Runs the program of the options; `*settings` becomes the machine, which the caller frees. False: an error. */
bool run_program(const struct run_options *options, struct processes *processes, struct watch *watch,
                 struct mnp_settings **settings, struct mnp_results *results, struct mnp_error *error);

#endif
