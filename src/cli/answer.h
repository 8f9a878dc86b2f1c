/* SPDX-License-Identifier: BSD-3-Clause */
/* How verbs read options that all of them have, and how they end: errors, standard output, exit status. */
#ifndef MNP_CLI_ANSWER_H
#define MNP_CLI_ANSWER_H

#include "base/error.h"

/* The command line of a verb: argv[0] is "maniple VERB", for messages. Everything behind `--` stands in `program`. */
struct command_line {
    int argc;
    char **argv;
    int program_argc;
    char **program; /* NULL: there was no `--` */
};

/* Prints an error in the one form that all of them have, and returns the exit status for it. */
int report_error(const struct mnp_error *error);

/* Ends a verb that wrote to standard output: a full disk shows here. Returns the exit status. */
int finish_output(int status);

/* Takes the options of a verb that has none but --help; false: `*status` is the exit status to return. */
bool only_help(const struct command_line *line, const char *arguments, const char *text, int *status);

#endif
