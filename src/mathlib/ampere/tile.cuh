// SPDX-License-Identifier: BSD-3-Clause
/*
 * A tile of one operand on its way from global memory by cp.async to shared memory, and from there by ldmatrix to
 * fragments. Its rows lie one after another, and their pieces of 16 bytes change places with the row's number, so that
 * neither copies nor ldmatrix meet a bank twice.
 */
#ifndef MATHLIB_AMPERE_TILE_CUH
#define MATHLIB_AMPERE_TILE_CUH

#include "mathlib/ampere/fragment.cuh"
#include "mathlib/blas/gemm.cuh"

// COUNT lines (rows or columns of D) and DEPTH bytes of the inner dimension. LINES: what is contiguous is lines (numbers
// of 16 bits), and else the inner dimension.
template <class IN, int COUNT, int DEPTH, int THREADS, bool LINES> struct mma_tile {
    static const int SIZE = sizeof(IN), K = DEPTH / SIZE, V = 16 / SIZE;
    static const int ROWS = LINES ? K : COUNT, PIECES = (LINES ? COUNT : K) / V, WIDE = PIECES < 8 ? PIECES : 8;
    static const int ALL = ROWS * PIECES, LOADS = (ALL + THREADS - 1) / THREADS, STEP = THREADS / PIECES;
    static const int BYTES = ROWS * PIECES * 16;
    static_assert(THREADS % PIECES == 0 && (STEP % 8 == 0 || (8 % STEP == 0 && WIDE == 8)), "rows of copies");
    const char *from[LOADS]; // the thread's pieces of the next tile
    long long k_step;        // bytes, from tile to tile
    unsigned size[LOADS];    // bytes that exist of each piece
    unsigned to;             // where its first piece goes in a tile

    static __device__ int places(int row) { return row / (8 / WIDE) % WIDE; } // by which a row's pieces change places
    static __device__ int row() { return threadIdx.x / PIECES; }
    static __device__ int piece() { return threadIdx.x % PIECES; }

    __device__ __forceinline__ mma_tile(const mathlib_operand &o, const IN *matrix, int first, int lines, int first_k, bool by_row)
    {
        long long pitch = (LINES == by_row ? o.column : o.row) * SIZE;
        const char *at = (const char *)(matrix + (LINES ? first : first_k)) + ((LINES ? first_k : first) + row()) * pitch + piece() * 16;
        k_step = LINES ? K * pitch : DEPTH;
        to = (unsigned)((row() * PIECES + (piece() ^ places(row()))) * 16);
        int left = lines - first - (LINES ? piece() * V : row());
#pragma unroll
        for (int n = 0; n < LOADS; n++, at += STEP * pitch) {
            from[n] = at;
            size[n] = LINES ? (left >= V ? 16 : left > 0 ? left * SIZE : 0) : n * STEP < left ? 16 : 0;
        }
    }
    // Begins to copy piece `N` of the next tile. `tile`: its address in shared memory plus `to`.
    template <int N> __device__ __forceinline__ void fetch(unsigned tile, bool some = true)
    {
#if __CUDA_ARCH__ >= 800
        if (ALL % THREADS == 0 || threadIdx.x + N * THREADS < ALL)
            asm volatile("cp.async.cg.shared.global [%0 + %1], [%2], 16, %3;" ::"r"(places(N * STEP) ? tile - to + (to ^ (unsigned)(places(N * STEP) * 16)) : tile),
                         "n"(N * STEP * PIECES * 16), "l"(from[N]), "r"(some ? size[N] : 0)
                         : "memory");
#endif
    }
    template <int N = 0> __device__ __forceinline__ void fetch_all(unsigned tile)
    {
        fetch<N>(tile);
        if constexpr (N + 1 < LOADS)
            fetch_all<N + 1>(tile);
    }
    // Without `more` there is no next tile, and zeros are written.
    __device__ __forceinline__ void next(bool more)
    {
#pragma unroll
        for (int n = 0; n < LOADS; n++)
            from[n] += k_step, size[n] = more ? size[n] : 0;
    }
    __device__ __forceinline__ void end()
    {
#pragma unroll
        for (int n = 0; n < LOADS; n++)
            size[n] = 0;
    }
    // The first tile has only `first` numbers of the inner dimension, so that all later ones are whole.
    template <int N = 0> __device__ __forceinline__ void fetch_first(unsigned tile, int first)
    {
        fetch<N>(tile, LINES ? row() + N * STEP < first : piece() * V < first);
        from[N] += LINES ? k_step / K * first : first * SIZE;
        if constexpr (N + 1 < LOADS)
            fetch_first<N + 1>(tile, first);
    }
    // Where the lane's row of the matrices of a fragment lies in a tile, for the fragment whose lines begin with the
    // warp's. HALVES_FIRST: the second matrix has lines 8 to 15 (of the first operand), and else the other half of k.
    static __device__ __forceinline__ unsigned place(int line, bool halves_first)
    {
        int lane = threadIdx.x % 32, second = lane / 8 % 2, third = lane / 16;
        int eight = halves_first ? second : third, half = halves_first ? third : second;
        if (LINES) {
            int r = lane % 8 + half * 8, p = line / 8 + eight;
            return (unsigned)((r * PIECES + (p ^ places(r))) * 16);
        }
        int r = line + lane % 8 + eight * 8;
        return (unsigned)((r * PIECES + (half ^ places(r))) * 16);
    }
    // Loads fragment number `I` of 16 lines, and number `K_AT` of 32 bytes of the inner dimension. `at`: its place in the tile, by
    // way of at_fragment.
    template <int I, int K_AT> static __device__ __forceinline__ void load(unsigned (&words)[4], unsigned at)
    {
        load_matrices<LINES, LINES ? 0 : I * 16 * PIECES * 16>(words, LINES ? at_line<I>(at) : at);
        round_words<IN>(words);
    }
    template <int K_AT> static __device__ __forceinline__ unsigned at_fragment(unsigned place)
    {
        return LINES ? place + K_AT * 16 * PIECES * 16 : place ^ (unsigned)(K_AT * 32);
    }
    template <int I> static __device__ __forceinline__ unsigned at_line(unsigned at) { return at ^ (unsigned)(I * 32); }
};

#endif
