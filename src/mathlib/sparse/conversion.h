/* SPDX-License-Identifier: BSD-3-Clause */
/* Arguments of conversions between row indices and row offsets. Compiled for host and device. */
#ifndef MATHLIB_SPARSE_CONVERSION_H
#define MATHLIB_SPARSE_CONVERSION_H

struct sparse_conversion {
    int *rows;    /* row of each number, sorted */
    int *offsets; /* index of the first number of each row; the entry behind the last row is the count + base */
    int count, lines, base;
};

#endif
