/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tcgen05.mma, cp and shift (PTX ISA 9.0, TensorCore of the 5th generation): D = A · B + D of M x N in tensor memory,
 * with A in tensor or shared memory and B in shared memory; copies from shared to tensor memory; and shifts of rows.
 * One thread issues them. Without a machine they, and the arrivals of tcgen05.commit, are performed immediately; a
 * machine determines the time (live_tcgen05.c).
 *
 * The arithmetic is that of wgmma: products are exact; sums are accumulated in ascending k, each rounded to single
 * precision; a sum of halves is rounded again at the end, and stored in the lower half of its word. With block scaling,
 * A and B are first multiplied by their factors, which is exact. A CTA pair (.cta_group::2) computes M rows, half of
 * them in each CTA's shared and tensor memory, by N columns, of which each CTA's shared memory has half: therefore each
 * CTA reads its own half of B, and the peer's.
 */
#ifndef EXECUTE_TCGEN05_H
#define EXECUTE_TCGEN05_H

#include "execute/matrix/operand.h"
#include "execute/warp/warp.h"

struct execute_tcgen05_shape { /* an instruction descriptor, read */
    uint16_t m, n, k;          /* for sparse A, k counts its unstored elements, too: twice the stored ones */
    uint8_t a_type, b_type;    /* enum execute_wgmma_type */
    uint8_t d_type;            /* enum execute_type */
    bool saturate, negate_a, negate_b, across_a, across_b;
    uint8_t selector;           /* sparse A: column selector of its metadata */
    uint8_t factor_a, factor_b; /* bytes of a column in front of the factors */
    bool fractions;             /* factors are of ue4m3, not ue8m0 */
    /* number of parts of N that use lanes of their own: consecutive groups of a CTA's rows */
    uint8_t parts;
    bool half;     /* a CTA's 64 rows are in 16 of each 32 lanes */
    uint16_t rows; /* number of rows per CTA */
};

/* Other locations in tensor memory: metadata of a sparse A, and scale factors. */
enum { EXECUTE_TCGEN05_METADATA, EXECUTE_TCGEN05_FACTORS_A, EXECUTE_TCGEN05_FACTORS_B, EXECUTE_TCGEN05_PLACES };

/* Register operands of an instruction, captured at issue. */
struct execute_tcgen05_kept {
    struct execute_tcgen05_shape shape; /* shape of a product */
    uint64_t a, b;                      /* descriptors, or A's address in tensor memory; b: of a copy, too */
    uint32_t d;                         /* address in tensor memory of D, or of a copy's or shift's target */
    uint32_t left_out[8]; /* lanes of D that do not change, a bit each; of a pair's odd CTA the last four */
    uint32_t places[EXECUTE_TCGEN05_PLACES];
    uint64_t zeroes; /* the zero-column mask descriptor */
    bool adds;       /* adds to D */
};

/* False: a fault of the lane. */
bool execute_tcgen05_keep(struct execute_warp *warp, const struct execute_op *op, uint32_t lane,
                          struct execute_tcgen05_kept *kept);

/* The product, the copy or the shift itself, of a pair in both CTAs. False: a fault. */
bool execute_tcgen05_perform(struct execute_warp *warp, const struct execute_op *op,
                             const struct execute_tcgen05_kept *kept);

/* Products of a pair whose CTAs are simulated separately: one CTA's half of B, as chunks in the order in which they are
 * read; and its own part of the product with both halves, the even CTA's first. Copies and shifts have no such data,
 * and each CTA performs its own. Functions return false on a fault. */
enum { EXECUTE_TCGEN05_HALF_BYTES = 8192 /* maximum: 128 columns of 512 bits of k */ };
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
/* The lane of tensor memory that holds a row of a CTA, in the first part of N, relative to the address's lane. */
uint32_t execute_tcgen05_lane(const struct execute_tcgen05_shape *shape, uint32_t row);

/* ===== tcgen05_numbers.c ===== */

enum { EXECUTE_TCGEN05_MOST_M = 128, EXECUTE_TCGEN05_MOST_N = 256, EXECUTE_TCGEN05_MOST_K = 128 };

/* A and B of a CTA's part of a product (products.h). If single precision is insufficient, because scale factors are
 * extreme, or because unstored elements of a sparse A must not be multiplied by infinities, the stored elements are
 * multiplied one by one, with the factors kept separately. */
struct execute_tcgen05_numbers {
    float a[EXECUTE_TCGEN05_MOST_K * EXECUTE_TCGEN05_MOST_M];
    float b[EXECUTE_TCGEN05_MOST_K * EXECUTE_TCGEN05_MOST_N];
    bool stored[EXECUTE_TCGEN05_MOST_K * EXECUTE_TCGEN05_MOST_M]; /* sparse A: which elements are stored */
    float factors_a[4 * EXECUTE_TCGEN05_MOST_M], factors_b[4 * EXECUTE_TCGEN05_MOST_N];
    uint32_t factor_length; /* elements of k per factor; 0: no factors */
    bool one_by_one;
};

/* `halves`: as above; NULL: all of B is in the CTA's shared memory. False: a fault. */
bool execute_tcgen05_read_numbers(struct execute_warp *warp, struct execute_cta *cta, const struct execute_op *op,
                                  const struct execute_tcgen05_kept *kept, unsigned char *const halves[2],
                                  struct execute_tcgen05_numbers *numbers);
/* Copies the CTA's half of B. Returns false on a fault. */
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

/* tcgen05.commit: the mbarrier to notify, as an address of shared::cta or shared::cluster; and a mask of CTAs of the
 * cluster, whose mbarriers at the same offset are notified; 0: only the address's own mbarrier. */
struct execute_tcgen05_commit {
    uint64_t barrier;
    uint32_t targets;
};
bool execute_tcgen05_keep_commit(struct execute_warp *warp, const struct execute_op *op, uint32_t lane,
                                 struct execute_tcgen05_commit *commit);
/* Arrives at the mbarriers of all target CTAs or, without targets, at that of the address. Returns false on a
 * fault. */
bool execute_tcgen05_arrive(struct execute_warp *warp, uint32_t lane, const struct execute_tcgen05_commit *commit);

#endif
