/* SPDX-License-Identifier: BSD-3-Clause */
/* For programs of the CUDA driver that measure kernels of one PTX file: an error is their end. */
#ifndef BENCH_HOPPER_MODULE_H
#define BENCH_HOPPER_MODULE_H

#include "maniple/driver.h"

#include <stdio.h>
#include <stdlib.h>

static inline void check(CUresult result, const char *what)
{
    if (result == CUDA_SUCCESS)
        return;
    fprintf(stderr, "%s: error %d\n", what, (int)result);
    exit(1);
}

static inline CUmodule open_module(const char *path)
{
    CUdevice device;
    CUcontext context;
    CUmodule module;
    check(cuInit(0), "the driver");
    check(cuDeviceGet(&device, 0), "a device");
    check(cuDevicePrimaryCtxRetain(&context, device), "a context");
    check(cuCtxSetCurrent(context), "a context");
    check(cuModuleLoad(&module, path), path);
    return module;
}

#endif
