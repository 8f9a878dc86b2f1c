/* SPDX-License-Identifier: BSD-3-Clause */
/* Arguments of a sparse matrix product, Y = alpha * op(A) * X + beta * Y. Compiled for host and device. */
#ifndef MATHLIB_SPARSE_PRODUCT_H
#define MATHLIB_SPARSE_PRODUCT_H

#include "mathlib/common/scalar.h"

struct sparse_product {
    long long lines, count;    /* rows (columns, where these are compressed) and numbers of A */
    const void *offsets;       /* number of lines + 1 offsets; NULL: each number has both coordinates */
    const void *line, *across; /* places of each number; `line` only without `offsets` */
    const void *values;
    int wide_offsets, wide, base; /* 64 bits; of places; the first place is called that */
    int conjugate;
    const void *x;
    void *y;
    long long y_rows, columns; /* size of Y */
    long long x_row, x_column, y_row, y_column;
    struct mathlib_scalar alpha, beta;
};

#endif
