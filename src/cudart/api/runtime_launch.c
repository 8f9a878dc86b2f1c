/* SPDX-License-Identifier: BSD-3-Clause */
/* The runtime's launches, and its questions about kernels. */
#include "cudart/api/runtime.h"
#include "cudart/base/state.h"
#include "cudart/device/clusters.h"
#include "cudart/device/device.h"
#include "cudart/device/launch_configuration.h"
#include "cudart/device/modules.h"
#include "cudart/device/occupancy.h"
#include "cudart/device/symbols.h"
#include "cudart/launch/launch.h"
#include "cudart/process/api_call.h"

/* ===== launches ===== */

CUDART_API int cudaLaunchKernel(const void *function, struct cuda_dim3 grid, struct cuda_dim3 block, void **arguments,
                                size_t shared, uint64_t stream)
{
    const struct cudart_configuration c = {grid, block, shared, stream, false, {0}, false};
    CUDART_CALL(cudart_launch(current, function, &c, arguments));
}

CUDART_API int __cudaLaunchKernel(const void *kernel, struct cuda_dim3 grid, struct cuda_dim3 block, void **arguments,
                                  size_t shared, uint64_t stream)
{
    return cudaLaunchKernel(kernel, grid, block, arguments, shared, stream);
}

CUDART_API int cudaLaunchCooperativeKernel(const void *function, struct cuda_dim3 grid, struct cuda_dim3 block,
                                           void **arguments, size_t shared, uint64_t stream)
{
    const struct cudart_configuration c = {grid, block, shared, stream, true, {0}, false};
    CUDART_CALL(cudart_launch(current, function, &c, arguments));
}

CUDART_API int cudaLaunchKernelExC(const struct cuda_launch_config *config, const void *function, void **arguments)
{
    CUDART_CALL(cudart_launch_config(current, config, function, arguments));
}

/* ===== <<<…>>> ===== */

/* Parts of one call, whose time cudaLaunchKernel takes. */
CUDART_API unsigned __cudaPushCallConfiguration(struct cuda_dim3 grid, struct cuda_dim3 block, size_t shared,
                                                uint64_t stream)
{
    struct cudart *rt = cudart_look();
    cudart_push_configuration(rt, &(struct cudart_configuration){grid, block, shared, stream, false, {0}, false});
    return (unsigned)cudart_leave(rt, CUDA_SUCCESS);
}

CUDART_API int __cudaPopCallConfiguration(struct cuda_dim3 *grid, struct cuda_dim3 *block, size_t *shared,
                                          uint64_t *stream)
{
    struct cudart *rt = cudart_look();
    struct cudart_configuration c;
    enum cuda_error problem = cudart_pop_configuration(rt, &c);
    if (problem)
        return cudart_leave(rt, problem);
    *grid = c.grid;
    *block = c.block;
    *shared = c.shared;
    *stream = c.stream;
    return cudart_leave(rt, CUDA_SUCCESS);
}

/* ===== questions about kernels ===== */

CUDART_API int cudaFuncGetAttributes(struct cuda_func_attributes *out, const void *function)
{
    CUDART_CALL(cudart_function_attributes(current, out, function));
}

CUDART_API int cudaFuncSetAttribute(const void *function, int attribute, int value)
{
    CUDART_CALL(cudart_set_function_attribute(current, function, attribute, value));
}

static enum cuda_error known_kernel(struct cudart_device *device, const void *function)
{
    struct cudart_kernel *kernel;
    return cudart_kernel_of(device, function, &kernel);
}

CUDART_API int cudaFuncSetCacheConfig(const void *function, int configuration)
{
    CUDART_CALL(configuration < 0 || configuration > 3 ? CUDA_INVALID_VALUE : known_kernel(current, function));
}

/* Widths of banks of shared memory: fixed since Maxwell. */
CUDART_API int cudaFuncSetSharedMemConfig(const void *function, int configuration)
{
    CUDART_CALL(configuration < 0 || configuration > 2 ? CUDA_INVALID_VALUE : known_kernel(current, function));
}

static enum cuda_error name_of(struct cudart_device *device, const char **name, const void *function)
{
    struct cudart_kernel *kernel;
    enum cuda_error problem = name ? cudart_kernel_of(device, function, &kernel) : CUDA_INVALID_VALUE;
    if (!problem)
        *name = kernel->name;
    return problem;
}

CUDART_API int cudaFuncGetName(const char **name, const void *function)
{
    CUDART_CALL(name_of(current, name, function));
}

CUDART_API int cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function, int threads,
                                                             size_t dynamic)
{
    CUDART_CALL(cudart_occupancy(current, blocks, function, threads, dynamic));
}

CUDART_API int cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *function, int threads,
                                                                      size_t dynamic, unsigned flags)
{
    CUDART_CALL(flags > 1 ? CUDA_INVALID_VALUE : cudart_occupancy(current, blocks, function, threads, dynamic));
}

CUDART_API int cudaOccupancyMaxActiveClusters(int *clusters, const void *function,
                                              const struct cuda_launch_config *config)
{
    CUDART_CALL(cudart_max_clusters(current, clusters, function, config));
}

CUDART_API int cudaOccupancyMaxPotentialClusterSize(int *size, const void *function,
                                                    const struct cuda_launch_config *config)
{
    CUDART_CALL(cudart_max_cluster_size(current, size, function, config));
}

CUDART_API int cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *function, int blocks,
                                                         int block_size)
{
    CUDART_CALL(cudart_dynamic_left(current, bytes, function, blocks, block_size));
}
