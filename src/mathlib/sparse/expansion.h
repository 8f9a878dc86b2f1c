/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrices compressed by rows whose rows are expanded: sums of two, or products. Numbers of a row of C are sorted by
 * column, and those of a column are summed in the order in which they were expanded. Compiled for host and device. */
#ifndef MATHLIB_SPARSE_EXPANSION_H
#define MATHLIB_SPARSE_EXPANSION_H

#include "mathlib/common/scalar.h"

#include <stdbool.h>
#include <stddef.h>

struct sparse_rows {
    int *offsets, *across; /* offsets of the rows, and columns of the numbers */
    void *values;          /* NULL: places alone */
    int base;              /* the first place is called that */
};

/* Arguments of its kernels: C = alpha * A * B, or alpha * A + beta * B. */
struct sparse_expansion {
    struct sparse_rows a, b, c;
    long long rows;           /* number of rows of A and C */
    long long *begins;        /* rows + 1: how many expanded numbers each row has, then where they begin */
    long long *sizes;         /* rows + 1: how many numbers of C each row has, then their offsets */
    unsigned long long *keys; /* an expanded number's column, and below 32 bits its number within the row */
    void *numbers;
    struct mathlib_scalar alpha, beta;
};

struct mathlib_kernels;
/* Bytes of a number of a type (cudaDataType) that there are kernels for; 0: there are none. */
unsigned sparse_expansion_bytes(int type);
/* Launches a kernel for a type, or, with a type of -1, one that needs none, on so many CTAs, if it is any. */
bool sparse_expansion_launch(struct mathlib_kernels *kernels, const struct sparse_expansion *expansion, int type,
                             const char *what, long long blocks);
/* Sorts expanded numbers and counts those of C, which it returns; -1: it failed. */
long long sparse_expansion_sort(struct mathlib_kernels *kernels, const struct sparse_expansion *expansion);
/* Bytes of a buffer for so many expanded numbers: keys, sizes of rows, and numbers, in which it sets the members. */
size_t sparse_expansion_buffer(struct sparse_expansion *expansion, long long count, unsigned bytes, void *buffer);
/* The same type as that of a scalar. */
enum mathlib_type sparse_expansion_type(int type);

#endif
