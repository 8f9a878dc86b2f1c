// SPDX-License-Identifier: BSD-3-Clause
// Products of 128 bits of what is the same in all threads, as divisions by numbers known at run time want them. nvcc
// 13.0, -arch=sm_90, sm_100, sm_120; PTX: -arch=compute_75
typedef unsigned u32;
typedef unsigned long long u64;

extern "C" __global__ void products(const u32 *in, u32 *out, u64 third)
{
    u64 apart = (u64)out - (u64)in, more = third - (u64)in; // not the addresses, which lie elsewhere each time
    u64 x = apart << 55 | apart << 30 | 12345, y = more << 54 | more << 21 | 99999, high = __umul64hi(x, y);
    u32 *to = out + threadIdx.x, n = blockDim.x;
    if (high & 1)
        high = __umul64hi(high, x + 7);
#pragma unroll 1
    for (int i = 0; i < 8; i++) {
        u64 next = (__umul64hi(high + i, y * high) >> 3) + x;
        if (next & 64)
            high = next ^ y;
        else
            high += next;
        to[2 * i * n] = (u32)high;
        to[(2 * i + 1) * n] = (u32)(high >> 32);
    }
}
