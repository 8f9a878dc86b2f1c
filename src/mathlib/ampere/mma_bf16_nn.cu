// SPDX-License-Identifier: BSD-3-Clause
// sm_80
// Products of matrices of bfloat16 by tensor cores, operands nn.
#include "mathlib/ampere/product.cuh"

MMA_KERNELS(maniple_bgemm_mma, bf16, nn, true, false)
MMA_PARTS(maniple_bgemm_mma, bf16)
