// SPDX-License-Identifier: BSD-3-Clause
// Yee's scheme in two dimensions: electric fields from the magnetic one, and the other way round.
#include "common/device.h"

extern "C" __global__ void fdtd2d_ey(float *ey, const float *hz, float source, u32 width, u32 height)
{
    u32 x = GLOBAL_X, y = GLOBAL_Y, at = y * width + x;
    if (x < width && y < height)
        ey[at] = y == 0 ? source : ey[at] - 0.5f * (hz[at] - hz[at - width]);
}

extern "C" __global__ void fdtd2d_ex(float *ex, const float *hz, u32 width, u32 height)
{
    u32 x = GLOBAL_X, y = GLOBAL_Y, at = y * width + x;
    if (x > 0 && x < width && y < height)
        ex[at] -= 0.5f * (hz[at] - hz[at - 1]);
}

extern "C" __global__ void fdtd2d_hz(const float *ex, const float *ey, float *hz, u32 width, u32 height)
{
    u32 x = GLOBAL_X, y = GLOBAL_Y, at = y * width + x;
    if (x + 1 < width && y + 1 < height)
        hz[at] -= 0.7f * (ex[at + 1] - ex[at] + ey[at + width] - ey[at]);
}
