/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/input.h"

#include "base/file.h"
#include "frontend/mtrace/mtrace.h"
#include "frontend/sass_trace/sass_trace.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LOOKED_AT = 512 }; /* bytes that tell what a file is */

enum content {
    CONTENT_LIST,
    CONTENT_PACKED,
    CONTENT_KERNEL,
    CONTENT_PROGRAM,
    CONTENT_COMPRESSED,
    CONTENT_EMPTY,
    CONTENT_BINARY,
};

static bool begins_with(const unsigned char *bytes, size_t length, const char *with, size_t with_length)
{
    return length >= with_length && memcmp(bytes, with, with_length) == 0;
}

static enum content classify(const unsigned char *bytes, size_t length)
{
    if (mtrace_recognise(bytes, length))
        return CONTENT_PACKED;
    if (begins_with(bytes, length, "\177ELF", 4))
        return CONTENT_PROGRAM;
    if (begins_with(bytes, length, "\x28\xb5\x2f\xfd", 4) || begins_with(bytes, length, "\x1f\x8b", 2) ||
        begins_with(bytes, length,
                    "\xfd"
                    "7zXZ",
                    5))
        return CONTENT_COMPRESSED;
    size_t text = 0;
    for (size_t i = 0; i < length; i++) {
        if (bytes[i] < ' ' && !isspace(bytes[i]))
            return CONTENT_BINARY;
        text += !isspace(bytes[i]);
    }
    if (text == 0)
        return CONTENT_EMPTY;
    if (begins_with(bytes, length, "-kernel name", 12))
        return CONTENT_KERNEL;
    return CONTENT_LIST;
}

bool cli_input_is_program(const char *path)
{
    struct stat status;
    char bytes[4];
    FILE *file = stat(path, &status) == 0 && S_ISREG(status.st_mode) ? fopen(path, "rb") : NULL;
    bool program = file && fread(bytes, sizeof bytes, 1, file) == 1 && memcmp(bytes, "\177ELF", sizeof bytes) == 0;
    if (file)
        fclose(file);
    return program;
}

/* Says which file in it to give instead. */
static bool refuse_folder(const char *path, struct mnp_error *error)
{
    char *list = mnp_join_path(path, "kernelslist.g");
    bool there = access(list, F_OK) == 0;
    free(list);
    return there ? mnp_fail_at(error, path, 0, "is a folder; give the kernelslist.g in it")
                 : mnp_fail_at(error, path, 0, "is a folder, without a kernelslist.g in it; give that of a trace");
}

/* Input that can be read only once, such as a pipe, is read whole; NULL: a file that can be read again, or an error. */
static char *read_once(const char *path, size_t *length, struct mnp_error *error)
{
    enum { MOST_BYTES = 1 << 26 };
    struct stat status;
    if (stat(path, &status) != 0 || S_ISREG(status.st_mode) || S_ISDIR(status.st_mode))
        return NULL;
    return mnp_read_file(path, MOST_BYTES, length, error);
}

static bool look(const char *path, enum content *content, struct mnp_error *error)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return mnp_fail_at(error, path, 0, "cannot open: %s; check the path of the trace or program", strerror(errno));
    struct stat status;
    unsigned char bytes[LOOKED_AT];
    size_t length = 0;
    bool folder = fstat(fileno(file), &status) == 0 && S_ISDIR(status.st_mode);
    if (!folder)
        length = fread(bytes, 1, sizeof bytes, file);
    bool failed = ferror(file);
    int reason = errno;
    fclose(file);
    if (folder)
        return refuse_folder(path, error);
    if (failed)
        return mnp_fail_at(error, path, 0, "cannot read: %s", strerror(reason));
    *content = classify(bytes, length);
    return true;
}

bool cli_input_refuse_source(const char *path, struct mnp_error *error)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *ending = strrchr(name, '.');
    int stem = ending ? (int)(ending - name) : 0;
    if (!ending || !stem)
        return true;
    if (strcmp(ending, ".cu") == 0)
        return mnp_fail_at(error, path, 0,
                           "is CUDA source; build it and run the program: nvcc -o %.*s %s && maniple run "
                           "-- ./%.*s",
                           stem, name, path, stem, name);
    if (strcmp(ending, ".py") == 0)
        return mnp_fail_at(error, path, 0, "is a program for Python; run that: maniple run -- python3 %s", path);
    if (strcmp(ending, ".c") == 0 || strcmp(ending, ".cc") == 0 || strcmp(ending, ".cpp") == 0)
        return mnp_fail_at(error, path, 0, "is source; compile it and run the program: maniple run -- ./%.*s", stem,
                           name);
    if (strcmp(ending, ".ptx") == 0)
        return mnp_fail_at(error, path, 0,
                           "is a module of PTX; run the program that launches its kernels: maniple run -- PROGRAM");
    if (strcmp(ending, ".sh") == 0)
        return mnp_fail_at(error, path, 0, "is a script; run it behind --: maniple run -- bash %s", path);
    return true;
}

