// SPDX-License-Identifier: BSD-3-Clause
// Products of matrices of bfloat16 by tensor cores.
// nvcc sm_80
// version 7.8
#include "mathlib/blas/tensor.cuh"

TENSOR_KERNELS(maniple_bgemm_tensor, __nv_bfloat16, 32, true)
