// SPDX-License-Identifier: BSD-3-Clause
// sm_80
// Products of matrices of bfloat16 by tensor cores, operands tt.
#include "mathlib/ampere/product.cuh"

MMA_KERNELS(maniple_bgemm_mma, bf16, tt, false, true)
MMA_PARTS(maniple_bgemm_mma, bf16)
