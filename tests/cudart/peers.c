/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program on two GPUs, which checks its own answers: copies, events, peer access and its errors, memory of the host,
 * and kernels of both that wait for one another. Usage: peers [PART]
 */
#include "kernels_text.h"
#include "maniple/driver.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 1000, ROUNDS = 10, UNSUPPORTED = 217, ENABLED = 704, NOT_ENABLED = 705, INVALID_HANDLE = 400 };

CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags);
CUresult cuCtxDisablePeerAccess(CUcontext peer);
CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t bytes,
                           CUstream stream);

struct properties { /* CUmemAllocationProp */
    int type, handle_types, place, device;
    void *windows;
    unsigned char flags[8];
};

struct access { /* CUmemAccessDesc */
    int place, device, flags;
};

CUresult cuMemAddressReserve(CUdeviceptr *out, size_t bytes, size_t alignment, CUdeviceptr wish,
                             unsigned long long flags);
CUresult cuMemAddressFree(CUdeviceptr address, size_t bytes);
CUresult cuMemCreate(uint64_t *handle, size_t bytes, const struct properties *p, unsigned long long flags);
CUresult cuMemRelease(uint64_t handle);
CUresult cuMemMap(CUdeviceptr address, size_t bytes, size_t offset, uint64_t handle, unsigned long long flags);
CUresult cuMemUnmap(CUdeviceptr address, size_t bytes);
CUresult cuMemSetAccess(CUdeviceptr address, size_t bytes, const struct access *access, size_t count);
CUresult cuMemGetAccess(unsigned long long *flags, const struct access *place, CUdeviceptr address);

static const char text[] = KERNELS_SET_AND_ADD KERNEL_MEET;

struct gpu {
    CUcontext context;
    CUmodule module;
    CUstream stream;
    CUdeviceptr memory;
};

static struct gpu gpus[2];

static void expect(CUresult got, CUresult wanted, const char *what)
{
    if (got == wanted)
        return;
    printf("%s: %d, not %d\n", what, (int)got, (int)wanted);
    exit(1);
}

#define OK(call)          expect(call, CUDA_SUCCESS, #call)
#define FAILS(call, code) expect(call, (CUresult)(code), #call)

static void use(int g)
{
    OK(cuCtxSetCurrent(gpus[g].context));
}

static void launch(int g, const char *name, void **arguments, unsigned blocks, unsigned threads)
{
    CUfunction function;
    use(g);
    OK(cuModuleGetFunction(&function, gpus[g].module, name));
    OK(cuLaunchKernel(function, blocks, 1, 1, threads, 1, 1, 0, gpus[g].stream, arguments, NULL));
}

static void set(int g, CUdeviceptr to, unsigned value)
{
    unsigned n = N;
    launch(g, "set", (void *[]){&to, &n, &value}, 4, 256);
}

static void add(int g, CUdeviceptr to, CUdeviceptr from)
{
    unsigned n = N;
    launch(g, "add", (void *[]){&to, &from, &n}, 4, 256);
}

static void meet(int g, unsigned rounds, unsigned first)
{
    launch(g, "meet", (void *[]){&gpus[g].memory, &gpus[1 - g].memory, &rounds, &first}, 1, 1);
}

/* Whether the words are `first`, `first` + `step` and so on. */
static void check(CUdeviceptr from, unsigned first, unsigned step, const char *what)
{
    unsigned words[N];
    OK(cuMemcpy((CUdeviceptr)words, from, sizeof words));
    for (unsigned i = 0; i < N; i++)
        if (words[i] != first + i * step) {
            printf("%s: word %u is %u\n", what, i, words[i]);
            exit(1);
        }
}

static void begin(void)
{
    int count;
    OK(cuInit(0));
    OK(cuDeviceGetCount(&count));
    if (count != 2) {
        printf("%d GPUs\n", count);
        exit(count == 1 ? 3 : 1);
    }
    for (int g = 0; g < 2; g++) {
        OK(cuDevicePrimaryCtxRetain(&gpus[g].context, g));
        use(g);
        OK(cuModuleLoadData(&gpus[g].module, text));
        OK(cuStreamCreate(&gpus[g].stream, 1));
        OK(cuMemAlloc(&gpus[g].memory, N * 4));
    }
}

