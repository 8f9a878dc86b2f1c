/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a product of matrices is told: D = alpha * A * B + beta * C, with A of m rows and k columns. Read by the host's
 * compiler and by that of the kernels. Transposed operands have their strides exchanged; nothing else tells them apart.
 */
#ifndef MATHLIB_BLAS_GEMM_H
#define MATHLIB_BLAS_GEMM_H

#include "mathlib/common/scalar.h"

/* What of an operand is stored, in its coordinates after transposition. */
enum mathlib_shape {
    MATHLIB_FULL,
    MATHLIB_SYMMETRIC, /* one triangle; the other one is its mirror image */
    MATHLIB_HERMITIAN, /* the same, conjugated; the diagonal is real */
    MATHLIB_TRIANGLE,  /* one triangle; the other one is zero */
};
enum mathlib_part { MATHLIB_ALL, MATHLIB_LOWER, MATHLIB_UPPER };
enum mathlib_epilogue { MATHLIB_RELU = 1, MATHLIB_GELU = 2 };

struct mathlib_operand {
    const void *data;      /* or, with `array`, pointers to the matrices of a batch */
    long long row, column; /* from one row, or column, to the next, in elements; may be negative */
    long long batch;       /* from one matrix of a batch to the next, in elements */
    long long offset;      /* with `array`: where in each matrix this one begins, in elements */
    int conjugate, array;
    int shape, part, unit; /* enum mathlib_shape, mathlib_part; a diagonal of ones that is not read */
    int aligned;           /* data and strides are multiples of 16 bytes, so that vectors can be read */
};

struct mathlib_gemm {
    long long m, n, k;
    struct mathlib_operand a, b, c, d;
    struct mathlib_scalar alpha, beta;
    const void *bias; /* one number for each row of D, of type `bias_type`; NULL: none */
    long long bias_type, bias_batch;
    int output;        /* enum mathlib_type of C and D, for kernels that have several */
    int part;          /* of D: what of it is written */
    int real_diagonal; /* of D */
    int epilogue;      /* enum mathlib_epilogue */
    /* Products by tensor cores whose inner dimension falls into parts: numbers of it in each, and where sums go, by
     * matrix of the batch, part, column and row of whole tiles, with so many rows and columns; 0 and NULL: it does
     * not. */
    long long depth;
    float *sums;
    int rows, columns;
};

#endif
