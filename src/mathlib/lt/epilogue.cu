// SPDX-License-Identifier: BSD-3-Clause
// Epilogues of products without tensor cores: a bias for each row, then ReLU or GELU.
#include "mathlib/blas/tensor.cuh"

extern "C" __global__ void __launch_bounds__(256) maniple_sepilogue(const __grid_constant__ mathlib_gemm g)
{
    long long i = blockIdx.x * 32LL + threadIdx.x % 32, j = blockIdx.y * 8LL + threadIdx.x / 32, batch = blockIdx.z;
    if (i >= g.m || j >= g.n)
        return;
    float *d = (float *)g.d.data + batch * g.d.batch + i * g.d.row + j * g.d.column, value = *d;
    if (g.bias)
        value += number_at(g.bias, i + batch * g.bias_batch, (int)g.bias_type);
    *d = activated(value, g.epilogue);
}

// The same where D has short numbers: from sums of 32 bits, with beta * C, rounded once.
extern "C" __global__ void __launch_bounds__(64) maniple_epilogue(const __grid_constant__ mathlib_gemm g)
{
    add_parts(g);
}
