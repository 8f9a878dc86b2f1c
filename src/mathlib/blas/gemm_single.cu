// SPDX-License-Identifier: BSD-3-Clause
// nvcc sm_75
// target sm_70
// version 7.8
// Products of matrices of floats without tensor cores.
#include "mathlib/blas/single.cuh"

SINGLE_KERNELS(nn, true, false, false)
SINGLE_KERNELS(nt, true, true, false)
SINGLE_KERNELS(tn, false, false, false)
SINGLE_KERNELS(tt, false, true, false)
