/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/file.h"

#include "base/allocate.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool read_stream(FILE *file, const char *path, size_t limit, char **text, size_t *length,
                        struct mnp_error *error)
{
    struct stat status;
    if (fstat(fileno(file), &status) != 0)
        return mnp_fail_at(error, path, 0, "cannot read: %s", strerror(errno));
    if (S_ISDIR(status.st_mode))
        return mnp_fail_at(error, path, 0, "is a folder; give the name of a file in it");
    size_t capacity = 4096;
    *text = mnp_allocate(capacity, 1);
    for (;;) {
        size_t got = fread(*text + *length, 1, capacity - 1 - *length, file);
        *length += got;
        if (*length > limit)
            return mnp_fail_at(error, path, 0, "is longer than %zu bytes, which no such file should be", limit);
        if (got == 0)
            break;
        if (*length == capacity - 1) {
            capacity *= 2;
            *text = mnp_reallocate(*text, capacity, 1);
        }
    }
    if (ferror(file))
        return mnp_fail_at(error, path, 0, "cannot read: %s", strerror(errno));
    (*text)[*length] = 0;
    return true;
}

char *mnp_read_file(const char *path, size_t limit, size_t *length, struct mnp_error *error)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        mnp_fail_at(error, path, 0, "cannot open: %s; check its path", strerror(errno));
        return NULL;
    }
    char *text = NULL;
    *length = 0;
    if (!read_stream(file, path, limit, &text, length, error)) {
        free(text);
        text = NULL;
    }
    fclose(file);
    return text;
}

enum { DESCRIPTOR_PATH = 40 };

/* The path by which an open file without a name can be given one. */
static const char *descriptor_path(char path[static DESCRIPTOR_PATH], int descriptor)
{
    snprintf(path, DESCRIPTOR_PATH, "/proc/self/fd/%d", descriptor);
    return path;
}

/* Opens an unnamed file in the folder of a path. Returns -1 if the file system or the kernel does not support them. */
static int open_nameless(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    int descriptor = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    free(folder);
    char name[DESCRIPTOR_PATH];
    if (descriptor < 0 || access(descriptor_path(name, descriptor), F_OK) == 0)
        return descriptor;
    close(descriptor);
    return -1;
}

/* Creates a temporary file beside the path. Returns -1 on failure, with errno set. */
static int open_temporary(struct mnp_output *output)
{
    if (asprintf(&output->temporary, "%s.XXXXXX", output->path) < 0)
        output->temporary = NULL;
    int descriptor = output->temporary ? mkostemp(output->temporary, O_CLOEXEC) : -1;
    if (descriptor >= 0) {
        mode_t mask = umask(0); /* mkostemp creates private files; set the usual permissions */
        umask(mask);
        fchmod(descriptor, 0666 & ~mask);
    }
    return descriptor;
}

bool mnp_output_open(struct mnp_output *output, const char *path, struct mnp_error *error)
{
    *output = (struct mnp_output){0};
    if (!path[0])
        return mnp_fail(error, "a file to write has an empty name; give it one");
    output->path = strdup(path);
    struct stat status;
    bool special = stat(path, &status) == 0 && !S_ISREG(status.st_mode);
    if (special) {
        output->stream = fopen(path, "we");
    } else {
        int descriptor = open_nameless(path);
        output->nameless = descriptor >= 0;
        if (!output->nameless)
            descriptor = open_temporary(output);
        output->stream = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
    }
    if (output->stream)
        return true;
    mnp_fail_at(error, path, 0, "cannot write: %s; %s", strerror(errno),
                errno == ENOENT   ? "make its folder, or choose one that is there"
                : errno == EISDIR ? "name a file in this folder"
                                  : "choose another folder or change its rights");
    free(output->temporary);
    output->temporary = NULL;
    mnp_output_discard(output);
    return false;
}

bool mnp_output_finish(struct mnp_output *output, struct mnp_error *error)
{
    FILE *stream = output->stream;
    bool written = !ferror(stream) && fflush(stream) == 0;
    int reason = errno;
    if (written && (output->temporary || output->nameless) && fsync(fileno(stream)) != 0) {
        written = false;
        reason = errno;
    }
    if (written && output->nameless)
        return true; /* an unnamed file exists only while it is open */
    if (fclose(stream) != 0 && written) {
        written = false;
        reason = errno;
    }
    output->stream = NULL;
    if (written)
        return true;
    mnp_fail_at(error, output->path, 0, "cannot write: %s; nothing of it was kept", strerror(reason));
    mnp_output_discard(output);
    return false;
}

/* Links an unnamed file to its target's name if that is free, or to a temporary name beside it. On failure, returns
 * false with errno set. */
