/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The sequential part of reading a kernel's trace: a window over the (decompressed) file, from which the header and
 * then the text of one CTA after another are cut.
 */
#ifndef MNP_FRONTEND_SASS_TRACE_SCAN_H
#define MNP_FRONTEND_SASS_TRACE_SCAN_H

#include "base/input.h"

struct scan {
    const char *path;
    struct mnp_input *input;
    char *buffer;
    size_t start, end, capacity; /* window of data that has been read but not consumed */
    uint64_t offset;             /* offset of `start` in the file */
    bool ended;
};

bool trace_scan_open(struct scan *scan, const char *path, struct mnp_error *error);
/* Scans a header's text instead of a file; a block is assumed to follow it. For trace_header_read only. */
void trace_scan_header(struct scan *scan, const char *path, const char *header, size_t length);
void trace_scan_close(struct scan *scan);

/* Makes sure that a whole line lies at `start` and gives its length without the line's end; -1: the end, -2: an error.
 * A line is at most 64 KiB long. */
int64_t trace_scan_line(struct scan *scan, struct mnp_error *error);

/* Steps over the line at `start`. */
void trace_scan_skip_line(struct scan *scan);

/* Extracts the text of the next CTA, from #BEGIN_TB to before #END_TB. Returns 1 on success, 0 if there is none, -1 on
 * an error. The text is in the window and valid until the next call. */
int trace_scan_cta(struct scan *scan, const char **text, size_t *length, struct mnp_error *error);

/* Number of the line in which a byte of the file lies, for messages: reads the file again. */
unsigned long trace_scan_line_number(const char *path, uint64_t offset);

#endif
