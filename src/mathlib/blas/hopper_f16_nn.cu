// SPDX-License-Identifier: BSD-3-Clause
// Products of matrices of halves by warpgroups, as they are called: nn.
// nvcc sm_90a
#include "mathlib/blas/hopper.cuh"

#define KERNEL(...) HOPPER_KERNEL(__VA_ARGS__, maniple_hgemm_wgmma_nn, f16, true, false)
HOPPER_COMMON_FORMS(KERNEL)
HOPPER_PARTS(maniple_hgemm_wgmma_nn_parts, f16)
