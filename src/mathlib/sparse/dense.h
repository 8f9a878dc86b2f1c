/* SPDX-License-Identifier: BSD-3-Clause */
/* Arguments of the kernels between dense and sparse matrices. Compiled for host and device. */
#ifndef MATHLIB_SPARSE_DENSE_H
#define MATHLIB_SPARSE_DENSE_H

struct sparse_dense {
    void *dense;
    long long line_step, across_step; /* numbers from a line to the next, and within a line */
    /* Lines are rows, or columns where these are compressed. */
    long long lines, length, count; /* `length`: numbers of a line, zeros included */
    void *offsets;                  /* NULL: each number has both coordinates */
    void *line, *across;            /* `line` only without `offsets` */
    void *values;
    int wide_offsets, wide, base; /* 64 bits; of places; the first place is called that */
    int bytes, part;              /* size of a number, and of its real part */
    long long *sizes;             /* lines + 1: how many numbers other than 0 each line has, then their offsets */
};

#endif
