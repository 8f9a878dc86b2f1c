// SPDX-License-Identifier: BSD-3-Clause
/*
 * Products of matrices without tensor cores, in tiles: a CTA computes BM x BN numbers of D, a thread TM x TN of them.
 * Tiles of A and B go through shared memory, the next one through registers while the present one is multiplied.
 */
#ifndef MATHLIB_GEMM_CUH
#define MATHLIB_GEMM_CUH

#include "mathlib/common/numbers.cuh"
#include "mathlib/blas/gemm.h"

template <class T> __device__ __forceinline__ const T *matrix_of(const mathlib_operand &o, long long index)
{
    return o.array ? ((const T *const *)o.data)[index] + o.offset : (const T *)o.data + index * o.batch;
}

// The number in row i and column j of an operand of which a part is stored.
template <class T> __device__ __forceinline__ T shaped(const mathlib_operand &o, const T *data, long long i, long long j)
{
    bool stored = o.part == MATHLIB_LOWER ? i >= j : i <= j;
    bool conjugate = o.conjugate;
    if (o.shape == MATHLIB_TRIANGLE) {
        if (!stored)
            return zero_of<T>();
        if (o.unit && i == j)
            return numbers<T>::make(1, 0);
    } else if (o.shape != MATHLIB_FULL && !stored) {
        long long swap = i;
        i = j, j = swap;
        conjugate = conjugate != (o.shape == MATHLIB_HERMITIAN);
    }
    T value = data[i * o.row + j * o.column];
    if (o.shape == MATHLIB_HERMITIAN && i == j)
        value = numbers<T>::only_real(value);
    return conjugate ? numbers<T>::conj(value) : value;
}

// Writes alpha * sum + beta * C into D, where D has that row and column and is to be written there.
template <class OUT, class ACC>
__device__ inline void finish(const mathlib_gemm &g, const OUT *c, OUT *d, ACC sum, long long i, long long j, ACC alpha,
                              ACC beta)
{
    if (i >= g.m || j >= g.n || (g.part == MATHLIB_LOWER && i < j) || (g.part == MATHLIB_UPPER && i > j))
        return;
    ACC value = multiply(alpha, sum);
    if (!is_zero(beta))
        value = mad(beta, convert<ACC>(c[i * g.c.row + j * g.c.column]), value);
    if (g.real_diagonal && i == j)
        value = numbers<ACC>::only_real(value);
    d[i * g.d.row + j * g.d.column] = convert<OUT>(value);
}

// One operand's way into shared memory: COUNT lines along m or n, BK along k.
template <class IN, class ACC, int COUNT, int BK, int THREADS, bool SHAPED> struct tile_reader {
    static const int LOADS = COUNT * BK / THREADS;
    const mathlib_operand &o;
    const IN *data, *at;
    long long first, along_stride, step;
    int line, along, lines, line_step, along_step; // `line` and `along` in the tile, which has `lines` that exist
    ACC held[LOADS];

    // `begin`: the tile's first line; `by_row`: lines are rows (of A), else columns (of B).
    __device__ tile_reader(const mathlib_operand &operand, const IN *matrix, long long begin, long long count, bool by_row)
        : o(operand), data(matrix), first(begin)
    {
        long long line_stride = by_row ? o.row : o.column;
        along_stride = by_row ? o.column : o.row;
        lines = count - first < COUNT ? (int)(count - first) : COUNT;
        int t = threadIdx.x;
        bool lines_contiguous = line_stride == 1 || line_stride == -1;
        line = lines_contiguous ? t % COUNT : t / BK;
        along = lines_contiguous ? t / COUNT : t % BK;
        line_step = lines_contiguous ? 0 : THREADS / BK;
        along_step = lines_contiguous ? THREADS / COUNT : 0;
        at = data + (first + line) * line_stride + along * along_stride;
        step = line_step * line_stride + along_step * along_stride;
    }
    // The next tile, which begins with number `k` of `depth` along k.
    __device__ void fetch(long long k, long long depth, bool by_row)
    {
        const IN *from = at;
        int left = depth - k < BK ? (int)(depth - k) : BK;
        at += BK * along_stride;
        if (!SHAPED && left == BK && lines == COUNT) {
#pragma unroll
            for (int n = 0; n < LOADS; n++, from += step)
                held[n] = convert<ACC>(*from);
            return;
        }
#pragma unroll
        for (int n = 0; n < LOADS; n++, from += step) {
            int l = line + n * line_step, a = along + n * along_step;
            held[n] = zero_of<ACC>();
            if (l < lines && a < left) {
                if (SHAPED)
                    held[n] = convert<ACC>(by_row ? shaped(o, data, first + l, k + a) : shaped(o, data, k + a, first + l));
                else
                    held[n] = convert<ACC>(*from);
            }
        }
    }
    template <int PAD> __device__ void put(ACC (*tile)[COUNT + PAD])
    {
#pragma unroll
        for (int n = 0; n < LOADS; n++) {
            ACC value = held[n];
            if (!SHAPED && o.conjugate)
                value = numbers<ACC>::conj(value);
            tile[along + n * along_step][line + n * line_step] = value;
        }
    }
};

// Neighbours that are read from shared memory at once.
template <class T, int N> struct alignas(sizeof(T) * N) together {
    T of[N];
};

