/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `maniple run -- PROGRAM` where the program is one of the host's own that uses the CUDA runtime: it takes the place of
 * this process, with our runtime in that of NVIDIA's. The runtime writes the results when the program ends.
 */
#ifndef MNP_CLI_RUN_CUDA_H
#define MNP_CLI_RUN_CUDA_H

#include "cli/run/options.h"
#include "cli/run/program.h"
#include "engine/executors/processes.h"

/* The path of a library or program of ours: beside this program, or where it is installed; free it. */
char *cli_run_cuda_find(const char *name, struct mnp_error *error);

/* Runs it. Returns only after an error. */
bool cli_run_cuda(const struct run_options *options, struct mnp_error *error);

/* Whether this is one of several processes, and not the first, which runs the program; then what it does instead. */
bool cli_run_cuda_follows(const struct run_options *options);
bool cli_run_cuda_follow(const struct run_options *options, struct processes *processes, struct mnp_error *error);

#endif
