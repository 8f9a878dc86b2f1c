// SPDX-License-Identifier: BSD-3-Clause
// Products of matrices of halves by warpgroups, as they are called: tn.
// nvcc sm_90a
#include "mathlib/blas/hopper.cuh"

#define KERNEL(...) HOPPER_KERNEL(__VA_ARGS__, maniple_hgemm_wgmma_tn, f16, false, false)
HOPPER_FORMS(KERNEL)
HOPPER_PARTS(maniple_hgemm_wgmma_tn_parts, f16)
