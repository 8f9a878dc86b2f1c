// SPDX-License-Identifier: BSD-3-Clause
// Products of matrices of halves by warpgroups, as they are called: tn.
// nvcc sm_90a
#include "mathlib/blas/hopper.cuh"

#define KERNEL(...) HOPPER_KERNEL(__VA_ARGS__, maniple_hgemm_wgmma_tn, f16, false, false)
#define ACROSS(...) HOPPER_ACROSS_KERNEL(__VA_ARGS__, maniple_hgemm_wgmma_tn, f16)
HOPPER_FORMS(KERNEL)
HOPPER_ACROSS_FORMS(ACROSS)
HOPPER_PARTS(maniple_hgemm_wgmma_tn_parts, f16)
