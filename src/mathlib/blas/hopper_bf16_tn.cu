// SPDX-License-Identifier: BSD-3-Clause
// Products of matrices of bfloat16 by warpgroups, as they are called: tn.
// nvcc sm_90a
#include "mathlib/blas/hopper.cuh"

#define KERNEL(...) HOPPER_KERNEL(__VA_ARGS__, maniple_bgemm_wgmma_tn, bf16, false, false)
#define ACROSS(...) HOPPER_ACROSS_KERNEL(__VA_ARGS__, maniple_bgemm_wgmma_tn, bf16)
HOPPER_FORMS(KERNEL)
HOPPER_ACROSS_FORMS(ACROSS)
HOPPER_PARTS(maniple_bgemm_wgmma_tn_parts, bf16)
