// SPDX-License-Identifier: BSD-3-Clause
/*
 * Products of matrices by the tensor cores of Ampere and later. A CTA computes BM x BN numbers of D, a warp WM x WN of
 * them. Tiles of both operands go through STAGES places in shared memory; a warp loads its next fragments while the
 * tensor cores multiply the present ones. The columns of D are the lines of the first operand of mma, its rows those of the
 * second one, so that a thread has neighbours in a column of D. CTAs may share the inner dimension of a tile (`depth`):
 * then each leaves its sums, and a kernel behind them adds these in their order and finishes D.
 */
#ifndef MATHLIB_AMPERE_PRODUCT_CUH
#define MATHLIB_AMPERE_PRODUCT_CUH

#include "mathlib/ampere/tile.cuh"
#include "mathlib/blas/tensor.cuh"

extern __shared__ __align__(128) char mma_shared[];

struct alignas(8) two_floats {
    float x, y;
};

// Two numbers of D, whose type is that of operands.
template <class IN> __device__ __forceinline__ unsigned pack(float x, float y)
{
    unsigned both = 0;
#if __CUDA_ARCH__ >= 800
    if (__is_same(IN, f16))
        asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(y), "f"(x));
    else
        asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(y), "f"(x));
#endif
    return both;
}

// A warp's sums go through shared memory, so that a lane has eight neighbours of a column of D at a time; pieces of so many
// change places with the column's number.
template <int WM> __device__ __forceinline__ unsigned place_of_sums(int column, int eight)
{
    const int PIECES = WM / 8;
    return (unsigned)((column * PIECES + (eight ^ column % PIECES)) * 32);
}

template <int WM, int WN, class SUM>
__device__ __forceinline__ void put_sums(SUM (&sum)[WN / 16][WM / 8][4], unsigned shared)
{
    int lane = threadIdx.x % 32;
#pragma unroll
    for (int i = 0; i < WM / 8; i++) {
        unsigned to = shared + place_of_sums<WM>(lane / 4, i) + lane % 4 * 8; // a column of 8 more has the same places
#pragma unroll
        for (int j = 0; j < WN / 16; j++)
#pragma unroll
            for (int half = 0; half < 2; half++)
                asm volatile("st.shared.v2.f32 [%0 + %1], {%2, %3};" ::"r"(to), "n"((j * 16 + half * 8) * WM * 4),
                             "f"((float)sum[j][i][half * 2]), "f"((float)sum[j][i][half * 2 + 1])
                             : "memory");
    }
    __syncwarp();
}

__device__ __forceinline__ vector_words words_at(unsigned shared)
{
    vector_words words;
    asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(words.x[0]), "=r"(words.x[1]), "=r"(words.x[2]), "=r"(words.x[3])
                 : "r"(shared));
    return words;
}

// Eight numbers of D from their sums, of which D has whole vectors.
template <class IN, bool PLAIN>
__device__ __forceinline__ void finish_eight(const mathlib_gemm &g, const vector_words (&words)[2], char *to, const void *bias, float alpha, bool exists)
{
    unsigned packed[4];
    float value[8];
#pragma unroll
    for (int n = 0; n < 8; n++)
        value[n] = alpha * __builtin_bit_cast(float, words[n / 4].x[n % 4]);
    if (!PLAIN) {
#pragma unroll
        for (int n = 0; n < 8; n++) {
            if (bias)
                value[n] += number_at(bias, n, (int)g.bias_type);
            value[n] = activated(value[n], g.epilogue);
        }
    }
#pragma unroll
    for (int n = 0; n < 4; n++)
        packed[n] = pack<IN>(value[n * 2], value[n * 2 + 1]);
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %0, 0; @p st.global.v4.u32 [%1], {%2, %3, %4, %5}; }" ::"r"((unsigned)exists), "l"(to),
                 "r"(packed[0]), "r"(packed[1]), "r"(packed[2]), "r"(packed[3])
                 : "memory");
}

