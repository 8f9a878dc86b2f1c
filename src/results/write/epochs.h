/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Output of `--hash`: the state's hash at the end of every epoch in which something happened, as a line, and with
 * `-o DIR` those of every unit, as a row of DIR/epochs.csv. Two such files tell where two runs part.
 */
#ifndef MNP_RESULTS_EPOCHS_H
#define MNP_RESULTS_EPOCHS_H

#include "base/file.h"
#include "engine/core/engine.h"

struct epochs {
    FILE *lines;             /* file for the lines; NULL: none */
    struct mnp_output table; /* stream NULL: there is none */
    bool headed;             /* the table has its first row, the names of its columns */
};

#define EPOCHS_FILE "epochs.csv"

/* Opens the table in a folder, unless that is NULL. */
bool results_epochs_open(struct epochs *epochs, FILE *lines, const char *folder, struct mnp_error *error);

void results_epochs_write(struct epochs *epochs, const struct mnp_epoch_hashes *hashes);

/* Brings the table to the disk, for results_save to give it its name. */
bool results_epochs_finish(struct epochs *epochs, struct mnp_error *error);

#endif
