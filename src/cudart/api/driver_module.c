/* SPDX-License-Identifier: BSD-3-Clause */
/* The driver API: modules, functions, launches. A CUmodule is a struct cudart_module, a CUfunction a cudart_kernel. */
#include "base/arena.h"
#include "base/file.h"
#include "cudart/api/driver.h"
#include "cudart/api/runtime.h"
#include "cudart/base/failure.h"
#include "cudart/base/state.h"
#include "cudart/device/device.h"
#include "cudart/device/linker.h"
#include "cudart/device/modules.h"
#include "cudart/device/symbols.h"
#include "cudart/launch/kernel_arguments.h"
#include "cudart/process/api_call.h"
#include "cudart/stream/graphs.h"
#include "cudart/stream/synchronize.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ===== modules ===== */

struct cudart_log cudart_error_log(unsigned count, const CUjit_option *options, void **values)
{
    struct cudart_log log = {0};
    for (unsigned i = 0; options && values && i < count; i++)
        if (options[i] == CU_JIT_ERROR_LOG_BUFFER)
            log.text = values[i];
        else if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES) {
            log.bytes = (unsigned)(uintptr_t)values[i];
            log.used = &values[i];
        } else if (options[i] == CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES) {
            values[i] = NULL; /* the log is empty */
        }
    return log;
}

static enum cuda_error load_data(struct cudart_device *device, CUmodule *out, const void *image,
                                 const struct cudart_log *log)
{
    struct mnp_error error = {{0}};
    struct cudart_module *module;
    char name[300];
    if (!out || !image)
        return CUDA_INVALID_VALUE;
    snprintf(name, sizeof name, "module of %.280s", device->rt->calls.options.program);
    enum cuda_error problem = cudart_load_image(device, name, image, 0, &module, &error);
    cudart_write_log(log, &error);
    if (!problem)
        *out = (CUmodule)module;
    return problem;
}

CUDART_API CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned count, CUjit_option *options,
                                       void **values)
{
    struct cudart_log log = cudart_error_log(count, options, values);
    DRIVER_WORK(load_data(current, module, image, &log));
}

CUDART_API CUresult cuModuleLoadData(CUmodule *module, const void *image)
{
    return cuModuleLoadDataEx(module, image, 0, NULL, NULL);
}

CUDART_API CUresult cuModuleLoadFatBinary(CUmodule *module, const void *image)
{
    return cuModuleLoadDataEx(module, image, 0, NULL, NULL);
}

static enum cuda_error load_file(struct cudart_device *device, CUmodule *out, const char *path)
{
    struct mnp_error error = {{0}};
    struct cudart_module *module;
    size_t bytes;
    if (!out || !path)
        return CUDA_INVALID_VALUE;
    char *image = mnp_read_file(path, CUDA_MAX_PTX, &bytes, &error);
    if (!image)
        return cudart_refuse(device->rt, &error, CUDA_FILE_NOT_FOUND);
    enum cuda_error problem = bytes ? cudart_load_image(device, path, image, bytes, &module, &error) : CUDA_INVALID_PTX;
    free(image);
    if (!problem)
        *out = (CUmodule)module;
    return problem;
}

CUDART_API CUresult cuModuleLoad(CUmodule *module, const char *path)
{
    DRIVER_WORK(load_file(current, module, path));
}

static enum cuda_error unload(struct cudart_device *device, CUmodule handle)
{
    struct cudart *rt = device->rt;
    struct cudart_module *module = (struct cudart_module *)handle;
    if (!cudart_module_known(device, module))
        return CUDA_INVALID_RESOURCE_HANDLE;
    if (module->wrapper)
        return CUDA_NOT_PERMITTED; /* the runtime's own */
    cudart_wait_all(rt, device);
    if (cudart_surface(rt))
        return rt->faults.failure;
    if (cudart_graphs_hold(rt, module))
        cudart_set_aside(device, module);
    else
        cudart_unload(device, module);
    return CUDA_SUCCESS;
}

CUDART_API CUresult cuModuleUnload(CUmodule module)
{
    DRIVER_WORK(unload(current, module));
}

CUDART_API CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode *mode)
{
    DRIVER_QUESTION(mode ? (*mode = CU_MODULE_LAZY_LOADING, CUDA_SUCCESS) : CUDA_INVALID_VALUE);
}

/* ===== what is in them ===== */

