/* SPDX-License-Identifier: BSD-3-Clause */
/* `maniple run … -- PROGRAM ARGUMENTS`: programs that run on the simulated machine itself. */
#ifndef MNP_CLI_RUN_PROGRAM_H
#define MNP_CLI_RUN_PROGRAM_H

#include "cli/run.h"
#include "engine/count/results.h"

/* Runs the program of the options; `*settings` becomes the machine, which the caller frees. False: an error. */
bool run_program(struct run *run, struct mnp_settings **settings, struct mnp_results *results, struct mnp_error *error);

#endif
