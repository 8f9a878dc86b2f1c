// SPDX-License-Identifier: BSD-3-Clause
// sm_80
// Products of matrices of halves by tensor cores, operands nt.
#include "mathlib/ampere/product.cuh"

MMA_KERNELS(maniple_hgemm_mma, f16, nt, true, true)
MMA_PARTS(maniple_hgemm_mma, f16)
