// SPDX-License-Identifier: BSD-3-Clause
// nvcc sm_75
// target sm_70
// version 7.8
// Products of matrices of halves by tensor cores of Volta and Turing.
#include "mathlib/blas/tensor.cuh"

TENSOR_KERNELS(maniple_hgemm_tensor_volta, f16, 32, false)
