/* SPDX-License-Identifier: BSD-3-Clause */
/* What a product of matrices of eight-bit floats is told: read by the host's compiler and by that of the kernels. */
#ifndef MATHLIB_LT_EIGHT_H
#define MATHLIB_LT_EIGHT_H

#include "mathlib/blas/gemm.h"

struct lt_eight {
    struct mathlib_gemm g;            /* rows of A and columns of B have k contiguous, in bytes that 16 divides */
    const float *a_scales, *b_scales; /* of all of A and of B, or of each row of A and each column of B; NULL: none */
    int a_by_row, b_by_column;
};

#endif
