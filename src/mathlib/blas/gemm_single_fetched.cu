// SPDX-License-Identifier: BSD-3-Clause
// nvcc sm_75
// target sm_70
// version 7.8
// Products of matrices of floats without tensor cores, of which memory has the addresses or the factors.
#include "mathlib/blas/single.cuh"

SINGLE_KERNELS(nn, true, false, true)
SINGLE_KERNELS(nt, true, true, true)
SINGLE_KERNELS(tn, false, false, true)
SINGLE_KERNELS(tt, false, true, true)
