// SPDX-License-Identifier: BSD-3-Clause
// What copies by the tensor memory accelerator take, one in flight in each block of one thread: a chain of dependent copies
// of 16 bytes out of the L2, and copies of boxes out of DRAM, read once. `quick` leaves out most of them; then a number of
// blocks (228: two on each SM of an H800 PCIe). Built outside the project, or by bench/programs.sh:
//   nvcc -arch=sm_90a -cudart shared -o tma bench/hopper/tma.cu -lcuda && maniple run --machine h100-pcie -- ./tma
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <cuda_runtime.h>

static __device__ uint32_t place(const void *pointer)
{
    return (uint32_t)__cvta_generic_to_shared(pointer);
}

static __device__ void start(uint64_t *barrier, uint32_t bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(place(barrier)), "r"(bytes) : "memory");
}

static __device__ void wait(uint64_t *barrier, uint32_t phase)
{
    uint32_t done = 0;
    while (!done)
        asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
                     : "=r"(done)
                     : "r"(place(barrier)), "r"(phase)
                     : "memory");
}

static __device__ void copy(void *to, const void *from, uint32_t bytes, uint64_t *barrier)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(place(to)),
                 "l"(from), "r"(bytes), "r"(place(barrier))
                 : "memory");
}

static __device__ void prepare(uint64_t *barrier)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\nfence.proxy.async;" ::"r"(place(barrier)) : "memory");
}

__global__ void chase(const char *from, int count, long long *out)
{
    __shared__ __align__(128) char buffer[128];
    __shared__ uint64_t barrier;
    uint32_t offset = 0, phase = 0;
    long long begin = 0;
    prepare(&barrier);
    for (int i = -512; i < count; i++) { // once round first, so that the near half of the L2 has it
        begin = i == 0 ? clock64() : begin;
        start(&barrier, 16);
        copy(buffer, from + offset, 16, &barrier);
        wait(&barrier, phase);
        phase ^= 1;
        offset = *(volatile uint32_t *)buffer;
    }
    out[0] = clock64() - begin;
}

__global__ void bytes(const char *from, uint64_t total, uint32_t each, long long *out)
{
    extern __shared__ __align__(1024) char buffer[];
    __shared__ uint64_t barrier;
    uint32_t phase = 0;
    prepare(&barrier);
    long long begin = clock64();
    for (uint64_t at = (uint64_t)blockIdx.x * each; at + each <= total; at += (uint64_t)gridDim.x * each) {
        start(&barrier, each);
        copy(buffer, from + at, each, &barrier);
        wait(&barrier, phase);
        phase ^= 1;
    }
    out[blockIdx.x] = clock64() - begin;
}

// Boxes in the order of the first dimension, then the second, then the third.
template <int rank>
__global__ void boxes(const __grid_constant__ CUtensorMap map, int3 box, int3 counts, uint32_t each, long long *out)
{
    extern __shared__ __align__(1024) char buffer[];
    __shared__ uint64_t barrier;
    uint32_t phase = 0;
    prepare(&barrier);
    long long begin = clock64();
    for (int i = blockIdx.x; i < counts.x * counts.y * counts.z; i += gridDim.x) {
        int x = i % counts.x * box.x, y = i / counts.x % counts.y * box.y, z = i / counts.x / counts.y * box.z;
        start(&barrier, each);
        if (rank == 2)
            asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, "
                         "%3}], [%4];" ::"r"(place(buffer)),
                         "l"(&map), "r"(x), "r"(y), "r"(place(&barrier))
                         : "memory");
        else
            asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, "
                         "%3, %5}], [%4];" ::"r"(place(buffer)),
                         "l"(&map), "r"(x), "r"(y), "r"(place(&barrier)), "r"(z)
                         : "memory");
        wait(&barrier, phase);
        phase ^= 1;
    }
    out[blockIdx.x] = clock64() - begin;
}

