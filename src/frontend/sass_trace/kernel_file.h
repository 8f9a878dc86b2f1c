/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The trace of one kernel in use: its file, its table of static instructions, and the texts of CTAs that have been
 * found but not requested yet.
 */
#ifndef MNP_FRONTEND_SASS_TRACE_KERNEL_FILE_H
#define MNP_FRONTEND_SASS_TRACE_KERNEL_FILE_H

#include "frontend/sass_trace/header.h"
#include "frontend/sass_trace/static_table.h"
#include "frontend/sass_trace/tracez.h"

#include <pthread.h>

enum { MOST_MARKED = 1 << 26, MOST_SPARE_BYTES = 4 << 20 };

/* The text of one CTA, ending in a line's end. */
struct cta_text {
    uint64_t cta, offset; /* place in the file; 0 where that is a .tracez */
    char *text;
    size_t length, capacity;
    struct cta_text *next;
};

struct kernel_file {
    struct mnp_kernel kernel; /* the first member: the kernel's owner */
    char *path;
    struct header header;
    bool unknown_as_alu, keep_addresses;
    bool lives;                       /* its warps are live (live.h); fixed when the kernel is opened */
    _Atomic bool copies, copies_told; /* the kernel contains copies by TMA; this has been counted */
    _Atomic uint64_t *places; /* one bit for each place of the grid whose CTA was read; NULL: the grid is too large */

    struct static_table table; /* shared by the CTAs; new entries under the lock */

    pthread_mutex_t lock;  /* protects all members below */
    struct tracez *tracez; /* the .tracez file; NULL: the trace is text, which is scanned */
    struct scan scan;
    uint64_t next_cta;
    struct mnp_error failure; /* error of the scan, which cannot continue; reported for every later CTA */
    struct cta_text *waiting; /* texts of CTAs in front of a requested one */
    struct cta_text *spare;   /* buffer for the next text */
    size_t spare_bytes;

    bool has_ahead;          /* CTAs may be parsed ahead; fixed when the kernel is opened */
    uint64_t next_ahead;     /* the CTA behind the last one requested or parsed ahead; under the lock */
    struct ahead_cta *ahead; /* CTAs parsed, or being parsed, but not requested yet; under the lock */
    uint32_t helpers;        /* threads that parse ahead; under the lock */
    pthread_cond_t turned;   /* signalled when a thread has parsed a CTA, or leaves */
};

/* Opens a kernel's trace and reads its header. NULL: an error. */
struct kernel_file *trace_kernel_file_open(const char *path, uint32_t id, bool unknown_as_alu, struct mnp_error *error);
void trace_kernel_file_close(struct kernel_file *file);

/* Takes the text of a CTA, which must be given back; NULL: an error. The second function requires that the caller holds
 * the lock. */
struct cta_text *trace_kernel_file_take(struct kernel_file *file, uint64_t cta, struct mnp_error *error);
struct cta_text *trace_kernel_file_take_locked(struct kernel_file *file, uint64_t cta, struct mnp_error *error);
void trace_kernel_file_give_back(struct kernel_file *file, struct cta_text *text);

/* Records that the CTA at a place of the grid was read. Returns false if it was read before. */
bool trace_kernel_file_mark(struct kernel_file *file, uint64_t place);

#endif