/* Each GPU has memory, streams, events and kernels of its own. */
static void own(void)
{
    int number = -1;
    CUevent event;
    CUfunction function;
    for (int g = 0; g < 2; g++) {
        set(g, gpus[g].memory, 100 * (unsigned)g);
        OK(cuPointerGetAttribute(&number, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, gpus[g].memory));
        expect((CUresult)number, (CUresult)g, "the device of an address");
    }
    for (int g = 0; g < 2; g++) {
        use(g);
        OK(cuStreamSynchronize(gpus[g].stream));
        check(gpus[1 - g].memory, 100 * (unsigned)(1 - g), 1, "memory of the other GPU, copied to the host");
    }
    use(0);
    OK(cuEventCreate(&event, 0));
    OK(cuModuleGetFunction(&function, gpus[0].module, "set"));
    FAILS(cuEventRecord(event, gpus[1].stream), INVALID_HANDLE);
    unsigned n = 1;
    void *arguments[] = {&gpus[0].memory, &n, &n};
    FAILS(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, gpus[1].stream, arguments, NULL), INVALID_HANDLE);
}

static void copies(void)
{
    CUevent event;
    set(0, gpus[0].memory, 7);
    OK(cuStreamSynchronize(gpus[0].stream));
    OK(cuMemcpyPeer(gpus[1].memory, gpus[1].context, gpus[0].memory, gpus[0].context, N * 4));
    check(gpus[1].memory, 7, 1, "a copy from GPU to GPU");
    FAILS(cuMemcpyPeer(gpus[1].memory, gpus[0].context, gpus[0].memory, gpus[0].context, N * 4), 1);
    set(0, gpus[0].memory, 50);
    use(0);
    OK(cuEventCreate(&event, 0));
    OK(cuEventRecord(event, gpus[0].stream));
    use(1);
    OK(cuStreamWaitEvent(gpus[1].stream, event, 0));
    OK(cuMemcpyPeerAsync(gpus[1].memory, gpus[1].context, gpus[0].memory, gpus[0].context, N * 4, gpus[1].stream));
    OK(cuStreamSynchronize(gpus[1].stream));
    check(gpus[1].memory, 50, 1, "a copy behind another GPU's event");
}

/* False: there are no peers. */
static bool enable(void)
{
    int can[2];
    OK(cuDeviceCanAccessPeer(&can[0], 0, 1));
    OK(cuDeviceCanAccessPeer(&can[1], 0, 0));
    expect((CUresult)can[1], (CUresult)0, "a GPU as a peer of itself");
    for (int g = 0; g < 2; g++) {
        use(g);
        FAILS(cuCtxDisablePeerAccess(gpus[1 - g].context), NOT_ENABLED);
        FAILS(cuCtxEnablePeerAccess(gpus[1 - g].context, 1), 1);
        FAILS(cuCtxEnablePeerAccess(gpus[1 - g].context, 0), can[0] ? 0 : UNSUPPORTED);
        if (can[0])
            FAILS(cuCtxEnablePeerAccess(gpus[1 - g].context, 0), ENABLED);
    }
    return can[0];
}

static void peers(void)
{
    CUdeviceptr managed;
    void *pinned;
    set(0, gpus[0].memory, 5);
    set(1, gpus[1].memory, 1000);
    OK(cuCtxSynchronize());
    use(0);
    OK(cuCtxSynchronize());
    add(1, gpus[1].memory, gpus[0].memory);
    OK(cuStreamSynchronize(gpus[1].stream));
    check(gpus[1].memory, 1005, 2, "a sum with the other GPU's memory");
    OK(cuMemAllocManaged(&managed, N * 4, 1));
    OK(cuMemHostAlloc(&pinned, N * 4, 0));
    for (unsigned i = 0; i < N; i++) {
        ((unsigned *)managed)[i] = i;
        ((unsigned *)pinned)[i] = 3 * i;
    }
    for (int g = 0; g < 2; g++) {
        add(g, managed, (CUdeviceptr)pinned);
        OK(cuStreamSynchronize(gpus[g].stream));
    }
    check(managed, 0, 7, "managed and pinned memory on both GPUs");
    use(0);
    OK(cuMemFree(gpus[1].memory)); /* by the other's context */
    use(1);
    OK(cuMemAlloc(&gpus[1].memory, N * 4));
}

