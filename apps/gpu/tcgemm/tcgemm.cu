// SPDX-License-Identifier: BSD-3-Clause
// nvcc sm_100a
// A product of matrices by warps that do different work, with its sums in tensor memory (tcgen05): one thread feeds a ring
// of stages in shared memory through the tensor memory accelerator, one thread issues the products out of it, and four
// warps write the sums of a tile while those of the next one are made. A stage is full when the bytes of its boxes have
// come, and empty when the products out of it are done; sums are there when the products of their last stage are, and
// their columns are free when all threads have read them. d = a · b: a is m × k by rows, b is k × n by columns, so that k
// runs along the rows of the boxes, 128 bytes of it. Blocks stay, and take the tiles in turn. Each thread stores its own row's
// sums, or they leave by way of shared memory in boxes of 128 bytes of every row.
// Pairs of blocks (cta_group::2) have tiles of 256 rows, of which each has half, and each fetches half of the columns of b.
// The even block's thread issues the products for both, and its barriers count the bytes of both.
#include "common/blackwell.h"

enum { ROWS = 128, SUMS = 2 /* tiles in tensor memory */, READERS = 128 /* threads that write sums */ };
enum { SHARED = 231424, MOST_STAGES = 8, BUFFERS = 2, BUFFER = ROWS * 128 }; // as in tcgemm.c

template <u32 COLUMNS, bool pair, bool boxes> struct layout { // of a block
    static const u32 box_a = ROWS * 128, columns = pair ? COLUMNS / 2 : COLUMNS, box_b = columns * 128,
                     stage = box_a + box_b, rows = pair ? 2 * ROWS : ROWS; // rows: of a tile
    static const u32 room = (SHARED - (boxes ? BUFFERS * BUFFER : 0)) / stage,
                     stages = room < MOST_STAGES ? room : MOST_STAGES;
};

// The barriers, in this order; `tiles` of them a row.
struct work {
    u32 stages, full, empty, done, unused; // addresses in shared memory
    u32 tiles, columns, parts;             // in all; in a row; stages of a tile
    u32 rank, first, step;                 // of the block in its pair; the first tile, and from one to the next
};

template <class at, u32 COLUMNS, bool pair>
static __device__ void produce(const tensor_map *a, const tensor_map *b, const work &w, u32 size)
{
    ring now = {0, 0};
    for (u32 tile = w.first; tile < w.tiles; tile += w.step)
        for (u32 part = 0; part < w.parts; part++, now = next_of<at::stages>(now)) {
            u32 to = w.stages + now.stage * at::stage, k = part * 128 / size;
            wait(w.empty + 8 * now.stage, now.phase ^ 1);
            u32 full = w.full + 8 * now.stage, row = tile / w.columns * at::rows + w.rank * ROWS;
            u32 column = tile % w.columns * COLUMNS + w.rank * at::columns;
            if (w.rank == 0)
                arrive_expect(full, pair ? 2 * at::stage : at::stage);
            if (pair) {
                load_box_pair(to, a, k, row, barrier_of_pair(full));
                load_box_pair(to + at::box_a, b, k, column, barrier_of_pair(full));
            } else {
                load_box(to, a, k, row, full);
                load_box(to + at::box_a, b, k, column, full);
            }
        }
}

template <bool pair> static __device__ void commit(u32 barrier)
{
    if (pair)
        tensor_commit_pair(barrier);
    else
        tensor_commit(barrier);
}

