// SPDX-License-Identifier: BSD-3-Clause
/* Triangular systems of equations in the place of their right-hand sides. */
#ifndef MATHLIB_SOLVER_TRIANGLE_CUH
#define MATHLIB_SOLVER_TRIANGLE_CUH

#include "mathlib/solver/cta.cuh"

// Solves with one triangle of `a`, its numbers conjugated or not, from the first row down or from the last one up.
template <class T>
__device__ inline void triangle(const view<T> &a, int n, bool conjugated, bool down, bool unit, const view<T> &b,
                                int columns)
{
#pragma unroll 1
    for (int step = 0; step < n; step++) {
        int k = down ? step : n - 1 - step, first = down ? k + 1 : 0, end = down ? n : k;
        T diagonal = conjugate_if(conjugated, a.at(k, k));
#pragma unroll 1
        BY_THREADS(j, 0, unit ? 0 : columns) b.at(k, j) = divide(b.at(k, j), diagonal);
        __syncthreads();
#pragma unroll 1
        BY_WARPS(j, 0, columns)
        {
            T minus = negative(b.at(k, j));
#pragma unroll 1
            BY_LANES(i, first, end) b.at(i, j) = mad(conjugate_if(conjugated, a.at(i, k)), minus, b.at(i, j));
        }
        __syncthreads();
    }
}

#endif
