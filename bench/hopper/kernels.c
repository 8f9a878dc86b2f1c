/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs kernels of a PTX file, one CTA of 128 threads each, one after the other, and prints the first word that each
 * leaves in the memory that its only parameter points to. Usage: bench-kernels FILE.PTX KERNEL...
 */
#include "module.h"

enum { THREADS = 128, SHARED = 65536 };

int main(int argc, char **argv)
{
    CUdeviceptr out;
    if (argc < 3) {
        fprintf(stderr, "usage: bench-kernels FILE.PTX KERNEL...\n");
        return 2;
    }
    CUmodule module = open_module(argv[1]);
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