template <class at, u32 COLUMNS, bool bytes, bool pair> static __device__ void multiply(u32 sums, const work &w)
{
    ring now = {0, 0};
    u32 turn = 0, instruction = tensor_instruction(COLUMNS, at::rows);
    for (u32 tile = w.first; tile < w.tiles; tile += w.step, turn++) {
        u32 d = sums + turn % SUMS * COLUMNS;
        wait(w.unused + 8 * (turn % SUMS), (turn / SUMS & 1) ^ 1);
        tensor_fence_after();
        for (u32 part = 0; part < w.parts; part++, now = next_of<at::stages>(now)) {
            u32 from = w.stages + now.stage * at::stage;
            wait(w.full + 8 * now.stage, now.phase);
            tensor_fence_after();
#pragma unroll
            for (u32 k = 0; k < 4; k++) { // 32 bytes of k each
                u64 a = tensor_descriptor(from + k * 32), b = tensor_descriptor(from + at::box_a + k * 32);
                if (pair)
                    tensor_multiply_pair<bytes>(d, a, b, instruction, part + k);
                else
                    tensor_multiply<bytes>(d, a, b, instruction, part + k);
            }
            commit<pair>(w.empty + 8 * now.stage);
        }
        commit<pair>(w.done + 8 * (turn % SUMS));
    }
}

// 128 bytes of a thread's row: 32 sums, or 64 as halves.
template <bool halves> static __device__ void read(u32 (&words)[32], u32 from)
{
#pragma unroll
    for (u32 i = 0; i < (halves ? 4 : 2); i++) {
        u32 sums[16];
        tensor_load(sums, from + i * 16);
        tensor_load_wait();
#pragma unroll
        for (u32 k = 0; k < 16; k += halves ? 2 : 1)
            words[halves ? i * 8 + k / 2 : i * 16 + k] =
                halves ? halves_of(__uint_as_float(sums[k]), __uint_as_float(sums[k + 1])) : sums[k];
    }
}

static __device__ void put(u32 to, const u32 *words)
{
    asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(words[0]), "r"(words[1]), "r"(words[2]),
                 "r"(words[3])
                 : "memory");
}

// To a buffer, swizzled, and from there by the accelerator.
static __device__ void leave(const tensor_map *d, const u32 (&words)[32], u32 buffer, u32 column, u32 row)
{
    if (threadIdx.x == 0)
        store_wait_read<BUFFERS - 1>();
    named_sync(1, READERS);
#pragma unroll
    for (u32 chunk = 0; chunk < 8; chunk++)
        put(buffer + threadIdx.x * 128 + (chunk ^ threadIdx.x % 8) * 16, words + chunk * 4);
    fence_async();
    named_sync(1, READERS);
    if (threadIdx.x == 0) {
        store_box(buffer, d, column, row);
        store_commit();
    }
}

template <class at, u32 COLUMNS, bool pair, bool boxes, bool halves>
static __device__ void write(const tensor_map *map, unsigned char *d, u32 sums, const work &w, u32 n)
{
    const u32 WIDTH = halves ? 64 : 32, SIZE = halves ? 2 : 4;
    u32 turn = 0, filled = 0, buffers = w.stages + at::stages * at::stage;
    for (u32 tile = w.first; tile < w.tiles; tile += w.step, turn++) {
        u32 from = sums + turn % SUMS * COLUMNS + (threadIdx.x / 32 << 21);
        u32 row = tile / w.columns * at::rows + w.rank * ROWS, left = tile % w.columns * COLUMNS;
        unsigned char *to = d + ((u64)(row + threadIdx.x) * n + left) * SIZE;
        wait(w.done + 8 * (turn % SUMS), turn / SUMS & 1);
        tensor_fence_after();
        for (u32 column = 0; column < COLUMNS; column += WIDTH, filled++) {
            u32 words[32];
            read<halves>(words, from + column);
            if (boxes) {
                leave(map, words, buffers + filled % BUFFERS * BUFFER, left + column, row);
            } else {
#pragma unroll
                for (u32 k = 0; k < 32; k += 4)
                    *(uint4 *)(to + column * SIZE + k * 4) = make_uint4(words[k], words[k + 1], words[k + 2], words[k + 3]);
            }
        }
        tensor_fence_before();
        if (pair)
            arrive_at(w.unused + 8 * (turn % SUMS), 0);
        else
            arrive(w.unused + 8 * (turn % SUMS));
    }
    if (boxes && threadIdx.x == 0)
        store_wait();
}

