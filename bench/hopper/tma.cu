// SPDX-License-Identifier: BSD-3-Clause
// What copies by the tensor memory accelerator take, one in flight in each block of one thread: a chain of dependent copies
// of 16 bytes out of the L2, and copies of boxes out of DRAM, read once. The boxes lie as in the measurements of an H800 PCIe:
// in rows of 32,768 floats, or in planes of 1024 x 1024; of their 4 GiB the first 32 MiB are read. Words of the command line:
// `quick` leaves out most copies and reads 8 MiB; with `apart` the blocks do not begin with neighbouring boxes but in different
// rounds; then a number of blocks (228: two on each SM), and MiB of each kind of copy. `chain` and numbers of KiB: chains of copies of
// 16 bytes alone, in an order of no pattern. `single` and numbers of KiB: one copy by one block out of DRAM. `hot`: single copies
// out of the L2, from the clock before the instruction to the first mbarrier.test_wait that finds the bytes there; with tensor
// maps that have been used, and of one that has not. `out`: copies to global memory. `crowd`: one copy in each of many blocks at a
// time, out of the L2, by one block and by 1, 2 and 4 on each SM. Built outside the project, or by bench/programs.sh:
//   nvcc -arch=sm_90a -cudart shared -o tma bench/hopper/tma.cu -lcuda && maniple run --machine h800-pcie -- ./tma
#include "chain.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <cuda/barrier>
#include <cuda_runtime.h>

enum { WIDTH = 32768, SIDE = 1024 }; // floats of a row of what has two dimensions, and of three

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

static __device__ void copy(void *to, const void *from, uint32_t bytes, void *barrier)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(place(to)),
                 "l"(from), "r"(bytes), "r"(place(barrier))
                 : "memory");
}

static __device__ void prepare(uint64_t *barrier)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\nfence.proxy.async;" ::"r"(place(barrier)) : "memory");
}

// A chain of copies of 16 bytes, `first` of them before the clock is read.
__global__ void chase(const char *from, int first, int count, long long *out)
{
    __shared__ __align__(128) char buffer[128];
    __shared__ uint64_t barrier;
    uint32_t offset = 0, phase = 0;
    long long begin = 0;
    prepare(&barrier);
    for (int i = -first; i < count; i++) {
        begin = i == 0 ? clock64() : begin;
        start(&barrier, 16);
        copy(buffer, from + offset, 16, &barrier);
        wait(&barrier, phase);
        phase ^= 1;
        offset = *(volatile uint32_t *)buffer;
    }
    out[0] = clock64() - begin;
}

// Blocks begin with their first copies all at once, with a tensor map that nobody has used: of the hundreds of rounds that were
// measured this is nothing, of the few here much. So the clock begins with the second round, where there is one, and a last
// one that not all blocks take part in is left out.
static int untimed(int rounds)
{
    return rounds > 1;
}

// What was measured waits by a barrier of libcu++: its arrival, its token and its loop are a part of each copy's time.
using block_barrier = cuda::barrier<cuda::thread_scope_block>;

static __device__ void prepare(block_barrier *barrier)
{
    init(barrier, 1);
    asm volatile("fence.proxy.async.shared::cta;");
}

// Behind a copy has been given.
static __device__ void wait(block_barrier *barrier, uint32_t bytes)
{
    asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(place(barrier)), "r"(bytes) : "memory");
    barrier->wait(barrier->arrive());
}

__global__ void bytes(const char *from, int rounds, uint32_t each, long long *out)
{
    extern __shared__ __align__(1024) char buffer[];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ block_barrier barrier;
    prepare(&barrier);
    long long begin = clock64();
    uint64_t at = (uint64_t)blockIdx.x * each;
    for (int i = 0; i < rounds; i++, at += (uint64_t)gridDim.x * each) {
        begin = i == 1 ? clock64() : begin;
        copy(buffer, from + at, each, &barrier);
        wait(&barrier, each);
    }
    out[blockIdx.x] = clock64() - begin;
}

