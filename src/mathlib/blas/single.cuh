// SPDX-License-Identifier: BSD-3-Clause
/*
 * Products of matrices of floats without tensor cores: a CTA computes BM x BN numbers of D, a warp eight times TM rows and four
 * times TN columns of them. Eight numbers of the inner dimension at a time go through registers to one of two places in shared
 * memory, while the eight before them are multiplied; a thread reads the next numbers out of shared memory while it
 * multiplies the present ones. Lines behind the last one of an operand are the last one again: what comes of them is not written.
 */
#ifndef MATHLIB_SINGLE_CUH
#define MATHLIB_SINGLE_CUH

#include "mathlib/blas/fragment.cuh"
#include "mathlib/blas/gemm.cuh"

enum { SINGLE_DEPTH = 8, SINGLE_PAD = 4 };

// Statements that compilers leave in their order, by which neither loads nor products wait for one another.
__device__ __forceinline__ float number_from(const float *from)
{
    float value;
    asm volatile("ld.global.f32 %0, [%1];" : "=f"(value) : "l"(from));
    return value;
}
template <int OFFSET> __device__ __forceinline__ void four_from(float *to, unsigned shared)
{
    asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4 + %5];"
                 : "=f"(to[0]), "=f"(to[1]), "=f"(to[2]), "=f"(to[3])
                 : "r"(shared), "n"(OFFSET));
}
__device__ __forceinline__ void multiply_add(float &sum, float a, float b)
{
    asm volatile("fma.rn.f32 %0, %1, %2, %0;" : "+f"(sum) : "f"(a), "f"(b));
}

// One operand's way into shared memory, COUNT lines. LINES: what is contiguous is lines, and else the inner dimension.
template <int COUNT, int THREADS, bool LINES> struct single_reader {
    static const int LOADS = COUNT * SINGLE_DEPTH / THREADS, PITCH = COUNT + SINGLE_PAD;
    static const int LINE_STEP = LINES ? 0 : THREADS / SINGLE_DEPTH, DEPTH_STEP = LINES ? THREADS / COUNT : 0;
    const float *from[LOADS];
    float held[LOADS];
    long long step; // to the next tile

    static __device__ int line() { return LINES ? threadIdx.x % COUNT : threadIdx.x / SINGLE_DEPTH; }
    static __device__ int depth() { return LINES ? threadIdx.x / COUNT : threadIdx.x % SINGLE_DEPTH; }
    __device__ __forceinline__ single_reader(const mathlib_operand &o, const float *matrix, long long first, long long lines, bool by_row)
    {
        long long line_stride = by_row ? o.row : o.column, depth_stride = by_row ? o.column : o.row;
        int last = (int)(lines - first < COUNT ? lines - first : COUNT) - 1;
        step = SINGLE_DEPTH * depth_stride;
#pragma unroll
        for (int n = 0; n < LOADS; n++) {
            int at = line() + n * LINE_STEP;
            from[n] = matrix + (first + (at < last ? at : last)) * line_stride + (depth() + n * DEPTH_STEP) * depth_stride;
        }
    }
    // The first tile has `count` numbers of the inner dimension, so that all later ones are whole.
    __device__ __forceinline__ void fetch_first(int count)
    {
#pragma unroll
        for (int n = 0; n < LOADS; n++) {
            held[n] = depth() + n * DEPTH_STEP < count ? number_from(from[n]) : 0;
            from[n] += step / SINGLE_DEPTH * count;
        }
    }
    __device__ __forceinline__ void fetch()
    {
#pragma unroll
        for (int n = 0; n < LOADS; n++)
            held[n] = number_from(from[n]), from[n] += step;
    }
    static __device__ unsigned place() { return (unsigned)(depth() * PITCH + line()) * 4; }
    template <int N = 0> __device__ __forceinline__ void put(unsigned shared) const
    {
        if constexpr (N < LOADS) {
            asm volatile("st.shared.f32 [%0 + %1], %2;" ::"r"(shared), "n"(N * (DEPTH_STEP * PITCH + LINE_STEP) * 4), "f"(held[N]) : "memory");
            put<N + 1>(shared);
        }
    }
};

template <int TM, int TN> struct single_numbers {
    float a[TM], b[TN];
    template <int AT_A, int AT_B> __device__ __forceinline__ void load(unsigned from_a, unsigned from_b)
    {
        four_from<AT_A>(a, from_a), four_from<AT_B>(b, from_b);
        if constexpr (TM == 8)
            four_from<AT_A + 128>(a + 4, from_a);
        if constexpr (TN == 8)
            four_from<AT_B + 64>(b + 4, from_b);
    }
};

