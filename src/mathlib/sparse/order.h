/* SPDX-License-Identifier: BSD-3-Clause */
/* Arguments of the kernels that bring numbers of a sparse matrix into an order, or take them from places. Compiled for
 * host and device. */
#ifndef MATHLIB_SPARSE_ORDER_H
#define MATHLIB_SPARSE_ORDER_H

struct sparse_order {
    int *first, *second; /* places by which numbers are sorted: the first counts before the second */
    int *permutation;    /* moved with the places; NULL: there is none */
    const int *offsets;  /* offsets of lines, whose number is then the first place; NULL: `first` has it */
    unsigned long long *from_keys, *to_keys; /* both places of each number, the first above */
    int *from, *to;                          /* the permutation beside them */
    long long count, lines;
    long long run; /* length of runs that are sorted already */
    int base;
};

struct sparse_places { /* numbers at places of a vector */
    void *vector, *values;
    const void *places;
    long long count;
    int wide, base, bytes;
};

#endif
