/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/file.h"

#include "base/arena.h"

#include <errno.h>
#include <fcntl.h>
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
        mnp_fail_at(error, path, 0, "cannot open: %s", strerror(errno));
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

bool mnp_output_open(struct mnp_output *output, const char *path, struct mnp_error *error)
{
    *output = (struct mnp_output){.path = strdup(path)};
    struct stat status;
    bool special = stat(path, &status) == 0 && !S_ISREG(status.st_mode);
    if (special) {
        output->stream = fopen(path, "w");
    } else {
        if (asprintf(&output->temporary, "%s.XXXXXX", path) < 0)
            output->temporary = NULL;
        int descriptor = output->temporary ? mkostemp(output->temporary, O_CLOEXEC) : -1;
        if (descriptor >= 0) {
            mode_t mask = umask(0); /* mkostemp makes files private; give the usual rights */
            umask(mask);
            fchmod(descriptor, 0666 & ~mask);
            output->stream = fdopen(descriptor, "w");
        }
    }
    if (output->stream)
        return true;
    mnp_fail_at(error, path, 0, "cannot write: %s; choose another folder or change its rights", strerror(errno));
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
    if (written && output->temporary && fsync(fileno(stream)) != 0) {
        written = false;
        reason = errno;
    }
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

bool mnp_output_commit(struct mnp_output *output, struct mnp_error *error)
{
    bool done = !output->temporary || rename(output->temporary, output->path) == 0;
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
        mkdir(copy, 0777); /* a failure shows at the last one */
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
        return mnp_fail_at(error, path, 0, "cannot write into this folder: %s; choose another folder",
                           strerror(errno));
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
