// SPDX-License-Identifier: BSD-3-Clause
// Products of matrices of halves by tensor cores of Volta and Turing.
#include "mathlib/blas/tensor.cuh"

TENSOR_KERNELS(maniple_hgemm_tensor_volta, __half, 32, false)
