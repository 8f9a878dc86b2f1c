/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * nanosleep, by kernels of a file: a sleep lasts between 0 and twice what was asked for, as PTX has it, and here about
 * as long where the run has time; one of a millisecond is the longest. Threads that wait for a lock asleep all get it.
 * Writes what the kernels have measured. Usage: sleep FILE [without | longest]
 */
#include "maniple/driver.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { THREADS = 64, READING = 64 /* ns that readings of the clock may take */ };

static CUmodule module;
static CUdeviceptr out;

static CUresult launch(const char *name, unsigned blocks, unsigned threads, unsigned first, unsigned step)
{
    CUfunction kernel;
    void *arguments[] = {&out, &first, &step};
    CUresult problem = cuModuleGetFunction(&kernel, module, name);
    return problem ? problem : cuLaunchKernel(kernel, blocks, 1, 1, threads, 1, 1, 0, NULL, arguments, NULL);
}

/* Threads that ask for `first` nanoseconds and `step` more each: a warp sleeps as long as its first one has asked. */
static int sleep_for(unsigned first, unsigned step, bool timed)
{
    uint64_t times[THREADS];
    if (launch("nap", 1, THREADS, first, step) || cuMemcpyDtoH(times, out, sizeof times))
        return puts("a kernel has failed"), 1;
    for (unsigned i = 0; i < THREADS; i++) {
        uint64_t asked = first + (uint64_t)step * (i / 32 * 32), most = asked < 1000000 ? asked : 1000000;
        bool good = timed ? times[i] >= most && times[i] <= most + READING : times[i] <= READING;
        if (i % 32 == 0 || !good)
            printf("asked for %llu: %llu%s\n", (unsigned long long)asked, (unsigned long long)times[i],
                   good ? "" : ", which is wrong");
        if (!good)
            return 1;
    }
    return 0;
}

int main(int argc, char **argv)
{
    CUcontext context;
    bool timed = argc < 3 || strcmp(argv[2], "without") != 0;
    uint64_t counted = 0;
    if (argc < 2 || cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0) || cuCtxSetCurrent(context) ||
        cuModuleLoad(&module, argv[1]) || cuMemAlloc(&out, THREADS * sizeof(uint64_t)))
        return puts("the beginning is wrong"), 1;
    if (argc > 2 && strcmp(argv[2], "longest") == 0)
        return sleep_for(UINT32_MAX, 0, true);
    int wrong = sleep_for(0, 0, timed) + sleep_for(5000, 0, timed) + sleep_for(1000, 500, timed);
    if (cuMemsetD8(out, 0, 8) || launch("count", 2, THREADS / 2, 0, 0) || cuMemcpyDtoH(&counted, out, 8))
        return puts("the lock has failed"), 1;
    printf("counted %llu\n", (unsigned long long)counted);
    return wrong || counted != THREADS;
}
