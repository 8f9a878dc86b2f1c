// SPDX-License-Identifier: BSD-3-Clause
// Halves to floats and back: transforms of halves are computed in single precision.
#include "mathlib/common/half.cuh"
#include "mathlib/fft/halves.h"

extern "C" __global__ void __launch_bounds__(256) maniple_fft_widen(const __grid_constant__ fft_halves p)
{
    long long i = blockIdx.x * 256LL + threadIdx.x;
    if (i < p.count)
        ((float *)p.floats)[i] = (float)((const f16 *)p.halves)[i];
}

extern "C" __global__ void __launch_bounds__(256) maniple_fft_narrow(const __grid_constant__ fft_halves p)
{
    long long i = blockIdx.x * 256LL + threadIdx.x;
    if (i < p.count)
        ((f16 *)p.halves)[i] = f16(((const float *)p.floats)[i]);
}