static bool give_name(struct mnp_output *output)
{
    char open_file[DESCRIPTOR_PATH];
    descriptor_path(open_file, fileno(output->stream));
    bool named = linkat(AT_FDCWD, open_file, AT_FDCWD, output->path, AT_SYMLINK_FOLLOW) == 0;
    for (unsigned number = 0; !named && errno == EEXIST; number++) {
        free(output->temporary);
        if (asprintf(&output->temporary, "%s.%lx.%x", output->path, (unsigned long)getpid(), number) < 0)
            output->temporary = NULL;
        errno = ENOMEM;
        named = output->temporary && linkat(AT_FDCWD, open_file, AT_FDCWD, output->temporary, AT_SYMLINK_FOLLOW) == 0;
    }
    if (named)
        return true;
    free(output->temporary);
    output->temporary = NULL;
    return false;
}

bool mnp_output_is_pending(const struct mnp_output *output)
{
    return output->nameless || output->temporary;
}

bool mnp_output_commit(struct mnp_output *output, struct mnp_error *error)
{
    bool done = !output->nameless || give_name(output);
    done = done && (!output->temporary || rename(output->temporary, output->path) == 0);
    if (done) {
        free(output->temporary);
        output->temporary = NULL;
    } else {
        mnp_fail_at(error, output->path, 0, "cannot write: %s", strerror(errno));
    }
    mnp_output_discard(output);
    return done;
}

void mnp_output_discard(struct mnp_output *output)
{
    if (output->stream)
        fclose(output->stream);
    if (output->temporary)
        unlink(output->temporary);
    free(output->temporary);
    free(output->path);
    *output = (struct mnp_output){0};
}

bool mnp_check_stream(FILE *stream, const char *name, struct mnp_error *error)
{
    if (fflush(stream) == 0 && !ferror(stream))
        return true;
    return mnp_fail(error, "cannot write to %s: %s", name, strerror(errno ? errno : EIO));
}

bool mnp_make_folder(const char *path, struct mnp_error *error)
{
    char *copy = strdup(path);
    for (char *at = copy; *at; at++) {
        if (*at != '/' || at == copy)
            continue;
        *at = 0;
        mkdir(copy, 0777); /* errors are detected at the last component */
        *at = '/';
    }
    int failed = mkdir(copy, 0777);
    int reason = errno;
    free(copy);
    struct stat status;
    if (failed && stat(path, &status) != 0)
        return mnp_fail_at(error, path, 0, "cannot make this folder: %s; choose another folder", strerror(reason));
    if (failed && !S_ISDIR(status.st_mode))
        return mnp_fail_at(error, path, 0, "is not a folder; choose another folder");
    if (access(path, W_OK | X_OK) != 0)
        return mnp_fail_at(error, path, 0, "cannot write into this folder: %s; choose another folder", strerror(errno));
    return true;
}

char *mnp_join_path(const char *folder, const char *name)
{
    size_t length = strlen(folder), rest = strlen(name);
    bool slash = length && folder[length - 1] == '/';
    char *path = mnp_allocate(length + rest + 2, 1);
    memcpy(path, folder, length);
    if (!slash)
        path[length++] = '/';
    memcpy(path + length, name, rest + 1);
    return path;
}

/* Returns the user's home folder, even if HOME is not set; NULL: none. The caller frees it. */
static char *home_folder(void)
{
    const char *home = getenv("HOME");
    if (home && home[0] == '/')
        return strdup(home);
    const struct passwd *user = getpwuid(geteuid());
    return user && user->pw_dir && user->pw_dir[0] == '/' ? strdup(user->pw_dir) : NULL;
}

/* Returns a folder named by an environment variable, or else a folder in the home folder. */
static char *user_folder(const char *variable, const char *usual, const char *what, struct mnp_error *error)
{
    const char *base = getenv(variable);
    char *folder = NULL, *home = home_folder();
    struct stat status;
    int length = base && base[0] == '/' ? asprintf(&folder, "%s/maniple", base)
                 : home                 ? asprintf(&folder, "%s/%s/maniple", home, usual)
                                        : -1;
    free(home);
    if (length < 0) {
        mnp_fail(error, "there is no folder for %s; set %s", what, variable);
        return NULL;
    }
    if (mnp_make_folder(folder, error)) {
        if (stat(folder, &status) == 0 && status.st_uid == geteuid() && !(status.st_mode & 022))
            return folder;
        mnp_fail(error, "%s: others than you can write there; set %s to a folder of your own", folder, variable);
    }
    free(folder);
    return NULL;
}

char *mnp_cache_folder(const char *what, struct mnp_error *error)
{
    return user_folder("XDG_CACHE_HOME", ".cache", what, error);
}

char *mnp_state_folder(const char *what, struct mnp_error *error)
{
    return user_folder("XDG_STATE_HOME", ".local/state", what, error);
}
