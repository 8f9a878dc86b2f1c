// SPDX-License-Identifier: BSD-3-Clause
// Products of two sparse matrices: expanded, sorted, and summed up.
#include "mathlib/common/numbers.cuh"
#include "mathlib/sparse/spgemm.h"

#define KERNEL(name)                                                                                                   \
    extern "C" __global__ void __launch_bounds__(256) maniple_spgemm_##name(const __grid_constant__ sparse_spgemm p)

__device__ __forceinline__ long long row_of_warp() { return blockIdx.x * 8LL + threadIdx.x / 32; }
__device__ __forceinline__ int length(const sparse_rows &m, int row) { return m.offsets[row + 1] - m.offsets[row]; }

// The number of products of a row, by a warp.
KERNEL(count)
{
    long long row = row_of_warp();
    double sum = 0; // exact, and of 64 bits as what a shuffle takes
    if (row >= p.rows)
        return;
    int end = p.a.offsets[row + 1] - p.a.base;
    for (int i = p.a.offsets[row] - p.a.base + (int)threadIdx.x % 32; i < end; i += 32)
        sum += length(p.b, p.a.across[i] - p.a.base);
    for (int distance = 16; distance > 0; distance /= 2)
        sum += __shfl_xor_sync(~0u, sum, distance);
    if (threadIdx.x % 32 == 0)
        p.begins[row] = (long long)sum;
}

// Offsets of numbers of rows, by one CTA, 256 at a time; the last is the sum.
KERNEL(scan)
{
    __shared__ long long sums[256];
    long long before = 0;
    int me = (int)threadIdx.x;
    for (long long first = 0; first < p.rows; first += 256) {
        long long own = first + me < p.rows ? p.scanned[first + me] : 0;
        sums[me] = own;
        for (int distance = 1; distance < 256; distance *= 2) {
            __syncthreads();
            long long more = me >= distance ? sums[me - distance] : 0;
            __syncthreads();
            sums[me] += more;
        }
        __syncthreads();
        if (first + me < p.rows)
            p.scanned[first + me] = before + sums[me] - own;
        before += sums[255];
        __syncthreads();
    }
    if (me == 0)
        p.scanned[p.rows] = before;
}

// The products of a row, by a warp: one number of A after the other, with a lane for each number of B's row.
template <class T> __device__ __forceinline__ void expand(const sparse_spgemm &p)
{
    long long row = row_of_warp();
    if (row >= p.rows)
        return;
    unsigned long long *keys = p.keys + p.begins[row];
    T *products = (T *)p.products + p.begins[row];
    unsigned number = 0;
    for (int i = p.a.offsets[row] - p.a.base; i < p.a.offsets[row + 1] - p.a.base; i++) {
        int line = p.a.across[i] - p.a.base, first = p.b.offsets[line] - p.b.base, count = length(p.b, line);
        T value = ((const T *)p.a.values)[i];
        for (int j = (int)threadIdx.x % 32; j < count; j += 32) {
            unsigned long long column = (unsigned)(p.b.across[first + j] - p.b.base);
            keys[number + j] = column << 32 | (number + j);
            products[number + j] = multiply(value, ((const T *)p.b.values)[first + j]);
        }
        number += count;
    }
}

__device__ __forceinline__ void in_order(unsigned long long *keys, long long count, long long low, long long high)
{
    if (high >= count || keys[low] <= keys[high])
        return;
    unsigned long long key = keys[low];
    keys[low] = keys[high], keys[high] = key;
}

// The keys of a row in ascending order, by a CTA: Batcher's bitonic sort with all comparators in one direction, so that what lies behind
// the end counts as infinite and never moves.
KERNEL(sort)
{
    unsigned long long *keys = p.keys + p.begins[blockIdx.x];
    long long count = p.begins[blockIdx.x + 1] - p.begins[blockIdx.x], pairs = 1;
    while (2 * pairs < count)
        pairs *= 2;
    for (long long size = 2; size <= 2 * pairs && count > 1; size *= 2) {
        for (long long t = threadIdx.x; t < pairs; t += 256) {
            long long block = t / (size / 2) * size, place = t % (size / 2);
            in_order(keys, count, block + place, block + size - 1 - place);
        }
        __syncthreads();
        for (long long distance = size / 4; distance > 0; distance /= 2) {
            for (long long t = threadIdx.x; t < pairs; t += 256) {
                long long low = t / distance * 2 * distance + t % distance;
                in_order(keys, count, low, low + distance);
            }
            __syncthreads();
        }
    }
}

// Whether a product is the first of its column.
__device__ __forceinline__ bool is_first(const unsigned long long *keys, long long i)
{
    return i == 0 || keys[i] >> 32 != keys[i - 1] >> 32;
}

// The number of columns of a row, by a warp.
KERNEL(columns)
{
    long long row = row_of_warp(), sum = 0;
    if (row >= p.rows)
        return;
    const unsigned long long *keys = p.keys + p.begins[row];
    long long count = p.begins[row + 1] - p.begins[row];
    for (long long first = 0; first < count; first += 32) {
        long long i = first + threadIdx.x % 32;
        sum += __popc(__ballot_sync(~0u, i < count && is_first(keys, i)));
    }
    if (threadIdx.x % 32 == 0)
        p.sizes[row] = sum;
}

template <class T> __device__ __forceinline__ T sum_of_column(const unsigned long long *keys, const T *products, long long i, long long count)
{
    T sum = products[(unsigned)keys[i]];
    for (long long j = i + 1; j < count && keys[j] >> 32 == keys[i] >> 32; j++)
        sum = add(sum, products[(unsigned)keys[j]]);
    return sum;
}

// A row of C, by a warp: a lane for each column.
template <class T> __device__ __forceinline__ void write(const sparse_spgemm &p)
{
    long long row = row_of_warp();
    if (row >= p.rows)
        return;
    const unsigned long long *keys = p.keys + p.begins[row];
    const T *products = (const T *)p.products + p.begins[row];
    long long count = p.begins[row + 1] - p.begins[row], to = p.sizes[row];
    T alpha = scalar_value<T>(p.alpha);
    for (long long first = 0; first < count; first += 32) {
        long long i = first + threadIdx.x % 32;
        bool begins = i < count && is_first(keys, i);
        unsigned all = __ballot_sync(~0u, begins), before = __popc(all & ((1u << threadIdx.x % 32) - 1));
        if (begins) {
            p.c.across[to + before] = (int)(keys[i] >> 32) + p.c.base;
            ((T *)p.c.values)[to + before] = multiply(alpha, sum_of_column(keys, products, i, count));
        }
        to += __popc(all);
    }
    if (threadIdx.x % 32 == 0) {
        p.c.offsets[row] = (int)p.sizes[row] + p.c.base;
        if (row == p.rows - 1)
            p.c.offsets[p.rows] = (int)p.sizes[p.rows] + p.c.base;
    }
}

#define KERNELS(letter, T)                                                                                             \
    KERNEL(letter##_expand) { expand<T>(p); }                                                                          \
    KERNEL(letter##_write) { write<T>(p); }
KERNELS(s, float)
KERNELS(d, double)
KERNELS(c, c32)
KERNELS(z, c64)