static enum cuda_error get_function(struct cudart_device *device, CUfunction *out, CUmodule module, const char *name)
{
    struct cudart_kernel *kernel;
    if (!out || !name)
        return CUDA_INVALID_VALUE;
    if (!cudart_module_known(device, module))
        return CUDA_INVALID_RESOURCE_HANDLE;
    enum cuda_error problem = cudart_kernel_named(device, (struct cudart_module *)module, name, &kernel);
    if (!problem)
        *out = (CUfunction)kernel;
    return problem;
}

CUDART_API CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name)
{
    DRIVER_WORK(get_function(current, function, module, name));
}

/* Kernels of a module in the order of its text: how many, and the first `most` of them in *out. */
static enum cuda_error functions_of(struct cudart_device *device, CUmodule handle, CUfunction *out, unsigned most,
                                    unsigned *count)
{
    struct cudart_module *module = (struct cudart_module *)handle;
    unsigned found = 0;
    if (!cudart_module_known(device, module))
        return CUDA_INVALID_RESOURCE_HANDLE;
    enum cuda_error problem = cudart_load(device, module);
    const struct execute_module *loaded = module->loaded;
    const char *name = NULL;
    uint32_t place = 0;
    while (!problem && (name = loaded->language->next_kernel(loaded, &place))) {
        if (found < most)
            problem = get_function(device, &out[found], handle, name);
        found++;
    }
    if (count)
        *count = found;
    return problem;
}

CUDART_API CUresult cuModuleGetFunctionCount(unsigned *count, CUmodule module)
{
    DRIVER_WORK(count ? functions_of(current, module, NULL, 0, count) : CUDA_INVALID_VALUE);
}

CUDART_API CUresult cuModuleEnumerateFunctions(CUfunction *functions, unsigned count, CUmodule module)
{
    DRIVER_WORK(functions ? functions_of(current, module, functions, count, NULL) : CUDA_INVALID_VALUE);
}

static enum cuda_error get_global(struct cudart_device *device, CUdeviceptr *out, size_t *size, CUmodule handle,
                                  const char *name)
{
    struct cudart_module *module = (struct cudart_module *)handle;
    uint64_t address, bytes;
    if (!name || (!out && !size))
        return CUDA_INVALID_VALUE;
    if (!cudart_module_known(device, module))
        return CUDA_INVALID_RESOURCE_HANDLE;
    enum cuda_error problem = cudart_load(device, module);
    if (problem)
        return problem;
    if (!cudart_variable_in(module, name, &address, &bytes))
        return CUDA_NOT_FOUND;
    if (out)
        *out = address;
    if (size)
        *size = bytes;
    return CUDA_SUCCESS;
}

CUDART_API CUresult cuModuleGetGlobal(CUdeviceptr *address, size_t *bytes, CUmodule module, const char *name)
{
    DRIVER_WORK(get_global(current, address, bytes, module, name));
}

/* ===== functions ===== */

CUDART_API CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction function)
{
    struct cuda_func_attributes all;
    enum cuda_error before;
    CUresult wrong = cudart_driver_begin(true, &before);
    if (wrong)
        return wrong;
    int problem = value ? cudaFuncGetAttributes(&all, function) : (int)CUDA_INVALID_VALUE;
    const int values[] = {all.max_threads,
                          all.shared,
                          all.constant,
                          all.local,
                          all.registers,
                          all.ptx_version,
                          all.binary_version,
                          all.cache_mode_ca,
                          all.max_dynamic_shared,
                          all.shared_carveout,
                          all.cluster_must_be_set,
                          all.cluster_width,
                          all.cluster_height,
                          all.cluster_depth,
                          all.non_portable_cluster,
                          all.cluster_policy};
    if (!problem && attribute >= sizeof values / sizeof *values)
        problem = (int)CUDA_INVALID_VALUE;
    if (!problem)
        *value = values[attribute];
    return cudart_driver_end(before, problem);
}

CUDART_API CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value)
{
    DRIVER_CALL(cudaFuncSetAttribute(function, (int)attribute, value));
}

CUDART_API CUresult cuFuncSetCacheConfig(CUfunction function, CUfunc_cache configuration)
{
    DRIVER_CALL(cudaFuncSetCacheConfig(function, (int)configuration));
}

