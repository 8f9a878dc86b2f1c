/* SPDX-License-Identifier: BSD-3-Clause */
/* Launches the kernel `products` of a module with one block of a warpgroup and a pointer to 64 KiB of zeros.
 * Usage: products_program FILE */
#include "maniple/driver.h"

#include <stdio.h>

int main(int argc, char **argv)
{
    CUcontext context;
    CUmodule module;
    CUfunction kernel;
    CUdeviceptr memory;
    void *arguments[] = {&memory};
    if (argc < 2 || cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0) || cuCtxSetCurrent(context) ||
        cuModuleLoad(&module, argv[1]) || cuMemAlloc(&memory, 65536) || cuMemsetD8(memory, 0, 65536) ||
        cuModuleGetFunction(&kernel, module, "products") ||
        cuLaunchKernel(kernel, 1, 1, 1, 128, 1, 1, 0, NULL, arguments, NULL) || cuCtxSynchronize())
        return puts("failed"), 1;
    return 0;
}
