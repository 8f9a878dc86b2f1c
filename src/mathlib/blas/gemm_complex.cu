// SPDX-License-Identifier: BSD-3-Clause
// nvcc sm_75
// target sm_70
// version 7.8
// Products of complex matrices.
#include "mathlib/blas/gemm.cuh"

GEMM_KERNEL(maniple_cgemm_64x64, c32, c32, c32, 64, 64, 8, 4, 4, false)
GEMM_KERNEL(maniple_cgemm_32x32, c32, c32, c32, 32, 32, 8, 2, 2, false)
GEMM_KERNEL(maniple_cgemm_shaped_32x32, c32, c32, c32, 32, 32, 8, 2, 2, true)
GEMM_KERNEL(maniple_zgemm_32x32, c64, c64, c64, 32, 32, 8, 2, 2, false)
GEMM_KERNEL(maniple_zgemm_shaped_32x32, c64, c64, c64, 32, 32, 8, 2, 2, true)