// Writes a thread's numbers of D where all of D is written and nothing is added: `row` and `column` of them in a tile of
// which `rows` and `columns` exist and begin at `d`. Neighbours of a column go together where D has whole vectors.
template <class OUT, class ACC, int VM, int VN, int ACROSS, int DOWN, int TM, int TN>
__device__ __forceinline__ void finish_plain(const mathlib_gemm &g, OUT *d, ACC (&sum)[TM][TN], int row, int column, int rows,
                                             int columns, ACC alpha)
{
    typedef together<OUT, VM> vector;
    bool vectors = g.d.row == 1 && (unsigned long long)d % sizeof(vector) == 0 && g.d.column % VM == 0;
    d += row * g.d.row + column * g.d.column;
#pragma unroll
    for (int j = 0; j < TN; j++) {
        OUT *to = d + (j / VN * DOWN * VN + j % VN) * g.d.column;
        bool exists = column + j / VN * DOWN * VN + j % VN < columns;
#pragma unroll
        for (int i = 0; i < TM; i += VM) {
            int left = exists ? rows - row - i * ACROSS : 0;
            vector value;
#pragma unroll
            for (int n = 0; n < VM; n++)
                value.of[n] = convert<OUT>(multiply(alpha, sum[i + n][j]));
            if (vectors && left >= VM)
                *(vector *)(to + i * ACROSS) = value;
            else
#pragma unroll
                for (int n = 0; n < VM; n++)
                    if (n < left)
                        to[(i * ACROSS + n) * g.d.row] = value.of[n];
        }
    }
}

template <class IN, class OUT, class ACC, int BM, int BN, int BK, int TM, int TN, bool SHAPED>
__device__ inline void gemm_tile(const mathlib_gemm &g)
{
    const int ACROSS = BM / TM, DOWN = BN / TN, THREADS = ACROSS * DOWN;
    const int WIDE = 16 / sizeof(ACC), VM = TM < WIDE ? TM : WIDE, VN = TN < WIDE ? TN : WIDE;
    typedef together<ACC, VM> vector_m;
    typedef together<ACC, VN> vector_n;
    __shared__ __align__(16) ACC tile_a[2][BK][BM + VM], tile_b[2][BK][BN + VN];
    long long first_i = (long long)blockIdx.x * BM, first_j = (long long)blockIdx.y * BN, batch = blockIdx.z;
    if ((g.part == MATHLIB_LOWER && first_i + BM <= first_j) || (g.part == MATHLIB_UPPER && first_j + BN <= first_i))
        return; // nothing of this tile is written
    tile_reader<IN, ACC, BM, BK, THREADS, SHAPED> a(g.a, matrix_of<IN>(g.a, batch), first_i, g.m, true);
    tile_reader<IN, ACC, BN, BK, THREADS, SHAPED> b(g.b, matrix_of<IN>(g.b, batch), first_j, g.n, false);
    int x = threadIdx.x % ACROSS, y = threadIdx.x / ACROSS;
    ACC sum[TM][TN];
#pragma unroll
    for (int i = 0; i < TM; i++)
#pragma unroll
        for (int j = 0; j < TN; j++)
            sum[i][j] = zero_of<ACC>();
    a.fetch(0, g.k, true), b.fetch(0, g.k, false);
    int turn = 0;
    for (long long k = 0; k < g.k; k += BK, turn ^= 1) {
        a.template put<VM>(tile_a[turn]), b.template put<VN>(tile_b[turn]);
        __syncthreads();
        if (k + BK < g.k)
            a.fetch(k + BK, g.k, true), b.fetch(k + BK, g.k, false);
#pragma unroll
        for (int depth = 0; depth < BK; depth++) {
            vector_m va[TM / VM];
            vector_n vb[TN / VN];
#pragma unroll
            for (int i = 0; i < TM / VM; i++)
                va[i] = *(const vector_m *)&tile_a[turn][depth][(i * ACROSS + x) * VM];
#pragma unroll
            for (int j = 0; j < TN / VN; j++)
                vb[j] = *(const vector_n *)&tile_b[turn][depth][(j * DOWN + y) * VN];
#pragma unroll
            for (int i = 0; i < TM; i++)
#pragma unroll
                for (int j = 0; j < TN; j++)
                    sum[i][j] = mad(va[i / VM].of[i % VM], vb[j / VN].of[j % VN], sum[i][j]);
        }
    }
    ACC alpha = scalar_value<ACC>(g.alpha), beta = scalar_value<ACC>(g.beta);
    const OUT *c = matrix_of<OUT>(g.c, batch);
    OUT *d = (OUT *)matrix_of<OUT>(g.d, batch);
    if (g.part == MATHLIB_ALL && !g.real_diagonal && is_zero(beta)) {
        int rows = g.m - first_i < BM ? (int)(g.m - first_i) : BM, columns = g.n - first_j < BN ? (int)(g.n - first_j) : BN;
        d += first_i * g.d.row + first_j * g.d.column;
        finish_plain<OUT, ACC, VM, VN, ACROSS, DOWN, TM, TN>(g, d, sum, x * VM, y * VN, rows, columns, alpha);
        return;
    }
#pragma unroll
    for (int j = 0; j < TN; j++)
#pragma unroll
        for (int i = 0; i < TM; i++)
            finish(g, c, d, sum[i][j], first_i + (i / VM * ACROSS + x) * VM + i % VM,
                   first_j + (j / VN * DOWN + y) * VN + j % VN, alpha, beta);
}

#define GEMM_KERNEL(name, IN, OUT, ACC, BM, BN, BK, TM, TN, SHAPED)                                                    \
    extern "C" __global__ void __launch_bounds__((BM / TM) * (BN / TN)) name(const __grid_constant__ mathlib_gemm g)   \
    {                                                                                                                  \
        gemm_tile<IN, OUT, ACC, BM, BN, BK, TM, TN, SHAPED>(g);                                                        \
    }

#endif
