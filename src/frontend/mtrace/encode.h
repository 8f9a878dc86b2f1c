/* SPDX-License-Identifier: BSD-3-Clause */
/* Encoder from the records of a CTA to bytes. The predicted address form of an instruction is fixed when the kernel
 * first uses it with an active lane, and stored in the kernel's description. */
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

/* The default place of a CTA in its grid: x varies fastest. */
void place_of(const struct mnp_kernel *kernel, uint64_t cta, uint32_t block[static 3]);

#endif