// The first number of a product's operand. FETCHED: memory may have its address, which `maniple run --values needed` takes to depend on
// all that a kernel writes, so that kernels which have addresses and factors in their parameters are others.
template <bool FETCHED> __device__ __forceinline__ const float *first_of(const mathlib_operand &o, long long batch)
{
    return FETCHED ? matrix_of<float>(o, batch) : (const float *)o.data + batch * o.batch;
}
template <bool FETCHED> __device__ __forceinline__ float factor_of(const mathlib_scalar &s)
{
    return FETCHED ? scalar_value<float>(s) : (float)s.re;
}

// Four neighbours of a column of D, if they exist.
__device__ __forceinline__ void store_four(float *to, float x, float y, float z, float w, bool exist)
{
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %0, 0; @p st.global.v4.f32 [%1], {%2, %3, %4, %5}; }" ::"r"((unsigned)exist), "l"(to), "f"(x),
                 "f"(y), "f"(z), "f"(w)
                 : "memory");
}

// Writes a thread's numbers of D; `row` and `column` are those of its first one in the tile.
template <int BM, int BN, int TM, int TN, bool FETCHED>
__device__ __forceinline__ void single_finish(const mathlib_gemm &g, float (&sum)[TM][TN], long long first_i, long long first_j, int row, int column,
                                              long long batch)
{
    float alpha = factor_of<FETCHED>(g.alpha), beta = factor_of<FETCHED>(g.beta);
    float *d = (float *)first_of<FETCHED>(g.d, batch);
    int rows = g.m - first_i < BM ? (int)(g.m - first_i) : BM, columns = g.n - first_j < BN ? (int)(g.n - first_j) : BN;
    bool vectors = g.d.row == 1 && (unsigned long long)d % 16 == 0 && (g.d.column | rows) % 4 == 0;
    if (beta == 0 && vectors) {
        float *to = d + first_i + row + (first_j + column) * g.d.column;
#pragma unroll
        for (int j = 0; j < TN; j++) {
            bool exists = column + j / 4 * 16 + j % 4 < columns;
#pragma unroll
            for (int i = 0; i < TM; i += 4)
                store_four(to + i * 8, alpha * sum[i][j], alpha * sum[i + 1][j], alpha * sum[i + 2][j], alpha * sum[i + 3][j],
                           exists && row + i * 8 < rows);
            to += (j % 4 == 3 ? 13 : 1) * g.d.column;
        }
        return;
    }
    const float *c = first_of<FETCHED>(g.c, batch) + (first_i + row) * g.c.row;
    d += (first_i + row) * g.d.row;
    int left_m = rows - row, left_n = columns - column;
#pragma unroll
    for (int j = 0; j < TN; j++) {
        long long at = first_j + column + j / 4 * 16 + j % 4;
#pragma unroll
        for (int i = 0; i < TM; i++)
            if (i / 4 * 32 + i % 4 < left_m && j / 4 * 16 + j % 4 < left_n) {
                float value = alpha * sum[i][j];
                if (beta != 0)
                    value = fmaf(beta, c[(i / 4 * 32 + i % 4) * g.c.row + at * g.c.column], value);
                d[(i / 4 * 32 + i % 4) * g.d.row + at * g.d.column] = value;
            }
    }
}

// Addresses in shared memory: where a thread reads, where it writes, and how far the other place is from the one that is read.
struct single_places {
    unsigned from_a, from_b, to_a, to_b;
    int other_a, other_b;
    __device__ __forceinline__ void change()
    {
        to_a -= other_a, to_b -= other_b, from_a += other_a, from_b += other_b;
        other_a = -other_a, other_b = -other_b;
    }
};

// Multiplies numbers DEPTH and following of a tile. Before the last of them the next tile is put into shared memory, and the
// one behind it begins to come.
template <int DEPTH, int TM, int TN, class A, class B>
__device__ __forceinline__ void single_steps(A &a, B &b, single_numbers<TM, TN> (&numbers)[2], float (&sum)[TM][TN], single_places &places, int &left)
{
    if constexpr (DEPTH < SINGLE_DEPTH) {
        const int NEXT = (DEPTH + 1) % SINGLE_DEPTH;
        if (!NEXT) {
            a.put(places.to_a), b.put(places.to_b);
            places.change();
            __syncthreads();
            left--;
            if (left > 0)
                a.fetch(), b.fetch();
        }
        numbers[NEXT % 2].template load<NEXT * A::PITCH * 4, NEXT * B::PITCH * 4>(places.from_a, places.from_b);
#pragma unroll
        for (int i = 0; i < TM; i++)
#pragma unroll
            for (int j = 0; j < TN; j++)
                multiply_add(sum[i][j], numbers[DEPTH % 2].a[i], numbers[DEPTH % 2].b[j]);
        single_steps<DEPTH + 1>(a, b, numbers, sum, places, left);
    }
}

