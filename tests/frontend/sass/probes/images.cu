/* SPDX-License-Identifier: BSD-3-Clause */
/* Textures and surfaces of every geometry. Each thread writes to places of its own, or outside.
 * nvcc -O3 -arch=sm_NN -cubin (75, 80, 90), -ptx (75). */
#include <cuda_runtime.h>

typedef unsigned u32;

extern "C" __global__ void surfaces(const u32 *in, u32 *out, cudaSurfaceObject_t s1, cudaSurfaceObject_t s2,
                                    cudaSurfaceObject_t s3, cudaSurfaceObject_t l1, cudaSurfaceObject_t l2)
{
    int i = threadIdx.x, x = i % 16, y = i / 16, far = (int)(in[i] & 63) - 20;
    u32 value = in[64 + i], got[12];
    unsigned char byte;
    unsigned short half;
    uint2 pair;
    surf1Dread(&got[0], s1, 4 * i);
    surf1Dwrite(got[0] + value, s1, 4 * i);
    surf1Dwrite((unsigned char)value, s1, 4 * i + 3);
    surf1Dread(&byte, s1, 4 * i + 3);
    surf1Dread(&half, s1, 4 * i + 2);
    surf2Dread(&got[1], s2, 4 * x, y);
    surf2Dwrite(got[1] ^ value, s2, 4 * x, y);
    surf2Dread(&got[2], s2, 4 * x, y);
    surf2Dread(&got[3], s2, 4 * far, 4 + (far & 7), cudaBoundaryModeClamp);
    surf2Dread(&got[4], s2, 4 * far, 4 + (far & 7), cudaBoundaryModeZero);
    surf2Dwrite(value, s2, 64 + 4 * i, y, cudaBoundaryModeZero);
    surf3Dread(&pair, s3, 8 * (i % 4), i / 4 % 4, i / 16);
    surf3Dwrite(make_uint2(pair.y, value), s3, 8 * (i % 4), i / 4 % 4, i / 16);
    surf3Dread(&got[5], s3, 8 * (i % 4), i / 4 % 4, i / 16);
    surf1DLayeredread(&got[6], l1, 4 * x, y);
    surf1DLayeredwrite(got[6] - value, l1, 4 * x, y);
    surf1DLayeredread(&got[7], l1, 4 * x, y);
    surf2DLayeredread(&got[8], l2, 4 * (i % 8), i / 8 % 4, i / 32);
    surf2DLayeredwrite(got[8] + 3 * value, l2, 4 * (i % 8), i / 8 % 4, i / 32);
    surf2DLayeredread(&got[9], l2, 4 * (i % 8), i / 8 % 4, i / 32);
    got[10] = byte | half << 8;
    got[11] = pair.x;
    for (int k = 0; k < 12; k++)
        out[64 * k + i] = got[k];
}

extern "C" __global__ void textures(const u32 *in, float *out, cudaTextureObject_t t1, cudaTextureObject_t t2,
                                    cudaTextureObject_t t3, cudaTextureObject_t l1, cudaTextureObject_t l2)
{
    int i = threadIdx.x;
    float x = (float)(in[i] & 127) / 8, y = (float)(in[64 + i] & 63) / 8, z = (float)(in[128 + i] & 31) / 8;
    float4 each;
    out[i] = tex1D<float>(t1, x);
    out[64 + i] = tex2D<float>(t2, x, z);
    out[128 + i] = tex2D<float>(t2, z, y);
    out[192 + i] = tex3D<float>(t3, x, y, z);
    out[256 + i] = tex3D<float>(t3, z, x, y);
    out[320 + i] = tex1DLayered<float>(l1, y, i & 3);
    out[384 + i] = tex2DLayered<float>(l2, y, x, i & 1);
    out[448 + i] = tex2DLayered<float>(l2, z, x, 1);
    out[512 + i] = tex1Dfetch<float>(t1, i);
    each = tex2Dgather<float4>(t2, x, z, 0);
    out[576 + i] = each.x, out[640 + i] = each.y, out[704 + i] = each.z, out[768 + i] = each.w;
    each = tex2Dgather<float4>(t2, z, y, 1);
    out[832 + i] = each.x, out[896 + i] = each.y;
}
