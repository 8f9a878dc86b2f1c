/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tcgen05.mma, cp and shift (PTX ISA 9.0, TensorCore of the 5th generation): D = A · B + D of M x N in tensor memory,
 * with A there or in shared memory and B in shared memory, copies of shared to tensor memory, and rows of it that move.
 * One thread issues them. Without a machine they are performed at once, and so are arrivals of tcgen05.commit; a
 * machine says when (live_tcgen05.c).
 *
 * Numbers are those of wgmma: products are exact, sums are taken in ascending k, each rounded to single precision; a
 * sum of halves is rounded again at the end, and lies in the lower half of its word. With block scaling A and B are
 * multiplied by their factors first, which rounds nothing.
 *
 * A pair of CTAs (.cta_group::2) multiplies M rows, of which each has half, in its shared and tensor memory, by N
 * columns, of which each has half in its shared memory: so each reads its half of B, and the other's.
 */
#ifndef EXECUTE_TCGEN05_H
#define EXECUTE_TCGEN05_H

#include "execute/matrix/operand.h"
#include "execute/warp/warp.h"

struct execute_tcgen05_shape { /* an instruction descriptor, read */
    uint16_t m, n, k;          /* k: of a sparse A what it stands for, twice as many as it has */
    uint8_t a_type, b_type;    /* enum execute_wgmma_type */
    uint8_t d_type;            /* enum execute_type */
    bool saturate, negate_a, negate_b, across_a, across_b;
    uint8_t selector;           /* of a sparse A: the column of its metadata */
    uint8_t factor_a, factor_b; /* bytes of a column in front of the factors */
    bool fractions;             /* factors are of ue4m3, not ue8m0 */
    uint8_t parts;              /* of N, which are in lanes behind one another: those of a CTA's rows */
    bool half;                  /* a CTA's 64 rows are in 16 of each 32 lanes */
    uint16_t rows;              /* of a CTA */
};

/* Other places in tensor memory: of what a sparse A stands for, and of factors. */
enum { EXECUTE_TCGEN05_METADATA, EXECUTE_TCGEN05_FACTORS_A, EXECUTE_TCGEN05_FACTORS_B, EXECUTE_TCGEN05_PLACES };

/* What an instruction has read of its registers when it was issued. */
struct execute_tcgen05_kept {
    struct execute_tcgen05_shape shape; /* of a product */
    uint64_t a, b;                      /* descriptors, or A's address in tensor memory; b: of a copy, too */
    uint32_t d;                         /* address in tensor memory of D, or of a copy's or shift's target */
    uint32_t left_out[8]; /* lanes of D that do not change, a bit each; of a pair's odd CTA the last four */
    uint32_t places[EXECUTE_TCGEN05_PLACES];
    uint64_t zeroes; /* the zero-column mask descriptor */
    bool adds;       /* to what D has */
};

/* False: a fault of the lane. */
bool execute_tcgen05_keep(struct execute_warp *warp, const struct execute_op *op, uint32_t lane,
                          struct execute_tcgen05_kept *kept);

/* The product, the copy or the shift itself, of a pair in both CTAs. False: a fault. */
bool execute_tcgen05_perform(struct execute_warp *warp, const struct execute_op *op,
                             const struct execute_tcgen05_kept *kept);

/* A pair's products where its CTAs are apart: what one of them has of B, as chunks in the order in which they are read;
 * and its own part of the product with both halves, the even CTA's first. A copy or a shift has none, and each CTA
 * performs its own. False: a fault. */
enum { EXECUTE_TCGEN05_HALF_BYTES = 8192 /* at most: 128 columns of 512 bits of k */ };
uint32_t execute_tcgen05_half_bytes(const struct execute_op *op, const struct execute_tcgen05_kept *kept);
bool execute_tcgen05_read_half(struct execute_warp *warp, const struct execute_op *op,
                               const struct execute_tcgen05_kept *kept, unsigned char *half);
bool execute_tcgen05_perform_own(struct execute_warp *warp, const struct execute_op *op,
                                 const struct execute_tcgen05_kept *kept, unsigned char *const halves[2]);

enum { EXECUTE_TCGEN05_SHIFT_BYTES = 31 * 32 /* that a shift moves */ };
/* Bytes of shared memory that a copy reads. */
uint32_t execute_tcgen05_copy_bytes(const struct execute_tcgen05_form *form);

/* ===== tcgen05_shape.c ===== */

/* Reads an instruction descriptor. False: its kind has no such types or shape. */
bool execute_tcgen05_read_shape(uint32_t word, const struct execute_tcgen05_form *form,
                                struct execute_tcgen05_shape *shape);
/* The lane of tensor memory that a row of a CTA is in, of the first part of N, from that of its address on. */
uint32_t execute_tcgen05_lane(const struct execute_tcgen05_shape *shape, uint32_t row);

/* ===== tcgen05_numbers.c ===== */

enum { EXECUTE_TCGEN05_MOST_M = 128, EXECUTE_TCGEN05_MOST_N = 256, EXECUTE_TCGEN05_MOST_K = 128 };

/* A and B of a CTA's part of a product (products.h). Where single precision does not do, because of factors that are
 * far from one, or because what a sparse A has not stored is no factor of an infinity, they are multiplied one by one:
 * what A has stored, with the factors, which are no part of A and B then. */
struct execute_tcgen05_numbers {
    float a[EXECUTE_TCGEN05_MOST_K * EXECUTE_TCGEN05_MOST_M];
    float b[EXECUTE_TCGEN05_MOST_K * EXECUTE_TCGEN05_MOST_N];
    bool stored[EXECUTE_TCGEN05_MOST_K * EXECUTE_TCGEN05_MOST_M]; /* of a sparse A */
    float factors_a[4 * EXECUTE_TCGEN05_MOST_M], factors_b[4 * EXECUTE_TCGEN05_MOST_N];
    uint32_t factor_length; /* of k; 0: there are no factors */
    bool one_by_one;
};

/* `halves`: as above; NULL: all of B is in the CTA's shared memory. False: a fault. */
bool execute_tcgen05_read_numbers(struct execute_warp *warp, struct execute_cta *cta, const struct execute_op *op,
                                  const struct execute_tcgen05_kept *kept, unsigned char *const halves[2],
                                  struct execute_tcgen05_numbers *numbers);
/* What the CTA has of a pair's B. False: a fault. */
bool execute_tcgen05_tape_half(struct execute_warp *warp, struct execute_cta *cta, const struct execute_op *op,
                               const struct execute_tcgen05_kept *kept, unsigned char *half);
/* Matrix descriptors of a type that lies along k, or along m or n. */
bool execute_tcgen05_operand(struct execute_warp *warp, uint64_t descriptor, uint8_t type, bool across,
                             struct execute_operand *out);
/* The columns of a matrix in a CTA's tensor memory. NULL: a fault. */
uint32_t *execute_tcgen05_columns(struct execute_warp *warp, struct execute_cta *cta,
                                  const struct execute_tcgen05_shape *shape, uint32_t address, uint32_t count);

/* ===== tcgen05_copy.c ===== */

bool execute_tcgen05_copy(struct execute_warp *warp, struct execute_cta *cta, const struct execute_op *op,
                          const struct execute_tcgen05_kept *kept);
bool execute_tcgen05_shift(struct execute_warp *warp, struct execute_cta *cta, const struct execute_tcgen05_kept *kept);

/* ===== commits ===== */

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
