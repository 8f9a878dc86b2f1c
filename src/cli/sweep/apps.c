/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/sweep/apps.h"

#include "base/allocate.h"
#include "base/installed.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

char *cli_sweep_apps_find(struct mnp_error *error)
{
    char *path = mnp_find_installed(NULL, "maniple-apps"), *where = path ? NULL : mnp_say_installed(NULL);
    if (!path)
        mnp_fail(error, "maniple-apps is %s; install maniple as a whole", where);
    free(where);
    return path;
}

/* Starts a program whose messages come out of a pipe. -1: it cannot be started. */
static int start(char **words, pid_t *process)
{
    int ends[2];
    posix_spawn_file_actions_t actions;
    if (pipe2(ends, O_CLOEXEC))
        return -1;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
    bool started = posix_spawn(process, words[0], &actions, NULL, words, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (started)
        return ends[0];
    close(ends[0]);
    return -1;
}

/* Reads a program's message, without our prefix and the end of the line. */
static void read_message(int from, char *text, size_t room)
{
    static const char prefix[] = "maniple: error: ";
    size_t length = 0;
    for (ssize_t got; length + 1 < room && (got = read(from, text + length, room - 1 - length)) > 0;)
        length += (size_t)got;
    text[length] = 0;
    text[strcspn(text, "\n")] = 0;
    if (strncmp(text, prefix, sizeof prefix - 1) == 0)
        memmove(text, text + sizeof prefix - 1, strlen(text) - sizeof prefix + 2);
}

bool cli_sweep_apps_check(const char *path, const char *const *words, size_t count, const char *file, unsigned line,
                          struct mnp_error *error)
{
    char **all = mnp_allocate(count + 3, sizeof *all), text[800] = "";
    pid_t process;
    int status = 0;
    all[0] = strdup(path);
    all[1] = strdup("check");
    for (size_t i = 0; i < count; i++)
        all[i + 2] = strdup(words[i]);
    int from = start(all, &process);
    if (from >= 0) {
        read_message(from, text, sizeof text);
        close(from);
    }
    bool good = from >= 0 && waitpid(process, &status, 0) == process && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    for (size_t i = 0; all[i]; i++)
        free(all[i]);
    free(all);
    return good || mnp_fail_at(error, file, line,
                               "apps: %s (`maniple app list` names all workloads, `maniple app show "
                               "NAME` the arguments of one)",
                               *text ? text : "maniple-apps cannot be started");
}
