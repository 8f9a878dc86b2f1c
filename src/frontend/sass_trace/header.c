/* SPDX-License-Identifier: BSD-3-Clause */
/* The header of a kernel's trace: "-name = value" lines up to an empty line. */
#include "frontend/sass_trace/header.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OLDEST_VERSION = 1, NEWEST_VERSION = 6, MOST_THREADS = 1024, MOST_LINE = 4096 };

struct reader {
    struct scan *scan;
    struct mnp_kernel *kernel;
    struct header *header;
    struct mnp_error *error;
    unsigned long line;        /* number of the current line */
    unsigned long grid, block; /* lines that state them; 0: none yet */
    unsigned long version;
};

static bool wrong(const struct reader *reader, const char *what)
{
    return mnp_fail_at(reader->error, reader->scan->path, reader->line, "%s; trace again or correct the line", what);
}

static bool read_number(const struct reader *reader, const char *value, int base, uint64_t most, uint64_t *number)
{
    char *end;
    errno = 0;
    *number = strtoull(value, &end, base);
    if (end == value || *end || errno || value[0] == '-' || *number > most)
        return wrong(reader, "is not a number in the range that the format allows");
    return true;
}

static bool read_dimensions(const struct reader *reader, const char *value, uint32_t dimensions[static 3])
{
    unsigned long long d[3];
    int end = 0;
    if (strpbrk(value, "-+ \t") || sscanf(value, "(%llu,%llu,%llu)%n", &d[0], &d[1], &d[2], &end) != 3 || !end ||
        value[end])
        return wrong(reader, "expected dimensions as (x,y,z)");
    for (int i = 0; i < 3; i++) {
        if (d[i] == 0 || d[i] > INT32_MAX)
            return wrong(reader, "a dimension is zero or too large");
        dimensions[i] = (uint32_t)d[i];
    }
    return true;
}

static bool read_field(struct reader *reader, const char *name, const char *value)
{
    struct mnp_kernel *kernel = reader->kernel;
    uint64_t number = 0;
    bool good = true;
    if (strcmp(name, "kernel name") == 0) {
        snprintf(kernel->name, sizeof kernel->name, "%s", value);
    } else if (strcmp(name, "grid dim") == 0) {
        good = read_dimensions(reader, value, kernel->grid);
        reader->grid = reader->line;
    } else if (strcmp(name, "block dim") == 0) {
        good = read_dimensions(reader, value, kernel->block);
        reader->block = reader->line;
    } else if (strcmp(name, "shmem") == 0) {
        good = read_number(reader, value, 10, 1 << 28, &number);
        kernel->shared_bytes = (uint32_t)number;
    } else if (strcmp(name, "nregs") == 0) {
        good = read_number(reader, value, 10, 256, &number);
        kernel->registers = (uint32_t)number;
    } else if (strcmp(name, "binary version") == 0) {
        good = read_number(reader, value, 10, 999, &number);
        kernel->architecture = (uint32_t)number;
    } else if (strcmp(name, "cuda stream id") == 0) {
        good = read_number(reader, value, 10, UINT64_MAX, &kernel->stream);
    } else if (strcmp(name, "code bytes") == 0) {
        good = read_number(reader, value, 10, UINT32_MAX, &kernel->code_bytes);
    } else if (strcmp(name, "shmem base_addr") == 0) {
        good = read_number(reader, value, 16, UINT64_MAX, &kernel->shared_base);
    } else if (strcmp(name, "local mem base_addr") == 0) {
        good = read_number(reader, value, 16, UINT64_MAX, &kernel->local_base);
    } else if (strcmp(name, "accelsim tracer version") == 0) {
        good = read_number(reader, value, 10, UINT32_MAX, &number);
        reader->header->version = (uint32_t)number;
        reader->version = reader->line;
    } else if (strcmp(name, "enable lineinfo") == 0) {
        good = read_number(reader, value, 10, 1, &number);
        reader->header->lineinfo = number;
    }
    return good; /* other fields (kernel id, nvbit version, …) are not needed */
}

