/* SPDX-License-Identifier: BSD-3-Clause */
/* Folders of a run of several devices: each device has a folder with a database, and there is none beside them. */
#include "base/allocate.h"
#include "base/file.h"
#include "results/database/database.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { MOST_DEVICES = 16 };

static bool has_database(const char *folder)
{
    char *path = mnp_join_path(folder, RESULTS_DATABASE_FILE);
    struct stat found;
    bool has = stat(path, &found) == 0 && S_ISREG(found.st_mode);
    free(path);
    return has;
}

char **results_device_folders(const char *folder, uint32_t *count)
{
    char **folders = mnp_allocate(MOST_DEVICES, sizeof *folders);
    *count = 0;
    while (*count < MOST_DEVICES && !has_database(folder)) {
        char name[16];
        snprintf(name, sizeof name, "gpu%u", *count);
        folders[*count] = mnp_join_path(folder, name);
        if (!has_database(folders[*count])) {
            free(folders[*count]);
            break;
        }
        ++*count;
    }
    if (*count)
        return folders;
    free(folders);
    return NULL;
}
