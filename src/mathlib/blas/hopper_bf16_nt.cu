// SPDX-License-Identifier: BSD-3-Clause
// Products of matrices of bfloat16 by warpgroups, as they are called: nt.
// nvcc sm_90a
#include "mathlib/blas/hopper.cuh"

#define KERNEL(...) HOPPER_KERNEL(__VA_ARGS__, maniple_bgemm_wgmma_nt, bf16, true, true)
HOPPER_COMMON_FORMS(KERNEL)
HOPPER_PARTS(maniple_bgemm_wgmma_nt_parts, bf16)
