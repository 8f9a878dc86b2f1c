/* SPDX-License-Identifier: BSD-3-Clause */
/* Products of matrices of floats without tensor cores (single.cuh). */
#ifndef MATHLIB_BLAS_SINGLE_H
#define MATHLIB_BLAS_SINGLE_H

#include "mathlib/blas/handle.h"

/* Launches the product if these kernels can compute it, and says in *status how that went. False: they cannot. */
bool blas_by_fma(struct cublasContext *h, struct blas_product product, struct mathlib_gemm *g, int64_t batch,
                 int *status);

#endif
