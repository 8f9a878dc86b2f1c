/* SPDX-License-Identifier: BSD-3-Clause */
/* Number types, and scalars as kernel arguments. Compiled for host and device. */
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
    const void *device; /* address of the scalar; NULL: it is passed by value */
    int type;           /* enum mathlib_type: type of the scalar at that address */
    int conjugate;      /* conjugate the scalar at that address */
};

#endif
