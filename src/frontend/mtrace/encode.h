/* SPDX-License-Identifier: BSD-3-Clause */
/* The records of a CTA to bytes. What is predicted of an instruction's address forms is fixed when a kernel first uses
 * it with an active lane, and becomes part of the kernel's description. */
#ifndef MNP_FRONTEND_MTRACE_ENCODE_H
#define MNP_FRONTEND_MTRACE_ENCODE_H

#include "contract/instruction.h"
#include "frontend/mtrace/bytes.h"

struct encoder {
    struct predictor predictor;
    uint8_t *forms; /* [MOST_INDEXES] 0: not seen, 1: seen without a lane, 2 + enum form */
    struct bytes control, addresses;
};

void mtrace_encoder_init(struct encoder *encoder);
void mtrace_encoder_release(struct encoder *encoder);

/* A new kernel. */
void mtrace_encoder_start(struct encoder *encoder);

/* Appends a CTA. False: its records are not of the form that contract/instruction.h describes. */
bool mtrace_encode_cta(struct encoder *encoder, const struct mnp_kernel *kernel, uint64_t cta,
                       const struct mnp_cta_code *code, struct bytes *out);

/* Where a CTA lies in its grid when nothing else is said: x runs fastest. */
void place_of(const struct mnp_kernel *kernel, uint64_t cta, uint32_t block[static 3]);

#endif
