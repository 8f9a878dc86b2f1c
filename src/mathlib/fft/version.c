/* SPDX-License-Identifier: BSD-3-Clause */
/* The version that the library tells, which is all that differs between those of two versions of CUDA. */
#include "mathlib/fft/plan.h"

MATHLIB_API int cufftGetVersion(int *version)
{
    if (!version)
        return FFT_INVALID_VALUE;
    *version = MATHLIB_MAJOR * 1000;
    return FFT_SUCCESS;
}

MATHLIB_API int cufftGetProperty(int property, int *value)
{
    if (!value || property < 0 || property > 2)
        return FFT_INVALID_VALUE;
    *value = property == 0 ? MATHLIB_MAJOR : 0;
    return FFT_SUCCESS;
}
