/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Clusters of CTAs in launches: which one a launch has, whether the device can hold it, and what a program can ask
 * about that. All CTAs of a cluster run at once on the SMs of one GPC, as gpu/device/topology.c has them.
 */
#include "cudart/device/clusters.h"

#include "cudart/base/failure.h"
#include "cudart/base/state.h"
#include "cudart/device/device.h"
#include "cudart/device/launch_configuration.h"
#include "cudart/device/modules.h"
#include "cudart/device/occupancy.h"
#include "cudart/device/symbols.h"
#include "gpu/device/topology.h"

#include <string.h>

enum { HOPPER = 90 };

static uint64_t product(const uint32_t size[3])
{
    bool large = size[0] > EXECUTE_CLUSTER_CTAS || size[1] > EXECUTE_CLUSTER_CTAS || size[2] > EXECUTE_CLUSTER_CTAS;
    return large ? UINT32_MAX : (uint64_t)size[0] * size[1] * size[2];
}

void cudart_read_cluster(const struct cuda_launch_config *config, uint32_t cluster[3])
{
    enum { CLUSTER = 4 };
    for (unsigned i = 0; i < config->attribute_count; i++)
        if (config->attributes[i].id == CLUSTER)
            memcpy(cluster, config->attributes[i].bytes, 3 * sizeof *cluster);
}

/* The cluster size that the launch, the kernel's code, or the program before the launch states, in this order; 0: none
 * of them. */
static void stated(const struct cudart_kernel *kernel, const uint32_t launch[3], uint32_t cluster[3])
{
    const uint32_t *from = launch[0] || launch[1] || launch[2] ? launch
                           : kernel->code->cluster[0]          ? kernel->code->cluster
                                                               : kernel->cluster;
    for (uint32_t i = 0; i < 3; i++)
        cluster[i] = from[i] || !from[0] ? from[i] : 1;
}

void cudart_count_ctas(const struct cudart_kernel *kernel, struct cudart_configuration *c)
{
    const uint32_t *size = kernel->code->cluster;
    if (!kernel->code->counts_clusters || !size[0] || c->cluster[0])
        return;
    c->grid = (struct cuda_dim3){c->grid.x * size[0], c->grid.y * size[1], c->grid.z * size[2]};
}

static uint64_t largest(const struct cudart_kernel *kernel)
{
    return kernel->non_portable ? EXECUTE_CLUSTER_CTAS : EXECUTE_CLUSTER_PORTABLE;
}

/* With time, the SMs of a cluster need a network between them. */
static enum cuda_error refuse_time(struct cudart_device *device, const struct cudart_kernel *kernel, uint64_t size)
{
    struct mnp_error error = {{0}};
    mnp_fail(&error,
             "kernel %s: clusters of %lu blocks need a network between SMs, which this machine lacks (sm2sm.lanes); "
             "state it, or use --functional",
             kernel->name, (unsigned long)size);
    return cudart_refuse(device->rt, &error, CUDA_NOT_SUPPORTED);
}

enum cuda_error cudart_cluster_of(struct cudart_device *device, const struct cudart_kernel *kernel,
                                  const struct cudart_configuration *c, uint32_t cluster[3])
{
    const uint32_t grid[3] = {c->grid.x, c->grid.y, c->grid.z};
    stated(kernel, c->cluster, cluster);
    if (!cluster[0] && !cluster[1] && !cluster[2])
        return kernel->code->needs_cluster ? CUDA_INVALID_CLUSTER_SIZE : CUDA_SUCCESS;
    uint64_t size = product(cluster), most = kernel->code->most_cluster;
    for (uint32_t i = 0; i < 3; i++)
        if (!cluster[i] || grid[i] % cluster[i] || (kernel->code->cluster[0] && kernel->code->cluster[i] != cluster[i]))
            return CUDA_INVALID_CLUSTER_SIZE;
    if (size == 1)
        return CUDA_SUCCESS;
    if (mnp_settings_architecture(device->settings) < HOPPER)
        return CUDA_NOT_SUPPORTED;
    uint64_t threads = (uint64_t)c->block.x * c->block.y * c->block.z;
    if (size > largest(kernel) || (most && size > most) ||
        !gpu_clusters_held(&device->parameters, cudart_ctas_per_sm(device, kernel->code, threads, c->shared), size))
        return CUDA_INVALID_CLUSTER_SIZE;
    return device->rt->calls.options.functional || device->parameters.sm2sm.lanes ? CUDA_SUCCESS
                                                                                  : refuse_time(device, kernel, size);
}

/* ===== questions ===== */

static enum cuda_error ask(struct cudart_device *device, const void *function, const struct cuda_launch_config *config,
                           struct cudart_kernel **kernel, uint64_t *per_sm)
{
    if (!config || (config->attribute_count && !config->attributes))
        return CUDA_INVALID_VALUE;
    uint64_t threads = (uint64_t)config->block.x * config->block.y * config->block.z;
    enum cuda_error problem = cudart_kernel_of(device, function, kernel);
    if (problem)
        return problem;
    if (!threads || config->dynamic_shared > cudart_shared_optin(device))
        return CUDA_INVALID_VALUE;
    *per_sm = threads <= cudart_bound_of((*kernel)->code)
                  ? cudart_ctas_per_sm(device, (*kernel)->code, threads, config->dynamic_shared)
                  : 0;
    return CUDA_SUCCESS;
}

enum cuda_error cudart_max_clusters(struct cudart_device *device, int *clusters, const void *function,
                                    const struct cuda_launch_config *config)
{
    struct cudart_kernel *kernel;
    uint64_t per_sm;
    uint32_t given[3] = {0}, cluster[3];
    enum cuda_error problem = clusters ? ask(device, function, config, &kernel, &per_sm) : CUDA_INVALID_VALUE;
    if (problem)
        return problem;
    cudart_read_cluster(config, given);
    stated(kernel, given, cluster);
    uint64_t size = cluster[0] ? product(cluster) : 1;
    if (!size || size > largest(kernel))
        return CUDA_INVALID_CLUSTER_SIZE;
    *clusters = (int)gpu_clusters_held(&device->parameters, per_sm, size);
    return CUDA_SUCCESS;
}

enum cuda_error cudart_max_cluster_size(struct cudart_device *device, int *size, const void *function,
                                        const struct cuda_launch_config *config)
{
    struct cudart_kernel *kernel;
    uint64_t per_sm;
    enum cuda_error problem = size ? ask(device, function, config, &kernel, &per_sm) : CUDA_INVALID_VALUE;
    if (problem)
        return problem;
    uint64_t found = mnp_settings_architecture(device->settings) < HOPPER ? 1 : largest(kernel);
    while (found && !gpu_clusters_held(&device->parameters, per_sm, found))
        found--;
    *size = (int)found;
    return CUDA_SUCCESS;
}