// Boxes in the order of the first dimension, then the second, then the third, of which each block takes one in each round. With
// one dimension elements have eight bytes: 256 of four would be too few. Blocks that are `apart` begin in different rounds.
// Extents are known to the compiler, as in what was measured: divisions by them would otherwise be a part of each copy's time.
template <int rank, int box_x, int box_y, int box_z>
__global__ void boxes(const __grid_constant__ CUtensorMap map, int rounds, bool apart, long long *out)
{
    extern __shared__ __align__(1024) char buffer[];
    __shared__ block_barrier barrier;
    constexpr uint32_t each = box_x * box_y * box_z * (rank == 1 ? 8 : 4);
    constexpr int wide = rank == 1 ? 1 << 30 : (rank == 2 ? WIDTH : SIDE) / box_x, high = rank == 2 ? 1 << 30 : SIDE / box_y;
    int round = apart ? blockIdx.x * 7919 % rounds : 0;
    prepare(&barrier);
    long long begin = clock64();
    for (int left = rounds; left > 0; left--) {
        int i = round * gridDim.x + blockIdx.x, x = i % wide * box_x, y = i / wide % high * box_y, z = i / wide / high * box_z;
        round = round + 1 < rounds ? round + 1 : 0;
        begin = rounds - left == 1 ? clock64() : begin;
        if (rank == 1)
            asm volatile("cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2}], "
                         "[%3];" ::"r"(place(buffer)),
                         "l"(&map), "r"(x), "r"(place(&barrier))
                         : "memory");
        else if (rank == 2)
            asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, "
                         "%3}], [%4];" ::"r"(place(buffer)),
                         "l"(&map), "r"(x), "r"(y), "r"(place(&barrier))
                         : "memory");
        else
            asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, "
                         "%3, %5}], [%4];" ::"r"(place(buffer)),
                         "l"(&map), "r"(x), "r"(y), "r"(place(&barrier)), "r"(z)
                         : "memory");
        wait(&barrier, each);
    }
    out[blockIdx.x] = clock64() - begin;
}

// ===== single copies out of the L2 =====

template <int rank> static __device__ void box_copy(void *to, const CUtensorMap *map, uint64_t *barrier)
{
#define BOX(n, list)                                                                                                   \
    if constexpr (rank == n)                                                                                           \
    asm volatile("cp.async.bulk.tensor." #n "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], "        \
                 "[%1, " list "], [%2];" ::"r"(place(to)),                                                            \
                 "l"(map), "r"(place(barrier)), "r"(0)                                                                 \
                 : "memory")
    BOX(1, "{%3}");
    BOX(2, "{%3, %3}");
    BOX(3, "{%3, %3, %3}");
    BOX(4, "{%3, %3, %3, %3}");
    BOX(5, "{%3, %3, %3, %3, %3}");
#undef BOX
}

#define STEP "mad.lo.u32 %0, %0, 5, 1;\n"

// So many times a few cycles, and up to five times a part of them, in a way that no assembler can shorten.
static __device__ uint32_t pause(uint32_t rounds, uint32_t steps)
{
    uint32_t x = rounds;
#pragma unroll 1
    for (uint32_t i = 0; i < rounds; i++)
        asm volatile(STEP : "+r"(x));
    if (steps == 1)
        asm volatile(STEP : "+r"(x));
    else if (steps == 2)
        asm volatile(STEP STEP : "+r"(x));
    else if (steps == 3)
        asm volatile(STEP STEP STEP : "+r"(x));
    else if (steps == 4)
        asm volatile(STEP STEP STEP STEP : "+r"(x));
    return x;
}

static __device__ uint32_t is_over(uint32_t barrier, uint32_t phase)
{
    uint32_t done;
    asm volatile("{\n.reg .pred p;\nmbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
                 : "=r"(done)
                 : "r"(barrier), "r"(phase)
                 : "memory");
    return done;
}

