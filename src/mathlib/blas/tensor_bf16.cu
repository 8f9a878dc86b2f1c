// SPDX-License-Identifier: BSD-3-Clause
// Products of matrices of bfloat16 by tensor cores.
// sm_80
#include "mathlib/blas/tensor.cuh"

TENSOR_KERNELS(maniple_bgemm_tensor, bf16, 32, true)
