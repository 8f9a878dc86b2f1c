// SPDX-License-Identifier: BSD-3-Clause
// Products of matrices of halves by warpgroups, as they are called: nt.
// nvcc sm_90a
#include "mathlib/blas/hopper.cuh"

#define KERNEL(...) HOPPER_KERNEL(__VA_ARGS__, maniple_hgemm_wgmma_nt, f16, true, true)
HOPPER_COMMON_FORMS(KERNEL)
HOPPER_PARTS(maniple_hgemm_wgmma_nt_parts, f16)
