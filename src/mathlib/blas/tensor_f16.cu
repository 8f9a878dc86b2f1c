// SPDX-License-Identifier: BSD-3-Clause
// Products of matrices of halves by tensor cores; tiles are copied asynchronously.
// sm_80
#include "mathlib/blas/tensor.cuh"

TENSOR_KERNELS(maniple_hgemm_tensor, f16, 32, true)
