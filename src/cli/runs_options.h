/* SPDX-License-Identifier: BSD-3-Clause */
/* The options that `maniple sweep` and `maniple correlate` share: a list of runs, their folder, how many at a time. */
#ifndef MNP_CLI_RUNS_OPTIONS_H
#define MNP_CLI_RUNS_OPTIONS_H

#include "base/error.h"

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    CLI_RUNS_THREADS = 256,
    CLI_RUNS_LAST
}; /* keys of options without a letter; further ones follow CLI_RUNS_LAST */

struct cli_runs_options {
    const char *list, *folder;
    uint64_t jobs, threads; /* jobs 0: as many as there are processors */
    bool quiet;
    struct mnp_error error;
};

/* Rows of these options for argp; the verb states -o itself. */
#define CLI_RUNS_ROWS                                                                                                  \
    {"jobs", 'j', "N", 0, "runs at a time; default: the processors that this process may use, by --threads", 0},       \
        {"threads", CLI_RUNS_THREADS, "N", 0, "threads of each run; default 1", 0},                                    \
    {                                                                                                                  \
        NULL, 'q', NULL, 0, "show no progress", 0                                                                      \
    }

/* Takes an option of these, or the list; `takes`: "maniple sweep takes one plan". False: it is another option. */
bool cli_runs_option(struct cli_runs_options *options, const char *takes, int key, const char *text);

/* Reads a whole number from 1 to 1,000,000; otherwise sets the error. */
void cli_runs_number(struct cli_runs_options *options, const char *name, const char *text, uint64_t *value);

/* How many runs are made at a time. */
uint32_t cli_runs_parallel(const struct cli_runs_options *options);

#endif
