/* SPDX-License-Identifier: BSD-3-Clause */
/* Where temporary files go, and folders of them: $TMPDIR, or /tmp. Only the user may look into such a folder. */
#ifndef MNP_BASE_TEMPORARY_H
#define MNP_BASE_TEMPORARY_H

#include "base/error.h"

/* The folder in which temporary files are made. The environment's, or constant. */
const char *mnp_temporary_base(void);

/* Makes a folder of its own there, whose name begins with "maniple-NAME-". To be freed; NULL: an error. */
char *mnp_temporary_folder(const char *name, struct mnp_error *error);

/* Removes a folder with the files in it, and those in folders below it, and frees its name. Links are removed, and not
 * followed. NULL: there is nothing to be done. */
void mnp_temporary_remove(char *folder);

#endif