template <int BM, int BN, int TM, int TN, bool A_LINES, bool B_LINES, bool FETCHED> __device__ __forceinline__ void single_gemm(const mathlib_gemm &g)
{
    const int WARP_M = 8 * TM, WARP_N = 4 * TN, THREADS = BM * BN / (TM * TN);
    typedef single_reader<BM, THREADS, A_LINES> reader_a;
    typedef single_reader<BN, THREADS, B_LINES> reader_b;
    const int STAGE_A = SINGLE_DEPTH * reader_a::PITCH, STAGE_B = SINGLE_DEPTH * reader_b::PITCH;
    __shared__ __align__(16) float tile_a[2 * STAGE_A], tile_b[2 * STAGE_B];
    long long first_i = (long long)blockIdx.x * BM, first_j = (long long)blockIdx.y * BN, batch = blockIdx.z;
    reader_a a(g.a, first_of<FETCHED>(g.a, batch), first_i, g.m, true);
    reader_b b(g.b, first_of<FETCHED>(g.b, batch), first_j, g.n, false);
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int row = warp % (BM / WARP_M) * WARP_M + lane % 8 * 4, column = warp / (BM / WARP_M) * WARP_N + lane / 8 * 4;
    int tiles = (int)((g.k + SINGLE_DEPTH - 1) / SINGLE_DEPTH), left = tiles - 1;
    unsigned at_a = shared_address(tile_a), at_b = shared_address(tile_b);
    float sum[TM][TN];
#pragma unroll
    for (int i = 0; i < TM; i++)
#pragma unroll
        for (int j = 0; j < TN; j++)
            sum[i][j] = 0;
    single_places places = {at_a + row * 4, at_b + column * 4, at_a + reader_a::place(), at_b + reader_b::place(), STAGE_A * 4, STAGE_B * 4};
    if (tiles > 0) {
        a.fetch_first((int)g.k - left * SINGLE_DEPTH), b.fetch_first((int)g.k - left * SINGLE_DEPTH);
        a.put(places.to_a), b.put(places.to_b);
        if (left)
            a.fetch(), b.fetch();
    }
    places.to_a += STAGE_A * 4, places.to_b += STAGE_B * 4;
    __syncthreads();
    single_numbers<TM, TN> numbers[2];
    numbers[0].template load<0, 0>(places.from_a, places.from_b);
#pragma unroll 1
    for (; tiles > 0; tiles--)
        single_steps<0>(a, b, numbers, sum, places, left);
    single_finish<BM, BN, TM, TN, FETCHED>(g, sum, first_i, first_j, row, column, batch);
}

#define SINGLE_KERNEL(ops, BM, BN, TM, TN, A_LINES, B_LINES, FETCHED)                                                  \
    extern "C" __global__ void __launch_bounds__(BM * BN / (TM * TN), 65536 / 128 / (BM * BN / (TM * TN)))             \
        maniple_sgemm_##BM##x##BN##_##ops(const __grid_constant__ mathlib_gemm g)                                      \
    {                                                                                                                  \
        single_gemm<BM, BN, TM, TN, A_LINES, B_LINES, FETCHED>(g);                                                     \
    }
// Tiles as product.c knows them.
#define SINGLE_KERNELS(ops, A_LINES, B_LINES, FETCHED)                                                                 \
    SINGLE_KERNEL(ops, 128, 128, 8, 8, A_LINES, B_LINES, FETCHED)                                                      \
    SINGLE_KERNEL(ops, 128, 64, 8, 8, A_LINES, B_LINES, FETCHED)                                                       \
    SINGLE_KERNEL(ops, 64, 64, 8, 8, A_LINES, B_LINES, FETCHED)                                                        \
    SINGLE_KERNEL(ops, 128, 32, 4, 4, A_LINES, B_LINES, FETCHED)                                                       \
    SINGLE_KERNEL(ops, 32, 128, 4, 4, A_LINES, B_LINES, FETCHED)

#endif
