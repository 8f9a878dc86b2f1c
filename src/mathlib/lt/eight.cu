// SPDX-License-Identifier: BSD-3-Clause
/*
 * Products of matrices of eight-bit floats by tensor cores. Both operands lie with k contiguous, as cuBLASLt wants them:
 * a CTA computes BM x BN numbers of D, a warp WM x WN of them, and the next STAGES - 1 tiles come meanwhile.
 */
// nvcc sm_89
// version 8.4
#include "mathlib/blas/tensor.cuh"
#include "mathlib/lt/eight.h"

enum { BK = 64, PITCH = BK + 16 }; // bytes of a line of a tile: those of eight lines lie in different banks

// Begins to bring a tile of LINES lines; what is outside the matrix is zero.
template <int LINES, int THREADS>
__device__ inline void fetch(unsigned tile, const char *data, long long pitch, long long first, long long lines, long long k,
                             long long depth)
{
#pragma unroll
    for (int n = threadIdx.x; n < LINES * BK / 16; n += THREADS) {
        long long line = first + n / (BK / 16), at = k + n % (BK / 16) * 16, left = line < lines ? depth - at : 0;
        int bytes = left <= 0 ? 0 : left < 16 ? (int)left : 16;
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(tile + n / (BK / 16) * PITCH + n % (BK / 16) * 16),
                     "l"(bytes ? data + line * pitch + at : data), "r"(bytes));
    }
}

__device__ inline void load_four(unsigned (&to)[4], unsigned from)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(from));
}

#define MULTIPLY(A, B)                                                                                                     \
    asm volatile("mma.sync.aligned.m16n8k32.row.col.f32." A "." B ".f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "    \
                 "{%0, %1, %2, %3};"                                                                                       \
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                                                          \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))
// A5 and B5: of five bits of exponent, and not of four.
template <bool A5, bool B5> __device__ inline void multiply(float (&d)[4], const unsigned (&a)[4], const unsigned *b)
{
    if (A5 && B5)
        MULTIPLY("e5m2", "e5m2");
    else if (A5)
        MULTIPLY("e5m2", "e4m3");
    else if (B5)
        MULTIPLY("e4m3", "e5m2");
    else
        MULTIPLY("e4m3", "e4m3");
}

__device__ inline float scale_at(const float *scales, int each, long long line, long long lines)
{
    return !scales ? 1 : !each ? scales[0] : line < lines ? scales[line] : 0;
}

