/* SPDX-License-Identifier: BSD-3-Clause */
/* Cube maps. Machine code divides a direction by its greatest magnitude before it samples.
 * nvcc -O3 -arch=sm_NN -cubin (80, 90, 120), -ptx (75). */
#include <cuda_runtime.h>

typedef unsigned u32;

extern "C" __global__ void cubes(const u32 *in, float *out, cudaTextureObject_t near, cudaTextureObject_t filtered,
                                 cudaTextureObject_t several, cudaTextureObject_t more, cudaTextureObject_t one)
{
    int i = threadIdx.x;
    float x = (float)((int)(in[i] & 255) - 128) / 8, y = (float)((int)(in[64 + i] & 255) - 128) / 8;
    float z = (float)((int)(in[128 + i] & 255) - 128) / 8;
    out[i] = texCubemap<float>(near, x, y, z);
    out[64 + i] = texCubemap<float>(filtered, x, y, z);
    out[128 + i] = texCubemap<float>(filtered, 1.0f, y / 32, z / 32);
    out[192 + i] = texCubemapLayered<float>(several, x, y, z, i & 1);
    out[256 + i] = texCubemapLayered<float>(more, z, x, y, i & 3);
    out[320 + i] = texCubemapLod<float>(filtered, y, z, x, 0.0f);
    out[384 + i] = texCubemapLayeredLod<float>(more, y, -z, x, 1, 0.0f);
    out[448 + i] = texCubemap<float>(one, -x, y, -z);
}
