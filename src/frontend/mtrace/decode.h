/* SPDX-License-Identifier: BSD-3-Clause */
/* The bytes of a CTA to records. Reads nothing but the kernel's description and those bytes, so that any number of
 * threads may do it at once. */
#ifndef MNP_FRONTEND_MTRACE_DECODE_H
#define MNP_FRONTEND_MTRACE_DECODE_H

#include "frontend/mtrace/kernel.h"

/* What `owner` of a CTA points to; its warps, records and addresses follow. */
struct cta_block {
    struct spilled *spilled; /* NULL: all of its warps are in memory */
    uint64_t bytes;
};

/* Fills in `code`, whose owner becomes one block of memory. False: the bytes are not a CTA's; `*what` says why. */
bool mtrace_decode_cta(struct packed_kernel *kernel, struct predictor *predictor, struct reader reader, uint64_t cta,
                       struct mnp_cta_code *code, const char **what);

#endif
