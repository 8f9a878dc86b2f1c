/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies and fills of one to three dimensions, of both APIs, from and to addresses where nothing is: CUDA's error, and
 * the program goes on. */
#include "maniple/driver.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h> /* behind what it needs */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct extent {
    size_t width, height, depth;
};

struct pitched {
    void *address;
    size_t pitch, width, height;
};

struct copy_3d { /* cudaMemcpy3DParms */
    uint64_t from_array;
    size_t from_at[3];
    struct pitched from;
    uint64_t to_array;
    size_t to_at[3];
    struct pitched to;
    struct extent extent;
    int kind;
};

extern int cudaMemcpy(void *to, const void *from, size_t bytes, int kind);
extern int cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind, void *stream);
extern int cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                        int kind);
extern int cudaMemcpy3D(const struct copy_3d *copy);
extern int cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t bytes);
extern int cudaMemset2D(void *address, size_t pitch, int value, size_t width, size_t height);
extern int cudaMemset3D(struct pitched memory, int value, struct extent extent);
extern int cudaMemcpy2DToArray(uint64_t array, size_t x, size_t y, const void *from, size_t pitch, size_t width,
                               size_t height, int kind);
extern int cudaMemcpy2DFromArray(void *to, size_t pitch, uint64_t array, size_t x, size_t y, size_t width,
                                 size_t height, int kind);
extern int cudaGraphCreate(uint64_t *graph, unsigned flags);
extern int cudaGraphAddMemcpyNode1D(uint64_t *node, uint64_t graph, const uint64_t *before, size_t count, void *to,
                                    const void *from, size_t bytes, int kind);
extern int cudaGraphInstantiate(uint64_t *executable, uint64_t graph, unsigned long long flags);
extern int cudaGraphAddEmptyNode(uint64_t *node, uint64_t graph, const uint64_t *before, size_t count);
extern int cudaGraphDestroy(uint64_t graph);
extern int cudaStreamCreate(uint64_t *stream);
extern int cudaStreamDestroy(uint64_t stream);
extern int cudaStreamBeginCapture(uint64_t stream, int mode);
extern int cudaGraphExecDestroy(uint64_t executable);
extern int cudaGraphLaunch(uint64_t executable, void *stream);
extern int cudaDeviceSynchronize(void);
extern int cudaDeviceReset(void);

#define MUST(call)  assert_int_equal(call, 0)
#define WRONG(call) assert_int_equal(call, CUDA_ERROR_INVALID_VALUE)

enum { BYTES = 4096, DEFAULT = 4, TO_DEVICE = 1, TO_HOST = 2, INSIDE = 3 };

/* Addresses of no memory: low ones, between, of the kernel, at the end; of the device's, beyond what is allocated. */
static const uint64_t wild[] = {1,
                                8,
                                0x1234000,
                                UINT64_C(0x700123450000),
                                UINT64_C(0x7dfffffff000),
                                UINT64_C(0x7ffffffff000),
                                UINT64_C(0x800000000000),
                                UINT64_C(1) << 63,
                                UINT64_MAX - 4096,
                                UINT64_MAX};
enum { COUNT = sizeof wild / sizeof *wild };

static CUdeviceptr device;
static char host[BYTES];
static CUarray array;

static int set_up(void **state)
{
    static CUcontext context;
    (void)state;
    MUST(cuInit(0));
    MUST(cuDevicePrimaryCtxRetain(&context, 0));
    MUST(cuCtxSetCurrent(context));
    MUST(cuMemAlloc(&device, BYTES));
    CUDA_ARRAY_DESCRIPTOR shape = {.Width = 32, .Height = 8, .Format = CU_AD_FORMAT_UNSIGNED_INT32, .NumChannels = 1};
    MUST(cuArrayCreate(&array, &shape));
    return 0;
}

/* The driver's copies of boxes: each kind of memory on the wild side, each kind that is right on the other one. */
static void boxes_of_the_driver(void **state)
{
    static const CUmemorytype types[] = {CU_MEMORYTYPE_HOST, CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_UNIFIED};
    (void)state;
    for (size_t i = 0; i < COUNT; i++)
        for (unsigned t = 0; t < 3; t++)
            for (unsigned other = 0; other < 3; other++) {
                CUDA_MEMCPY2D c = {.WidthInBytes = 16, .Height = 2, .srcPitch = 64, .dstPitch = 64};
                c.srcMemoryType = types[t];
                c.srcHost = (void *)wild[i];
                c.srcDevice = wild[i];
                c.dstMemoryType = other < 2 ? types[other] : CU_MEMORYTYPE_ARRAY;
                c.dstHost = host;
                c.dstDevice = device;
                c.dstArray = array;
                WRONG(cuMemcpy2D(&c));
                WRONG(cuMemcpy2DAsync(&c, NULL));
                CUDA_MEMCPY3D back = {.WidthInBytes = 16, .Height = 2, .Depth = other < 2 ? 2 : 1, .dstPitch = 64};
                back.dstMemoryType = types[t];
                back.dstHost = (void *)wild[i];
                back.dstDevice = wild[i];
                back.srcMemoryType = c.dstMemoryType;
                back.srcHost = host;
                back.srcDevice = device;
                back.srcArray = array;
                WRONG(cuMemcpy3D(&back));
                WRONG(cuMemcpy3DAsync(&back, NULL));
            }
}

