/* SPDX-License-Identifier: BSD-3-Clause */
/* Arguments of batched matrix factorisations. Compiled for host and device. */
#ifndef MATHLIB_BLAS_FACTORS_H
#define MATHLIB_BLAS_FACTORS_H

/* Square matrices of n rows, one CTA each; members that a kernel does not use are NULL. */
struct mathlib_batch {
    long long n, columns; /* columns: of each matrix of b */
    void *const *a;       /* pointers to matrices: to be factored, or their factors */
    void *const *b;       /* right-hand sides, or where inverses go */
    long long lda, ldb;
    int *pivots;            /* n for each matrix, from 1 on; NULL: rows stay where they are */
    int *info;              /* for each matrix: 0, or the index from 1 on of the first zero on U's diagonal */
    void *work;             /* n * n elements for each matrix, if A itself must be preserved */
    int operation, inverse; /* operation on A, in cuBLAS's numbering; inverse: b is first set to the identity */
};

#endif