template <bool A5, bool B5, int BM, int BN, int WM, int WN, int STAGES> __device__ inline void eight_gemm(const lt_eight &e)
{
    const int WARPS_M = BM / WM, THREADS = WARPS_M * (BN / WN) * 32, STEP = (BM + BN) * PITCH;
    __shared__ alignas(128) char shared[STAGES * STEP];
    const mathlib_gemm &g = e.g;
    unsigned tiles = shared_address(shared);
    long long first_i = (long long)blockIdx.x * BM, first_j = (long long)blockIdx.y * BN, batch = blockIdx.z;
    const char *a = (const char *)g.a.data + batch * g.a.batch, *b = (const char *)g.b.data + batch * g.b.batch;
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, warp_i = warp % WARPS_M * WM, warp_j = warp / WARPS_M * WN;
    unsigned from_a = (warp_i + lane % 16) * PITCH + lane / 16 * 16;
    unsigned from_b = (BM + warp_j + lane % 8 + lane / 16 * 8) * PITCH + lane / 8 % 2 * 16;
    float sum[WM / 16][WN / 8][4] = {}, a_scale[WM / 16]; // scales of the rows that this lane writes, and of one column
    static_assert(WN == 32, "a column for each lane");
    float b_scale = scale_at(e.b_scales, e.b_by_column, first_j + warp_j + lane, g.n);
#pragma unroll
    for (int i = 0; i < WM / 16; i++)
        a_scale[i] = scale_at(e.a_scales, e.a_by_row, first_i + warp_i + i * 16 + lane % 16, g.m);
#pragma unroll
    for (int stage = 0; stage < STAGES - 1; stage++) {
        fetch<BM, THREADS>(tiles + stage * STEP, a, g.a.row, first_i, g.m, stage * BK, g.k);
        fetch<BN, THREADS>(tiles + stage * STEP + BM * PITCH, b, g.b.column, first_j, g.n, stage * BK, g.k);
        end_group_of_copies();
    }
    int turn = 0;
    for (long long k = 0; k < g.k; k += BK, turn = turn + 1 < STAGES ? turn + 1 : 0) {
        wait_for_copies<STAGES - 2>();
        __syncthreads();
        unsigned next = tiles + (turn ? turn - 1 : STAGES - 1) * STEP, now = tiles + turn * STEP;
        fetch<BM, THREADS>(next, a, g.a.row, first_i, g.m, k + (STAGES - 1) * BK, g.k);
        fetch<BN, THREADS>(next + BM * PITCH, b, g.b.column, first_j, g.n, k + (STAGES - 1) * BK, g.k);
        end_group_of_copies();
#pragma unroll
        for (int depth = 0; depth < BK; depth += 32) {
            unsigned fa[WM / 16][4], fb[WN / 16][4];
#pragma unroll
            for (int i = 0; i < WM / 16; i++)
                load_four(fa[i], now + from_a + i * 16 * PITCH + depth);
#pragma unroll
            for (int j = 0; j < WN / 16; j++)
                load_four(fb[j], now + from_b + j * 16 * PITCH + depth);
#pragma unroll
            for (int i = 0; i < WM / 16; i++)
#pragma unroll
                for (int j = 0; j < WN / 8; j++)
                    multiply<A5, B5>(sum[i][j], fa[i], fb[j / 2] + j % 2 * 2);
        }
    }
    wait_for_copies<0>();
    float alpha = scalar_value<float>(g.alpha), beta = scalar_value<float>(g.beta);
    const char *c = bytes_of(g.c, batch, g.output);
    char *d = bytes_of(g.d, batch, g.output);
    // Each warp writes 16 rows at a time by way of shared memory, where columns of D are contiguous.
    float *staging = (float *)shared + warp * 16 * WN;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < WM / 16; i++) {
#pragma unroll
        for (int j = 0; j < WN / 8; j++)
#pragma unroll
            for (int n = 0; n < 4; n++)
                staging[(j * 8 + lane % 4 * 2 + n % 2) * 16 + n / 2 * 8 + lane / 4] = sum[i][j][n];
        __syncwarp();
#pragma unroll 1
        for (int n = lane; n < 16 * WN; n += 32) {
            float scale = a_scale[i] * __shfl_sync(~0u, b_scale, n / 16);
            finish_number(g, c, d, batch, scale * staging[n], first_i + warp_i + i * 16 + n % 16, first_j + warp_j + n / 16, alpha,
                          beta);
        }
        __syncwarp();
    }
}

#define EIGHT_KERNEL(name, A5, B5, BM, BN, WM, WN, STAGES)                                                                 \
    extern "C" __global__ void __launch_bounds__((BM / WM) * (BN / WN) * 32) name(const __grid_constant__ lt_eight e)     \
    {                                                                                                                  \
        eight_gemm<A5, B5, BM, BN, WM, WN, STAGES>(e);                                                                   \
    }
#define EIGHT_KERNELS(name, A5, B5)                                                                                      \
    EIGHT_KERNEL(name##_128x128, A5, B5, 128, 128, 64, 32, 2)                                                              \
    EIGHT_KERNEL(name##_64x64, A5, B5, 64, 64, 32, 32, 4)
EIGHT_KERNELS(maniple_gemm_e4m3_e4m3, false, false)
EIGHT_KERNELS(maniple_gemm_e4m3_e5m2, false, true)
EIGHT_KERNELS(maniple_gemm_e5m2_e4m3, true, false)
EIGHT_KERNELS(maniple_gemm_e5m2_e5m2, true, true)