static enum cuda_error about_function(struct cudart_device *device, CUfunction function, CUmodule *module,
                                      const char **name)
{
    struct cudart_kernel *kernel;
    if (!module && !name)
        return CUDA_INVALID_VALUE;
    enum cuda_error problem = cudart_kernel_of(device, function, &kernel);
    if (problem)
        return problem;
    if (module)
        *module = (CUmodule)kernel->module;
    if (name)
        *name = kernel->name;
    return CUDA_SUCCESS;
}

CUDART_API CUresult cuFuncGetModule(CUmodule *module, CUfunction function)
{
    DRIVER_WORK(about_function(current, function, module, NULL));
}

CUDART_API CUresult cuFuncGetName(const char **name, CUfunction function)
{
    DRIVER_WORK(about_function(current, function, NULL, name));
}

static enum cuda_error parameter_of(struct cudart_device *device, CUfunction function, size_t index, size_t *offset,
                                    size_t *bytes)
{
    struct cudart_kernel *kernel;
    if (!offset)
        return CUDA_INVALID_VALUE;
    enum cuda_error problem = cudart_kernel_of(device, function, &kernel);
    if (problem)
        return problem;
    const struct execute_transfer *parameters = kernel->code->parameters.items;
    if (index >= kernel->code->parameters.count)
        return CUDA_INVALID_VALUE;
    *offset = parameters[index].offset;
    if (bytes)
        *bytes = parameters[index].bytes;
    return CUDA_SUCCESS;
}

CUDART_API CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t *offset, size_t *bytes)
{
    DRIVER_WORK(parameter_of(current, function, index, offset, bytes));
}

CUDART_API CUresult cuFuncIsLoaded(CUfunctionLoadingState *state, CUfunction function)
{
    if (state)
        *state = CU_FUNCTION_LOADING_STATE_LOADED;
    DRIVER_WORK(state ? about_function(current, function, &(CUmodule){0}, NULL) : CUDA_INVALID_VALUE);
}

CUDART_API CUresult cuFuncLoad(CUfunction function)
{
    DRIVER_WORK(about_function(current, function, &(CUmodule){0}, NULL));
}

/* ===== launches ===== */

static CUresult launch(const struct cuda_launch_config *config, const void *function, void **arguments, void **extra)
{
    void **made = NULL;
    enum cuda_error before;
    CUresult wrong = cudart_driver_begin(true, &before);
    if (wrong)
        return wrong;
    struct cudart *rt = cudart_look();
    int problem = cudart_leave(
        rt, rt->faults.failure ? rt->faults.failure
                               : cudart_arguments(cudart_current_device(rt), function, extra, &arguments, &made));
    problem = problem ? problem : cudaLaunchKernelExC(config, function, arguments);
    free(made);
    return cudart_driver_end(before, problem);
}

CUDART_API CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                                   CUstream stream, void **arguments, void **extra)
{
    const struct cuda_launch_config config = {
        {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes, (uint64_t)stream, NULL, 0};
    return launch(&config, function, arguments, extra);
}

CUDART_API CUresult cuLaunchKernelEx(const CUlaunchConfig *c, CUfunction function, void **arguments, void **extra)
{
    if (!c || (c->numAttrs && !c->attrs))
        return CUDA_ERROR_INVALID_VALUE;
    const struct cuda_launch_config config = {{c->gridDimX, c->gridDimY, c->gridDimZ},
                                              {c->blockDimX, c->blockDimY, c->blockDimZ},
                                              c->sharedMemBytes,
                                              (uint64_t)c->hStream,
                                              (const struct cuda_launch_attribute *)c->attrs,
                                              c->numAttrs};
    return launch(&config, function, arguments, extra);
}

CUDART_API CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                              unsigned block_x, unsigned block_y, unsigned block_z,
                                              unsigned shared_bytes, CUstream stream, void **arguments)
{
    CUlaunchAttribute cooperative = {.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE, .value.cooperative = 1};
    const CUlaunchConfig c = {grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes, stream, &cooperative, 1};
    return cuLaunchKernelEx(&c, function, arguments, NULL);
}

CUDART_API CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void *data)
{
    DRIVER_CALL(cudaLaunchHostFunc((uint64_t)stream, function, data));
}

/* ===== occupancy ===== */

CUDART_API CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, CUfunction function,
                                                                         int block_size, size_t dynamic_bytes,
                                                                         unsigned flags)
{
    DRIVER_CALL(
        cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, block_size, dynamic_bytes, flags));
}

CUDART_API CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function, int block_size,
                                                                size_t dynamic_bytes)
{
    return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, block_size, dynamic_bytes, 0);
}
