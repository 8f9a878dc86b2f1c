// SPDX-License-Identifier: BSD-3-Clause
#include "common/device.h"

extern "C" __global__ void vecadd(const float *a, const float *b, float *c, u32 count)
{
    u32 i = GLOBAL_X;
    if (i < count)
        c[i] = a[i] + b[i];
}