// Columns of D from `column` on, every COLUMNS-th one of `count`; four at a time, so that their latencies overlap.
template <class IN, int WM, int WN, bool PLAIN, int COLUMNS>
__device__ __forceinline__ void finish_columns(const mathlib_gemm &g, unsigned shared, char *to, const void *bias, float alpha, int eight, int column,
                                               int count)
{
    const int TURN = !PLAIN ? 1 : WN / COLUMNS < 4 ? WN / COLUMNS : 4;
    long long step = COLUMNS * g.d.column * 2;
    bool same = COLUMNS % (WM / 8) == 0; // pieces change places alike in all columns
    unsigned from = shared + place_of_sums<WM>(column, eight);
#pragma unroll 1
    for (; column < count; column += TURN * COLUMNS) {
        vector_words words[TURN][2];
        if (!same)
            from = shared + place_of_sums<WM>(column, eight);
#pragma unroll
        for (int n = 0; n < TURN; n++) {
            unsigned at = same ? from + n * COLUMNS * WM * 4 : shared + place_of_sums<WM>(column + n * COLUMNS, eight);
            words[n][0] = words_at(at), words[n][1] = words_at(at + 16);
        }
        from += TURN * COLUMNS * WM * 4;
#pragma unroll
        for (int n = 0; n < TURN; n++, to += step)
            finish_eight<IN, PLAIN>(g, words[n], to, bias, alpha, column + n * COLUMNS < count);
    }
}

template <class IN, int WM, int WN>
__device__ __forceinline__ void finish_sums(const mathlib_gemm &g, unsigned shared, long long batch, int first_i, int first_j)
{
    const int PIECES = WM / 8, COLUMNS = 32 / PIECES;
    int lane = threadIdx.x % 32, eight = lane % PIECES, column = lane / PIECES, i = first_i + eight * 8;
    int size = g.output == MATHLIB_F32 ? 4 : 2, count = (int)g.n - first_j < WN ? (int)g.n - first_j : WN;
    char *d = bytes_of(g.d, batch, g.output), *to = d + (i + (first_j + column) * g.d.column) * size;
    float alpha = scalar_value<float>(g.alpha);
    if (g.d.aligned && g.output == (__is_same(IN, f16) ? MATHLIB_F16 : MATHLIB_BF16) && i + 8 <= (int)g.m) {
        const char *bias = g.bias ? (const char *)g.bias + (i + batch * g.bias_batch) * (g.bias_type == MATHLIB_F32 ? 4 : 2) : nullptr;
        if (!bias && !g.epilogue)
            finish_columns<IN, WM, WN, true, COLUMNS>(g, shared, to, bias, alpha, eight, column, count);
        else
            finish_columns<IN, WM, WN, false, COLUMNS>(g, shared, to, bias, alpha, eight, column, count);
        return;
    }
    const char *c = bytes_of(g.c, batch, g.output);
    float beta = scalar_value<float>(g.beta);
#pragma unroll 1
    for (; column < count; column += COLUMNS) {
        unsigned from = shared + place_of_sums<WM>(column, eight);
#pragma unroll 1
        for (int n = 0; n < 8; n++) {
            float sum;
            asm volatile("ld.shared.f32 %0, [%1];" : "=f"(sum) : "r"(from + n * 4) : "memory");
            finish_number(g, c, d, batch, sum, i + n, first_j + column, alpha, beta);
        }
    }
}

// Sums of a part go to memory, for the kernel behind: neighbouring lanes write 16 bytes each beside one another, whole sectors at a time.
template <int WM, int WN> __device__ __forceinline__ void leave_sums(const mathlib_gemm &g, unsigned shared, long long matrix, int first_i, int first_j)
{
    const int PIECES = WM / 4, COLUMNS = 32 / PIECES;
    int lane = threadIdx.x % 32, four = lane % PIECES, column = lane / PIECES;
    float *to = g.sums + (matrix * g.columns + first_j + column) * g.rows + first_i + four * 4;
    const int TURN = WN / COLUMNS < 8 ? WN / COLUMNS : 8;
    long long step = COLUMNS * (long long)g.rows;
#pragma unroll 1
    for (; column < WN; column += TURN * COLUMNS) {
        vector_words words[TURN];
#pragma unroll
        for (int n = 0; n < TURN; n++)
            words[n] = words_at(shared + place_of_sums<WM>(column + n * COLUMNS, four / 2) + four % 2 * 16);
#pragma unroll
        for (int n = 0; n < TURN; n++, to += step)
            *(vector_words *)to = words[n];
    }
}

// A warp's operands of 32 bytes of the inner dimension.
template <int WM, int WN> struct mma_fragments {
    static const int A = WM / 16, B = WN / 16;
    unsigned a[A][4], b[B][4];

    // Numbers FROM to TO - 1 of them: those of B, then those of A.
    template <class TILE_A, class TILE_B, int K, int FROM, int TO> __device__ __forceinline__ void load(unsigned at_a, unsigned at_b)
    {
        if constexpr (FROM < TO) {
            if constexpr (FROM < B)
                TILE_B::template load<FROM, K>(b[FROM], at_b);
            else
                TILE_A::template load<FROM - B, K>(a[FROM - B], at_a);
            load<TILE_A, TILE_B, K, FROM + 1, TO>(at_a, at_b);
        }
    }
};

