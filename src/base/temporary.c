/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/temporary.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *mnp_temporary_base(void)
{
    const char *named = getenv("TMPDIR");
    return named && *named ? named : "/tmp";
}

char *mnp_temporary_folder(const char *name, struct mnp_error *error)
{
    char *folder = NULL;
    if (asprintf(&folder, "%s/maniple-%s-XXXXXX", mnp_temporary_base(), name) < 0)
        folder = NULL;
    if (folder && mkdtemp(folder))
        return folder;
    mnp_fail_at(error, mnp_temporary_base(), 0, "no temporary folder can be made in it: %s; let TMPDIR name another",
                strerror(errno));
    free(folder);
    return NULL;
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *place)
{
    (void)status;
    (void)kind;
    (void)place;
    remove(path);
    return 0;
}

void mnp_temporary_remove(char *folder)
{
    enum { OPEN_FOLDERS = 8 };
    if (folder)
        nftw(folder, remove_one, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
    free(folder);
}
