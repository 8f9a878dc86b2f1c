/* SPDX-License-Identifier: BSD-3-Clause */
/* Arguments of vector operations. Compiled for host and device. */
#ifndef MATHLIB_BLAS_VECTORS_H
#define MATHLIB_BLAS_VECTORS_H

#include "mathlib/common/scalar.h"

struct mathlib_vectors {
    long long n;
    const void *x;
    void *y; /* second operand, or destination of the result */
    long long step_x, step_y;
    struct mathlib_scalar alpha, beta;
    double matrix[5]; /* coefficients of a modified rotation */
    void *partial;    /* partial results of CTAs */
    int partials, conjugate;
    int wide, unused; /* a place is a number of 64 bits */
};

#endif
