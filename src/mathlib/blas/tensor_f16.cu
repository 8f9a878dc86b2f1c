// SPDX-License-Identifier: BSD-3-Clause
// Products of matrices of halves by tensor cores; tiles are copied asynchronously.
// nvcc sm_80
// version 7.8
#include "mathlib/blas/tensor.cuh"

TENSOR_KERNELS(maniple_hgemm_tensor, __half, 32, true)