static void rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT; i++) {
        void *at = (void *)wild[i], *here = (void *)device;
        for (int kind = 0; kind <= DEFAULT; kind++) {
            WRONG(cudaMemcpy(at, host, 64, kind));
            WRONG(cudaMemcpy(here, at, 64, kind));
            WRONG(cudaMemcpy(at, at, 64, kind));
            WRONG(cudaMemcpyAsync(host, at, 64, kind, NULL));
            WRONG(cudaMemcpy2D(at, 64, host, 64, 16, 4, kind));
            WRONG(cudaMemcpy2D(here, 64, at, 64, 16, 4, kind));
            WRONG(cudaMemcpy2DToArray((uint64_t)array, 0, 0, at, 64, 16, 4, kind));
            WRONG(cudaMemcpy2DFromArray(at, 64, (uint64_t)array, 0, 0, 16, 4, kind));
            struct copy_3d c = {.from = {at, 64, 64, 4}, .to = {here, 64, 64, 4}, .extent = {16, 4, 2}, .kind = kind};
            WRONG(cudaMemcpy3D(&c));
        }
        WRONG(cudaMemcpyPeer(at, 0, here, 0, 64));
        WRONG(cudaMemset2D(at, 64, 0, 16, 4));
        WRONG(cudaMemset3D((struct pitched){at, 64, 64, 4}, 0, (struct extent){16, 4, 2}));
        WRONG(cuMemcpyAtoD(wild[i], array, 0, 16));
        WRONG(cuMemcpyDtoA(array, 0, wild[i], 16));
        WRONG(cuMemcpyHtoA(array, 0, at, 16));
        WRONG(cuMemcpyAtoH(at, array, 0, 16));
        WRONG(cuMemAdvise(wild[i], 64, 0, (CUmemLocation){0}));
        WRONG(cuMemPrefetchAsync(wild[i], 64, (CUmemLocation){0}, 0, NULL));
    }
}

/* Sizes that no memory has, and boxes that end beyond it. Nothing of them is copied. */
static void sizes(void **state)
{
    static const uint64_t huge[] = {BYTES + 1, UINT64_C(1) << 32, UINT64_C(1) << 60, UINT64_MAX - 64, UINT64_MAX};
    (void)state;
    void *here = (void *)device, *pinned;
    CUdeviceptr managed;
    MUST(cuMemAllocHost(&pinned, BYTES));
    MUST(cuMemAllocManaged(&managed, BYTES, 1));
    memset(host, 1, sizeof host);
    MUST(cuMemsetD8(device, 2, BYTES));
    for (size_t i = 0; i < sizeof huge / sizeof *huge; i++) {
        WRONG(cudaMemcpy(here, host, huge[i], DEFAULT));
        WRONG(cudaMemcpy(here, pinned, huge[i], DEFAULT));
        WRONG(cudaMemcpy(pinned, (void *)managed, huge[i], DEFAULT));
        WRONG(cuMemsetD8(device, 0, huge[i]));
        WRONG(cuMemsetD8(managed, 0, huge[i]));
        WRONG(cudaMemcpy2D(here, 64, host, 64, 64, huge[i], TO_DEVICE));
        WRONG(cudaMemset2D(here, 64, 0, 64, huge[i]));
        WRONG(cudaMemset3D((struct pitched){here, 16, 16, 1}, 0, (struct extent){16, 1, huge[i]}));
        WRONG(cudaMemset3D((struct pitched){here, 16, 16, 0}, 0, (struct extent){16, 1, huge[i]}));
        WRONG(cuMemPrefetchAsync(managed, huge[i], (CUmemLocation){0}, 0, NULL));
        CUDA_MEMCPY3D c = {.srcMemoryType = CU_MEMORYTYPE_HOST, .srcHost = host, .srcHeight = 1};
        c.dstMemoryType = CU_MEMORYTYPE_DEVICE;
        c.dstDevice = device;
        c.dstPitch = 32;
        c.dstHeight = 1;
        c.WidthInBytes = 16;
        c.Height = 1;
        c.Depth = huge[i];
        WRONG(cuMemcpy3D(&c));
    }
    CUDA_MEMCPY3D c = {.srcMemoryType = CU_MEMORYTYPE_HOST, .srcHost = host, .WidthInBytes = 16, .Height = 1};
    c.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    c.dstDevice = device;
    c.dstPitch = 1024;
    c.Depth = 5; /* the last slice begins behind the memory */
    WRONG(cuMemcpy3D(&c));
    MUST(cuMemcpyDtoH(host, device, BYTES));
    for (unsigned i = 0; i < BYTES; i++)
        assert_int_equal(host[i], 2);
    MUST(cuMemFreeHost(pinned));
    MUST(cuMemFree(managed));
}

