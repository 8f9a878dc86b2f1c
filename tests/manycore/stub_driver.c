/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A CUDA driver that computes nothing, to see what becomes of a machine on a GPU when something is wrong. Its device
 * memory is the host's; a launch lets the machine's time pass. The environment says what is wrong:
 *   STUB_DEVICES=N     devices (1)
 *   STUB_INIT=N        what cuInit answers
 *   STUB_LOAD=N        what loading a module answers
 *   STUB_MEMORY=N      bytes of device memory that are free (1 GiB)
 *   STUB_TOLD=N        bytes that it says are free (the same)
 *   STUB_LOST=N        the launch after which every call fails as if the device were gone (never)
 * Compiled with -DSTUB_OLD it lacks cooperative launches, as drivers before CUDA 9 did.
 */
#include "maniple/driver.h"
#include "manycore/gpu/device.h"

#include <stdlib.h>
#include <string.h>

static struct {
    size_t used;
    unsigned long launches;
    bool lost;
} stub;

static unsigned long asked(const char *name, unsigned long otherwise)
{
    const char *text = getenv(name);
    return text ? strtoul(text, NULL, 0) : otherwise;
}

static CUresult answer(void)
{
    return stub.lost ? CUDA_ERROR_LAUNCH_FAILED : CUDA_SUCCESS;
}

CUresult cuInit(unsigned flags)
{
    (void)flags;
    return (CUresult)asked("STUB_INIT", 0);
}

CUresult cuDeviceGetCount(int *count)
{
    *count = (int)asked("STUB_DEVICES", 1);
    return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
    *device = ordinal;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char *name, int length, CUdevice device)
{
    (void)device;
    strncpy(name, "Stub", (size_t)length);
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device)
{
    (void)attribute;
    (void)device;
    *value = 4;
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device)
{
    (void)device;
    *context = (CUcontext)&stub;
    return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext context)
{
    (void)context;
    return CUDA_SUCCESS;
}

CUresult cuCtxSynchronize(void)
{
    return answer();
}

CUresult cuModuleLoadData(CUmodule *module, const void *image)
{
    (void)image;
    *module = (CUmodule)&stub;
    return (CUresult)asked("STUB_LOAD", 0);
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name)
{
    (void)module;
    (void)name;
    *function = (CUfunction)&stub;
    return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function, int threads, size_t shared)
{
    (void)function;
    (void)threads;
    (void)shared;
    *blocks = 2;
    return CUDA_SUCCESS;
}

CUresult cuMemGetInfo_v2(size_t *available, size_t *total)
{
    size_t all = asked("STUB_MEMORY", 1ul << 30);
    *available = asked("STUB_TOLD", all) - stub.used;
    *total = all;
    return answer();
}

CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t bytes)
{
    if (stub.used + bytes > asked("STUB_MEMORY", 1ul << 30))
        return CUDA_ERROR_OUT_OF_MEMORY;
    size_t *block = calloc(1, bytes + 16);
    *block = bytes;
    stub.used += bytes;
    *address = (CUdeviceptr)(uintptr_t)(block + 2);
    return answer();
}

CUresult cuMemFree_v2(CUdeviceptr address)
{
    size_t *block = (size_t *)(uintptr_t)address - 2; // NOLINT
    stub.used -= *block;
    free(block);
    return answer();
}

CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t bytes)
{
    memcpy((void *)(uintptr_t)to, from, bytes); // NOLINT
    return answer();
}

CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t bytes)
{
    memcpy(to, (void *)(uintptr_t)from, bytes); // NOLINT
    return answer();
}

CUresult cuGetErrorName(CUresult problem, const char **name)
{
    *name = problem == CUDA_ERROR_LAUNCH_FAILED ? "CUDA_ERROR_LAUNCH_FAILED" : "CUDA_ERROR_OF_SOME_KIND";
    return CUDA_SUCCESS;
}

#ifndef STUB_OLD
CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                                   CUstream stream, void **parameters)
{
    (void)function, (void)grid_x, (void)grid_y, (void)grid_z, (void)block_x, (void)block_y, (void)block_z;
    (void)shared, (void)stream;
    struct manycore_device *device = (void *)(uintptr_t) * (CUdeviceptr *)parameters[0]; // NOLINT
    device->news.next = device->news.progress = device->until;
    stub.lost = stub.lost || ++stub.launches == asked("STUB_LOST", 0);
    return CUDA_SUCCESS;
}
#endif
