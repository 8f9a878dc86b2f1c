/* SPDX-License-Identifier: BSD-3-Clause */
/* The folder of a run's results. */
#ifndef MNP_CLI_RUN_FOLDER_H
#define MNP_CLI_RUN_FOLDER_H

#include "cli/run/options.h"

/* Makes the folder of -o, if one is asked for. Results of another program or trace that are there are going to be
 * replaced, which is said on standard error. False: it cannot be made. */
bool cli_run_folder_make(const struct run_options *options, struct mnp_error *error);

#endif
