// SPDX-License-Identifier: BSD-3-Clause
// sm_80
// Products of matrices of bfloat16 by tensor cores, operands nt.
#include "mathlib/ampere/product.cuh"

MMA_KERNELS(maniple_bgemm_mma, bf16, nt, true, true)
MMA_PARTS(maniple_bgemm_mma, bf16)