template <bool pair> static __device__ void meet()
{
    tensor_fence_before();
    if (pair)
        cluster_sync();
    else
        __syncthreads();
    tensor_fence_after();
}

template <u32 COLUMNS, bool bytes, bool pair, bool boxes, bool halves>
static __device__ void product(const tensor_map *a, const tensor_map *b, const tensor_map *map, unsigned char *d, u32 m, u32 n, u32 k)
{
    typedef layout<COLUMNS, pair, boxes> at;
    const u32 STAGES = at::stages;
    extern __shared__ __align__(1024) u8 stages[];
    __shared__ u64 words[2 * STAGES + 2 * SUMS];
    __shared__ u32 where;
    u32 barriers = shared_address(words), size = bytes ? 1 : 2, warp = threadIdx.x / 32;
    u32 rank = pair ? cluster_rank() : 0;
    work w = {shared_address(stages),
              barriers,
              barriers + 8 * STAGES,
              barriers + 16 * STAGES,
              barriers + 16 * STAGES + 8 * SUMS,
              m / at::rows * (n / COLUMNS),
              n / COLUMNS,
              k * size / 128,
              rank,
              pair ? blockIdx.x / 2 : blockIdx.x,
              pair ? gridDim.x / 2 : gridDim.x};
    if (threadIdx.x == 0) {
        for (u32 i = 0; i < 2 * STAGES + SUMS; i++)
            barrier_init(barriers + 8 * i, 1);
        for (u32 i = 0; i < SUMS; i++)
            barrier_init(w.unused + 8 * i, pair ? 2 * READERS : READERS);
        barrier_init_done();
    }
    if (warp == 0) {
        if (pair)
            tensor_allocate_pair<SUMS * COLUMNS>(shared_address(&where));
        else
            tensor_allocate<SUMS * COLUMNS>(shared_address(&where));
    }
    meet<pair>();
    u32 sums = where;
    if (warp < 4)
        write<at, COLUMNS, pair, boxes, halves>(map, d, sums, w, n);
    else if (threadIdx.x == 4 * 32)
        produce<at, COLUMNS, pair>(a, b, w, size);
    else if (threadIdx.x == 5 * 32 && rank == 0)
        multiply<at, COLUMNS, bytes, pair>(sums, w);
    meet<pair>();
    if (warp == 0) {
        if (pair)
            tensor_free_pair<SUMS * COLUMNS>(sums);
        else
            tensor_free<SUMS * COLUMNS>(sums);
    }
}

#define KERNEL(name, columns, bytes, pair, boxes, halves)                                                              \
    extern "C" __global__ void __launch_bounds__(192, 1)                                                               \
        name(const __grid_constant__ tensor_map a, const __grid_constant__ tensor_map b,                               \
             const __grid_constant__ tensor_map map, unsigned char *d, u32 m, u32 n, u32 k)                            \
    {                                                                                                                  \
        product<columns, bytes, pair, boxes, halves>(&a, &b, &map, d, m, n, k);                                        \
    }
#define KERNELS(name, bytes, boxes, halves)                                                                            \
    KERNEL(tcgemm_##name##_128, 128, bytes, false, boxes, halves)                                                      \
    KERNEL(tcgemm_##name##_256, 256, bytes, false, boxes, halves)                                                      \
    KERNEL(tcgemm_##name##_pair_128, 128, bytes, true, boxes, halves)                                                  \
    KERNEL(tcgemm_##name##_pair_256, 256, bytes, true, boxes, halves)
KERNELS(f16, false, false, false)
KERNELS(f16_halves, false, false, true)
KERNELS(f16_boxes, false, true, false)
KERNELS(f16_halves_boxes, false, true, true)
KERNELS(fp8, true, false, false)
