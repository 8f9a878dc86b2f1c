/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Microbenchmarks of clusters (dsm.cu) as a program of the CUDA driver: prints what each measured, a line per number,
 * for dsm.py, or to be read. Usage: bench-dsm DSM.PTX [pairs] [bandwidth] [single]
 */
#include "module.h"

#include <stdbool.h>
#include <string.h>

enum { LOADS = 64, SHARED = 98304, FEW = 16384, WORDS = 1024 };

static CUmodule module;
static CUdeviceptr out;
static unsigned words[WORDS];

/* One cluster of a kernel; its numbers are in `words` then. */
static void run(const char *kernel, unsigned cluster, unsigned threads, unsigned *numbers, unsigned count)
{
    CUfunction function;
    void *arguments[8] = {&out};
    for (unsigned i = 0; i < count; i++)
        arguments[i + 1] = &numbers[i];
    CUlaunchAttribute attribute = {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION};
    attribute.value.clusterDim.x = cluster;
    attribute.value.clusterDim.y = attribute.value.clusterDim.z = 1;
    CUlaunchConfig config = {.gridDimX = cluster,
                             .gridDimY = 1,
                             .gridDimZ = 1,
                             .blockDimX = threads,
                             .blockDimY = 1,
                             .blockDimZ = 1,
                             .sharedMemBytes = SHARED,
                             .attrs = &attribute,
                             .numAttrs = 1};
    check(cuModuleGetFunction(&function, module, kernel), kernel);
    check(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, SHARED), "shared memory");
    check(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1), "large clusters");
    check(cuLaunchKernelEx(&config, function, arguments, NULL), kernel);
    check(cuMemcpyDtoH(words, out, sizeof words), "results");
}

static void pairs(void)
{
    for (unsigned size = 2; size <= 16; size++) {
        run("pairs", size, 32, (unsigned[]){LOADS}, 1);
        for (unsigned from = 0; from < size; from++)
            for (unsigned to = 0; to < size; to++)
                printf("pairs|%u %u %u|%.3f\n", size, from, to, (double)words[from * size + to] / LOADS);
    }
}

/* Bytes per cycle of each CTA that moves something: the slope between two sizes. */
static double rate(unsigned size, unsigned readers, unsigned writers)
{
    unsigned slowest[2] = {0, 0};
    for (unsigned i = 0; i < 2; i++) {
        run("stream", size, 1024, (unsigned[]){i ? SHARED : FEW, 1, readers, writers}, 4);
        for (unsigned j = 0; j < size; j++)
            slowest[i] = words[j] > slowest[i] ? words[j] : slowest[i];
    }
    return (double)(SHARED - FEW) / (slowest[1] - slowest[0]);
}

/* The same by bulk copies of `chunk` bytes. */
static double put_rate(unsigned size, unsigned chunk, unsigned writers)
{
    unsigned slowest[2] = {0, 0};
    for (unsigned i = 0; i < 2; i++) {
        run("put", size, 32, (unsigned[]){i ? SHARED : FEW, chunk, 1, writers}, 4);
        for (unsigned j = 0; j < size; j++)
            slowest[i] = words[j] > slowest[i] ? words[j] : slowest[i];
    }
    return (double)(SHARED - FEW) / (slowest[1] - slowest[0]);
}

static void bandwidth(void)
{
    printf("bandwidth|load one way|%.3f\n", rate(2, 1, 0));
    printf("bandwidth|load two ways|%.3f\n", rate(2, 3, 0));
    printf("bandwidth|store one way|%.3f\n", rate(2, 0, 1));
    printf("bandwidth|store two ways|%.3f\n", rate(2, 0, 3));
    printf("bandwidth|load and store opposite|%.3f\n", 2 * rate(2, 1, 1));
    for (unsigned size = 4; size <= 16; size *= 2)
        printf("bandwidth|load ring %u|%.3f\n", size, size * rate(size, (1u << size) - 1, 0));
    printf("bandwidth|put one way|%.3f\n", put_rate(2, 8192, 1));
    printf("bandwidth|put two ways|%.3f\n", put_rate(2, 8192, 3));
    printf("bandwidth|put of 128 bytes|%.3f\n", put_rate(2, 128, 1));
    for (unsigned size = 2; size <= 16; size *= 2)
        printf("bandwidth|put ring %u|%.3f\n", size, size * put_rate(size, 8192, (1u << size) - 1));
}

static void single(void)
{
    static const char *const names[] = {
        "arrive", "wait", "arrive and wait", "remote arrival", "store and fence", "cluster barrier", "local load"};
    for (unsigned what = 0; what < sizeof names / sizeof *names; what++) {
        unsigned cycles[2];
        for (unsigned i = 0; i < 2; i++) {
            run("single", 2, 32, (unsigned[]){what, i ? 72 : 8}, 2);
            cycles[i] = words[0];
        }
        unsigned ways = what == 3 ? 2 : 1; /* there and back */
        printf("single|%s|%.3f\n", names[what], (double)(cycles[1] - cycles[0]) / 64 / ways);
    }
    int kilohertz;
    check(cuDeviceGetAttribute(&kilohertz, CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 0), "the clock");
    run("told", 2, 32, (unsigned[]){8}, 1);
    printf("single|wait for a remote arrival|%u.000\n", words[0]);
    printf("single|remote arrival, by the clock of nanoseconds|%.3f\n", words[1] * (double)kilohertz / 1e6);
}

static bool wanted(int argc, char **argv, const char *name)
{
    bool found = argc <= 2;
    for (int i = 2; i < argc; i++)
        found |= strcmp(argv[i], name) == 0;
    return found;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: bench-dsm DSM.PTX [pairs] [bandwidth] [single]\n");
        return 2;
    }
    module = open_module(argv[1]);
    check(cuMemAlloc(&out, sizeof words), "memory");
    if (wanted(argc, argv, "pairs"))
        pairs();
    if (wanted(argc, argv, "bandwidth"))
        bandwidth();
    if (wanted(argc, argv, "single"))
        single();
    return 0;
}
