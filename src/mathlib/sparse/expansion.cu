// SPDX-License-Identifier: BSD-3-Clause
// Sums and products of two sparse matrices: expanded, sorted, and summed up.
#include "mathlib/common/numbers.cuh"
#include "mathlib/sparse/expansion.h"

#define KERNEL(name)                                                                                                   \
    extern "C" __global__ void __launch_bounds__(256) maniple_expansion_##name(const __grid_constant__ sparse_expansion p)

__device__ __forceinline__ long long row_of_warp() { return blockIdx.x * 8LL + threadIdx.x / 32; }
__device__ __forceinline__ int length(const sparse_rows &m, int row) { return m.offsets[row + 1] - m.offsets[row]; }

// How many products a row has, by a warp.
KERNEL(count_products)
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

// How many numbers a row of a sum has before those of a column are summed up.
KERNEL(count_terms)
{
    long long row = blockIdx.x * 256LL + threadIdx.x;
    if (row < p.rows)
        p.begins[row] = length(p.a, (int)row) + length(p.b, (int)row);
}

// The products of a row, by a warp: one number of A after the other, with a lane for each number of B's row.
template <class T> __device__ __forceinline__ void multiply_rows(const sparse_expansion &p)
{
    long long row = row_of_warp();
    if (row >= p.rows)
        return;
    unsigned long long *keys = p.keys + p.begins[row];
    T *numbers = (T *)p.numbers + p.begins[row];
    unsigned number = 0;
    for (int i = p.a.offsets[row] - p.a.base; i < p.a.offsets[row + 1] - p.a.base; i++) {
        int line = p.a.across[i] - p.a.base, first = p.b.offsets[line] - p.b.base, count = length(p.b, line);
        T value = multiply(scalar_value<T>(p.alpha), ((const T *)p.a.values)[i]);
        for (int j = (int)threadIdx.x % 32; j < count; j += 32) {
            unsigned long long column = (unsigned)(p.b.across[first + j] - p.b.base);
            keys[number + j] = column << 32 | (number + j);
            numbers[number + j] = multiply(value, ((const T *)p.b.values)[first + j]);
        }
        number += count;
    }
}

// The numbers of a row of A, multiplied, or their places alone, behind `before` others.
template <class T>
__device__ __forceinline__ void copy_row(const sparse_expansion &p, const sparse_rows &m, const mathlib_scalar &factor, long long row, int before)
{
    int first = m.offsets[row] - m.base;
    T multiplier = scalar_value<T>(factor);
    for (int i = (int)threadIdx.x % 32; i < length(m, (int)row); i += 32) {
        long long to = p.begins[row] + before + i;
        p.keys[to] = (unsigned long long)(unsigned)(m.across[first + i] - m.base) << 32 | (unsigned)(before + i);
        if (m.values)
            ((T *)p.numbers)[to] = multiply(multiplier, ((const T *)m.values)[first + i]);
    }
}
template <class T> __device__ __forceinline__ void add_rows(const sparse_expansion &p)
{
    long long row = row_of_warp();
    if (row >= p.rows)
        return;
    copy_row<T>(p, p.a, p.alpha, row, 0);
    copy_row<T>(p, p.b, p.beta, row, length(p.a, (int)row));
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

template <class T> __device__ __forceinline__ T sum_of_column(const unsigned long long *keys, const T *numbers, long long i, long long count)
{
    T sum = numbers[(unsigned)keys[i]];
    for (long long j = i + 1; j < count && keys[j] >> 32 == keys[i] >> 32; j++)
        sum = add(sum, numbers[(unsigned)keys[j]]);
    return sum;
}

// A row of C, by a warp: a lane for each column.
template <class T> __device__ __forceinline__ void write(const sparse_expansion &p)
{
    long long row = row_of_warp();
    if (row >= p.rows)
        return;
    const unsigned long long *keys = p.keys + p.begins[row];
    const T *numbers = (const T *)p.numbers + p.begins[row];
    long long count = p.begins[row + 1] - p.begins[row], to = p.sizes[row];
    for (long long first = 0; first < count; first += 32) {
        long long i = first + threadIdx.x % 32;
        bool begins = i < count && is_first(keys, i);
        unsigned all = __ballot_sync(~0u, begins), before = __popc(all & ((1u << threadIdx.x % 32) - 1));
        if (begins) {
            p.c.across[to + before] = (int)(keys[i] >> 32) + p.c.base;
            ((T *)p.c.values)[to + before] = sum_of_column(keys, numbers, i, count);
        }
        to += __popc(all);
    }
}

// The offsets of C, with its base.
KERNEL(offsets)
{
    long long row = blockIdx.x * 256LL + threadIdx.x;
    if (row <= p.rows)
        p.c.offsets[row] = (int)p.sizes[row] + p.c.base;
}

#define KERNELS(letter, T)                                                                                             \
    KERNEL(letter##_products) { multiply_rows<T>(p); }                                                                 \
    KERNEL(letter##_terms) { add_rows<T>(p); }                                                                         \
    KERNEL(letter##_write) { write<T>(p); }
KERNELS(s, float)
KERNELS(d, double)
KERNELS(c, c32)
KERNELS(z, c64)