/* Splits "-name = value". */
static bool read_header_line(struct reader *reader, char *line)
{
    char *equals = strchr(line, '=');
    if (line[0] != '-' || !equals)
        return wrong(reader, "expected a header line '-name = value'");
    char *end = equals;
    while (end > line + 1 && end[-1] == ' ')
        end--;
    *end = 0;
    char *value = equals + 1;
    while (*value == ' ')
        value++;
    return read_field(reader, line + 1, value);
}

static bool check(struct reader *reader)
{
    struct mnp_kernel *kernel = reader->kernel;
    const char *path = reader->scan->path;
    if (!reader->grid || !reader->block)
        return mnp_fail_at(reader->error, path, reader->line,
                           "the header lacks grid dim or block dim: this is no trace of a "
                           "kernel, or a damaged one; trace again");
    if (reader->header->version < OLDEST_VERSION || reader->header->version > NEWEST_VERSION)
        return mnp_fail_at(reader->error, path, reader->version,
                           "tracer version %u is not known (%d to %d are); trace again with "
                           "one of these",
                           reader->header->version, OLDEST_VERSION, NEWEST_VERSION);
    uint64_t threads = (uint64_t)kernel->block[0] * kernel->block[1];
    threads = threads > MOST_THREADS ? threads : threads * kernel->block[2];
    if (threads > MOST_THREADS)
        return mnp_fail_at(reader->error, path, reader->block,
                           "a block of %u x %u x %u has more than %d threads; trace again", kernel->block[0],
                           kernel->block[1], kernel->block[2], MOST_THREADS);
    kernel->threads = (uint32_t)threads;
    if (__builtin_mul_overflow((uint64_t)kernel->grid[0] * kernel->grid[1], kernel->grid[2], &kernel->cta_count))
        return mnp_fail_at(reader->error, path, reader->grid,
                           "a grid of %u x %u x %u has more blocks than 64 bits count; "
                           "trace again",
                           kernel->grid[0], kernel->grid[1], kernel->grid[2]);
    return true;
}

/* Completes a line and copies it. Returns 1, or 0 with an error. `what` ends the message if the file has ended. */
static bool next_line(struct reader *reader, char line[static MOST_LINE], const char *what)
{
    struct scan *scan = reader->scan;
    int64_t length = trace_scan_line(scan, reader->error);
    reader->line++;
    if (length == -2)
        return false;
    if (length < 0)
        return mnp_fail_at(reader->error, scan->path, reader->line,
                           "the file ends %s; trace again or copy the whole "
                           "file",
                           what);
    if (length >= MOST_LINE)
        return wrong(reader, "a header line is longer than 4 KiB");
    memcpy(line, scan->buffer + scan->start, (size_t)length);
    while (length && (line[length - 1] == ' ' || line[length - 1] == '\r'))
        length--;
    line[length] = 0;
    return strlen(line) == (size_t)length || wrong(reader, "holds a zero byte: this is no text trace");
}

/* Skips empty lines and the format line, whose contents are unreliable. */
static bool skip_to_block(struct reader *reader, char line[static MOST_LINE])
{
    while (next_line(reader, line, "behind the header, without a thread block")) {
        if (strcmp(line, "#BEGIN_TB") == 0)
            return true;
        if (line[0] && line[0] != '#')
            return wrong(reader, "expected #BEGIN_TB");
        trace_scan_skip_line(reader->scan);
    }
    return false;
}

bool trace_header_read(struct scan *scan, struct mnp_kernel *kernel, struct header *header, struct mnp_error *error)
{
    struct reader reader = {.scan = scan, .kernel = kernel, .header = header, .error = error};
    char line[MOST_LINE];
    *header = (struct header){.version = 3};
    for (;;) {
        if (!next_line(&reader, line, "inside the header"))
            return false;
        if (line[0] == 0 || line[0] == '#')
            break;
        if (!read_header_line(&reader, line))
            return false;
        trace_scan_skip_line(scan);
    }
    if (!check(&reader))
        return false;
    reader.line--; /* the line is read again */
    return skip_to_block(&reader, line);
}
