/* SPDX-License-Identifier: BSD-3-Clause */
/* What libcurand of CUDA 13 has, by name, and ours does not. */
#include "mathlib/common/missing.h"

#define MISSING(name) MATHLIB_MISSING(name, 204)

MISSING(curandCreatePoissonDistribution)
MISSING(curandDestroyDistribution)
MISSING(curandGeneratePoissonMethod)
MISSING(curandGetDirectionVectors32)
MISSING(curandGetDirectionVectors64)
MISSING(curandGetScrambleConstants32)
MISSING(curandGetScrambleConstants64)