static double mean(const long long *device, int blocks, double copies)
{
    static long long host[1024];
    double sum = 0;
    cudaMemcpy(host, device, blocks * sizeof *host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < blocks; i++)
        sum += (double)host[i];
    return sum / copies;
}

static char *fresh(uint64_t total)
{
    char *memory;
    cudaMalloc(&memory, total);
    return memory;
}

static void box_of(int rank, int x, int y, int z, int blocks, uint64_t total, long long *out)
{
    CUtensorMap map;
    cuuint64_t dimensions[] = {1024, 256, total / 4 / 1024 / 256}, strides[] = {4096, 4096 * 256};
    cuuint32_t box[] = {(cuuint32_t)x, (cuuint32_t)y, (cuuint32_t)z}, ones[] = {1, 1, 1};
    if (rank == 2)
        dimensions[1] *= dimensions[2];
    else if (z > (int)dimensions[2]) /* deep boxes: a tensor that is deep, too */
        dimensions[0] = 64, dimensions[1] = 64, dimensions[2] = total / 4 / 4096, strides[0] = 256, strides[1] = 16384;
    uint32_t each = (uint32_t)(x * y * z * 4);
    if (cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, rank, fresh(total), dimensions, strides, box, ones,
                               CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                               CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS)
        exit(1);
    int3 size = {x, y, z};
    int3 counts = {(int)dimensions[0] / x, (int)dimensions[1] / y, rank == 2 ? 1 : (int)dimensions[2] / z};
    if (rank == 2)
        boxes<2><<<blocks, 1, each>>>(map, size, counts, each, out);
    else
        boxes<3><<<blocks, 1, each>>>(map, size, counts, each, out);
    char depth[16] = "";
    if (rank == 3)
        snprintf(depth, sizeof depth, "x%d", z);
    printf("%dd %dx%d%s: %.0f cycles\n", rank, x, y, depth, mean(out, blocks, (double)counts.x * counts.y * counts.z));
}

// Boxes as the measurements name them; of 16 KiB at most.
static const int flat[][2] = {{16, 16}, {32, 16}, {32, 32}, {64, 32}, {96, 32}, {64, 64}};
static const int deep[][3] = {{8, 8, 4},    {8, 8, 8},   {16, 8, 8},   {16, 16, 8},  {16, 16, 12},
                              {16, 16, 16}, {64, 64, 1}, {256, 16, 1}, {16, 256, 1}, {4, 4, 256}};

int main(int argc, char **argv)
{
    enum { LINES = 512, COUNT = 600, TOTAL = 8 << 20 };
    bool quick = argc > 1 && strcmp(argv[1], "quick") == 0;
    int blocks = argc > 2 ? atoi(argv[2]) : 228;
    long long *out;
    cudaMalloc(&out, 1024 * sizeof *out);
    uint32_t *words = (uint32_t *)calloc(LINES, 128);
    for (int i = 0; i < LINES; i++)
        words[i * 32] = (i * 37 + 11) % LINES * 128;
    char *chain = fresh(LINES * 128);
    cudaMemcpy(chain, words, LINES * 128, cudaMemcpyHostToDevice);
    chase<<<1, 1>>>(chain, COUNT, out);
    printf("chase: %.1f cycles\n", mean(out, 1, COUNT));
    for (uint32_t kib : {1, 2, 4, 8, 12, 16}) {
        if (quick && kib != 4)
            continue;
        bytes<<<blocks, 1, kib << 10>>>(fresh(TOTAL), TOTAL, kib << 10, out);
        printf("no map %u KiB: %.0f cycles\n", kib, mean(out, blocks, TOTAL / (kib << 10)));
    }
    for (auto &box : flat)
        if (!quick || box[0] == 32)
            box_of(2, box[0], box[1], 1, blocks, TOTAL, out);
    for (auto &box : deep)
        if (!quick)
            box_of(3, box[0], box[1], box[2], blocks, TOTAL, out);
    return cudaDeviceSynchronize();
}
