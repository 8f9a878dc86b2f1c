/* SPDX-License-Identifier: BSD-3-Clause */
/* `maniple trace record`: the trace of a CUDA program. */
#ifndef MNP_CLI_RECORD_H
#define MNP_CLI_RECORD_H

#include "cli/verbs.h"

/* `line`: from the word "trace" on. Returns the exit status: the program's own, where there is no error. */
int cli_record_trace(const struct command_line *line);

#endif
