/* SPDX-License-Identifier: BSD-3-Clause */
/* Types of numbers, and a scalar as it is handed to kernels: read by the host's compiler and by that of the kernels. */
#ifndef MATHLIB_SCALAR_H
#define MATHLIB_SCALAR_H

enum mathlib_type {
    MATHLIB_F32,
    MATHLIB_F64,
    MATHLIB_C32,
    MATHLIB_C64,
    MATHLIB_F16,
    MATHLIB_BF16,
    MATHLIB_I32,
    MATHLIB_I8
};

struct mathlib_scalar {
    double re, im;      /* if the host gave it by value */
    const void *device; /* else where it lies; NULL: by value */
    int type;           /* enum mathlib_type: of what lies there */
    int conjugate;      /* what lies there is to be conjugated */
};

#endif
