// SPDX-License-Identifier: BSD-3-Clause
#include "common/device.h"

// Places are pairs of numbers.
extern "C" __global__ void nn(const float *places, float *distances, u32 count, float x, float y)
{
    u32 i = GLOBAL_X;
    if (i >= count)
        return;
    float dx = places[2 * i] - x, dy = places[2 * i + 1] - y;
    distances[i] = sqrt_rn(dx * dx + dy * dy);
}
