/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrices of halves on Volta, whose code loads them into the registers that HMMA.884 wants: m16n16k16 of both layouts
 * and both types of sums, and m8n8k4. PTX: nvcc -O3 -arch=compute_75 -ptx, with .target sm_70 and .version 8.7 put in
 * place; machine code of it: ptxas of CUDA 12.9, -arch=sm_70. */
#include <mma.h>

typedef unsigned u32;
using namespace nvcuda::wmma;

/* Small whole numbers, so that sums are exact in any order. */
static __device__ void fill(const u32 *in, u32 from, half *to)
{
    for (u32 k = threadIdx.x; k < 256; k += 64)
        to[k] = __int2half_rn((int)(in[(k + from) % 192] >> k % 7 & 7) - 3);
}

template <typename A, typename B, typename Sum> static __device__ void product(const half *a, const half *b, Sum *to)
{
    fragment<matrix_a, 16, 16, 16, half, A> x;
    fragment<matrix_b, 16, 16, 16, half, B> y;
    fragment<accumulator, 16, 16, 16, Sum> sum;
    load_matrix_sync(x, a, 16);
    load_matrix_sync(y, b, 16);
    load_matrix_sync(sum, to, 16, mem_row_major);
    mma_sync(sum, x, y, sum);
    mma_sync(sum, x, y, sum);
    store_matrix_sync(to, sum, 16, mem_row_major);
}

extern "C" __global__ void volta(const u32 *in, u32 *out)
{
    __shared__ __align__(32) half a[256], b[256];
    fill(in, 0, a);
    fill(in, 5, b);
    for (u32 k = threadIdx.x; k < 8 * 256; k += 64)
        out[k] = 0;
    __syncthreads();
    if (threadIdx.x >= 32)
        return;
    product<row_major, col_major>(a, b, (float *)out);
    product<row_major, row_major>(a, b, (float *)out + 256);
    product<col_major, row_major>(a, b, (float *)out + 512);
    product<col_major, col_major>(a, b, (float *)out + 768);
    product<row_major, col_major>(a, b, (half *)(out + 1024));
    product<col_major, row_major>(a, b, (half *)(out + 1152));
}

extern "C" __global__ void quads(const u32 *in, u32 *out)
{
    u32 i = threadIdx.x, a[2], b[2], d[4];
    float f[8];
    for (u32 k = 0; k < 2; k++) { /* of either sign, 1 to 1.875 */
        a[k] = (in[(i + 31 * k) % 192] & 0x83808380) | 0x3c003c00;
        b[k] = (in[(i + 17 * k + 64) % 192] & 0x83808380) | 0x3c003c00;
    }
    asm volatile("mma.sync.aligned.m8n8k4.row.row.f16.f16.f16.f16 {%0,%1,%2,%3},{%4,%5},{%6,%7},{%4,%5,%6,%7};"
                 : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(b[1]));
    asm volatile("mma.sync.aligned.m8n8k4.col.row.f32.f16.f16.f32 {%0,%1,%2,%3,%4,%5,%6,%7},{%8,%9},{%10,%11},"
                 "{%12,%12,%13,%13,%12,%13,%12,%13};"
                 : "=f"(f[0]), "=f"(f[1]), "=f"(f[2]), "=f"(f[3]), "=f"(f[4]), "=f"(f[5]), "=f"(f[6]), "=f"(f[7])
                 : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(b[1]), "f"((float)i), "f"((float)(i * i)));
    for (u32 k = 0; k < 4; k++)
        out[i + 64 * k] = d[k];
    for (u32 k = 0; k < 8; k++)
        out[i + 256 + 64 * k] = __float_as_uint(f[k]);
}
