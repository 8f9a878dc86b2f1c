/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Puts the files of a run into a folder all at once: whoever looks finds the folder as it was or with all of them,
 * whatever ends the process meanwhile. The new files and links to the others that lie there are collected in a folder
 * beside it, and one system call exchanges the two. Where that cannot be (no rights beside it, folders inside it,
 * a file system without exchange, the process's working directory), the files get their names one after another.
 */
#ifndef MNP_RESULTS_FOLDER_H
#define MNP_RESULTS_FOLDER_H

#include "base/file.h"

#include <stdint.h>

/* Commits outputs that are finished, all for files of `folder`. `replaced`: names that are gone afterwards unless an
 * output has them, ended by NULL. False: an error; the outputs are to be discarded. */
bool results_folder_commit(const char *folder, struct mnp_output *const *outputs, uint32_t count,
                           const char *const *replaced, struct mnp_error *error);

#endif
