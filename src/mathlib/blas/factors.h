/* SPDX-License-Identifier: BSD-3-Clause */
/* What factorisations of a batch of matrices are told. Read by the host's compiler and by that of the kernels. */
#ifndef MATHLIB_BLAS_FACTORS_H
#define MATHLIB_BLAS_FACTORS_H

/* Square matrices of n rows, each by one CTA; what of it a kernel does not need is NULL. */
struct mathlib_batch {
    long long n, columns; /* columns: of each matrix of b */
    void *const *a;       /* pointers to matrices: to be factored, or their factors */
    void *const *b;       /* right-hand sides, or where inverses go */
    long long lda, ldb;
    int *pivots;            /* n for each matrix, from 1 on; NULL: rows stay where they are */
    int *info;              /* of each matrix: 0, or the first place on U's diagonal that is zero, from 1 on */
    void *work;             /* n * n numbers for each matrix, where A itself is to be kept */
    int operation, inverse; /* of A, as cuBLAS numbers them; b is set to the identity first */
};

#endif
