// SPDX-License-Identifier: BSD-3-Clause
// Products of matrices of floats by tensor cores, which round their operands to TF32.
// sm_80
#include "mathlib/blas/tensor.cuh"

TENSOR_KERNELS(maniple_sgemm_tensor, float, 16, true)
