/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Packed traces (.mtrace): what a SASS trace says, in a few bytes per warp instruction, and readable from any CTA on.
 * docs/mtrace.md states the format.
 *
 *   format.h      sizes, limits, and numbers in the file
 *   bytes.h       bytes that grow, and bytes that are read
 *   block.c       a compressed block of the file, checked
 *   directory.c   head and foot of the file, and the list of commands
 *   kernel.c      the description of a kernel: its static instructions and where its CTAs are
 *   catalogue.c   the static instructions of a kernel that is being written
 *   groups.c      the decompressed groups of CTAs that are in use, for all threads
 *   encode.c      the records of a CTA to bytes
 *   decode.c      and back
 *   writer.c      a file from any source
 *   source.c      the interface of contract/instruction.h
 */
#ifndef MNP_FRONTEND_MTRACE_MTRACE_H
#define MNP_FRONTEND_MTRACE_MTRACE_H

#include "contract/decoder.h"

struct mnp_mtrace_options {
    const struct mnp_decoder *decoder; /* decodes the text of static instructions */
    bool unknown_as_alu;               /* an opcode that the decoder does not know: INT, counted; otherwise an error */
    /* also keep addresses of instructions that the decoder does not know as memory accesses */
    bool keep_addresses;
    uint64_t memory; /* bytes of loaded instructions beyond which warps are paged; 0: never */
};

/* Whether a file that begins with these bytes is a packed trace. */
bool mtrace_recognise(const void *bytes, size_t length);

/* Opens a packed trace. NULL: an error. */
struct mnp_source *mtrace_open(const char *path, const struct mnp_mtrace_options *options, struct mnp_error *error);

struct mnp_mtrace_written {
    uint64_t kernels, ctas, warp_instructions, bytes;
};

/* Writes the contents of a source to a packed trace. The file exists only if it returns true. `stop` (may be NULL) is
 * called from time to time; if it returns true, writing is abandoned. */
bool mtrace_write(struct mnp_source *source, const char *path, bool (*stop)(void *context), void *context,
                  struct mnp_mtrace_written *written, struct mnp_error *error);

#endif
