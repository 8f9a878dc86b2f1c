// SPDX-License-Identifier: BSD-3-Clause
// Places of numbers in order, by a merge sort that keeps the order of equal ones; numbers from places of a vector, and to them.
#include "maniple/device.h"
#include "mathlib/sparse/lists.cuh"
#include "mathlib/sparse/order.h"

#define KERNEL(name)                                                                                                   \
    extern "C" __global__ void __launch_bounds__(256) maniple_sp_##name(const __grid_constant__ sparse_order p)

__device__ __forceinline__ void pack(const sparse_order &p, long long i, unsigned first)
{
    p.to_keys[i] = (unsigned long long)first << 32 | (unsigned)p.second[i];
    p.to[i] = p.permutation ? p.permutation[i] : 0;
}
KERNEL(order_pack)
{
    long long i = blockIdx.x * 256LL + threadIdx.x;
    if (i < p.count)
        pack(p, i, (unsigned)p.first[i]);
}
// A warp for each line.
KERNEL(order_pack_lines)
{
    long long line = blockIdx.x * 8LL + threadIdx.x / 32;
    if (line >= p.lines)
        return;
    for (int i = p.offsets[line] - p.base + (int)threadIdx.x % 32; i < p.offsets[line + 1] - p.base; i += 32)
        pack(p, i, (unsigned)line);
}

// How many keys of a sorted run are less, or, with `equal`, not greater.
__device__ __forceinline__ long long before(const unsigned long long *keys, long long count, unsigned long long key, bool equal)
{
    long long low = 0, high = count;
    while (low < high) {
        long long middle = low + (high - low) / 2;
        if (keys[middle] < key || (equal && keys[middle] == key))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Two runs become one: a number goes behind those of its own run, and behind those of the other that come first.
KERNEL(order_merge)
{
    long long i = blockIdx.x * 256LL + threadIdx.x;
    if (i >= p.count)
        return;
    long long pair = i / (2 * p.run) * 2 * p.run, middle = pair + p.run < p.count ? pair + p.run : p.count;
    long long end = middle + p.run < p.count ? middle + p.run : p.count;
    bool left = i < middle;
    unsigned long long key = p.from_keys[i];
    long long others = left ? before(p.from_keys + middle, end - middle, key, false) : before(p.from_keys + pair, middle - pair, key, true);
    long long to = pair + (left ? i - pair : i - middle) + others;
    p.to_keys[to] = key;
    p.to[to] = p.from[i];
}
KERNEL(order_unpack)
{
    long long i = blockIdx.x * 256LL + threadIdx.x;
    if (i >= p.count)
        return;
    if (!p.offsets)
        p.first[i] = (int)(p.from_keys[i] >> 32);
    p.second[i] = (int)p.from_keys[i];
    if (p.permutation)
        p.permutation[i] = p.from[i];
}
KERNEL(order_identity)
{
    long long i = blockIdx.x * 256LL + threadIdx.x;
    if (i < p.count)
        p.permutation[i] = (int)i;
}

__device__ __forceinline__ void move(void *to, long long to_place, const void *from, long long from_place, int bytes)
{
    for (int i = 0; i < bytes; i++)
        ((char *)to)[to_place * bytes + i] = ((const char *)from)[from_place * bytes + i];
}
#define PLACES(name)                                                                                                   \
    extern "C" __global__ void __launch_bounds__(256) maniple_sp_##name(const __grid_constant__ sparse_places p)
PLACES(gather)
{
    long long i = blockIdx.x * 256LL + threadIdx.x;
    if (i < p.count)
        move(p.values, i, p.vector, place(p.places, p.wide, i, p.base), p.bytes);
}
PLACES(scatter)
{
    long long i = blockIdx.x * 256LL + threadIdx.x;
    if (i < p.count)
        move(p.vector, place(p.places, p.wide, i, p.base), p.values, i, p.bytes);
}
