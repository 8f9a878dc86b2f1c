/* SPDX-License-Identifier: BSD-3-Clause */
/* The header of a kernel's trace: "-name = value" lines up to an empty line. */
#include "frontend/sass_trace/header.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OLDEST_VERSION = 1, NEWEST_VERSION = 5, MOST_THREADS = 1024 };

struct reader {
    struct scan *scan;
    struct mnp_kernel *kernel;
    struct header *header;
    struct mnp_error *error;
    uint32_t id;
    bool grid, block;
};

static bool wrong(const struct reader *reader, const char *what)
{
    return mnp_fail_at(reader->error, reader->scan->path, scan_line_number(reader->scan->path, reader->scan->offset),
                       "%s; trace again or correct the line", what);
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
    char rest;
    if (value[0] != '(' || strchr(value, '-') || sscanf(value, "(%llu,%llu,%llu)%c", &d[0], &d[1], &d[2], &rest) != 3)
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
        good = reader->grid = read_dimensions(reader, value, kernel->grid);
    } else if (strcmp(name, "block dim") == 0) {
        good = reader->block = read_dimensions(reader, value, kernel->block);
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
    } else if (strcmp(name, "shmem base_addr") == 0) {
        good = read_number(reader, value, 16, UINT64_MAX, &kernel->shared_base);
    } else if (strcmp(name, "local mem base_addr") == 0) {
        good = read_number(reader, value, 16, UINT64_MAX, &kernel->local_base);
    } else if (strcmp(name, "accelsim tracer version") == 0) {
        good = read_number(reader, value, 10, UINT32_MAX, &number);
        reader->header->version = (uint32_t)number;
    } else if (strcmp(name, "enable lineinfo") == 0) {
        good = read_number(reader, value, 10, 1, &number);
        reader->header->lineinfo = number;
    }
    return good; /* other fields (kernel id, nvbit version, …) say nothing that the simulation needs */
}

/* Splits "-name = value". */
static bool read_line(struct reader *reader, char *line)
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
    size_t length = strlen(value);
    while (length && (value[length - 1] == ' ' || value[length - 1] == '\r'))
        value[--length] = 0;
    return read_field(reader, line + 1, value);
}

static bool check(struct reader *reader)
{
    struct mnp_kernel *kernel = reader->kernel;
    const char *path = reader->scan->path;
    if (!reader->grid || !reader->block)
        return mnp_fail_at(reader->error, path, 0, "the header lacks grid dim or block dim: this is no trace of a "
                           "kernel, or a damaged one; trace again");
    if (reader->header->version < OLDEST_VERSION || reader->header->version > NEWEST_VERSION)
        return mnp_fail_at(reader->error, path, 0, "tracer version %u is not known (%d to %d are); trace again with "
                           "one of these", reader->header->version, OLDEST_VERSION, NEWEST_VERSION);
    uint64_t threads = (uint64_t)kernel->block[0] * kernel->block[1];
    threads = threads > MOST_THREADS ? threads : threads * kernel->block[2];
    if (threads > MOST_THREADS)
        return mnp_fail_at(reader->error, path, 0, "a block of %u x %u x %u has more than %d threads; trace again",
                           kernel->block[0], kernel->block[1], kernel->block[2], MOST_THREADS);
    kernel->threads = (uint32_t)threads;
    if (__builtin_mul_overflow((uint64_t)kernel->grid[0] * kernel->grid[1], kernel->grid[2], &kernel->cta_count))
        return mnp_fail_at(reader->error, path, 0, "the grid is too large; trace again");
    return true;
}

bool header_read(struct scan *scan, struct mnp_kernel *kernel, struct header *header, struct mnp_error *error)
{
    struct reader reader = {.scan = scan, .kernel = kernel, .header = header, .error = error};
    *header = (struct header){.version = 3};
    for (;;) {
        int64_t length = scan_line(scan, error);
        if (length == -2)
            return false;
        if (length < 0)
            return mnp_fail_at(error, scan->path, 0, "ends inside the header; trace again or copy the whole file");
        char line[4096];
        if (length >= (int64_t)sizeof line)
            return wrong(&reader, "a header line is longer than 4 KiB");
        memcpy(line, scan->buffer + scan->start, (size_t)length);
        line[length] = 0;
        if (length == 0 || strcmp(line, "\r") == 0)
            break;
        if (strlen(line) != (size_t)length)
            return wrong(&reader, "holds a zero byte: this is no text trace");
        if (line[0] == '#')
            break;
        if (!read_line(&reader, line))
            return false;
        scan_skip_line(scan, length);
    }
    if (!check(&reader))
        return false;
    /* Empty lines and the line on the format, which is not to be trusted. */
    for (;;) {
        int64_t length = scan_line(scan, error);
        if (length == -2)
            return false;
        if (length < 0)
            return mnp_fail_at(error, scan->path, 0, "ends behind the header, without a thread block; trace again or "
                               "copy the whole file");
        if (length >= 9 && memcmp(scan->buffer + scan->start, "#BEGIN_TB", 9) == 0)
            return true;
        if (length > 1 && scan->buffer[scan->start] != '#')
            return wrong(&reader, "expected #BEGIN_TB");
        scan_skip_line(scan, length);
    }
}
