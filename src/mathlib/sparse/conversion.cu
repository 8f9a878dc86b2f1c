// SPDX-License-Identifier: BSD-3-Clause
// Offsets of rows from the rows of numbers, and the other way.
#include "maniple/device.h"
#include "mathlib/sparse/conversion.h"

// The first number that lies in that row or behind it.
extern "C" __global__ void __launch_bounds__(256) maniple_sp_offsets(const __grid_constant__ sparse_conversion p)
{
    long long line = blockIdx.x * 256LL + threadIdx.x;
    if (line > p.lines)
        return;
    int low = 0, high = p.count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (p.rows[middle] - p.base < line)
            low = middle + 1;
        else
            high = middle;
    }
    p.offsets[line] = low + p.base;
}

// A warp for each row.
extern "C" __global__ void __launch_bounds__(256) maniple_sp_rows(const __grid_constant__ sparse_conversion p)
{
    long long line = blockIdx.x * 8LL + threadIdx.x / 32;
    if (line >= p.lines)
        return;
    for (int i = p.offsets[line] - p.base + (int)(threadIdx.x % 32); i < p.offsets[line + 1] - p.base; i += 32)
        p.rows[i] = (int)line + p.base;
}