/* The program's own memory, of which a page is not there or cannot be written. */
static void pages(void **state)
{
    (void)state;
    char *mine = mmap(NULL, 3 * BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(mine, MAP_FAILED);
    munmap(mine + 2 * BYTES, BYTES);
    mprotect(mine + BYTES, BYTES, PROT_READ);
    void *here = (void *)device;
    MUST(cudaMemcpy(here, mine + BYTES, BYTES, TO_DEVICE));
    WRONG(cudaMemcpy(here, mine + BYTES + 1, BYTES, TO_DEVICE));
    WRONG(cudaMemcpy(mine + BYTES - 1, here, 2, TO_HOST));
    MUST(cudaMemcpy(mine, here, BYTES, TO_HOST));
    WRONG(cudaMemcpy2D(here, 16, mine + BYTES - 16, BYTES, 16, 3, TO_DEVICE));
    MUST(cudaMemcpy2D(here, 16, mine + BYTES - 16, BYTES, 16, 2, TO_DEVICE));
    munmap(mine, 2 * BYTES);
}

/* Memory that has gone when the graph runs. */
static void graphs(void **state)
{
    (void)state;
    char *mine = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(mine, MAP_FAILED);
    uint64_t graph, node, executable;
    MUST(cudaGraphCreate(&graph, 0));
    WRONG(cudaGraphAddMemcpyNode1D(&node, graph, NULL, 0, (void *)wild[2], (void *)device, 64, INSIDE));
    WRONG(cudaGraphAddMemcpyNode1D(&node, graph, NULL, 0, (void *)device, (void *)wild[2], 64, DEFAULT));
    MUST(cudaGraphAddMemcpyNode1D(&node, graph, NULL, 0, (void *)device, mine, 64, TO_DEVICE));
    MUST(cudaGraphInstantiate(&executable, graph, 0));
    MUST(cudaGraphLaunch(executable, NULL));
    MUST(cudaDeviceSynchronize());
    munmap(mine, BYTES);
    MUST(cudaGraphLaunch(executable, NULL));
    assert_int_equal(cudaDeviceSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
    MUST(cudaDeviceReset());
    MUST(cudaDeviceSynchronize());
}

/* Handles that the program has never got name no stream: neither the default ones nor those of a graph's branches. If
 * these were captured or destroyed, they would wait for nothing. */
static void streams(void **state)
{
    (void)state;
    uint64_t graph, nodes[3], executable, stream;
    MUST(cudaStreamCreate(&stream));
    MUST(cudaGraphCreate(&graph, 0));
    for (unsigned i = 0; i < 3; i++)
        MUST(cudaGraphAddEmptyNode(&nodes[i], graph, NULL, 0));
    MUST(cudaGraphInstantiate(&executable, graph, 0));
    for (uint64_t handle = 3; handle < stream + 16; handle++) {
        if (handle == stream)
            continue;
        assert_int_equal(cudaStreamBeginCapture(handle, 2), CUDA_ERROR_INVALID_HANDLE);
        assert_int_equal(cudaStreamDestroy(handle), CUDA_ERROR_INVALID_HANDLE);
    }
    MUST(cudaGraphLaunch(executable, (void *)stream));
    MUST(cudaDeviceSynchronize());
    MUST(cudaGraphExecDestroy(executable));
    MUST(cudaGraphDestroy(graph));
    MUST(cudaStreamDestroy(stream));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(boxes_of_the_driver),
                                       cmocka_unit_test(rows),
                                       cmocka_unit_test(sizes),
                                       cmocka_unit_test(pages),
                                       cmocka_unit_test(graphs),
                                       cmocka_unit_test(streams)};
    setenv("MANIPLE_CUDA", "program wild_test\nfunctional\nmachine a100\n", 1);
    int failed = cmocka_run_group_tests(tests, set_up, NULL);
    fflush(NULL);
    _exit(failed != 0); /* not by exit: the results are of no interest */
}
