// SPDX-License-Identifier: BSD-3-Clause
// nvcc sm_75
// target sm_70
// version 7.8
// Products of real matrices without tensor cores.
#include "mathlib/blas/gemm.cuh"

GEMM_KERNEL(maniple_sgemm_128x128, float, float, float, 128, 128, 8, 8, 8, false)
GEMM_KERNEL(maniple_sgemm_32x32, float, float, float, 32, 32, 16, 2, 2, false)
GEMM_KERNEL(maniple_sgemm_shaped_32x32, float, float, float, 32, 32, 16, 2, 2, true)
GEMM_KERNEL(maniple_dgemm_64x64, double, double, double, 64, 64, 8, 4, 4, false)
GEMM_KERNEL(maniple_dgemm_32x32, double, double, double, 32, 32, 8, 2, 2, false)
GEMM_KERNEL(maniple_dgemm_shaped_32x32, double, double, double, 32, 32, 8, 2, 2, true)
