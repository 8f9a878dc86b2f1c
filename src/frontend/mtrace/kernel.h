/* SPDX-License-Identifier: BSD-3-Clause */
/* The description of a packed kernel: its launch, its static instructions, its groups of CTAs. */
#ifndef MNP_FRONTEND_MTRACE_KERNEL_H
#define MNP_FRONTEND_MTRACE_KERNEL_H

#include "frontend/mtrace/groups.h"
#include "frontend/mtrace/mtrace.h"

#include <stdatomic.h>

struct static_text {
    uint32_t offset;
    uint8_t length;
    uint8_t form; /* 0: unused index; otherwise 1 + the predicted form of its addresses (enum form) */
};

struct packed_kernel {
    struct mnp_kernel kernel; /* the first member: the kernel's owner */
    uint64_t warp_instructions;
    uint32_t index_count;                        /* maximum index plus one */
    uint32_t instruction_count;                  /* number of used indices */
    struct mnp_static_instruction *instructions; /* [index_count] */
    struct static_text *texts;                   /* [index_count] */
    char *text;
    bool drops;    /* there are addresses of instructions that are no accesses to memory */
    char *unknown; /* an opcode that stops the run as soon as a CTA is loaded, or NULL */
    bool counts_unknown;
    bool copies; /* the kernel contains copies by TMA */
    _Atomic uint64_t unknown_records;
    struct groups groups;
};

/* Reads and decodes a kernel's description. NULL: an error. */
struct packed_kernel *mtrace_kernel_open(struct file *file, const struct block *block, uint32_t id,
                                         const struct mnp_mtrace_options *options, struct mnp_error *error);
void mtrace_kernel_close(struct packed_kernel *kernel);

#endif
