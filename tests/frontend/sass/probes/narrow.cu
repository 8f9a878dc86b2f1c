// SPDX-License-Identifier: BSD-3-Clause
// Bytes and halves of words of constant bank 0: those before the parameters, and parameters. nvcc -O3 -arch=sm_NN -cubin
// (75, 80, 90), -ptx (75).
typedef unsigned u32;

struct small {
    unsigned low;
    unsigned char a;
    signed char b;
    short c;
};

extern "C" __global__ void narrow(const u32 *in, u32 *out)
{
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] + (short)gridDim.x * 3 + (unsigned char)blockDim.x * 5 + (signed char)blockDim.x * 7 + (unsigned short)blockDim.x;
}

// The second parameter is an address, of which the upper half is read as small numbers.
extern "C" __global__ void parts(const u32 *in, small list)
{
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    u32 *out = (u32 *)(*(unsigned long long *)&list);
    out[i] = in[i] + list.a * 11 + list.b * 13 + list.c * 17;
}
