/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parsing ahead: idle threads parse CTAs before an SM requests them, for each kernel those behind the last one
 * requested. The result does not depend on which thread parses a CTA, or when.
 */
#ifndef MNP_FRONTEND_SASS_TRACE_AHEAD_H
#define MNP_FRONTEND_SASS_TRACE_AHEAD_H

#include "frontend/sass_trace/parse.h"

enum {
    AHEAD_LEAST_TEXT = 16 << 10,  /* bytes of a CTA's text for which another thread is worth its wake */
    AHEAD_LEAST_REST = 256 << 10, /* bytes of a kernel's text for which one is worth its start */
    AHEAD_MOST_BYTES = 8 << 20,   /* parsed ahead of all kernels */
};

struct ahead_cta {
    uint64_t cta;
    bool done, good;
    struct cta_buffers *buffers;
    struct mnp_cta_code code;
    struct mnp_error error;
    struct ahead_cta *next;
};

/* Whether CTAs of a kernel may be parsed ahead at all; asked once, when it is opened. */
bool trace_ahead_is_worthwhile(const struct kernel_file *file);

/* Records that a CTA is requested. Returns it if it was parsed ahead, waiting for its completion; NULL: parse it. The
 * caller frees it. */
struct ahead_cta *trace_ahead_take(struct kernel_file *file, uint64_t cta);

/* Parses the next CTA of a kernel that the caller has entered by trace_ahead_enter, and adds the memory it uses.
 * Returns false if there is none. */
bool trace_ahead_parse(struct kernel_file *file, struct cta_buffers *buffers, const struct parse_means *means,
                       _Atomic size_t *bytes);

/* Whether a kernel has a CTA to parse ahead; if so it stays open until trace_ahead_leave. */
bool trace_ahead_enter(struct kernel_file *file);
void trace_ahead_leave(struct kernel_file *file);

/* Waits until no thread is parsing ahead; none can enter any more. Returns the remaining CTAs. */
struct ahead_cta *trace_ahead_end(struct kernel_file *file);

#endif
