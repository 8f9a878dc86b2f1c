/* SPDX-License-Identifier: BSD-3-Clause */
/* Decoder from the bytes of a CTA to records. It depends only on the kernel's description and those bytes, so that any
 * number of threads may decode at the same time. */
#ifndef MNP_FRONTEND_MTRACE_DECODE_H
#define MNP_FRONTEND_MTRACE_DECODE_H

#include "frontend/mtrace/kernel.h"

/* The allocation that a CTA's `owner` points to, followed by its warps, records and addresses. */
struct cta_block {
    struct spilled *spilled; /* NULL: all of its warps are in memory */
    uint64_t bytes;
};

/* Fills in `code`, whose owner becomes one allocation. Returns false, with the reason in `*what`, if the bytes are
 * invalid. */
bool mtrace_decode_cta(struct packed_kernel *kernel, struct predictor *predictor, struct reader reader, uint64_t cta,
                       struct mnp_cta_code *code, const char **what);

#endif
