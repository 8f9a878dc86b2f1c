/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory, modules and launches of a workload, by the CUDA driver API. */
#include "common/app.h"

#include "base/packed.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const struct mnp_packed app_packed[]; /* made from data/ptx/apps */

struct app_memory {
    struct app_memory *next;
    CUdeviceptr device; /* 0: this is memory of the host */
    max_align_t bytes[];
};

void app_stop(const struct app_run *run, int status, const char *format, ...)
{
    va_list arguments;
    fflush(stdout);
    fprintf(stderr, "maniple: error: %s: ", run->app->name);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(status);
}

static void require(const struct app_run *run, CUresult result, const char *call)
{
    const char *name = "an unknown error";
    if (result == CUDA_SUCCESS)
        return;
    cuGetErrorName(result, &name);
    app_stop(run, 1, "%s: %s", call, name);
}

static struct app_memory *remember(struct app_run *run, size_t bytes)
{
    struct app_memory *memory = calloc(1, sizeof *memory + bytes);
    if (!memory)
        app_stop(run, 2, "there is no memory for %zu bytes; choose smaller sizes", bytes);
    memory->next = run->memories;
    run->memories = memory;
    return memory;
}

void *app_host(struct app_run *run, size_t count, size_t size)
{
    return remember(run, count * size + 1)->bytes;
}

static CUdeviceptr allocate(struct app_run *run, size_t bytes)
{
    CUdeviceptr address = 0;
    CUresult result = cuMemAlloc(&address, bytes ? bytes : 1);
    if (result == CUDA_ERROR_OUT_OF_MEMORY)
        app_stop(run, 2, "the device has no memory for %zu bytes; choose smaller sizes", bytes);
    require(run, result, "cuMemAlloc");
    remember(run, 0)->device = address;
    return address;
}

CUdeviceptr app_device(struct app_run *run, size_t bytes)
{
    CUdeviceptr address = allocate(run, bytes);
    require(run, cuMemsetD8(address, 0, bytes ? bytes : 1), "cuMemsetD8");
    return address;
}

void app_write(struct app_run *run, CUdeviceptr to, const void *from, size_t bytes)
{
    require(run, cuMemcpyHtoD(to, from, bytes), "cuMemcpyHtoD");
}

CUdeviceptr app_copy(struct app_run *run, const void *from, size_t bytes)
{
    CUdeviceptr address = allocate(run, bytes);
    app_write(run, address, from, bytes);
    return address;
}

void *app_read(struct app_run *run, CUdeviceptr from, size_t bytes)
{
    void *to = app_host(run, bytes, 1);
    require(run, cuMemcpyDtoH(to, from, bytes), "cuMemcpyDtoH");
    return to;
}

void app_use(struct app_run *run, const char *ptx)
{
    CUdevice device = 0;
    int major = 0, minor = 0;
    if (run->loaded && strcmp(run->loaded, ptx) == 0)
        return;
    const char *why;
    char *text = mnp_unpack(app_packed, ptx, &why);
    if (!text)
        app_stop(run, 1, "the PTX %s cannot be loaded: %s", ptx, why ? why : "there is none of that name");
    if (run->module)
        require(run, cuModuleUnload(run->module), "cuModuleUnload");
    run->module = NULL;
    const char *folder = getenv("MANIPLE_APPS_CODE");
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.cubin", folder ? folder : "", ptx);
    CUresult result = folder ? cuModuleLoad(&run->module, path) : cuModuleLoadData(&run->module, text);
    if (result == CUDA_ERROR_NO_BINARY_FOR_GPU) {
        cuDeviceComputeCapability(&major, &minor, device);
        const char *target = strstr(text, ".target sm_");
        app_stop(run, 2, "its kernels need compute capability %.1f, and the machine has %d.%d; choose another machine",
                 target ? strtod(target + 11, NULL) / 10 : 0, major, minor);
    }
    require(run, result, "cuModuleLoadData");
    mnp_unpacked_free(text);
    run->loaded = ptx;
}

CUdeviceptr app_variable(struct app_run *run, const char *name)
{
    CUdeviceptr address = 0;
    size_t bytes;
    if (!run->module)
        app_use(run, run->app->name);
    require(run, cuModuleGetGlobal(&address, &bytes, run->module, name), name);
    return address;
}

struct app_shape app_shape(uint32_t count, uint32_t block)
{
    return (struct app_shape){.grid = {(count + block - 1) / block, 1, 1}, .block = {block, 1, 1}};
}

struct app_shape app_shape2(uint32_t width, uint32_t height, uint32_t block_x, uint32_t block_y)
{
    return (struct app_shape){.grid = {(width + block_x - 1) / block_x, (height + block_y - 1) / block_y, 1},
                              .block = {block_x, block_y, 1}};
}

static CUlaunchAttribute cluster_of(const struct app_shape *s)
{
    return (CUlaunchAttribute){.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
                               .value.clusterDim = {s->cluster[0], s->cluster[1], s->cluster[2]}};
}

static CUlaunchConfig launch_of(const struct app_shape *s, CUlaunchAttribute *cluster)
{
    return (CUlaunchConfig){s->grid[0],  s->grid[1],      s->grid[2], s->block[0], s->block[1],
                            s->block[2], s->shared_bytes, NULL,       cluster,     1};
}

static CUresult launch_clusters(CUfunction function, const struct app_shape *s, void **arguments)
{
    enum { PORTABLE = 8 };
    CUlaunchAttribute cluster = cluster_of(s);
    const CUlaunchConfig launch = launch_of(s, &cluster);
    CUresult problem = CUDA_SUCCESS;
    if (s->cluster[0] * s->cluster[1] * s->cluster[2] > PORTABLE)
        problem = cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);
    return problem ? problem : cuLaunchKernelEx(&launch, function, arguments, NULL);
}

uint32_t app_clusters(struct app_run *run, const char *kernel, const struct app_shape *shape)
{
    CUfunction function;
    int clusters;
    if (!run->module)
        app_use(run, run->app->name);
    require(run, cuModuleGetFunction(&function, run->module, kernel), kernel);
    CUlaunchAttribute cluster = cluster_of(shape);
    const CUlaunchConfig launch = launch_of(shape, &cluster);
    require(run, cuOccupancyMaxActiveClusters(&clusters, function, &launch), "cuOccupancyMaxActiveClusters");
    return (uint32_t)clusters;
}

void app_launch_all(struct app_run *run, const char *kernel, struct app_shape s, void **arguments)
{
    CUfunction function;
    if (!run->module)
        app_use(run, run->app->name);
    require(run, cuModuleGetFunction(&function, run->module, kernel), kernel);
    if (s.cluster[0]) {
        require(run, launch_clusters(function, &s, arguments), kernel);
        return;
    }
    require(run,
            cuLaunchKernel(function, s.grid[0], s.grid[1], s.grid[2], s.block[0], s.block[1], s.block[2],
                           s.shared_bytes, NULL, arguments, NULL),
            kernel);
}

void app_open(struct app_run *run)
{
    require(run, cuInit(0), "cuInit");
    require(run, cuCtxCreate(&run->context, NULL, 0, 0), "cuCtxCreate");
}

void app_close(struct app_run *run)
{
    require(run, cuCtxSynchronize(), "cuCtxSynchronize");
    for (struct app_memory *memory = run->memories, *next; memory; memory = next) {
        next = memory->next;
        if (memory->device)
            require(run, cuMemFree(memory->device), "cuMemFree");
        free(memory);
    }
    if (run->module)
        require(run, cuModuleUnload(run->module), "cuModuleUnload");
    require(run, cuCtxDestroy(run->context), "cuCtxDestroy");
}
