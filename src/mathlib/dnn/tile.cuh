// SPDX-License-Identifier: BSD-3-Clause
/*
 * What tiled convolutions share: tables of places for the columns of a CTA's tile and for the inner dimension of the tile
 * of operands that comes next, so that numbers are split into coordinates once for all threads.
 */
#ifndef MATHLIB_DNN_TILE_CUH
#define MATHLIB_DNN_TILE_CUH

#include "mathlib/dnn/places.cuh"

// The CTA's part of the problem.
struct dnn_share {
    int group, first_row, first_column, first_k, end_k;
};
__device__ __forceinline__ dnn_share share_of(const dnn_convolution &p, int rows, int columns)
{
    int group = blockIdx.z / p.parts, part = blockIdx.z % p.parts;
    long long end = (part + 1LL) * p.part;
    return dnn_share{group, (int)blockIdx.y * rows, (int)blockIdx.x * columns, part * p.part, end < p.depth ? (int)end : p.depth};
}

// The tables of COLUMNS columns and of twice K places along the inner dimension. A column or place that does not exist is
// far beyond the image.
template <int KIND, int COLUMNS, int K> struct dnn_tables {
    dnn_place column[COLUMNS], inner[2][K];

    static __device__ __forceinline__ dnn_place nowhere() { return dnn_place{0, 0, {1 << 30, 0, 0}}; }

    __device__ __forceinline__ void set_columns(const dnn_convolution &p, int first)
    {
        for (int i = threadIdx.x; i < COLUMNS; i += blockDim.x)
            column[i] = first + i < p.columns ? column_place<KIND>(p, first + i) : nowhere();
    }
    __device__ __forceinline__ void set_inner(const dnn_convolution &p, int first, int end, int which)
    {
        if (threadIdx.x < K)
            inner[which][threadIdx.x] = first + (int)threadIdx.x < end ? inner_place<KIND>(p, first + threadIdx.x) : nowhere();
    }
};

// A sum goes to its result, or to the sums of its part.
template <int KIND, class S>
__device__ __forceinline__ void deliver(const dnn_convolution &p, int group, int row, int column, const dnn_column &place, S sum)
{
    if (p.parts == 1) {
        finish<KIND>(p, group, row, place, sum);
        return;
    }
    long long part = blockIdx.z % p.parts;
    ((S *)p.sums)[((part * p.groups + group) * p.rows + row) * p.columns + column] = sum;
}

// The sums of a tile in shared memory and the places of its columns. Neighbours among threads get neighbours in memory.
template <class S, int TILE> struct dnn_results {
    dnn_column place[TILE];
    S sum[TILE][TILE + 1]; // rows of columns

    template <int KIND> __device__ __forceinline__ void set_places(const dnn_convolution &p, int first)
    {
        if (threadIdx.x < TILE && first + (int)threadIdx.x < p.columns)
            place[threadIdx.x] = result_column<KIND>(p, first + threadIdx.x);
    }
    template <int KIND> __device__ __forceinline__ void deliver_all(const dnn_convolution &p, const dnn_share &share) const
    {
        bool tall = p.parts == 1 && result_of<KIND>(p).step[KIND == DNN_FILTER ? 0 : 1] == 1;
#pragma unroll 1
        for (int i = threadIdx.x; i < TILE * TILE; i += blockDim.x) {
            int row = tall ? i % TILE : i / TILE, column = tall ? i / TILE : i % TILE;
            if (share.first_row + row < p.rows && share.first_column + column < p.columns)
                deliver<KIND>(p, share.group, share.first_row + row, share.first_column + column, place[column], sum[row][column]);
        }
    }
};

#endif
