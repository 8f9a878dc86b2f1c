/* SPDX-License-Identifier: BSD-3-Clause */
/* Arguments of the kernels that multiply two sparse matrices, C = alpha * A * B, all compressed by rows. Compiled for
 * host and device. */
#ifndef MATHLIB_SPARSE_SPGEMM_H
#define MATHLIB_SPARSE_SPGEMM_H

#include "mathlib/common/scalar.h"

struct sparse_rows {
    int *offsets, *across; /* offsets of the rows, and columns of the numbers */
    void *values;
    int base; /* the first place is called that */
};

/* A number of A meets all numbers of a row of B: each gives a product. The products of a row of C are sorted by column,
 * and those of a column are summed in the order of A's numbers. */
struct sparse_spgemm {
    struct sparse_rows a, b, c;
    long long rows;           /* number of rows of A and C */
    long long *begins;        /* rows + 1: the number of products of each row, then where they begin */
    long long *sizes;         /* rows + 1: the number of C's numbers of each row, then their offsets */
    unsigned long long *keys; /* a product's column, and below 32 bits its number within the row */
    void *products;
    long long *scanned; /* whichever of the two the kernel `scan` makes offsets of */
    struct mathlib_scalar alpha;
};

#endif
