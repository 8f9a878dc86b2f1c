/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CTAs that are parsed before an SM asks for them, by threads that have nothing to do: of each kernel those behind the
 * last one that was asked for. Who parses a CTA, and when, changes nothing of what it becomes.
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

/* Notes that a CTA has been asked for; gives the one parsed ahead, waiting for its end, or NULL: parse it. The caller
 * frees it. */
struct ahead_cta *trace_ahead_take(struct kernel_file *file, uint64_t cta);

/* Parses the next CTA of a kernel that the caller has entered by trace_ahead_enter, and adds the bytes it takes. False:
 * there is none. */
bool trace_ahead_parse(struct kernel_file *file, struct cta_buffers *buffers, const struct parse_means *means,
                       _Atomic size_t *bytes);

/* Whether a kernel has a CTA to parse ahead; if so it stays open until trace_ahead_leave. */
bool trace_ahead_enter(struct kernel_file *file);
void trace_ahead_leave(struct kernel_file *file);

/* Waits until nobody parses ahead, when nobody can enter any more. The CTAs that are left are given back. */
struct ahead_cta *trace_ahead_end(struct kernel_file *file);

#endif
