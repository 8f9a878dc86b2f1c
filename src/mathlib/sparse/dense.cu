// SPDX-License-Identifier: BSD-3-Clause
// Between dense and sparse matrices, for numbers of any size.
#include "maniple/device.h"
#include "mathlib/sparse/dense.h"
#include "mathlib/sparse/lists.cuh"

#define KERNEL(name)                                                                                                   \
    extern "C" __global__ void __launch_bounds__(256) maniple_sp_##name(const __grid_constant__ sparse_dense p)

__device__ __forceinline__ void set_place(void *list, int wide, long long i, long long value)
{
    if (wide)
        ((long long *)list)[i] = value;
    else
        ((int *)list)[i] = (int)value;
}

// Numbers have 2 to 16 bytes, and lie at multiples of their parts.
__device__ __forceinline__ void copy(const sparse_dense &p, void *to, long long to_place, const void *from, long long from_place)
{
    for (int i = 0; i < p.bytes / 2; i++)
        ((short *)to)[to_place * (p.bytes / 2) + i] = ((const short *)from)[from_place * (p.bytes / 2) + i];
}

KERNEL(dense_clear)
{
    long long i = blockIdx.x * 256LL + threadIdx.x;
    if (i >= p.lines * p.length)
        return;
    short *to = (short *)p.dense + (i / p.length * p.line_step + i % p.length * p.across_step) * (p.bytes / 2);
    for (int part = 0; part < p.bytes / 2; part++)
        to[part] = 0;
}

// A warp for each line that is compressed.
KERNEL(dense_lines)
{
    long long line = blockIdx.x * 8LL + threadIdx.x / 32;
    if (line >= p.lines)
        return;
    long long end = place(p.offsets, p.wide_offsets, line + 1, p.base);
    for (long long i = place(p.offsets, p.wide_offsets, line, p.base) + threadIdx.x % 32; i < end; i += 32)
        copy(p, p.dense, line * p.line_step + place(p.across, p.wide, i, p.base) * p.across_step, p.values, i);
}
KERNEL(dense_places)
{
    long long i = blockIdx.x * 256LL + threadIdx.x;
    if (i < p.count)
        copy(p, p.dense, place(p.line, p.wide, i, p.base) * p.line_step + place(p.across, p.wide, i, p.base) * p.across_step,
             p.values, i);
}

// Whether a dense number is another than 0, with whatever sign.
__device__ __forceinline__ bool is_number(const sparse_dense &p, long long line, long long across)
{
    const char *at = (const char *)p.dense + (line * p.line_step + across * p.across_step) * p.bytes;
    unsigned long long bits = 0;
    for (int i = 0; i < p.bytes; i += p.part)
        bits |= p.part == 2 ? *(const unsigned short *)(at + i) & 0x7fffULL
                : p.part == 4 ? *(const unsigned *)(at + i) & 0x7fffffffULL
                              : *(const unsigned long long *)(at + i) & 0x7fffffffffffffffULL;
    return bits != 0;
}

// How many numbers a line has, by a warp.
KERNEL(dense_count)
{
    long long line = blockIdx.x * 8LL + threadIdx.x / 32, sum = 0;
    if (line >= p.lines)
        return;
    for (long long first = 0; first < p.length; first += 32) {
        long long i = first + threadIdx.x % 32;
        sum += __popc(__ballot_sync(~0u, i < p.length && is_number(p, line, i)));
    }
    if (threadIdx.x % 32 == 0)
        p.sizes[line] = sum;
}

// The numbers of a line with their places, by a warp; and its offset, or its number beside each.
KERNEL(dense_gather)
{
    long long line = blockIdx.x * 8LL + threadIdx.x / 32;
    if (line >= p.lines)
        return;
    long long to = p.sizes[line];
    if (p.offsets && threadIdx.x % 32 == 0) {
        set_place(p.offsets, p.wide_offsets, line, to + p.base);
        if (line == p.lines - 1)
            set_place(p.offsets, p.wide_offsets, p.lines, p.sizes[p.lines] + p.base);
    }
    for (long long first = 0; first < p.length; first += 32) {
        long long i = first + threadIdx.x % 32;
        bool is = i < p.length && is_number(p, line, i);
        unsigned all = __ballot_sync(~0u, is), before = __popc(all & ((1u << threadIdx.x % 32) - 1));
        if (is) {
            set_place(p.across, p.wide, to + before, i + p.base);
            if (!p.offsets)
                set_place(p.line, p.wide, to + before, line + p.base);
            copy(p, p.values, to + before, p.dense, line * p.line_step + i * p.across_step);
        }
        to += __popc(all);
    }
}
