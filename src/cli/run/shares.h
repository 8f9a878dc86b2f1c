/* SPDX-License-Identifier: BSD-3-Clause */
/* --shares: a run divided into processes, each of which simulates some of its launches (contract/shares.h). */
#ifndef MNP_CLI_RUN_SHARES_H
#define MNP_CLI_RUN_SHARES_H

#include "cli/run/options.h"

/* Divides a run, and starts a process for each share but the last: it returns in every one of them, with the options of
 * its share, and in this process, which keeps the last share. Of a CUDA program, all launches are executed by value
 * first, to learn what each does. A run of one launch stays undivided. Returns false on an error, in this process
 * alone. */
bool cli_run_shares_divide(struct run_options *options, struct mnp_error *error);

#endif
