/* SPDX-License-Identifier: BSD-3-Clause */
/* The dynamic part of a CTA: from its text to the records of its warps. */
#ifndef MNP_FRONTEND_SASS_TRACE_PARSE_H
#define MNP_FRONTEND_SASS_TRACE_PARSE_H

#include "frontend/sass_trace/commands.h"
#include "frontend/sass_trace/kernel_file.h"
#include "frontend/sass_trace/memo.h"
#include "frontend/shared/spill.h"

struct trace_live_cta;

/* Buffers for a CTA's warps, records and address words, re-used for later CTAs. Warp w's records begin at
 * first_record[w], its address words at first_address[w]. */
struct cta_buffers {
    struct mnp_warp_stream *warps;
    struct mnp_record *records;
    uint64_t *addresses;
    size_t *first_record, *first_address; /* index of each warp's first record and address word */
    size_t warp_capacity, record_capacity, address_capacity;
    size_t record_count, address_count;
    /* commands of the CTA, also those of spilled warps; only for kernels with live warps */
    struct trace_commands commands;
    struct static_table own;     /* table of a CTA that the kernel's table does not fit; reserved when first needed */
    struct spilled *spilled;     /* the CTA's warps that are not in memory; NULL: all are */
    uint64_t held;               /* bytes that the CTA in use counts for */
    uint64_t unknown;            /* records of the CTA with opcodes that are not known */
    struct trace_live_cta *live; /* live state of the CTA; NULL: none, or not started */
    struct cta_buffers *next;    /* next in a list of free buffers */
};

struct parse_means {
    struct spill *spill;
    struct memo *memo; /* for one thread at a time */
};

/* Parses a CTA's text into the buffers; if memory is insufficient, some warps are spilled to the file. */
bool trace_parse_cta(struct kernel_file *file, const struct cta_text *text, struct cta_buffers *buffers,
                     const struct parse_means *means, struct mnp_cta_code *code, struct mnp_error *error);

size_t trace_cta_buffers_bytes(const struct cta_buffers *buffers);
void trace_cta_buffers_free(struct cta_buffers *buffers);

#endif
