// SPDX-License-Identifier: BSD-3-Clause
/* Lists of places and of sizes, as kernels of sparse matrices have them. */
#ifndef MATHLIB_SPARSE_LISTS_CUH
#define MATHLIB_SPARSE_LISTS_CUH

// A place of 32 or 64 bits, counted from 0.
__device__ __forceinline__ long long place(const void *list, int wide, long long i, int base)
{
    return (wide ? ((const long long *)list)[i] : ((const int *)list)[i]) - base;
}

// Sizes become offsets, of which the first is `before`; behind the last stands the end. One CTA of 256 threads takes 256 at a time.
template <class T> __device__ __forceinline__ void offsets_of_sizes(T *list, long long count, T before)
{
    __shared__ T sums[256];
    int me = (int)threadIdx.x;
    for (long long first = 0; first < count; first += 256) {
        T own = first + me < count ? list[first + me] : 0;
        sums[me] = own;
        for (int distance = 1; distance < 256; distance *= 2) {
            __syncthreads();
            T more = me >= distance ? sums[me - distance] : 0;
            __syncthreads();
            sums[me] += more;
        }
        __syncthreads();
        if (first + me < count)
            list[first + me] = before + sums[me] - own;
        before += sums[255];
        __syncthreads();
    }
    if (me == 0)
        list[count] = before;
}

#endif