/* Memory of GPU 1 at addresses of its own or, with `crossed`, of GPU 0; without peer access. GPU 0 may use it once
 * it is granted, and no longer than that. */
static void mapped(bool crossed, CUresult allowed)
{
    enum { BYTES = 2 << 20 };
    const struct access both[] = {{1, 0, 3}, {1, 1, 3}}, none = {1, 0, 0};
    int attribute;
    unsigned long long rights;
    uint64_t piece;
    CUdeviceptr base;
    OK(cuDeviceGetAttribute(&attribute, 102, 1));
    expect(attribute ? CUDA_SUCCESS : 1, CUDA_SUCCESS, "virtual memory management");
    use(crossed ? 0 : 1);
    OK(cuMemAddressReserve(&base, BYTES, 0, 0, 0));
    OK(cuMemCreate(&piece, BYTES, &(struct properties){.type = 1, .place = 1, .device = 1}, 0));
    FAILS(cuMemMap(base, BYTES, 0, piece, 0), allowed);
    if (allowed)
        return;
    OK(cuMemSetAccess(base, BYTES, both, 2));
    OK(cuMemGetAccess(&rights, both, base));
    expect(rights == 3 ? CUDA_SUCCESS : 1, CUDA_SUCCESS, "access of GPU 0");
    set(1, base, 20);
    OK(cuCtxSynchronize());
    set(0, gpus[0].memory, 300);
    add(0, base, gpus[0].memory);
    OK(cuCtxSynchronize());
    check(base, 320, 2, "mapped memory of GPU 1 after a kernel of GPU 0");
    OK(cuMemSetAccess(base, BYTES, &none, 1));
    OK(cuMemGetAccess(&rights, both, base));
    expect(rights ? 1 : CUDA_SUCCESS, CUDA_SUCCESS, "no access of GPU 0");
    OK(cuMemUnmap(base, BYTES));
    OK(cuMemRelease(piece));
    OK(cuMemAddressFree(base, BYTES));
}

static void clear(void)
{
    for (int g = 0; g < 2; g++) {
        use(g);
        OK(cuMemsetD32(gpus[g].memory, 0, 2));
        OK(cuCtxSynchronize());
    }
}

static void *meet_in_thread(void *context)
{
    int g = context == &gpus[1];
    meet(g, ROUNDS, (unsigned)g);
    OK(cuStreamSynchronize(gpus[g].stream));
    return NULL;
}

static sem_t begun;
static int begins_first;

/* The first CUDA calls of a thread, on the GPU of its own, and a kernel. */
static void *begin_in_thread(void *context)
{
    int g = context == &gpus[1], count;
    if (g != begins_first)
        sem_wait(&begun);
    OK(cuInit(0));
    OK(cuDeviceGetCount(&count));
    OK(cuDevicePrimaryCtxRetain(&gpus[g].context, g));
    use(g);
    sem_post(&begun);
    OK(cuModuleLoadData(&gpus[g].module, text));
    OK(cuMemAlloc(&gpus[g].memory, N * 4));
    set(g, gpus[g].memory, 7);
    OK(cuCtxSynchronize());
    check(gpus[g].memory, 7, 1, "set");
    return NULL;
}

/* A thread for each GPU makes all calls; the program's own thread makes none. */
static int begin_in_threads(int first)
{
    pthread_t threads[2];
    sem_init(&begun, 0, 0);
    begins_first = first;
    for (int g = 0; g < 2; g++)
        pthread_create(&threads[g], NULL, begin_in_thread, &gpus[g]);
    for (int g = 0; g < 2; g++)
        pthread_join(threads[g], NULL);
    puts("right");
    return 0;
}

