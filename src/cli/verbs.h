/* SPDX-License-Identifier: BSD-3-Clause */
/* The verbs of the `maniple` command, one file each. A verb gets its own name and arguments and returns the exit
 * status; it prints its errors itself, once. */
#ifndef MNP_CLI_VERBS_H
#define MNP_CLI_VERBS_H

#include "base/error.h"

/* The command line of a verb: argv[0] is "maniple VERB", for messages. Everything behind `--` stands in `program`. */
struct command_line {
    int argc;
    char **argv;
    int program_argc;
    char **program; /* NULL: there was no `--` */
};

int cli_verb_run(const struct command_line *line);
int cli_verb_machines(const struct command_line *line);
int cli_verb_machine(const struct command_line *line);
int cli_verb_compare(const struct command_line *line);
int cli_verb_merge(const struct command_line *line);
int cli_verb_report(const struct command_line *line);
int cli_verb_plan(const struct command_line *line);
int cli_verb_models(const struct command_line *line);
int cli_verb_import(const struct command_line *line);
int cli_verb_convert(const struct command_line *line);
int cli_verb_scaling(const struct command_line *line);
int cli_verb_trace(const struct command_line *line);
int cli_verb_disassemble(const struct command_line *line);
int cli_verb_serve(const struct command_line *line);
int cli_verb_system(const struct command_line *line);
int cli_verb_sweep(const struct command_line *line);
int cli_verb_correlate(const struct command_line *line);
int cli_verb_timeline(const struct command_line *line);
int cli_verb_app(const struct command_line *line);

/* Prints an error in the one form that all of them have, and returns the exit status for it. */
int cli_report_error(const struct mnp_error *error);

/* Ends a verb that wrote to standard output: a full disk shows here. Returns the exit status. */
int cli_finish_output(int status);

/* Takes the options of a verb that has none but --help; false: `*status` is the exit status to return. */
bool cli_only_help(const struct command_line *line, const char *arguments, const char *text, int *status);

#endif
