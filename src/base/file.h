/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whole files: read into memory, and written so that a reader never sees an incomplete file. Output goes to an unnamed
 * file (O_TMPFILE) in the target's folder. The file gets the target's name only when every byte has reached the disk:
 * if the program ends earlier, even by SIGKILL, nothing is left behind. On file systems without unnamed files (NFS), a
 * temporary file beside the target is used; a killed program leaves that file there.
 */
#ifndef MNP_BASE_FILE_H
#define MNP_BASE_FILE_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Reads a file of at most `limit` bytes. A 0 byte follows the content and is not counted in `*length`; the caller frees
 * the result. */
char *mnp_read_file(const char *path, size_t limit, size_t *length, struct mnp_error *error);

/* A file being written. */
struct mnp_output {
    FILE *stream;
    char *path;
    char *temporary; /* name of the temporary file; NULL: none, because the file is unnamed or written directly */
    /* the file has no name yet; if false and `temporary` is NULL: a device or a pipe, written directly */
    bool nameless;
};

/* Order of calls: open; write to `stream` without checking; finish; then commit, or discard after a failure. */
bool mnp_output_open(struct mnp_output *output, const char *path, struct mnp_error *error);

/* Writes all bytes to the disk; a full disk is detected here. Discards the output if this fails. */
bool mnp_output_finish(struct mnp_output *output, struct mnp_error *error);

/* Whether the file still lacks its name; false for a device or a pipe, which is written directly. */
bool mnp_output_is_pending(const struct mnp_output *output);

/* Renames the finished file to its target. */
bool mnp_output_commit(struct mnp_output *output, struct mnp_error *error);

/* Removes the file. May be called at any time; after a commit it does nothing. */
void mnp_output_discard(struct mnp_output *output);

/* Flushes a stream (standard output) and checks that everything written to it has arrived. */
bool mnp_check_stream(FILE *stream, const char *name, struct mnp_error *error);

/* Creates a folder and its parents if they are missing, and checks that files can be created in it. */
bool mnp_make_folder(const char *path, struct mnp_error *error);

/* Returns the user's cache folder, for files that can be regenerated, and creates it if necessary; the caller frees the
 * path. The folder must not be writable by others, because files in it are executed. `what` names the purpose, for
 * messages. Returns NULL on an error. */
char *mnp_cache_folder(const char *what, struct mnp_error *error);

/* Like mnp_cache_folder, for files that cannot be regenerated and are kept from run to run. */
char *mnp_state_folder(const char *what, struct mnp_error *error);

/* Joins `folder` and `name` by a slash; the caller frees the result. */
char *mnp_join_path(const char *folder, const char *name);

#endif
