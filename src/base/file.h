/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whole files: read into memory, and written so that a reader never sees half of one. Output goes to a file without a
 * name in the target's folder, which gets the target's name only when every byte has reached the disk: whatever ends
 * the program before that, even SIGKILL, leaves nothing behind. File systems without such files (NFS) get a temporary
 * file beside the target, which a killed program leaves there.
 */
#ifndef MNP_BASE_FILE_H
#define MNP_BASE_FILE_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Reads a file of at most `limit` bytes. The result ends with a 0 byte that `*length` does not count; free it. */
char *mnp_read_file(const char *path, size_t limit, size_t *length, struct mnp_error *error);

/* A file being written. */
struct mnp_output {
    FILE *stream;
    char *path;
    char *temporary; /* name of the file until it is whole; NULL: it has none, or is written directly */
    bool nameless;   /* the file has no name yet; false, without a temporary: a device or a pipe, written directly */
};

/* Order of calls: open; write to `stream` without checking; finish; then commit, or discard after a failure. */
bool mnp_output_open(struct mnp_output *output, const char *path, struct mnp_error *error);

/* Brings all bytes to the disk; a full disk shows here. Discards the output when it fails. */
bool mnp_output_finish(struct mnp_output *output, struct mnp_error *error);

/* Whether the file has not got its name yet: false of a device or a pipe, which is written directly. */
bool mnp_output_is_pending(const struct mnp_output *output);

/* Gives the finished file its name. */
bool mnp_output_commit(struct mnp_output *output, struct mnp_error *error);

/* Removes what was written. May be called at any time, also after commit, when it does nothing. */
void mnp_output_discard(struct mnp_output *output);

/* Flushes a stream (standard output) and says whether everything written to it has arrived. */
bool mnp_check_stream(FILE *stream, const char *name, struct mnp_error *error);

/* Makes a folder, and the folders above it, unless it is there; checks that files can be made in it. */
bool mnp_make_folder(const char *path, struct mnp_error *error);

/* The user's folder for what can be made again, made if need be; free it. Nobody else may write there, as what lies
 * there is executed. `what`: it is for, in messages. NULL: there is none. */
char *mnp_cache_folder(const char *what, struct mnp_error *error);

/* The same for what cannot be made again, and is kept from run to run. */
char *mnp_state_folder(const char *what, struct mnp_error *error);

/* `folder` and `name` joined by a slash; free it. */
char *mnp_join_path(const char *folder, const char *name);

#endif
