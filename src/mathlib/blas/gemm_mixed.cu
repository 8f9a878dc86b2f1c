// SPDX-License-Identifier: BSD-3-Clause
// nvcc sm_75
// target sm_70
// version 7.8
// Products of matrices of short numbers where tensor cores cannot be used. Sums of halves are of 32 bits.
#include "mathlib/blas/gemm.cuh"

GEMM_KERNEL(maniple_hgemm_64x64, f16, f16, float, 64, 64, 8, 4, 4, false)
GEMM_KERNEL(maniple_hsgemm_64x64, f16, float, float, 64, 64, 8, 4, 4, false)
GEMM_KERNEL(maniple_bgemm_64x64, bf16, bf16, float, 64, 64, 8, 4, 4, false)
GEMM_KERNEL(maniple_bsgemm_64x64, bf16, float, float, 64, 64, 8, 4, 4, false)
GEMM_KERNEL(maniple_igemm_64x64, signed char, int, int, 64, 64, 8, 4, 4, false)
GEMM_KERNEL(maniple_i8sgemm_64x64, signed char, float, float, 64, 64, 8, 4, 4, false)
