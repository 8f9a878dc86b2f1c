// SPDX-License-Identifier: BSD-3-Clause
// nvcc sm_90a
// Products of matrices of different sizes by one kernel: blocks stay, and take tile after tile of one product after
// another. For each product, the loading warp of a block makes tensor maps of its own in shared memory
// (tensormap.replace), and publishes them to the tensor memory accelerator. d = a · b, as wsgemm has it: a is m × k by
// rows, b is k × n by columns.
#include "common/hopper.h"

enum { ROWS = 128, COLUMNS = 128, STAGES = 4, BOX = ROWS * 128, STAGE = 2 * BOX, CONSUMERS = 2 };

struct problem {
    u64 a, b, d;
    u32 m, n, k, unused;
};

struct place { // of a tile
    u32 problem, row, column;
};

// The tile with a number, when tiles of all problems are counted. `first` is that of the problem's first tile.
static __device__ bool find_tile(const problem *problems, u32 count, u32 number, place &at, u32 &first)
{
    while (at.problem < count) {
        const problem &p = problems[at.problem];
        u32 columns = p.n / COLUMNS, tiles = p.m / ROWS * columns;
        if (number - first < tiles) {
            at.row = (number - first) / columns * ROWS;
            at.column = (number - first) % columns * COLUMNS;
            return true;
        }
        first += tiles;
        at.problem++;
    }
    return false;
}

// All 32 lanes: the map in shared memory becomes that of a matrix, and then the block's in memory.
static __device__ void replace_map(u32 shared, const tensor_map *map, u64 address, u32 k, u32 rows)
{
    if (threadIdx.x == 0) {
        asm volatile("tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%0], %1;" ::"r"(shared), "l"(address)
                     : "memory");
        asm volatile("tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%0], 0, %1;" ::"r"(shared), "r"(k)
                     : "memory");
        asm volatile("tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%0], 1, %1;" ::"r"(shared), "r"(rows)
                     : "memory");
        asm volatile("tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%0], 0, %1;" ::"r"(shared),
                     "l"((u64)k * 2)
                     : "memory");
    }
    __syncwarp();
    asm volatile("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%0], [%1], "
                 "128;" ::"l"(map),
                 "r"(shared)
                 : "memory");
    asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(map) : "memory");
}

// The loading warp. Copies of a product before may still read its maps: each product has the next of two pairs, and
// ends before its pair is used again, since the ring has fewer stages than two tiles have boxes … or is waited for.
static __device__ void produce(const problem *problems, u32 count, tensor_map *maps, u32 templates, u32 stages,
                               u32 barriers)
{
    place at = {0, 0, 0};
    u32 first = 0, i = 0, of = 0xffffffff;
    for (u32 tile = blockIdx.x; find_tile(problems, count, tile, at, first); tile += gridDim.x) {
        const problem &p = problems[at.problem];
        if (of != at.problem) {
            for (u32 ago = 1; ago <= STAGES && ago <= i; ago++) // all copies under way have come
                wait(barriers + 8 * ((i - ago) % STAGES), (i - ago) / STAGES & 1);
            of = at.problem;
            replace_map(templates, maps, p.a, p.k, p.m);
            replace_map(templates + sizeof(tensor_map), maps + 1, p.b, p.k, p.n);
        }
        for (u32 k = 0; threadIdx.x == 0 && k < p.k; k += 64, i++) {
            u32 stage = i % STAGES, full = barriers + 8 * stage, to = stages + stage * STAGE;
            wait(barriers + 8 * (STAGES + stage), (i / STAGES & 1) ^ 1);
            arrive_expect(full, STAGE);
            load_box(to, maps, k, at.row, full);
            load_box(to + BOX, maps + 1, k, at.column, full);
        }
        i = __shfl_sync(0xffffffff, i, 0);
    }
}

static __device__ void consume(const problem *problems, u32 count, u32 stages, u32 barriers)
{
    u32 group = threadIdx.x / 128 - 1, thread = threadIdx.x % 128, first = 0, i = 0;
    place at = {0, 0, 0};
    for (u32 tile = blockIdx.x; find_tile(problems, count, tile, at, first); tile += gridDim.x) {
        const problem &p = problems[at.problem];
        float sums[64];
        for (u32 k = 0; k < p.k; k += 64, i++) {
            u32 stage = i % STAGES, from = stages + stage * STAGE;
            wait(barriers + 8 * stage, i / STAGES & 1);
            product_begin();
#pragma unroll
            for (u32 part = 0; part < 4; part++)
                multiply_halves(sums, descriptor(from + group * 64 * 128 + part * 32),
                                descriptor(from + BOX + part * 32), k + part);
            product_commit();
            product_wait<0>();
            if (thread == 0)
                arrive(barriers + 8 * (STAGES + stage));
        }
        u32 row = at.row + group * 64 + thread / 32 * 16 + thread % 32 / 4, column = at.column + thread % 4 * 2;
        float *d = (float *)p.d;
#pragma unroll
        for (u32 k = 0; k < 64; k += 2)
            *(float2 *)&d[(u64)(row + k / 2 % 2 * 8) * p.n + column + k / 4 * 8] = make_float2(sums[k], sums[k + 1]);
    }
}

// `maps`: two of each block, in memory; `shape` has all of a map that no product changes.
extern "C" __global__ void __launch_bounds__(384, 1)
    groupgemm(const problem *problems, u32 count, tensor_map *maps, const __grid_constant__ tensor_map shape)
{
    extern __shared__ __align__(1024) u8 stages[];
    __shared__ tensor_map templates[2];
    __shared__ u64 words[2 * STAGES];
    u32 barriers = shared_address(words);
    if (threadIdx.x == 0) {
        for (u32 i = 0; i < 2 * STAGES; i++)
            barrier_init(barriers + 8 * i, i < STAGES ? 1 : CONSUMERS);
        barrier_init_done();
    }
    if (threadIdx.x < 32)
        templates[threadIdx.x / 16].words[threadIdx.x % 16] = shape.words[threadIdx.x % 16];
    __syncthreads();
    if (threadIdx.x >= 128)
        consume(problems, count, shared_address(stages), barriers);
    else if (threadIdx.x < 32)
        produce(problems, count, maps + 2 * blockIdx.x, shared_address(templates), shared_address(stages), barriers);
}
