/* SPDX-License-Identifier: BSD-3-Clause */
/* Arguments of products of 8-bit float matrices. Compiled for host and device. */
#ifndef MATHLIB_LT_EIGHT_H
#define MATHLIB_LT_EIGHT_H

#include "mathlib/blas/gemm.h"

struct lt_eight {
    struct mathlib_gemm g; /* rows of A and columns of B have k contiguous, in bytes that 16 divides */
    /* scales of the whole matrices, or of each row of A and each column of B; NULL: none */
    const float *a_scales, *b_scales;
    int a_by_row, b_by_column;
};

#endif
