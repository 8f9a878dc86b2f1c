/* SPDX-License-Identifier: BSD-3-Clause */
/* Arguments of matrix-vector operations. Compiled for host and device. */
#ifndef MATHLIB_BLAS_MATRICES_H
#define MATHLIB_BLAS_MATRICES_H

#include "gemm.h"

struct mathlib_matrix_vector {
    long long m, n;
    struct mathlib_operand a; /* m rows, n columns, after transposition */
    const void *x;
    void *y;
    long long step_x, step_y, batch_x, batch_y;
    struct mathlib_scalar alpha, beta;
    int array, unused; /* x and y are arrays of pointers, one for each matrix of a batch */
};

/* A += alpha * x * y' (+ conj(alpha) * y * x'), of which `part` is written. */
struct mathlib_rank {
    long long m, n;
    void *a;
    long long row, column;
    const void *x, *y;
    long long step_x, step_y;
    struct mathlib_scalar alpha;
    int conjugate, part; /* for the second factor: whether it is conjugated, and its stored part */
    int twice, real_diagonal;
};

/* D = alpha * A + beta * B, or, with x, D = A with each row or column times a number of x. */
struct mathlib_elementwise {
    long long m, n;
    struct mathlib_operand a, b, d;
    struct mathlib_scalar alpha, beta;
    const void *x;
    long long step_x_row, step_x_column;
};

/* Solves L X = B in place, L lower triangular of n rows, n at most 32 for `trsm`. */
struct mathlib_solve {
    long long n, columns;
    struct mathlib_operand l, b;
    struct mathlib_scalar alpha;
};

#endif
