/* SPDX-License-Identifier: BSD-3-Clause */
/* What a conversion between the rows of numbers and the offsets of rows is told. Read by both compilers. */
#ifndef MATHLIB_SPARSE_CONVERSION_H
#define MATHLIB_SPARSE_CONVERSION_H

struct sparse_conversion {
    int *rows;    /* of each number, in order */
    int *offsets; /* where each row begins among the numbers, and their count + base behind the last */
    int count, lines, base;
};

#endif