// Addresses in shared memory, which go from stage to stage: of the operands of each step, and of pieces that are fetched.
template <int FRAGMENTS> struct mma_places {
    unsigned a[FRAGMENTS], b[FRAGMENTS], to_a, to_b, read, fetched; // the last two are stages
    template <int K, class TILE_A, class TILE_B> __device__ __forceinline__ void set(unsigned shared, unsigned place_a, unsigned place_b)
    {
        if constexpr (K < FRAGMENTS) {
            a[K] = shared + TILE_A::template at_fragment<K>(place_a), b[K] = shared + TILE_A::BYTES + TILE_B::template at_fragment<K>(place_b);
            set<K + 1, TILE_A, TILE_B>(shared, place_a, place_b);
        }
    }
    template <int STAGES, int STAGE> __device__ __forceinline__ void fetch_next()
    {
        bool last = fetched == STAGES - 1;
        unsigned step = last ? (unsigned)(-(STAGES - 1) * STAGE) : STAGE;
        to_a += step, to_b += step, fetched = last ? 0 : fetched + 1;
    }
    template <int STAGES, int STAGE> __device__ __forceinline__ void read_next()
    {
        bool last = read == STAGES - 1;
        unsigned step = last ? (unsigned)(-(STAGES - 1) * STAGE) : STAGE;
#pragma unroll
        for (int k = 0; k < FRAGMENTS; k++)
            a[k] += step, b[k] += step;
        read = last ? 0 : read + 1;
    }
};

// Pieces FROM to TO - 1 of both operands' tiles begin to be copied: those of A, then those of B.
template <int FROM, int TO, class TILE_A, class TILE_B>
__device__ __forceinline__ void mma_fetch(TILE_A &a, TILE_B &b, unsigned to_a, unsigned to_b)
{
    if constexpr (FROM < TO) {
        if constexpr (FROM < TILE_A::LOADS)
            a.template fetch<FROM>(to_a);
        else
            b.template fetch<FROM - TILE_A::LOADS>(to_b);
        mma_fetch<FROM + 1, TO>(a, b, to_a, to_b);
    }
}

// Between the products of one step, 16 lines of B at a time, the next step's operands are loaded and pieces of a later tile are
// fetched: COPIES of them in each step but the tile's last one.
template <int J, int K, int FRAGMENTS, int COPIES, class IN, int WM, int WN, class TILE_A, class TILE_B, class SUM>
__device__ __forceinline__ void mma_step(TILE_A &a, TILE_B &b, mma_fragments<WM, WN> (&f)[2], SUM (&sum)[WN / 16][WM / 8][4],
                                         const mma_places<FRAGMENTS> &places)
{
    const int TURNS = WN / 16, LOADS = WM / 16 + WN / 16, ALL = TILE_A::LOADS + TILE_B::LOADS, NEXT = (K + 1) % FRAGMENTS;
    const int FIRST = K * COPIES < ALL ? K * COPIES : ALL, LAST = FIRST + COPIES < ALL ? FIRST + COPIES : ALL;
    if constexpr (J < TURNS) {
        f[(K + 1) % 2].template load<TILE_A, TILE_B, NEXT, LOADS * J / TURNS, LOADS * (J + 1) / TURNS>(places.a[NEXT], places.b[NEXT]);
        mma_fetch<FIRST + (LAST - FIRST) * J / TURNS, FIRST + (LAST - FIRST) * (J + 1) / TURNS>(a, b, places.to_a, places.to_b);
#pragma unroll
        for (int i = 0; i < WM / 8; i++)
            mma_of<IN>::multiply(sum[J][i], f[K % 2].b[J], &f[K % 2].a[i / 2][i % 2 * 2]);
        __syncwarp(); // keeps loads and products in this order, in which neither waits for room
        mma_step<J + 1, K, FRAGMENTS, COPIES, IN, WM, WN>(a, b, f, sum, places);
    }
}

