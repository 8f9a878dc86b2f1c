/* SPDX-License-Identifier: BSD-3-Clause */
/* Arguments of the kernels that convert a CSR matrix to CSC. Compiled for host and device. */
#ifndef MATHLIB_SPARSE_TRANSPOSITION_H
#define MATHLIB_SPARSE_TRANSPOSITION_H

/* The numbers fall into chunks, one for each warp, which keep their order: `counts` has, for each chunk and column,
 * first how many numbers there are, then how many there are in the chunks before. */
struct sparse_transposition {
    const int *offsets, *across; /* offsets of the rows, and columns of the numbers */
    const void *values;
    int *to_offsets, *to_across; /* offsets of the columns, and rows of the numbers */
    void *to_values;
    int *counts;
    int rows, columns, count, base;
    int chunks, each; /* numbers of a chunk */
    int size;         /* size of a value in bytes; 0: only the structure is converted */
};

#endif
