/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Barriers that lanes of one warp come to by several ways: kernels of a file (meeting.cu) against the answers that
 * the same threads give one by one. Usage: meeting FILE
 */
#include "maniple/driver.h"

#include <stdio.h>

enum { THREADS = 64 };

static int given[THREADS];

static int bail(int t)
{
    int steps = 0;
    for (int v = given[63 - t]; v != 1; v = v & 1 ? 3 * v + 1 : v / 2)
        steps++;
    return steps;
}

static int ways(int t)
{
    int v = given[63 - t];
    return (v & 1 ? v * 3 : v * 5) + (given[t] & 1 ? 0 : 1000);
}

static int sums(int t)
{
    int count = 0;
    (void)t;
    for (int i = 0; i < THREADS; i++)
        count += given[i] > (given[i] & 1 ? 20 : 40);
    return count;
}

static int halves(int t)
{
    return 3 * given[t ^ 32] + 3;
}

static int arrivals(int t)
{
    int v = given[t & 31];
    return t < 32 ? 0 : v & 1 ? v * 3 : v * (v % 9);
}

static int functions(int t)
{
    int v = given[t], other = given[63 - t], word = other % 5 == 0 ? 0 : other & 1 ? other * 3 : other * 7;
    return v % 5 == 0 ? 0 : v & 1 ? word + 1 : word * v * 7;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*answer)(int t);
    } kernels[] = {{"bail", bail},     {"ways", ways},         {"sums", sums},
                   {"halves", halves}, {"arrivals", arrivals}, {"functions", functions}};
    CUcontext context;
    CUmodule module;
    CUdeviceptr from, to;
    int wrong = 0, number = 9, threads = THREADS, found[THREADS];
    for (int i = 0; i < THREADS; i++)
        given[i] = (i * 37 + 11) % 97 + 1;
    if (argc < 2 || cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0) || cuCtxSetCurrent(context) ||
        cuModuleLoad(&module, argv[1]) || cuMemAlloc(&from, sizeof given) || cuMemAlloc(&to, sizeof given) ||
        cuMemcpyHtoD(from, given, sizeof given))
        return puts("the beginning is wrong"), 1;
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        CUfunction kernel;
        void *arguments[] = {&from, &to, &number, &threads};
        if (cuMemsetD8(to, 0, sizeof given) || cuModuleGetFunction(&kernel, module, kernels[i].name) ||
            cuLaunchKernel(kernel, 1, 1, 1, THREADS, 1, 1, 0, NULL, arguments, NULL) ||
            cuMemcpyDtoH(found, to, sizeof found))
            return printf("%s has failed\n", kernels[i].name), 1;
        for (int t = 0; t < THREADS; t++)
            if (found[t] != kernels[i].answer(t) && !wrong++)
                printf("%s: thread %d has %d, not %d\n", kernels[i].name, t, found[t], kernels[i].answer(t));
    }
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
