// SPDX-License-Identifier: BSD-3-Clause
// Yu and Acton's diffusion that takes speckle out of an image and leaves edges alone: how much a place may flow follows
// from how its surroundings vary, against the variation of the whole image.
#include "common/device.h"

extern "C" __global__ void srad_sums(const float *image, float *sums, u32 count)
{
    __shared__ float sum[256], square[256];
    u32 thread = threadIdx.x;
    float a = 0, b = 0;
    for (u32 i = GLOBAL_X; i < count; i += blockDim.x * gridDim.x) {
        a += image[i];
        b += image[i] * image[i];
    }
    sum[thread] = a;
    square[thread] = b;
    for (u32 half = 128; half; half /= 2) {
        __syncthreads();
        if (thread < half) {
            sum[thread] += sum[thread + half];
            square[thread] += square[thread + half];
        }
    }
    if (thread == 0) {
        sums[2 * blockIdx.x] = sum[0];
        sums[2 * blockIdx.x + 1] = square[0];
    }
}

// What is beyond the edge is what lies at it.
static __device__ float at(const float *values, int x, int y, int width, int height)
{
    x = x < 0 ? 0 : x >= width ? width - 1 : x;
    y = y < 0 ? 0 : y >= height ? height - 1 : y;
    return values[y * width + x];
}

extern "C" __global__ void srad_coefficients(const float *image, float *coefficients, int width, int height, float q0)
{
    int x = (int)GLOBAL_X, y = (int)GLOBAL_Y;
    if (x >= width || y >= height)
        return;
    float here = image[y * width + x];
    float north = at(image, x, y - 1, width, height) - here, south = at(image, x, y + 1, width, height) - here;
    float west = at(image, x - 1, y, width, height) - here, east = at(image, x + 1, y, width, height) - here;
    float gradient = (north * north + south * south + west * west + east * east) / (here * here);
    float laplacian = (north + south + west + east) / here;
    float scale = 1.0f + 0.25f * laplacian;
    float q = (0.5f * gradient - 0.0625f * laplacian * laplacian) / (scale * scale);
    float c = 1.0f / (1.0f + (q - q0) / (q0 * (1.0f + q0)));
    coefficients[y * width + x] = c < 0.0f ? 0.0f : c > 1.0f ? 1.0f : c;
}

extern "C" __global__ void srad_update(const float *image, float *next, const float *coefficients, int width, int height,
                                       float rate)
{
    int x = (int)GLOBAL_X, y = (int)GLOBAL_Y;
    if (x >= width || y >= height)
        return;
    float here = image[y * width + x], c = coefficients[y * width + x];
    float flow = c * (at(image, x, y - 1, width, height) - here) + c * (at(image, x - 1, y, width, height) - here) +
                 at(coefficients, x, y + 1, width, height) * (at(image, x, y + 1, width, height) - here) +
                 at(coefficients, x + 1, y, width, height) * (at(image, x + 1, y, width, height) - here);
    next[y * width + x] = here + 0.25f * rate * flow;
}
