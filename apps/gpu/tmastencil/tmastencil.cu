// SPDX-License-Identifier: BSD-3-Clause
// nvcc sm_90a
// A stencil of seven points in three dimensions: a block goes through the planes of a column of 32 by 16 points, which
// the tensor memory accelerator brings with their neighbours, some planes ahead, and puts the results back. What lies
// outside the grid is 0: the accelerator fills it in, and drops what would be written there.
#include "common/hopper.h"

enum {
    WIDTH = 32,
    HEIGHT = 16,
    EDGE = 4, // points to the left and right of a row: 16 bytes
    ROW = WIDTH + 2 * EDGE,
    PLANE = ROW * (HEIGHT + 2),
    PLANE_BYTES = PLANE * 4,
    SLOT = (PLANE + 31) / 32 * 32, // a box begins at a multiple of 128 bytes
    STAGES = 6,
    OUT = 2 // planes of results
};

// The plane with a number, of those that the block needs: the first is the one below its first results.
static __device__ void load_plane(float (*planes)[SLOT], u32 barriers, const tensor_map *map, u32 first, u32 number)
{
    u32 stage = number % STAGES, barrier = barriers + 8 * stage;
    int z = (int)(first + number) - 1;
    arrive_expect(barrier, PLANE_BYTES);
    load_box3(shared_address(planes[stage]), map, (int)(blockIdx.x * WIDTH) - EDGE, (int)(blockIdx.y * HEIGHT) - 1, z,
              barrier);
}

extern "C" __global__ void __launch_bounds__(WIDTH *HEIGHT)
    tmastencil(const __grid_constant__ tensor_map in, const __grid_constant__ tensor_map out, u32 depth, u32 each,
               float center, float side)
{
    extern __shared__ __align__(1024) float shared[];
    float(*planes)[SLOT] = (float(*)[SLOT])shared, (*results)[WIDTH * HEIGHT] =
                                                       (float(*)[WIDTH * HEIGHT])(shared + STAGES * SLOT);
    __shared__ u64 words[STAGES];
    u32 barriers = shared_address(words), x = threadIdx.x % WIDTH, y = threadIdx.x / WIDTH;
    u32 first = blockIdx.z * each, last = first + each < depth ? first + each : depth;
    if (threadIdx.x == 0) {
        for (u32 i = 0; i < STAGES; i++)
            barrier_init(barriers + 8 * i, 1);
        barrier_init_done();
    }
    __syncthreads();
    if (threadIdx.x == 0)
        for (u32 i = 0; i < STAGES - 1 && first + i < last + 2; i++)
            load_plane(planes, barriers, &in, first, i);
    u32 at = (y + 1) * ROW + x + EDGE;
    for (u32 i = 0; first + i < last; i++) {
        for (u32 k = i ? i + 2 : 0; k < i + 3; k++) // the plane below, this one, and the one above
            wait(barriers + 8 * (k % STAGES), k / STAGES & 1);
        const float *below = planes[i % STAGES], *here = planes[(i + 1) % STAGES], *above = planes[(i + 2) % STAGES];
        float sum = here[at - 1] + here[at + 1] + here[at - ROW] + here[at + ROW] + below[at] + above[at];
        float result = center * here[at] + side * sum;
        if (threadIdx.x == 0) // the store of two planes ago has read what is written now
            store_wait_read<OUT - 1>();
        __syncthreads();
        results[i % OUT][threadIdx.x] = result;
        fence_async();
        __syncthreads(); // all have read the plane below, which the next load takes the place of
        if (threadIdx.x == 0) {
            store_box3(shared_address(results[i % OUT]), &out, blockIdx.x * WIDTH, blockIdx.y * HEIGHT, first + i);
            store_commit();
            if (first + i + STAGES - 1 < last + 2)
                load_plane(planes, barriers, &in, first, i + STAGES - 1);
        }
    }
    if (threadIdx.x == 0)
        store_wait();
}
