/* SPDX-License-Identifier: BSD-3-Clause */
#include "cudart/base/thread_state.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char cudart_thread_state(const char *id)
{
    char path[64], line[512];
    snprintf(path, sizeof path, "/proc/self/task/%.20s/stat", id);
    FILE *file = fopen(path, "r");
    if (!file)
        return 0;
    char *whole = fgets(line, sizeof line, file);
    fclose(file);
    const char *name_end = whole ? strrchr(line, ')') : NULL; /* a name may hold anything */
    return name_end && name_end[1] && name_end[2] ? name_end[2] : '?';
}

static bool is_running(const char *id)
{
    char state = cudart_thread_state(id);
    return state == 'R' || state == 'D';
}

bool cudart_others_sleep(uint32_t *count)
{
    DIR *folder = opendir("/proc/self/task");
    bool sleep = folder != NULL;
    uint32_t others = 0;
    for (struct dirent *each; folder && (each = readdir(folder)) != NULL;) {
        if (each->d_name[0] == '.' || atoi(each->d_name) == gettid())
            continue;
        others++;
        sleep = sleep && !is_running(each->d_name);
    }
    if (folder)
        closedir(folder);
    if (count)
        *count = others;
    return sleep;
}