/* Opens an input by what it contains; `text`: its contents, where they can be read only once. */
static struct mnp_source *open_content(const char *path, enum content content, char *text, size_t length,
                                       const struct input_options *options, struct mnp_error *error)
{
    struct mnp_sass_trace_options trace = {.unknown_as_alu = options->unknown_as_alu,
                                           .keep_addresses = options->keep_addresses,
                                           .waits = options->waits,
                                           .list = text,
                                           .list_length = length,
                                           .memory = options->memory};
    struct mnp_mtrace_options packed = {.decoder = &trace_decoder,
                                        .unknown_as_alu = options->unknown_as_alu,
                                        .keep_addresses = options->keep_addresses,
                                        .memory = options->memory};
    switch (content) {
    case CONTENT_LIST:
        return trace_open(path, &trace, error);
    case CONTENT_PACKED:
        return mtrace_open(path, &packed, error);
    case CONTENT_KERNEL:
        mnp_fail_at(error, path, 0,
                    "is the trace of one kernel; give the kernelslist.g that names it, or write one with this file's "
                    "name as its only line");
        return NULL;
    case CONTENT_PROGRAM:
        mnp_fail_at(error, path, 0,
                    "is a program; give it behind -- (maniple run -- PROGRAM), if it is a CUDA program or one for a "
                    "many-core machine");
        return NULL;
    case CONTENT_COMPRESSED:
        mnp_fail_at(error, path, 0,
                    "is compressed; give the kernelslist.g itself as plain text (the kernels that it names may be "
                    "compressed)");
        return NULL;
    case CONTENT_EMPTY:
        mnp_fail_at(error, path, 0, "is empty; a kernelslist.g names at least one kernel");
        return NULL;
    case CONTENT_BINARY:
        break;
    }
    mnp_fail_at(error, path, 0,
                "is not a trace: it holds binary data; give a kernelslist.g or a packed trace (.mtrace)");
    return NULL;
}

struct mnp_source *cli_input_open(const char *path, const struct input_options *options, struct mnp_error *error)
{
    enum content content = CONTENT_EMPTY;
    size_t length = 0;
    char *text = read_once(path, &length, error);
    struct mnp_source *source = NULL;
    if (text)
        content = classify((unsigned char *)text, length < LOOKED_AT ? length : LOOKED_AT);
    if (error->text[0] || (!text && !look(path, &content, error)))
        return NULL;
    if (text && content == CONTENT_PACKED)
        mnp_fail_at(error, path, 0, "is no file but a pipe; a packed trace is read at many places: give its file");
    else if ((content != CONTENT_LIST && content != CONTENT_EMPTY) || cli_input_refuse_source(path, error))
        source = open_content(path, content, text, length, options, error);
    free(text);
    return source;
}

void cli_input_warn_of_machine(const struct mnp_source *source, const struct mnp_settings *settings,
                               struct mnp_log *log)
{
    uint32_t machines = mnp_settings_architecture(settings), traces = source ? source->architecture : 0;
    if (machines && traces && machines != traces)
        mnp_warn(log,
                 "the trace is of sm_%u, the machine %s is sm_%u: opcodes are the trace's, latencies and limits "
                 "the machine's",
                 traces, mnp_settings_name(settings), machines);
}

void cli_input_warn_of_run(const struct mnp_source *source, struct mnp_log *log)
{
    if (source && source->unknown_opcodes)
        mnp_warn(log, "%" PRIu64 " instructions with unknown opcodes were treated as INT", source->unknown_opcodes);
    if (source && source->still_copies)
        mnp_warn(log,
                 "bulk copies (UTMALDG, UBLKCP, ...) of a trace move nothing, and nobody waits for them: "
                 "cycles of %u kernels are too few",
                 source->still_copies);
}
