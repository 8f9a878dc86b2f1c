/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tcgen05.mma and tcgen05.cp (PTX ISA 9.0, TensorCore of the 5th generation): D = A · B + D of M x N in tensor memory,
 * with A there or in shared memory and B in shared memory, and copies of shared to tensor memory. One thread issues
 * them. Without a machine they are performed at once, and so are arrivals of tcgen05.commit; a machine says when
 * (live_tcgen05.c).
 *
 * Numbers are those of wgmma: products are exact, sums are taken in ascending k, each rounded to single precision; a
 * sum of halves is rounded again at the end, and lies in the lower half of its word.
 */
#ifndef EXECUTE_TCGEN05_H
#define EXECUTE_TCGEN05_H

#include "execute/warp.h"

struct execute_tcgen05_shape { /* an instruction descriptor, read */
    uint16_t m, n, k;
    uint8_t a_type, b_type; /* enum execute_wgmma_type */
    uint8_t d_type;         /* enum execute_type */
    bool saturate, negate_a, negate_b, across_a, across_b;
};

/* What an instruction has read of its registers when it was issued. */
struct execute_tcgen05_kept {
    struct execute_tcgen05_shape shape; /* of a product */
    uint64_t a, b;                      /* descriptors, or A's address in tensor memory; b: of a copy, too */
    uint32_t d;                         /* address in tensor memory of D, or of a copy's target */
    uint32_t left_out[4];               /* lanes of D that do not change, a bit each */
    bool adds;                          /* to what D has */
};

/* False: a fault of the lane. */
bool execute_tcgen05_keep(struct execute_warp *warp, const struct execute_op *op, uint32_t lane,
                          struct execute_tcgen05_kept *kept);

/* The product or the copy itself. False: a fault. */
bool execute_tcgen05_perform(struct execute_warp *warp, const struct execute_op *op,
                             const struct execute_tcgen05_kept *kept);

/* Bytes of shared memory that a copy reads. */
uint32_t execute_tcgen05_copy_bytes(const struct execute_tcgen05_form *form);

/* tcgen05.commit: the mbarrier that is to learn it, an address of shared::cta or shared::cluster; and the CTAs of the
 * cluster, one bit each, at the same place of whose shared memory the mbarriers are; 0: it is the address's own. */
struct execute_tcgen05_commit {
    uint64_t barrier;
    uint32_t targets;
};
bool execute_tcgen05_keep_commit(struct execute_warp *warp, const struct execute_op *op, uint32_t lane,
                                 struct execute_tcgen05_commit *commit);
/* The arrival at the mbarrier of a CTA, or, of no targets, at that of the address. False: a fault. */
bool execute_tcgen05_arrive(struct execute_warp *warp, uint32_t lane, const struct execute_tcgen05_commit *commit);

#endif
