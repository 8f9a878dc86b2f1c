/* SPDX-License-Identifier: BSD-3-Clause */
/* What the kernels that turn a CSR matrix into CSC are told. Read by both compilers. */
#ifndef MATHLIB_SPARSE_TRANSPOSITION_H
#define MATHLIB_SPARSE_TRANSPOSITION_H

/* The numbers fall into chunks, one for each warp, which keep their order: `counts` has, for each chunk and column,
 * first how many numbers there are, then how many there are in the chunks before. */
struct sparse_transposition {
    const int *offsets, *across; /* of the rows */
    const void *values;
    int *to_offsets, *to_across; /* of the columns */
    void *to_values;
    int *counts;
    int rows, columns, count, base;
    int chunks, each; /* numbers of a chunk */
    int size;         /* of a value, in bytes; 0: places alone */
};

#endif
