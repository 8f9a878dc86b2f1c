/* SPDX-License-Identifier: BSD-3-Clause */
/* The verbs of the `maniple` command, one file each. A verb gets its own name and arguments and returns the exit
 * status; it prints its errors itself, once. */
#ifndef MNP_CLI_VERBS_H
#define MNP_CLI_VERBS_H

#include "base/error.h"

struct plugin_set;

/* The command line of a verb: argv[0] is "maniple VERB", for messages. Everything behind `--` stands in `program`, and
 * --plugin has been taken out. */
struct command_line {
    int argc;
    char **argv;
    int program_argc;
    char **program; /* NULL: there was no `--` */
    const struct plugin_set *plugins;
};

#define CLI_VERB(FUNCTION, NAME, ARGUMENTS, HELP) int FUNCTION(const struct command_line *line);
#include "cli/verb_list.h"
#undef CLI_VERB

/* Prints an error in the one form that all of them have, and returns the exit status for it. */
int cli_report_error(const struct mnp_error *error);

/* Ends a verb that wrote to standard output: a full disk shows here. Returns the exit status. */
int cli_finish_output(int status);

/* Takes `--format text|json` out of the words; `*json`: the last one said json. False: `*status` is the exit status to
 * return. */
bool cli_take_format(struct command_line *line, bool *json, int *status);

/* Takes the options of a verb that has none but --help; false: `*status` is the exit status to return. */
bool cli_only_help(const struct command_line *line, const char *arguments, const char *text, int *status);

#endif
