/* SPDX-License-Identifier: BSD-3-Clause */
/* What an operation on vectors is told. Read by the host's compiler and by that of the kernels. */
#ifndef MATHLIB_BLAS_VECTORS_H
#define MATHLIB_BLAS_VECTORS_H

#include "mathlib/common/scalar.h"

struct mathlib_vectors {
    long long n;
    const void *x;
    void *y; /* or where a result goes */
    long long step_x, step_y;
    struct mathlib_scalar alpha, beta;
    double matrix[5]; /* of a modified rotation */
    void *partial;    /* what CTAs have found out */
    int partials, conjugate;
    int wide, unused; /* a place is a number of 64 bits */
};

#endif
