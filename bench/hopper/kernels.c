/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs kernels of a PTX file, one CTA of 128 threads each, one after the other, and prints the first word that each
 * leaves in the memory that its only parameter points to. Usage: bench-kernels FILE.PTX KERNEL...
 */
#include "maniple/driver.h"

#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 128, SHARED = 65536 };

static void check(CUresult result, const char *what)
{
    if (result == CUDA_SUCCESS)
        return;
    fprintf(stderr, "%s: error %d\n", what, (int)result);
    exit(1);
}

int main(int argc, char **argv)
{
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUdeviceptr out;
    if (argc < 3) {
        fprintf(stderr, "usage: bench-kernels FILE.PTX KERNEL...\n");
        return 2;
    }
    check(cuInit(0), "the driver");
    check(cuDeviceGet(&device, 0), "a device");
    check(cuDevicePrimaryCtxRetain(&context, device), "a context");
    check(cuCtxSetCurrent(context), "a context");
    check(cuModuleLoad(&module, argv[1]), argv[1]);
    check(cuMemAlloc(&out, 4096), "memory");
    for (int i = 2; i < argc; i++) {
        CUfunction function;
        unsigned word;
        void *arguments[] = {&out};
        CUlaunchConfig config = {.gridDimX = 1,
                                 .gridDimY = 1,
                                 .gridDimZ = 1,
                                 .blockDimX = THREADS,
                                 .blockDimY = 1,
                                 .blockDimZ = 1,
                                 .sharedMemBytes = SHARED};
        check(cuModuleGetFunction(&function, module, argv[i]), argv[i]);
        check(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, SHARED), "shared memory");
        check(cuLaunchKernelEx(&config, function, arguments, NULL), argv[i]);
        check(cuMemcpyDtoH(&word, out, sizeof word), "results");
        printf("%s: %u\n", argv[i], word);
    }
    return 0;
}
