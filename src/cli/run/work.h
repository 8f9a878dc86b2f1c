/* SPDX-License-Identifier: BSD-3-Clause */
/* Input that `maniple run` simulates, and the machine that does it: a trace, a program for the machine's own
 * cores, or the machine's own work. */
#ifndef MNP_CLI_RUN_WORK_H
#define MNP_CLI_RUN_WORK_H

#include "cli/run/state.h"
#include "contract/session.h"

struct run_work {
    struct mnp_work work;
    struct mnp_program program;
    char *words;
    const char *name;                                 /* name of the input, as results state it */
    struct mnp_source *others[MNP_SPACE_DEVICES - 1]; /* sources of the inputs behind the first */
    char *names;                                      /* names of all inputs, where there are several */
    struct mnp_settings *settings;
    const struct mnp_machine_kind *kind;
};

/* Opens the input of the options and reads the machine; of several inputs, adds the results of their devices. Release
 * it in either case. */
bool cli_run_work_open(struct run_work *work, const struct run_options *options, struct mnp_results *results,
                       struct mnp_error *error);
void cli_run_work_release(struct run_work *work);

/* Runs it to its end. */
bool cli_run_work_simulate(struct run_work *work, struct run *run, struct mnp_results *results,
                           struct mnp_error *error);

#endif