// The earliest time from the instruction on at which a single test of the mbarrier finds the copy done, by bisection, and
// of the first copy, by which the map is used for the first time, when it was seen. `rank` 0: without a map. `zero` is 0.
template <int rank>
__global__ void hot(const __grid_constant__ CUtensorMap map, const char *from, uint32_t each, uint32_t zero, long long *out)
{
    extern __shared__ __align__(1024) char buffer[];
    __shared__ uint64_t barrier;
    uint32_t phase = 0, sum = 0;
    for (uint32_t i = 0; i < each; i += 32) // all of it is in the L2
        sum += __ldcg((const unsigned *)(from + i));
    out[2] = sum;
    prepare(&barrier);
    long long least = 1 << 30, first = 0;
    for (uint32_t i = 0, early = 0, late = 256; i < 2 + 5 * 8; i++) {
        uint32_t rounds = i < 2 ? 0 : (early + late) / 2, done = 0;
        start(&barrier, each);
        long long begin = clock64();
        if constexpr (rank == 0)
            copy(buffer, from, each, &barrier);
        else
            box_copy<rank>(buffer, &map, &barrier);
        uint32_t object = place(&barrier) + (pause(rounds, (i - 2) / 8) & zero);
        long long now = clock64();
        done = is_over(object, phase);
        if (i > 1 && done)
            least = now - begin < least ? now - begin : least;
        late = done ? rounds : late, early = done ? early : rounds;
        if ((i - 2) % 8 == 7) // again, with another part of a round
            early = early > 8 ? early - 8 : 0, late = early + 64;
        while (!done)
            done = is_over(object, phase);
        first = i == 0 ? clock64() - begin : first;
        phase ^= 1;
    }
    out[0] = least, out[1] = first;
}

// ===== copies to global memory =====

template <bool adds> static __device__ void copy_out(void *to, const void *from, uint32_t bytes)
{
    if constexpr (adds)
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], %2;" ::"l"(to),
                     "r"(place(from)), "r"(bytes)
                     : "memory");
    else
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(place(from)), "r"(bytes)
                     : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

// Cycles from the first of so many copies on until all sources have been read, or, `whole`, all groups are complete. What the
// compiler knows costs no instructions in between.
template <bool adds, bool whole, uint32_t each, int count> __global__ void out_of(char *to, long long *out)
{
    extern __shared__ __align__(1024) char buffer[];
    for (int i = 0; i < 2; i++) {
        long long begin = clock64();
#pragma unroll
        for (int k = 0; k < count; k++)
            copy_out<adds>(to, buffer, each);
        if constexpr (whole)
            asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
        else
            asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
        out[0] = clock64() - begin;
    }
}

// Each block of 1,024 threads fills 4 KiB and has them copied to a place of its own, so many times: as ublkcp_g_s and
// ublkred_g_s of Accel-Sim's microbenchmarks.
template <bool adds> __global__ void out_again(unsigned *to, int times)
{
    __shared__ __align__(128) unsigned buffer[1024];
    buffer[threadIdx.x] = blockIdx.x * blockDim.x + threadIdx.x;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    for (int i = 0; i < times; i++)
        if (threadIdx.x == 0) {
            copy_out<adds>(to + blockIdx.x * 1024, buffer, sizeof buffer);
            asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
        }
}

// Each block copies what is its own with a map whose boxes are rows of 128 bytes, three times, and waits each time: as
// Sownelayt/ventus-env does (tma_g2s_kernel), whose figures are the means over all blocks of one such time.
enum { AGAIN = 3 };
__global__ void crowd(const __grid_constant__ CUtensorMap map, uint32_t each, int again, long long *out)
{
    extern __shared__ __align__(1024) char buffer[];
    block_barrier *barrier = (block_barrier *)(buffer + each);
    if (threadIdx.x == 0)
        init(barrier, 1);
    __syncthreads();
    for (int i = 0; i < again; i++) {
        if (threadIdx.x == 0) {
            long long begin = clock64();
            asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(place(barrier)), "r"(each) : "memory");
            asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], "
                         "[%4];" ::"r"(place(buffer)),
                         "l"(&map), "r"(0), "r"(blockIdx.x * (each / 128)), "r"(place(barrier))
                         : "memory");
            barrier->arrive_and_wait();
            out[i * gridDim.x + blockIdx.x] = clock64() - begin;
        }
        __syncthreads();
    }
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

static int up(int number, int by)
{
    return (number + by - 1) / by;
}

struct plan {
    int blocks;
    uint64_t total; // bytes of each kind of copy
    bool apart;
    long long *out;
};

