// SPDX-License-Identifier: BSD-3-Clause
// Products of matrices of half precision with sums in tensor memory, as they are called: tn.
// nvcc sm_100a
#include "mathlib/blas/blackwell.cuh"

#define KERNEL(...) BLACKWELL_KERNEL(__VA_ARGS__, maniple_hgemm_tcgen05_tn, f16)
BLACKWELL_FORMS(KERNEL)
BLACKWELL_PARTS(maniple_hgemm_tcgen05_tn_parts, f16)
