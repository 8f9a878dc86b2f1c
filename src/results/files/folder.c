/* SPDX-License-Identifier: BSD-3-Clause */
#include "results/files/folder.h"

#include "base/allocate.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Both folders: the one that is to change, and the one beside it. */
struct exchange {
    char path[PATH_MAX], beside[PATH_MAX];
    int from, to; /* open; -1: not */
    struct mnp_output *const *outputs;
    char **names; /* [count] of those that have no name yet; NULL: it is a device or a pipe, or there is no output */
    uint32_t count;
    const char *const *replaced;
};

static char *name_of(const struct mnp_output *output)
{
    const char *slash = output->path ? strrchr(output->path, '/') : NULL;
    return mnp_output_is_pending(output) ? strdup(slash ? slash + 1 : output->path) : NULL;
}

/* Whether a file that is there does not stay: it is the run's before. */
static bool is_replaced(const struct exchange *e, const char *name)
{
    for (uint32_t i = 0; i < e->count; i++)
        if (e->names[i] && strcmp(e->names[i], name) == 0)
            return true;
    for (const char *const *each = e->replaced; *each; each++)
        if (strcmp(*each, name) == 0)
            return true;
    return false;
}

/* ===== each entry of a folder ===== */

typedef bool entry_function(const struct exchange *e, int folder, const char *name);

static bool each_entry(const struct exchange *e, int folder, entry_function *act)
{
    int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *entries = again >= 0 ? fdopendir(again) : NULL;
    bool done = entries != NULL;
    for (const struct dirent *entry; done && (entry = readdir(entries));)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            done = act(e, folder, entry->d_name);
    if (entries)
        closedir(entries);
    return done;
}

static bool is_no_folder(const struct exchange *e, int folder, const char *name)
{
    struct stat status;
    (void)e;
    return fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISDIR(status.st_mode);
}

static bool remove_entry(const struct exchange *e, int folder, const char *name)
{
    (void)e;
    return unlinkat(folder, name, 0) == 0;
}

static bool keep_entry(const struct exchange *e, int folder, const char *name)
{
    return is_replaced(e, name) || linkat(folder, name, e->to, name, 0) == 0;
}

/* Files that were put there since the last look go along. */
static bool leave_entry(const struct exchange *e, int folder, const char *name)
{
    struct stat status;
    if (!is_replaced(e, name) && fstatat(e->to, name, &status, AT_SYMLINK_NOFOLLOW) != 0)
        return renameat(folder, name, e->to, name) == 0;
    return unlinkat(folder, name, 0) == 0;
}

/* ===== the folder beside ===== */

/* A folder that others do not write into at the same time. A process that was killed may have left one, with links to
 * what lies in the other. */
static bool open_beside(struct exchange *e)
{
    struct stat open_one, named;
    mkdir(e->beside, 0700);
    e->to = open(e->beside, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    return e->to >= 0 && flock(e->to, LOCK_EX | LOCK_NB) == 0 && fstat(e->to, &open_one) == 0 &&
           stat(e->beside, &named) == 0 && open_one.st_ino == named.st_ino && open_one.st_uid == geteuid() &&
           each_entry(e, e->to, is_no_folder) && each_entry(e, e->to, remove_entry);
}

/* Whether a process works in the folder; for one that cannot be looked at, no. */
static bool works_there(const char *where, const struct stat *folder)
{
    struct stat here;
    return stat(where, &here) == 0 && here.st_ino == folder->st_ino && here.st_dev == folder->st_dev;
}

/* Whether the folder can be exchanged for another: it is the user's, has no folders inside, and neither this process
 * nor the shell that started it works there, who would be left in the one that goes. */
static bool open_folder(struct exchange *e, const char *folder)
{
    struct stat status;
    char *slash, parent[40], *path = realpath(folder, e->path);
    if (!path || !(slash = strrchr(path, '/')) || !slash[1] ||
        snprintf(e->beside, sizeof e->beside, "%.*s/.%s.new", (int)(slash - path), path, slash + 1) >= PATH_MAX)
        return false;
    snprintf(parent, sizeof parent, "/proc/%ld/cwd", (long)getppid());
    e->from = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    return e->from >= 0 && fstat(e->from, &status) == 0 && status.st_uid == geteuid() && !works_there(".", &status) &&
           !works_there(parent, &status) && each_entry(e, e->from, is_no_folder) && open_beside(e) &&
           fchmod(e->to, status.st_mode & 07777) == 0 &&
           (fchown(e->to, (uid_t)-1, status.st_gid) == 0 || (status.st_mode & S_ISGID) == 0);
}

/* ===== committing ===== */

static bool commit_to(const struct exchange *e, const char *folder, struct mnp_error *error)
{
    for (uint32_t i = 0; i < e->count; i++) {
        struct mnp_output *output = e->outputs[i];
        if (!output->path)
            continue;
        if (e->names[i]) {
            free(output->path);
            output->path = mnp_join_path(folder, e->names[i]);
        }
        if (!mnp_output_commit(output, error))
            return false;
    }
    return true;
}

static void close_both(struct exchange *e)
{
    if (e->from >= 0)
        close(e->from);
    if (e->to >= 0)
        close(e->to);
}

/* Files that are in the folder beside get their names in the other, one after another. */
static bool move_all(const struct exchange *e, struct mnp_error *error)
{
    for (uint32_t i = 0; i < e->count; i++)
        if (e->names[i] && renameat(e->to, e->names[i], e->from, e->names[i]) != 0)
            return mnp_fail_at(error, e->path, 0, "%s cannot be written: %s", e->names[i], strerror(errno));
    return true;
}

/* `*began`: the outputs have names, or there is an error; otherwise nothing has been done. */
static bool exchange(struct exchange *e, const char *folder, bool *began, struct mnp_error *error)
{
    *began = open_folder(e, folder) && each_entry(e, e->from, keep_entry);
    bool done = *began && commit_to(e, e->beside, error);
    bool exchanged =
        done && fsync(e->to) == 0 && renameat2(AT_FDCWD, e->beside, AT_FDCWD, e->path, RENAME_EXCHANGE) == 0;
    if (done && !exchanged) /* the file system cannot */
        done = move_all(e, error);
    if (e->to >= 0 && each_entry(e, exchanged ? e->from : e->to, exchanged ? leave_entry : remove_entry))
        rmdir(e->beside);
    return done;
}

bool results_folder_commit(const char *folder, struct mnp_output *const *outputs, uint32_t count,
                           const char *const *replaced, struct mnp_error *error)
{
    struct exchange *e = mnp_allocate(1, sizeof *e);
    bool began = false;
    *e = (struct exchange){.from = -1, .to = -1, .outputs = outputs, .count = count, .replaced = replaced};
    e->names = mnp_allocate(count + 1, sizeof *e->names);
    for (uint32_t i = 0; i < count; i++)
        e->names[i] = name_of(outputs[i]);
    bool done = exchange(e, folder, &began, error);
    if (!began)
        done = commit_to(e, folder, error);
    close_both(e);
    for (uint32_t i = 0; i < count; i++)
        free(e->names[i]);
    free(e->names);
    free(e);
    return done;
}
