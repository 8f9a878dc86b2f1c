/* SPDX-License-Identifier: BSD-3-Clause */
/* A source of made-up CTAs for tests of packed traces: any masks, any addresses, and the same ones at each loading. */
#ifndef MNP_TEST_FAKE_H
#define MNP_TEST_FAKE_H

#include "contract/decoder.h"

enum { FAKE_INSTRUCTIONS = 40 };

struct fake {
    struct mnp_source source; /* the first member */
    uint64_t seed;
    uint32_t kernels, copies; /* commands: copies first, then kernels */
    uint32_t ctas, threads;   /* of each kernel */
    uint32_t most_records;    /* of a warp */
    uint64_t fail_at;         /* a CTA that cannot be loaded; UINT64_MAX: none */
    uint32_t at;
    struct mnp_kernel kernel;
    struct mnp_static_instruction instructions[FAKE_INSTRUCTIONS]; /* with nothing but their PCs */
};

/* Static text of an instruction; NULL: there is none of this index. */
const char *fake_text(uint32_t index);

void fake_open(struct fake *fake, uint64_t seed);

/* Fills in a CTA's code as the fake source does; release it with the source. */
void fake_cta(const struct fake *fake, uint32_t kernel, uint64_t cta, struct mnp_cta_code *code);
void fake_release(struct mnp_cta_code *code);

/* Whether two CTAs are the same, record by record and address by address. */
bool same_cta(const struct mnp_cta_code *a, const struct mnp_cta_code *b);

uint64_t fake_random(uint64_t *state);

#endif
