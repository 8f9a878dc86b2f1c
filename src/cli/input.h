/* SPDX-License-Identifier: BSD-3-Clause */
/* The input of a run: its front-end is chosen by what the file contains, never by its name. */
#ifndef MNP_CLI_INPUT_H
#define MNP_CLI_INPUT_H

#include "cli/run_options.h"

/* Opens the input. NULL: an error. */
struct mnp_source *input_open(const struct run_options *options, struct mnp_error *error);

#endif
