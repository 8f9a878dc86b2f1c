/* SPDX-License-Identifier: BSD-3-Clause */
/* Launches the kernel `values` of a module with a pointer to memory that begins with the bytes of a file.
 * Usage: values_program MODULE DATA BLOCKS THREADS */
#include "maniple/driver.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST = 1 << 24 };

int main(int argc, char **argv)
{
    CUcontext context;
    CUmodule module;
    CUfunction kernel;
    CUdeviceptr memory;
    void *arguments[] = {&memory}, *data = malloc(MOST);
    FILE *file = argc == 5 ? fopen(argv[2], "rb") : NULL;
    if (!file || !data)
        return puts("no data"), 1;
    size_t bytes = fread(data, 1, MOST, file);
    fclose(file);
    int failed = cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0) || cuCtxSetCurrent(context) ||
                  cuModuleLoad(&module, argv[1]) || cuMemAlloc(&memory, MOST) || cuMemcpyHtoD(memory, data, bytes) ||
                  cuModuleGetFunction(&kernel, module, "values") ||
                  cuLaunchKernel(kernel, (unsigned)atoi(argv[3]), 1, 1, (unsigned)atoi(argv[4]), 1, 1, 0, NULL,
                                 arguments, NULL) ||
                  cuCtxSynchronize();
    free(data);
    return failed ? puts("failed"), 1 : 0;
}
