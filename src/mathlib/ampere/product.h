/* SPDX-License-Identifier: BSD-3-Clause */
/* Products of matrices by the tensor cores of Ampere and later (mma with asynchronous copies; product.cuh). */
#ifndef MATHLIB_AMPERE_PRODUCT_H
#define MATHLIB_AMPERE_PRODUCT_H

#include "mathlib/blas/handle.h"

/* Launches the product if these kernels can compute it, and says in *status how that went. False: they cannot. */
bool blas_by_mma(struct cublasContext *h, struct blas_product product, struct mathlib_gemm *g, int64_t batch,
                 int *status);

#endif