// All steps of a tile. Before the last one all warps have read the tile, and the next one has come.
template <int K, int FRAGMENTS, int STAGES, int STAGE, class IN, int WM, int WN, class TILE_A, class TILE_B, class SUM>
__device__ __forceinline__ void mma_steps(TILE_A &a, TILE_B &b, mma_fragments<WM, WN> (&f)[2], SUM (&sum)[WN / 16][WM / 8][4],
                                          mma_places<FRAGMENTS> &places, int &left)
{
    const int ALL = TILE_A::LOADS + TILE_B::LOADS, COPIES = (ALL + FRAGMENTS - 2) / (FRAGMENTS - 1);
    if constexpr (K < FRAGMENTS) {
        if constexpr (K == FRAGMENTS - 1) {
            places.template read_next<STAGES, STAGE>();
            end_group_of_copies();
            wait_for_copies<STAGES - 2>();
            __syncthreads();
        }
        mma_step<0, K, FRAGMENTS, COPIES, IN, WM, WN>(a, b, f, sum, places);
        if constexpr (K == FRAGMENTS - 1) {
            places.template fetch_next<STAGES, STAGE>();
            left--;
            a.next(left > 0), b.next(left > 0);
        }
        mma_steps<K + 1, FRAGMENTS, STAGES, STAGE, IN, WM, WN>(a, b, f, sum, places, left);
    }
}

template <class IN, int BM, int BN, int DEPTH, int WM, int WN, int STAGES, bool A_LINES, bool B_LINES>
__device__ __forceinline__ void mma_gemm(const mathlib_gemm &g)
{
    const int WARPS_M = BM / WM, THREADS = WARPS_M * (BN / WN) * 32, FRAGMENTS = DEPTH / 32;
    typedef mma_tile<IN, BM, DEPTH, THREADS, A_LINES> tile_a;
    typedef mma_tile<IN, BN, DEPTH, THREADS, B_LINES> tile_b;
    typedef typename mma_of<IN>::sum SUM;
    const int K = tile_a::K, STAGE = tile_a::BYTES + tile_b::BYTES;
    unsigned shared = shared_address(mma_shared), z = blockIdx.z;
    bool down = gridDim.x != (unsigned)((int)g.m + BM - 1) / BM; // CTAs are numbered down the columns of D first
    int first_i = (int)(down ? blockIdx.y : blockIdx.x) * BM, first_j = (int)(down ? blockIdx.x : blockIdx.y) * BN;
    int part = g.depth ? (int)z : 0, first_k = part * (int)g.depth, last_k = g.depth && first_k + (int)g.depth < (int)g.k ? first_k + (int)g.depth : (int)g.k;
    long long batch = g.depth ? 0 : z;
    tile_a a(g.a, matrix_of<IN>(g.a, batch), first_i, (int)g.m, first_k, true);
    tile_b b(g.b, matrix_of<IN>(g.b, batch), first_j, (int)g.n, first_k, false);
    int warp = threadIdx.x / 32, warp_i = warp % WARPS_M * WM, warp_j = warp / WARPS_M * WN;
    unsigned place_a = tile_a::place(warp_i, false), place_b = tile_b::place(warp_j, true);
    int depth = last_k - first_k, tiles = (depth + K - 1) / K, left = tiles - 1; // to be multiplied, and to be fetched
    mma_places<FRAGMENTS> places;
    places.to_a = shared + a.to, places.to_b = shared + tile_a::BYTES + b.to, places.read = 0, places.fetched = STAGES - 1;
    a.fetch_first(places.to_a, depth - left * K), b.fetch_first(places.to_b, depth - left * K);
    end_group_of_copies();
#pragma unroll
    for (int stage = 1; stage < STAGES; stage++, left--) {
        if (left == 0)
            a.end(), b.end();
        places.to_a += STAGE, places.to_b += STAGE;
        if (stage == STAGES - 1)
            break;
        a.fetch_all(places.to_a), b.fetch_all(places.to_b);
        a.next(true), b.next(true);
        end_group_of_copies();
    }
    SUM sum[WN / 16][WM / 8][4];
#pragma unroll
    for (int j = 0; j < WN / 16; j++)
#pragma unroll
        for (int i = 0; i < WM / 8; i++)
            sum[j][i][0] = sum[j][i][1] = sum[j][i][2] = sum[j][i][3] = 0;
    places.template set<0, tile_a, tile_b>(shared, place_a, place_b);
    mma_fragments<WM, WN> f[2];
    wait_for_copies<STAGES - 2>();
    __syncthreads();
    f[0].template load<tile_a, tile_b, 0, 0, WM / 16 + WN / 16>(places.a[0], places.b[0]);
#pragma unroll 1
    for (; tiles > 0; tiles--)
        mma_steps<0, FRAGMENTS, STAGES, STAGE, IN, WM, WN>(a, b, f, sum, places, left);
    wait_for_copies<0>();
    __syncthreads();
    shared += (unsigned)(warp * WM * WN * 4);
    put_sums<WM, WN>(sum, shared);
    if (g.sums)
        leave_sums<WM, WN>(g, shared, part, first_i + warp_i, first_j + warp_j);
    else
        finish_sums<IN, WM, WN>(g, shared, batch, first_i + warp_i, first_j + warp_j);
}

