/* SPDX-License-Identifier: BSD-3-Clause */
/* Arguments of the kernels of our libcusolver. Compiled for host and device. */
#ifndef MATHLIB_SOLVER_SYSTEM_H
#define MATHLIB_SOLVER_SYSTEM_H

/* Matrices by columns, one for each CTA: at an address from `list` or, without a list, at regular distances. */
struct solver_matrix {
    void *data;
    void *const *list;
    long long ld, stride; /* in numbers */
};

/* One CTA factors or solves one matrix; members that a kernel does not use are 0. */
struct solver_system {
    long long m, n, k;         /* rows and columns of A; k: columns of B, or the number of reflectors */
    struct solver_matrix a;    /* the matrix, or its factors */
    struct solver_matrix b, c; /* right-hand sides, or U and V */
    void *values;              /* factors of reflectors, eigenvalues or singular values */
    long long values_stride;
    void *const *values_list; /* addresses of the values of each matrix; NULL: at regular distances */
    void *pivots;             /* row exchanged with row i, from 1 on; NULL: rows stay where they are */
    int wide;                 /* pivots of 64 bits */
    int upper;                /* the upper triangle is stored */
    int operation, right;
    int vectors;           /* eigenvectors or singular vectors are wanted */
    long long columns_b;   /* columns of U that are wanted */
    long long columns_c;   /* columns of V that are wanted */
    int adjoint;           /* V goes out conjugated and transposed */
    double tolerance;      /* relative size of what Jacobi's method leaves; 0: precision of the type */
    int sweeps, sort;      /* largest number of sweeps; whether to sort what comes out */
    int failure;           /* info code of a method that does not converge */
    void *work;            /* device memory of the kernel */
    long long work_stride; /* bytes of it for each CTA */
    double *residuals;     /* root of the sum of squares of omitted singular values; NULL: not wanted */
    int *info;             /* info code of each matrix; NULL: not wanted */
};

#endif
