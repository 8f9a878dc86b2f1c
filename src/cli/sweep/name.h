/* SPDX-License-Identifier: BSD-3-Clause */
/* The names of runs: hashes of all that decides their results. */
#ifndef MNP_CLI_SWEEP_NAME_H
#define MNP_CLI_SWEEP_NAME_H

#include "cli/sweep/plan.h"

#include <stdio.h>

struct sweep_names {
    const struct sweep_plan *plan;
    char (*inputs)[SWEEP_NAME]; /* [inputs] hashes of their contents */
};

/* Reads the inputs of a plan, see cli_sweep_hash_input. False: an error. */
bool cli_sweep_names_open(struct sweep_names *names, const struct sweep_plan *plan, struct mnp_error *error);
void cli_sweep_names_close(struct sweep_names *names);

/* A machine with every value, as text, which is to be freed. NULL: there is no such machine. */
char *cli_sweep_name_machine(const struct plugin_set *plugins, const char *machine, const char *const *overrides,
                             size_t count, struct mnp_error *error);

/* Everything besides the version that decides the results of a run. */
struct sweep_named {
    const char *machine;        /* text of the machine, with every value */
    const char *const *options; /* [option_count] of `maniple run` */
    uint32_t option_count;
    char *const *input; /* the input, or a program and its arguments; a NULL ends them */
    bool program;
    const char *contents;             /* hash of the input's */
    char *const *words;               /* all words of `maniple run`, for the note */
    const struct plugin_set *plugins; /* plug-ins that the run loads; NULL: none */
};

/* Names a run. Returns what is to be kept of it as text; free it. */
char *cli_sweep_name_run(const struct sweep_named *what, char name[SWEEP_NAME]);

/* Whether two inputs have the same words but for the folder of the first one; a NULL ends them. */
bool cli_sweep_same_words(char *const *a, char *const *b);

/* Writes " --plugin FILE" for each plug-in, quoted for shells; NULL: nothing. */
void cli_sweep_write_plugins(const struct plugin_set *plugins, FILE *out);

/* The hash of an input's contents: a file, or a list of kernels with the files that it names; of a program the file
 * that a shell would run for its name, and the files that its arguments name. A NULL ends the words. */
bool cli_sweep_hash_input(char *const *words, bool program, char hash[SWEEP_NAME], struct mnp_error *error);

#endif
