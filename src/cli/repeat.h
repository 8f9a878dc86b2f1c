/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs of two option sets on one input, in turns, for `maniple compare --repeat`: each run is a process of its own, so
 * that neither warms the other's memory, and they alternate, so that what else the host does falls on both.
 */
#ifndef MNP_CLI_REPEAT_H
#define MNP_CLI_REPEAT_H

#include "base/error.h"

#include <stdint.h>
#include <stdio.h>

struct repeat {
    const char *options[2]; /* options of `maniple run`, separated by spaces */
    const char *input;
    uint64_t count;
    double *wall[2], *cpu[2]; /* [count] seconds */
    char *folder[2];          /* results of the last runs */
    bool hashes;              /* the next runs write the hashes of their epochs there, too */
};

/* Runs both option sets `count` times. The folders are temporary: call cli_repeat_release in any case. */
bool cli_repeat_run(struct repeat *repeat, struct mnp_error *error);

/* One run of a set, after cli_repeat_run; its times go to place `turn`. */
bool cli_repeat_run_once(struct repeat *repeat, int which, uint64_t turn, struct mnp_error *error);

/* Writes the times of both and the speed-up of B with its spread: median, least and greatest over the pairs. */
void cli_repeat_write(const struct repeat *repeat, FILE *out);

void cli_repeat_release(struct repeat *repeat);

#endif
