/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The arithmetic of wgmma and tcgen05, made for each level of the host's processor as lanes.h is; all levels give the
 * same bits.
 *
 * Numbers of A lie by k, then by row; those of B by k, then by column, where eight columns lie as 0, 2, 4, 6, 1, 3,
 * 5, 7: so four of them that follow one another belong to the four lanes of an accumulator's register that have one
 * row (PTX ISA 9.0, wgmma: the fragment D).
 */
#ifndef EXECUTE_PRODUCTS_H
#define EXECUTE_PRODUCTS_H

#include <stdbool.h>
#include <stdint.h>

enum { EXECUTE_PRODUCT_ROWS = 16, EXECUTE_PRODUCT_CHUNK = 16 /* bytes */ };

/* Types of elements, of wgmma and of tcgen05. */
enum execute_wgmma_type {
    EXECUTE_WGMMA_F16,
    EXECUTE_WGMMA_BF16,
    EXECUTE_WGMMA_TF32,
    EXECUTE_WGMMA_E4M3,
    EXECUTE_WGMMA_E5M2,
    EXECUTE_WGMMA_S8,
    EXECUTE_WGMMA_U8,
    EXECUTE_WGMMA_B1,
    EXECUTE_WGMMA_E2M3, /* tcgen05 only, like all that follow: one number per byte, in the lower six bits */
    EXECUTE_WGMMA_E3M2,
    EXECUTE_WGMMA_E2M1,       /* one number per byte, in bits 2 to 5 */
    EXECUTE_WGMMA_E2M1_PAIRS, /* two in a byte, the first one lower */
};

/* Distances between elements of B along k, and between columns. */
struct execute_product_pitch {
    uint32_t k, column;
};

struct execute_product_table {
    /* Eight chunks of 16 bytes, of as many rows or columns, become numbers: element x of chunk i goes to
     * [x · stride + i], or, of columns, to where these lie. `type`: enum execute_wgmma_type, not of single bits. */
    void (*widen)(uint8_t type, const unsigned char *const chunks[8], bool columns, float *to, uint32_t stride);
    /* A chunk of elements of as many rows or columns, of one k. */
    void (*widen_across)(uint8_t type, const unsigned char *chunk, bool columns, float *to);
    /* Adds the product of `a` ([k][16]) and `b` ([k][n]) to sums: n/2 registers of 32 lanes. Products are exact where
     * `exact` says so; sums are rounded to single precision one after another in ascending k. A NaN becomes
     * canonical. */
    void (*multiply)(float *const *sums, const float *a, const float *b, uint32_t n, uint32_t k, bool exact);
    /* The same of tcgen05: `a` is [k][rows] with a multiple of 16 rows, `b` [k][n] with columns in their order and a
     * multiple of four of them, and sums are columns of as many rows. */
    void (*multiply_columns)(float *const *sums, const float *a, uint32_t rows, const float *b, uint32_t n, uint32_t k,
                             bool exact);
    /* The same where `b` lies otherwise; `exact`: as above, or each product and sum rounded once, by a fused
     * operation. */
    void (*multiply_lines)(float *const *sums, const float *a, uint32_t rows, const float *b,
                           struct execute_product_pitch pitch, uint32_t n, uint32_t k, bool exact);
    /* A register's 64 halves, one lane's after another's; a NaN stays one. */
    void (*halves)(const uint32_t *words, float *to);
    /* Elements one by one. */
    void (*numbers)(uint8_t type, const uint32_t *bits, float *to, uint32_t count);
};

extern const struct execute_product_table execute_products_base;
#ifdef EXECUTE_LANE_LEVELS
extern const struct execute_product_table execute_products_v3;
extern const struct execute_product_table execute_products_v4;
#endif

/* The fastest table for this host (lane_choice.c). */
const struct execute_product_table *execute_products_best(void);

#endif
