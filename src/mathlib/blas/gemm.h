/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Arguments of a matrix product, D = alpha * A * B + beta * C, with A of m rows and k columns. Compiled for host and
 * device. Transposed operands have their strides exchanged; there is no other difference.
 */
#ifndef MATHLIB_BLAS_GEMM_H
#define MATHLIB_BLAS_GEMM_H

#include "mathlib/common/scalar.h"

/* The stored part of an operand, in its coordinates after transposition. */
enum mathlib_shape {
    MATHLIB_FULL,
    MATHLIB_SYMMETRIC, /* one triangle is stored; the other one is its mirror image */
    MATHLIB_HERMITIAN, /* the same, conjugated; the diagonal is real */
    MATHLIB_TRIANGLE,  /* one triangle is stored; the other one is zero */
};
enum mathlib_part { MATHLIB_ALL, MATHLIB_LOWER, MATHLIB_UPPER };
enum mathlib_epilogue { MATHLIB_RELU = 1, MATHLIB_GELU = 2 };

struct mathlib_operand {
    const void *data;      /* data or, with `array`, pointers to the matrices of a batch */
    long long row, column; /* distances between rows and between columns, in elements; may be negative */
    long long batch;       /* distance between matrices of a batch, in elements */
    long long offset;      /* with `array`: offset of this operand in each matrix, in elements */
    int conjugate, array;
    int shape, part, unit; /* enum mathlib_shape, mathlib_part; a diagonal of ones that is not read */
    int aligned;           /* data and strides are multiples of 16 bytes, so that vectors can be read */
};

struct mathlib_gemm {
    long long m, n, k;
    struct mathlib_operand a, b, c, d;
    struct mathlib_scalar alpha, beta;
    const void *bias; /* one number per row of D, of type `bias_type`; NULL: none */
    long long bias_type, bias_batch;
    int output;        /* enum mathlib_type of C and D, for kernels that have several */
    int part;          /* the part of D that is written */
    int real_diagonal; /* the diagonal of D is real */
    int epilogue;      /* enum mathlib_epilogue */
    /* Split-k on tensor cores: elements of the inner dimension per part, and buffer for the sums, ordered by matrix of
     * the batch, part, column and row of whole tiles, with the given numbers of rows and columns; 0 and NULL: not
     * split. */
    long long depth;
    float *sums;
    int rows, columns;
};

#endif