// The tensor is as deep as its boxes need.
template <int rank, int x, int y, int z> static void box_of(const plan &how)
{
    CUtensorMap map;
    uint32_t each = (uint32_t)(x * y * z * (rank == 1 ? 8 : 4));
    int most = (int)(how.total / each), width = rank == 1 ? most * x : rank == 2 ? WIDTH : SIDE;
    int high = rank == 3 ? SIDE / y : up(most, width / x), deep = up(most, width / x * high);
    cuuint64_t dimensions[] = {(cuuint64_t)width, (cuuint64_t)high * y, (cuuint64_t)deep * z};
    cuuint64_t strides[] = {dimensions[0] * 4, dimensions[0] * dimensions[1] * 4};
    cuuint32_t box[] = {(cuuint32_t)x, (cuuint32_t)y, (cuuint32_t)z}, ones[] = {1, 1, 1};
    if (cuTensorMapEncodeTiled(&map, rank == 1 ? CU_TENSOR_MAP_DATA_TYPE_INT64 : CU_TENSOR_MAP_DATA_TYPE_FLOAT32, rank,
                               fresh((rank == 1 ? 2 : 1) * strides[1] * dimensions[2]), dimensions, strides, box, ones,
                               CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                               CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS)
        exit(1);
    int rounds = most / how.blocks;
    boxes<rank, x, y, z><<<how.blocks, 1, each>>>(map, rounds, how.apart, how.out);
    double cycles = mean(how.out, how.blocks, (double)how.blocks * (rounds - untimed(rounds)));
    char depth[16] = "";
    if (rank == 3)
        snprintf(depth, sizeof depth, "x%d", z);
    if (rank == 1)
        printf("1d %d bytes: %.0f cycles\n", each, cycles);
    else
        printf("%dd %dx%d%s: %.0f cycles\n", rank, x, y, depth, cycles);
}

enum { HELD = 56 << 10 }; // KiB of a chain that an L2 may hold in part

// chain KIB: cycles of a copy of 16 bytes, in an order of no pattern. A chain that no L2 holds finds nothing there.
static void chain(long kib, long long *out)
{
    long lines = kib * 1024 / 128;
    uint32_t *order = shuffled(lines), *words = (uint32_t *)calloc(lines, 128);
    for (long i = 0; i < lines; i++)
        words[order[i] * 32L] = order[(i + 1) % lines] * 128u;
    char *device = fresh(lines * 128), *other = fresh(HELD << 11);
    cudaMemcpy(device, words, lines * 128, cudaMemcpyHostToDevice);
    bool held = kib <= HELD;
    free(words), words = (uint32_t *)calloc(HELD, 2048);
    if (!held)
        cudaMemcpy(other, words, (size_t)HELD << 11, cudaMemcpyHostToDevice);
    int first = held ? (int)lines : 64, count = 8192; // one round, and all that follow are alike
    chase<<<1, 1>>>(device, first, count, out);
    printf("chain %ld: %.1f cycles\n", kib, mean(out, 1, count));
    free(order), free(words), cudaFree(device), cudaFree(other);
}

// Whether the words are a list for chains, or for single copies, which then have been made.
static bool listed(int argc, char **argv, long long *out)
{
    bool chains = argc > 2 && strcmp(argv[1], "chain") == 0, singles = argc > 2 && strcmp(argv[1], "single") == 0;
    for (int i = 2; i < argc && (chains || singles); i++) {
        uint32_t each = (uint32_t)atoi(argv[i]) << 10;
        if (chains)
            chain(atol(argv[i]), out);
        else {
            bytes<<<1, 1, each>>>(fresh(each), 1, each, out);
            printf("single %u: %.0f cycles\n", each >> 10, mean(out, 1, 1));
        }
    }
    return chains || singles;
}

// A copy of bytes that lie side by side, in rows of so many; rank 0: without a map. `slices`: as pixels of an interleaved
// tensor, of 16 bytes each.
template <int rank> static void hot_of(uint32_t row, uint32_t rows, bool slices, long long *out)
{
    CUtensorMap map;
    uint32_t each = row * rows, width = slices ? 8 : row;
    char *from = fresh(each);
    cuuint64_t dimensions[] = {width, slices ? row / 16 : rows, slices ? rows : 1, 1, 1};
    cuuint64_t strides[] = {slices ? 16 : row, slices ? row : each, each, each};
    cuuint32_t box[] = {width, (cuuint32_t)dimensions[1], (cuuint32_t)dimensions[2], 1, 1}, ones[] = {1, 1, 1, 1, 1};
    cudaMemset(from, 1, each);
    if (rank &&
        cuTensorMapEncodeTiled(&map, slices ? CU_TENSOR_MAP_DATA_TYPE_UINT16 : CU_TENSOR_MAP_DATA_TYPE_UINT8, rank,
                               from, dimensions, strides, box, ones,
                               slices ? CU_TENSOR_MAP_INTERLEAVE_16B : CU_TENSOR_MAP_INTERLEAVE_NONE,
                               CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                               CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS)
        exit(1);
    cudaFuncSetAttribute(hot<rank>, cudaFuncAttributeMaxDynamicSharedMemorySize, 32768);
    hot<rank><<<1, 1, each>>>(map, from, each, 0, out);
    long long host[2];
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("hot %dd %u x %u%s: %lld cycles\n", rank, row, rows, slices ? " slices" : "", host[0]);
    if (rank == 2 && row == 128)
        printf("first use 2d %u x %u: %lld cycles\n", row, rows, host[1]);
    cudaFree(from);
}

static void all_hot(long long *out)
{
    for (uint32_t bytes : {16, 128, 256, 1024, 2048, 4096, 8192, 16384, 32768})
        hot_of<0>(bytes, 1, false, out);
    for (uint32_t rows : {1, 2, 8, 16, 32, 64, 128, 256})
        hot_of<2>(128, rows, false, out);
    for (uint32_t rows : {4, 32, 64, 128, 256})
        hot_of<2>(32, rows, false, out);
    hot_of<1>(128, 1, false, out);
    hot_of<3>(128, 1, false, out);
    hot_of<4>(128, 1, false, out);
    hot_of<5>(128, 1, false, out);
    for (uint32_t rows : {64, 256})
        hot_of<2>(16, rows, false, out);
    for (uint32_t rows : {8, 32, 128})
        hot_of<3>(128, rows, true, out);
}

template <bool adds, bool whole, uint32_t each, int count> static void out_one(char *to, long long *out)
{
    out_of<adds, whole, each, count><<<1, 1, each>>>(to, out);
    printf("%s %d of %u%s: %.0f cycles\n", adds ? "add" : "out", count, each, whole ? ", whole" : "", mean(out, 1, 1));
}

static void crowd_of(uint32_t each, int blocks, long long *out)
{
    CUtensorMap map;
    uint32_t rows = each / 128;
    cuuint64_t dimensions[] = {128, (cuuint64_t)rows * blocks}, stride = 128;
    cuuint32_t box[] = {128, rows}, ones[] = {1, 1};
    char *from = fresh((uint64_t)each * blocks);
    cudaMemset(from, 1, (uint64_t)each * blocks);
    if (cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_UINT8, 2, from, dimensions, &stride, box, ones,
                               CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                               CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS)
        exit(1);
    uint32_t shared = each + sizeof(block_barrier);
    crowd<<<blocks, 128, shared>>>(map, each, 1, out);
    crowd<<<blocks, 128, shared>>>(map, each, AGAIN, out);
    static long long host[AGAIN * 1024];
    cudaMemcpy(host, out, AGAIN * blocks * sizeof *host, cudaMemcpyDeviceToHost);
    printf("crowd %u bytes, %d blocks:", each, blocks);
    for (int i = 0; i < AGAIN; i++) {
        double sum = 0;
        long long least = host[i * blocks], most = 0;
        for (int k = 0; k < blocks; k++) {
            long long one = host[i * blocks + k];
            sum += (double)one, least = one < least ? one : least, most = one > most ? one : most;
        }
        printf(" %.0f (%lld to %lld)", sum / blocks, least, most);
    }
    printf(" cycles\n");
    cudaFree(from);
}

// `out`: single copies to global memory, and several; `out` BLOCKS TIMES, and `add` BLOCKS TIMES: kernels of nothing else.
static bool all_out(int argc, char **argv, long long *out)
{
    bool adds = argc > 3 && strcmp(argv[1], "add") == 0;
    if (argc < 2 || (!adds && strcmp(argv[1], "out") != 0))
        return false;
    char *to = fresh(1 << 20);
    if (argc > 3) {
        (adds ? out_again<true> : out_again<false>)<<<atoi(argv[2]), 1024>>>((unsigned *)fresh(atoi(argv[2]) * 4096), atoi(argv[3]));
        return true;
    }
    out_one<false, false, 16, 1>(to, out);
    out_one<false, false, 128, 1>(to, out);
    out_one<false, false, 256, 1>(to, out);
    out_one<false, false, 1024, 1>(to, out);
    out_one<false, false, 4096, 1>(to, out);
    out_one<false, false, 32768, 1>(to, out);
    out_one<false, true, 128, 1>(to, out);
    out_one<false, true, 128, 8>(to, out);
    out_one<false, true, 4096, 8>(to, out);
    out_one<true, false, 4096, 1>(to, out);
    out_one<true, true, 4096, 1>(to, out);
    return true;
}

int main(int argc, char **argv)
{
    enum { LINES = 512, COUNT = 600 };
    bool quick = argc > 1 && strcmp(argv[1], "quick") == 0;
    plan how = {argc > 2 ? atoi(argv[2]) : 228, (uint64_t)(argc > 3 ? atoi(argv[3]) : quick ? 8 : 32) << 20,
                argc > 1 && strcmp(argv[1], "apart") == 0, NULL};
    cudaMalloc(&how.out, AGAIN * 1024 * sizeof *how.out);
    for (int i = 2; i < argc && strcmp(argv[1], "crowd") == 0; i++)
        for (uint32_t each : {4096, 16384, 32768})
            crowd_of(each, atoi(argv[i]), how.out);
    if (argc > 2 && strcmp(argv[1], "crowd") == 0)
        return cudaDeviceSynchronize();
    if (listed(argc, argv, how.out) || all_out(argc, argv, how.out))
        return cudaDeviceSynchronize();
    if (argc > 1 && strcmp(argv[1], "hot") == 0) {
        all_hot(how.out);
        return cudaDeviceSynchronize();
    }
    uint32_t *words = (uint32_t *)calloc(LINES, 128);
    for (int i = 0; i < LINES; i++)
        words[i * 32] = (i * 37 + 11) % LINES * 128;
    char *chain = fresh(LINES * 128);
    cudaMemcpy(chain, words, LINES * 128, cudaMemcpyHostToDevice);
    chase<<<1, 1>>>(chain, LINES, COUNT, how.out); // once round first, so that the near half of the L2 has it
    printf("chase: %.1f cycles\n", mean(how.out, 1, COUNT));
    for (uint32_t kib : {1, 2, 4, 8, 12, 16}) {
        if (quick && kib != 4)
            continue;
        int rounds = (int)(how.total / (kib << 10) / how.blocks);
        bytes<<<how.blocks, 1, kib << 10>>>(fresh(how.total), rounds, kib << 10, how.out);
        printf("no map %u KiB: %.0f cycles\n", kib, mean(how.out, how.blocks, (double)how.blocks * (rounds - untimed(rounds))));
    }
    box_of<2, 32, 16, 1>(how); // as the measurements name them; of 16 KiB at most
    box_of<2, 32, 32, 1>(how);
    if (quick)
        return cudaDeviceSynchronize();
    box_of<1, 64, 1, 1>(how);
    box_of<1, 128, 1, 1>(how);
    box_of<1, 256, 1, 1>(how);
    box_of<2, 16, 16, 1>(how);
    box_of<2, 64, 32, 1>(how);
    box_of<2, 96, 32, 1>(how);
    box_of<2, 64, 64, 1>(how);
    box_of<3, 8, 8, 4>(how);
    box_of<3, 8, 8, 8>(how);
    box_of<3, 16, 8, 8>(how);
    box_of<3, 16, 16, 8>(how);
    box_of<3, 16, 16, 12>(how);
    box_of<3, 16, 16, 16>(how);
    box_of<3, 64, 64, 1>(how);
    box_of<3, 256, 16, 1>(how);
    box_of<3, 16, 256, 1>(how);
    box_of<3, 4, 4, 256>(how);
    return cudaDeviceSynchronize();
}
