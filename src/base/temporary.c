/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

const char *mnp_temporary_base(void)
{
    const char *named = getenv("TMPDIR");
    return named && *named ? named : "/tmp";
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *place)
{
    (void)status;
    (void)kind;
    (void)place;
    remove(path);
    return 0;
}

static void remove_all(const char *folder)
{
    enum { OPEN_FOLDERS = 8 };
    nftw(folder, remove_one, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

/* In a process that no signal of the terminal reaches: waits until nobody can write to the pipe, which this program and
 * all that it has started hold open. */
_Noreturn static void remove_in_the_end(const char *folder, const int ends[2])
{
    sigset_t all;
    char byte;
    int nowhere = open("/dev/null", O_RDWR);
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    setsid();
    for (int i = STDIN_FILENO; nowhere >= 0 && i <= STDERR_FILENO; i++)
        dup2(nowhere, i);
    close(ends[1]);
    while (read(ends[0], &byte, 1) > 0)
        ;
    remove_all(folder);
    _exit(0);
}

/* Starts a process that removes a folder, if it is still there, when this program has ended, in whatever way. */
static void watch_over(const char *folder)
{
    int ends[2];
    if (pipe(ends) != 0)
        return;
    pid_t child = fork();
    if (child == 0) {
        if (fork() == 0)
            remove_in_the_end(folder, ends);
        _exit(0);
    }
    close(ends[0]);
    while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
        ;
    if (child < 0)
        close(ends[1]);
}

char *mnp_temporary_folder(const char *name, struct mnp_error *error)
{
    char *folder = NULL;
    if (asprintf(&folder, "%s/maniple-%s-XXXXXX", mnp_temporary_base(), name) < 0)
        folder = NULL;
    if (folder && mkdtemp(folder)) {
        watch_over(folder);
        return folder;
    }
    mnp_fail_at(error, mnp_temporary_base(), 0, "no temporary folder can be made in it: %s; let TMPDIR name another",
                strerror(errno));
    free(folder);
    return NULL;
}

void mnp_temporary_remove(char *folder)
{
    if (folder)
        remove_all(folder);
    free(folder);
}

void mnp_temporary_end_with(int parent)
{
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent)
        _exit(127); /* the parent has ended meanwhile */
}
