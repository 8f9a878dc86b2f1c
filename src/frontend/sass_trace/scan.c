/* SPDX-License-Identifier: BSD-3-Clause */
#include "frontend/sass_trace/scan.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

enum { READ_BYTES = 1 << 18, MOST_LINE = 1 << 16 };

static const size_t most_cta_bytes = (size_t)1 << 31;

bool trace_scan_open(struct scan *scan, const char *path, struct mnp_error *error)
{
    *scan = (struct scan){.path = path};
    scan->input = mnp_input_open(path, error);
    return scan->input != NULL;
}

void trace_scan_header(struct scan *scan, const char *path, const char *header, size_t length)
{
    static const char end[] = "\n#BEGIN_TB\n";
    *scan = (struct scan){.path = path, .ended = true, .end = length + sizeof end - 1};
    scan->capacity = scan->end;
    scan->buffer = mnp_allocate(scan->capacity, 1);
    memcpy(scan->buffer, header, length);
    memcpy(scan->buffer + length, end, sizeof end - 1);
}

void trace_scan_close(struct scan *scan)
{
    if (scan->input)
        mnp_input_close(scan->input);
    free(scan->buffer);
    *scan = (struct scan){0};
}

/* Reads some more behind `end`. False: an error. */
static bool read_more(struct scan *scan, struct mnp_error *error)
{
    if (scan->ended)
        return true;
    if (scan->start > 0 && scan->capacity - scan->end < READ_BYTES) {
        memmove(scan->buffer, scan->buffer + scan->start, scan->end - scan->start);
        scan->end -= scan->start;
        scan->start = 0;
    }
    if (scan->capacity - scan->end < READ_BYTES) {
        scan->capacity = scan->capacity ? scan->capacity * 2 : 2 * READ_BYTES;
        scan->buffer = mnp_reallocate(scan->buffer, scan->capacity, 1);
    }
    int64_t got = mnp_input_read(scan->input, scan->buffer + scan->end, scan->capacity - scan->end, error);
    if (got < 0)
        return false;
    scan->ended = got == 0;
    scan->end += (size_t)got;
    return true;
}

static int64_t too_long(struct scan *scan, uint64_t offset, struct mnp_error *error)
{
    mnp_fail_at(error, scan->path, trace_scan_line_number(scan->path, offset),
                "a line is longer than 64 KiB: this is no trace of a kernel, or a damaged one; trace again");
    return -2;
}

int64_t trace_scan_line(struct scan *scan, struct mnp_error *error)
{
    for (;;) {
        size_t length = scan->end - scan->start;
        const char *from = length ? scan->buffer + scan->start : "";
        const char *end = length ? memchr(from, '\n', length) : NULL;
        if (end)
            return end - from;
        if (length > MOST_LINE)
            return too_long(scan, scan->offset, error);
        if (scan->ended)
            return length ? (int64_t)length : -1;
        if (!read_more(scan, error))
            return -2;
    }
}

static void skip(struct scan *scan, size_t bytes)
{
    scan->start += bytes;
    scan->offset += bytes;
}

void trace_scan_skip_line(struct scan *scan)
{
    size_t rest = scan->end - scan->start;
    const char *from = scan->buffer + scan->start;
    const char *end = rest ? memchr(from, '\n', rest) : NULL;
    skip(scan, end ? (size_t)(end - from) + 1 : rest);
}

/* Whether the window ends in a line that exceeds the limit, so that an endless line is not buffered. */
static bool ends_in_long_line(const struct scan *scan)
{
    return scan->end - scan->start > MOST_LINE && !memrchr(scan->buffer + scan->end - MOST_LINE, '\n', MOST_LINE);
}

/* Finds a word that begins with '#', from `*at` bytes behind `start` on. 1: found there, 0: not in the file, -1: an
 * error. */
static int find(struct scan *scan, const char *word, size_t *at, size_t most, struct mnp_error *error)
{
    size_t length = strlen(word);
    for (;;) {
        const char *from = scan->buffer + scan->start;
        size_t known = scan->end - scan->start;
        while (*at < known) {
            const char *mark = memchr(from + *at, '#', known - *at);
            if (!mark) {
                *at = known;
                break;
            }
            *at = (size_t)(mark - from);
            if (known - *at < length)
                break;
            if (memcmp(mark, word, length) == 0)
                return 1;
            (*at)++;
        }
        if (scan->ended)
            return 0;
        if (ends_in_long_line(scan)) {
            too_long(scan, scan->offset + known - MOST_LINE, error);
            return -1;
        }
        if (known > most) {
            mnp_fail_at(error, scan->path, trace_scan_line_number(scan->path, scan->offset),
                        "no %s within %zu bytes; trace again", word, most);
            return -1;
        }
        if (!read_more(scan, error))
            return -1;
    }
}

/* Requires that the `bytes` bytes in front of the next block are blank. */
static bool expect_empty(const struct scan *scan, size_t bytes, struct mnp_error *error)
{
    const char *from = scan->buffer + scan->start;
    for (size_t i = 0; i < bytes; i++)
        if (from[i] != '\n' && from[i] != '\r' && from[i] != ' ')
            return mnp_fail_at(error, scan->path, trace_scan_line_number(scan->path, scan->offset + i),
                               "expected #BEGIN_TB; the trace is damaged here, trace again");
    return true;
}

int trace_scan_cta(struct scan *scan, const char **text, size_t *length, struct mnp_error *error)
{
    size_t at = 0;
    int found = find(scan, "#BEGIN_TB", &at, 1 << 20, error);
    if (found < 0 || !expect_empty(scan, found ? at : scan->end - scan->start, error))
        return -1;
    if (found == 0)
        return 0;
    uint64_t begin = scan->offset + at;
    skip(scan, at + strlen("#BEGIN_TB"));
    at = 0;
    found = find(scan, "#END_TB", &at, most_cta_bytes, error);
    if (found == 0)
        mnp_fail_at(error, scan->path, trace_scan_line_number(scan->path, begin),
                    "a thread block has no #END_TB: the trace is truncated; trace again or copy the whole file");
    if (found <= 0)
        return -1;
    *text = scan->buffer + scan->start;
    *length = at;
    skip(scan, at + strlen("#END_TB"));
    return 1;
}

unsigned long trace_scan_line_number(const char *path, uint64_t offset)
{
    struct mnp_error ignored = {{0}};
    struct mnp_input *input = mnp_input_open(path, &ignored);
    if (!input)
        return 0;
    char *buffer = mnp_allocate(READ_BYTES, 1);
    unsigned long line = 1;
    int64_t got;
    while (offset && (got = mnp_input_read(input, buffer, offset < READ_BYTES ? offset : READ_BYTES, &ignored)) > 0) {
        for (int64_t i = 0; i < got; i++)
            line += buffer[i] == '\n';
        offset -= (uint64_t)got;
    }
    free(buffer);
    mnp_input_close(input);
    return line;
}
