/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One kernel's trace while it is in use: its file, its table of static instructions, and the texts of CTAs that have
 * been found but not been asked for yet.
 *
 * An instruction's number is its PC / 16, whoever decodes it first, so that nothing depends on the order in which
 * threads load CTAs. The table is reserved address space; an entry is written once, under the lock, and then published.
 */
#ifndef MNP_SASS_KERNEL_FILE_H
#define MNP_SASS_KERNEL_FILE_H

#include "frontend/sass_trace/header.h"

#include <pthread.h>
#include <stdatomic.h>

enum { MOST_INSTRUCTIONS = 65536, STATIC_TEXT = 94 };

struct static_text { /* the text between mask and memory width, which is the same at each occurrence of a PC */
    _Atomic uint8_t ready;
    uint8_t length;
    char text[STATIC_TEXT];
};

struct waiting_text { /* of a CTA that lies before the one that was asked for */
    uint64_t cta, offset;
    char *text;
    size_t length;
    struct waiting_text *next;
};

struct kernel_file {
    struct mnp_kernel kernel; /* the first member: the kernel's owner */
    char *path;
    struct header header;
    bool unknown_as_alu, keep_addresses;
    _Atomic uint64_t unknown; /* records with unknown opcodes */

    struct mnp_static_instruction *instructions; /* [MOST_INSTRUCTIONS] */
    struct static_text *texts;                   /* [MOST_INSTRUCTIONS] */

    pthread_mutex_t lock; /* of all below */
    struct scan scan;
    uint64_t next_cta;
    struct waiting_text *waiting;
};

/* Opens a kernel's trace and reads its header. NULL: an error. */
struct kernel_file *kernel_file_open(const char *path, uint32_t id, bool unknown_as_alu, struct mnp_error *error);
void kernel_file_close(struct kernel_file *file);

/* The text of a CTA, which becomes the caller's, ending in a line's end; `*offset` is its place in the file. */
char *kernel_file_take(struct kernel_file *file, uint64_t cta, size_t *length, uint64_t *offset,
                       struct mnp_error *error);

#endif
