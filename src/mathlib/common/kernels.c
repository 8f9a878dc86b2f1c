/* SPDX-License-Identifier: BSD-3-Clause */
/* Loading and launching the kernels of a library. */
#include "mathlib/common/kernels.h"

#include "base/packed.h"
#include "mathlib/common/refuse.h"

#include <stdlib.h>
#include <string.h>

extern const struct mnp_packed mathlib_packed[]; /* made from data/ptx/mathlib */

bool mathlib_open(struct mathlib_kernels *kernels)
{
    CUdevice device = 0;
    int major = 0, minor = 0;
    *kernels = (struct mathlib_kernels){0};
    if (cuInit(0) != CUDA_SUCCESS)
        return false;
    if (cuCtxGetCurrent(&kernels->context) != CUDA_SUCCESS || !kernels->context)
        if (cuDeviceGet(&device, 0) != CUDA_SUCCESS ||
            cuDevicePrimaryCtxRetain(&kernels->context, device) != CUDA_SUCCESS ||
            cuCtxSetCurrent(kernels->context) != CUDA_SUCCESS)
            return false;
    return cuCtxGetDevice(&device) == CUDA_SUCCESS &&
           cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device) == CUDA_SUCCESS &&
           cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device) == CUDA_SUCCESS &&
           cuDeviceGetAttribute(&kernels->multiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device) ==
               CUDA_SUCCESS &&
           cuDeviceGetAttribute(&kernels->shared, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, device) ==
               CUDA_SUCCESS &&
           (kernels->capability = major * 10 + minor) > 0;
}

void mathlib_close(struct mathlib_kernels *kernels)
{
    for (int i = 0; i < MATHLIB_MODULES && kernels->modules[i].file; i++)
        cuModuleUnload(kernels->modules[i].module);
    for (int i = 0; i < MATHLIB_SPACES && kernels->spaces[i].bytes; i++)
        cuMemFree(kernels->spaces[i].address);
    *kernels = (struct mathlib_kernels){0};
}

static bool load(CUmodule *module, const char *file)
{
    const char *why;
    char *text = mnp_unpack(mathlib_packed, file, &why);
    if (why)
        mathlib_refuse(file, why);
    CUresult result = text ? cuModuleLoadData(module, text) : CUDA_ERROR_NOT_FOUND;
    mnp_unpacked_free(text);
    return result == CUDA_SUCCESS;
}

static CUmodule module_of(struct mathlib_kernels *kernels, const char *file)
{
    struct mathlib_module *at = kernels->modules, *end = at + MATHLIB_MODULES;
    while (at < end && at->file && strcmp(at->file, file) != 0)
        at++;
    if (at == end)
        return NULL;
    if (!at->file) {
        if (!load(&at->module, file))
            return NULL;
        at->file = file;
    }
    return at->module;
}

bool mathlib_launch(struct mathlib_kernels *kernels, const char *file, const char *name, struct mathlib_grid grid,
                    const void *arguments)
{
    enum { PLAIN_SHARED = 48 << 10 }; /* bytes that need no attribute */
    CUmodule module = module_of(kernels, file);
    CUfunction function;
    void *parameters[] = {(void *)(uintptr_t)arguments};
    if (!module || cuModuleGetFunction(&function, module, name) != CUDA_SUCCESS)
        return false;
    if (grid.shared > PLAIN_SHARED &&
        cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)grid.shared) != CUDA_SUCCESS)
        return false;
    unsigned y = (unsigned)(grid.y ? grid.y : 1), z = (unsigned)(grid.z ? grid.z : 1);
    if (grid.cluster <= 1)
        return cuLaunchKernel(function, (unsigned)grid.x, y, z, grid.threads, 1, 1, grid.shared, kernels->stream,
                              parameters, NULL) == CUDA_SUCCESS;
    CUlaunchAttribute cluster = {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, .value.clusterDim = {grid.cluster, 1, 1}};
    CUlaunchConfig config = {.gridDimX = (unsigned)grid.x,
                             .gridDimY = y,
                             .gridDimZ = z,
                             .blockDimX = grid.threads,
                             .blockDimY = 1,
                             .blockDimZ = 1,
                             .sharedMemBytes = grid.shared,
                             .hStream = kernels->stream,
                             .attrs = &cluster,
                             .numAttrs = 1};
    return cuLaunchKernelEx(&config, function, parameters, NULL) == CUDA_SUCCESS;
}

CUdeviceptr mathlib_workspace(struct mathlib_kernels *kernels, size_t bytes)
{
    struct mathlib_space *at = kernels->spaces, *end = at + MATHLIB_SPACES;
    while (at < end && at->bytes && (at->bytes < bytes || at->stream != kernels->stream))
        at++;
    if (at == end)
        return 0;
    if (!at->bytes) {
        size_t size = 65536;
        while (size < bytes)
            size *= 2; /* grow in large steps, to need few of them */
        if (cuMemAlloc(&at->address, size) != CUDA_SUCCESS)
            return 0;
        at->stream = kernels->stream, at->bytes = size;
    }
    return at->address;
}

bool mathlib_result(struct mathlib_kernels *kernels, void *to, CUdeviceptr from, size_t bytes)
{
    return cuMemcpyDtoHAsync(to, from, bytes, kernels->stream) == CUDA_SUCCESS &&
           cuStreamSynchronize(kernels->stream) == CUDA_SUCCESS;
}

void mathlib_refuse(const char *function, const char *what)
{
    maniple_refuse(function, what);
}
