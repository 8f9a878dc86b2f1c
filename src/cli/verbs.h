/* SPDX-License-Identifier: BSD-3-Clause */
/* The verbs of the `maniple` command, one file each. A verb gets its own name and arguments and returns the exit
 * status; it prints its errors itself, once. */
#ifndef MNP_CLI_VERBS_H
#define MNP_CLI_VERBS_H

#include "cli/answer.h"

int verb_run(const struct command_line *line);
int verb_machines(const struct command_line *line);
int verb_machine(const struct command_line *line);
int verb_compare(const struct command_line *line);
int verb_models(const struct command_line *line);
int verb_import(const struct command_line *line);
int verb_convert(const struct command_line *line);
int verb_scaling(const struct command_line *line);
int verb_trace(const struct command_line *line);
int verb_app(const struct command_line *line);

#endif
