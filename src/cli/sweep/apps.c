/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/sweep/apps.h"

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

bool cli_sweep_apps_check(const char *path, const char *name, const char *file, unsigned line, struct mnp_error *error)
{
    char *words[] = {strdup(path), strdup("show"), strdup(name), NULL};
    posix_spawn_file_actions_t actions;
    pid_t process;
    int status = 0;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    bool started = posix_spawn(&process, path, &actions, NULL, words, environ) == 0;
    bool known = started && waitpid(process, &status, 0) == process && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    posix_spawn_file_actions_destroy(&actions);
    for (int i = 0; words[i]; i++)
        free(words[i]);
    return known ||
           mnp_fail_at(error, file, line, "apps: no workload is called \"%.100s\"; `maniple app list` names all", name);
}
