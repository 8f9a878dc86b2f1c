// SPDX-License-Identifier: BSD-3-Clause
// Products of matrices of bfloat16 with sums in tensor memory, as they are called: tn.
// nvcc sm_100a
#include "mathlib/blas/blackwell.cuh"

#define KERNEL(...) BLACKWELL_KERNEL(__VA_ARGS__, maniple_bgemm_tcgen05_tn, bf16)
BLACKWELL_FORMS(KERNEL)
BLACKWELL_PARTS(maniple_bgemm_tcgen05_tn_parts, bf16)