/* Zeroes parts of memory that holds something, from and to the middle of pages. */
static void zero(int g)
{
    enum { BYTES = 400000, FROM = 1000, TO = 333333 };
    CUdeviceptr memory;
    unsigned char *here = malloc(BYTES);
    OK(cuMemAlloc(&memory, BYTES));
    OK(cuMemsetD8(memory, 7, BYTES));
    OK(cuMemsetD8(memory + FROM, 0, TO - FROM));
    OK(cuMemcpyDtoH(here, memory, BYTES));
    for (unsigned i = 0; i < BYTES; i++)
        if (here[i] != (i >= FROM && i < TO ? 0 : 7)) {
            printf("GPU %d: byte %u is %u\n", g, i, here[i]);
            exit(1);
        }
    free(here);
}

/* Copies the memory that malloc gives to a thread, which lies in a mapping of the thread's own, to a GPU and back. */
static void *copy_from_heap(void *context)
{
    int g = *(const int *)context;
    CUcontext own;
    CUdeviceptr memory;
    unsigned *from = malloc(N * 4), *to = calloc(N, 4);
    for (unsigned i = 0; i < N; i++)
        from[i] = i + (unsigned)g;
    OK(cuDevicePrimaryCtxRetain(&own, g));
    OK(cuCtxSetCurrent(own));
    OK(cuMemAlloc(&memory, N * 4));
    OK(cuMemcpyHtoD(memory, from, N * 4));
    OK(cuMemcpyDtoH(to, memory, N * 4));
    if (memcmp(from, to, N * 4) != 0) {
        printf("GPU %d: not what has been copied\n", g);
        exit(1);
    }
    free(from);
    free(to);
    zero(g);
    return NULL;
}

/* Memory of all of a node's GPUs is common to its processes, and takes terabytes of the addresses of each. */
static int copy_heaps(void)
{
    enum { MOST = 16 };
    pthread_t threads[MOST];
    int places[MOST], count;
    OK(cuInit(0));
    OK(cuDeviceGetCount(&count));
    for (int g = 0; g < count && g < MOST; g++) {
        places[g] = g;
        pthread_create(&threads[g], NULL, copy_from_heap, &places[g]);
    }
    for (int g = 0; g < count && g < MOST; g++)
        pthread_join(threads[g], NULL);
    puts("right");
    return 0;
}

int main(int argc, char **argv)
{
    const char *part = argc == 2 ? argv[1] : "";
    pthread_t threads[2];
    if (strcmp(part, "heaps") == 0)
        return copy_heaps();
    if (strncmp(part, "first", 5) == 0)
        return begin_in_threads(part[5] == '1');
    begin();
    if (strncmp(part, "mapped", 6) == 0) {
        mapped(false, CUDA_SUCCESS);
        mapped(true, strcmp(part, "mapped-timed") == 0 ? CUDA_ERROR_NOT_SUPPORTED : CUDA_SUCCESS);
        puts("right");
        return 0;
    }
    own();
    copies();
    bool joined = strcmp(part, "closed") != 0 && enable();
    if (strcmp(part, "closed") == 0) { /* without a word to the driver */
        add(1, gpus[1].memory, gpus[0].memory);
        FAILS(cuStreamSynchronize(gpus[1].stream), 700);
        return 0;
    }
    if (!joined) {
        puts("right, without peers");
        return 0;
    }
    peers();
    clear();
    if (strcmp(part, "hang") == 0) {
        meet(0, ROUNDS, 0);
        meet(1, ROUNDS, 0);
        FAILS(cuStreamSynchronize(gpus[1].stream), 702);
        return 0;
    }
    if (strcmp(part, "threads") == 0) {
        for (int g = 0; g < 2; g++)
            pthread_create(&threads[g], NULL, meet_in_thread, &gpus[g]);
        for (int g = 0; g < 2; g++)
            pthread_join(threads[g], NULL);
    } else {
        meet(0, ROUNDS, 1);
        meet(1, ROUNDS, 0);
        OK(cuStreamSynchronize(gpus[1].stream));
        use(0);
        OK(cuStreamSynchronize(gpus[0].stream));
    }
    puts("right");
    return 0;
}
