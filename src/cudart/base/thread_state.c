/* SPDX-License-Identifier: BSD-3-Clause */
#include "cudart/base/thread_state.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The letter in a file of /proc; 0: there is none. */
static char state_in(const char *path)
{
    char line[512];
    FILE *file = fopen(path, "r");
    if (!file)
        return 0;
    char *whole = fgets(line, sizeof line, file);
    fclose(file);
    const char *name_end = whole ? strrchr(line, ')') : NULL; /* a name may hold anything */
    return name_end && name_end[1] && name_end[2] ? name_end[2] : '?';
}

char cudart_thread_state(const char *id)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%.20s/stat", id);
    return state_in(path);
}

static bool is_running(char state)
{
    return state == 'R' || state == 'D';
}

bool cudart_process_lives(int process)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/stat", process);
    char state = state_in(path);
    return state && state != 'Z' && state != 'X';
}

bool cudart_process_sleeps(int process)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task", process);
    DIR *folder = opendir(path);
    bool sleep = folder != NULL;
    for (struct dirent *each; folder && (each = readdir(folder)) != NULL;) {
        if (each->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "/proc/%d/task/%.20s/stat", process, each->d_name);
        sleep = sleep && !is_running(state_in(path));
    }
    if (folder)
        closedir(folder);
    return sleep;
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
        sleep = sleep && !is_running(cudart_thread_state(each->d_name));
    }
    if (folder)
        closedir(folder);
    if (count)
        *count = others;
    return sleep;
}
