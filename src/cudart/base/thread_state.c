/* SPDX-License-Identifier: BSD-3-Clause */
#include "cudart/base/thread_state.h"

#include <dirent.h>
#include <fcntl.h>
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

/* Findings of one look at the other threads. */
struct look {
    uint32_t threads;
    bool sleep;      /* each of them slept when its own state was read */
    uint64_t digest; /* threads' numbers, and how often each has given up a processor */
};

enum { STATUS = 8192 /* bytes of such a file, more than it has */ };

/* Reads a whole file. False: it cannot be read. */
static bool read_file(const char *path, char text[STATUS])
{
    size_t length = 0;
    ssize_t got = -1;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    while (file >= 0 && length < STATUS - 1 && (got = read(file, text + length, STATUS - 1 - length)) > 0)
        length += (size_t)got;
    if (file >= 0)
        close(file);
    text[length] = 0;
    return file >= 0 && got >= 0;
}

/* Adds a thread, from its file `status`, which ends with how often it has given up a processor. A thread that
 * has ended meanwhile does not sleep. */
static void add_thread(struct look *look, const char *id)
{
    char path[64], text[STATUS];
    snprintf(path, sizeof path, "/proc/self/task/%.20s/status", id);
    bool there = read_file(path, text);
    const char *state = there ? strstr(text, "\nState:\t") : NULL;
    const char *switches = there ? strstr(text, "\nvoluntary_ctxt_switches:") : NULL;
    look->threads++;
    look->sleep = look->sleep && state && !is_running(state[8]);
    look->digest = look->digest * 31 + (uint64_t)atoi(id);
    for (; switches && *switches; switches++)
        look->digest = look->digest * 31 + (unsigned char)*switches;
}

static struct look look_at_others(void)
{
    DIR *folder = opendir("/proc/self/task");
    struct look look = {.sleep = folder != NULL};
    for (struct dirent *each; folder && (each = readdir(folder)) != NULL;)
        if (each->d_name[0] != '.' && atoi(each->d_name) != gettid())
            add_thread(&look, each->d_name);
    if (folder)
        closedir(folder);
    return look;
}

bool cudart_others_sleep(uint32_t *count, uint64_t *asleep)
{
    struct look first = look_at_others(), second = first;
    bool known = asleep && *asleep && *asleep == first.digest;
    if (count)
        *count = first.threads;
    if (first.sleep && !known)
        second = look_at_others();
    bool sleep = first.sleep && second.sleep && second.digest == first.digest;
    if (asleep)
        *asleep = sleep ? second.digest : 0;
    return sleep;
}
