/* SPDX-License-Identifier: BSD-3-Clause */
/* Temporary folders, below $TMPDIR or /tmp. Only the user may access such a folder. */
#ifndef MNP_BASE_TEMPORARY_H
#define MNP_BASE_TEMPORARY_H

#include "base/error.h"

/* Returns the folder for temporary files; the text belongs to the environment or is a constant. */
const char *mnp_temporary_base(void);

/* Creates a new folder there, with a name that begins with "maniple-NAME-". The caller frees the path. If the program
 * ends before it removes the folder, even by SIGKILL, another process does, when all that the program has started has
 * ended too. Returns NULL on an error. */
char *mnp_temporary_folder(const char *name, struct mnp_error *error);

/* Removes a folder with its files and subfolders, and frees its name. Symbolic links are removed, not followed. NULL
 * does nothing. */
void mnp_temporary_remove(char *folder);

/* In a child that writes into such a folder: it is ended when its parent ends. */
void mnp_temporary_end_with(int parent);

#endif