// Four numbers of a column of D for each thread, from the sums of all parts.
template <class IN> __device__ __forceinline__ void add_four_parts(const mathlib_gemm &g)
{
    long long row = (blockIdx.x * 64LL + threadIdx.x) * 4, column = blockIdx.y, batch = blockIdx.z;
    if (row >= g.m)
        return;
    int parts = (int)((g.k + g.depth - 1) / g.depth);
    long long step = (long long)g.columns * g.rows;
    const float *from = g.sums + batch * parts * step + column * g.rows + row;
    float sum[4] = {0, 0, 0, 0};
#pragma unroll 4
    for (int part = 0; part < parts; part++, from += step) {
        vector_words words = *(const vector_words *)from;
#pragma unroll
        for (int n = 0; n < 4; n++)
            sum[n] += __builtin_bit_cast(float, words.x[n]);
    }
    const char *c = bytes_of(g.c, batch, g.output);
    char *d = bytes_of(g.d, batch, g.output);
    float alpha = scalar_value<float>(g.alpha), beta = scalar_value<float>(g.beta);
    if (!g.d.aligned || row + 4 > g.m || g.output != (__is_same(IN, f16) ? MATHLIB_F16 : MATHLIB_BF16)) {
        for (int n = 0; n < 4; n++)
            finish_number(g, c, d, batch, sum[n], row + n, column, alpha, beta);
        return;
    }
#pragma unroll
    for (int n = 0; n < 4; n++) {
        sum[n] = fmaf(alpha, sum[n], g.bias ? number_at(g.bias, row + n + batch * g.bias_batch, (int)g.bias_type) : 0);
        if (g.epilogue)
            sum[n] = activated(sum[n], g.epilogue);
    }
    two_floats both = {__builtin_bit_cast(float, pack<IN>(sum[0], sum[1])), __builtin_bit_cast(float, pack<IN>(sum[2], sum[3]))};
    *(two_floats *)(d + (row + column * g.d.column) * 2) = both;
}

#define MMA_KERNEL(name, IN, BM, BN, DEPTH, WM, WN, STAGES, A_LINES, B_LINES)                                          \
    extern "C" __global__ void __launch_bounds__((BM / WM) * (BN / WN) * 32) name(const __grid_constant__ mathlib_gemm g) \
    {                                                                                                                  \
        mma_gemm<IN, BM, BN, DEPTH, WM, WN, STAGES, A_LINES, B_LINES>(g);                                              \
    }
// Tiles by rows and columns of D, bytes of the inner dimension and places in shared memory (choice.c has them, too).
#define MMA_KERNELS(name, IN, ops, A_LINES, B_LINES)                                                                   \
    MMA_KERNEL(name##_256x128_128x3_##ops, IN, 256, 128, 128, 64, 64, 3, A_LINES, B_LINES)                             \
    MMA_KERNEL(name##_128x256_128x3_##ops, IN, 128, 256, 128, 64, 64, 3, A_LINES, B_LINES)                             \
    MMA_KERNEL(name##_128x128_128x2_##ops, IN, 128, 128, 128, 64, 64, 2, A_LINES, B_LINES)                             \
    MMA_KERNEL(name##_128x64_128x3_##ops, IN, 128, 64, 128, 64, 32, 3, A_LINES, B_LINES)                               \
    MMA_KERNEL(name##_64x128_128x3_##ops, IN, 64, 128, 128, 32, 64, 3, A_LINES, B_LINES)                               \
    MMA_KERNEL(name##_64x64_128x3_##ops, IN, 64, 64, 128, 32, 32, 3, A_LINES, B_LINES)                                 \
    MMA_KERNEL(name##_64x32_128x4_##ops, IN, 64, 32, 128, 16, 32, 4, A_LINES, B_LINES)                                 \
    MMA_KERNEL(name##_64x16_128x4_##ops, IN, 64, 16, 128, 16, 16, 4, A_LINES, B_LINES)
#define MMA_PARTS(name, IN)                                                                                              \
    extern "C" __global__ void __launch_bounds__(64) name##_parts(const __grid_constant__ mathlib_gemm g)              \
    {                                                                                                                  \
        add_four_parts<IN>(g);                                                                                             \
    }

#endif
