/* SPDX-License-Identifier: BSD-3-Clause */
/* Launches and the checks of the real runtime with its errors. */
#include "cudart/launch/launch.h"

#include "base/arena.h"
#include "base/demangle.h"
#include "cudart/base/failure.h"
#include "cudart/base/state.h"
#include "cudart/device/clusters.h"
#include "cudart/device/device.h"
#include "cudart/device/launch_configuration.h"
#include "cudart/device/managed_memory.h"
#include "cudart/device/modules.h"
#include "cudart/device/occupancy.h"
#include "cudart/device/symbols.h"
#include "cudart/stream/callback_thread.h"
#include "cudart/stream/clock.h"
#include "cudart/stream/simulation.h"
#include "cudart/stream/streams.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Memory in which the CTAs of cooperative grids of one stream synchronise. */
struct workspace {
    uint64_t stream, address;
};

/* ===== the checks ===== */

static uint64_t product(const struct cuda_dim3 *size)
{
    uint64_t plane = (uint64_t)size->x * size->y; /* below 2^64 */
    return plane > UINT32_MAX ? UINT64_MAX : plane * size->z;
}

static enum cuda_error check_shape(const struct cudart_configuration *c)
{
    if (!c->grid.x || !c->grid.y || !c->grid.z || !c->block.x || !c->block.y || !c->block.z)
        return CUDA_INVALID_CONFIGURATION;
    if (c->grid.x > INT32_MAX || c->grid.y > 65535 || c->grid.z > 65535)
        return CUDA_INVALID_CONFIGURATION;
    if (c->block.x > 1024 || c->block.y > 1024 || c->block.z > 64 || product(&c->block) > CUDART_MAX_THREADS)
        return CUDA_INVALID_CONFIGURATION;
    return CUDA_SUCCESS;
}

static enum cuda_error check_resources(const struct cudart_device *device, const struct cudart_kernel *kernel,
                                       const struct cudart_configuration *c)
{
    uint64_t limit = kernel->max_dynamic > CUDART_SHARED_DEFAULT ? kernel->max_dynamic : CUDART_SHARED_DEFAULT;
    uint64_t shared = c->shared > UINT32_MAX ? UINT32_MAX : cudart_shared_of(kernel->code, c->shared);
    if (shared > (kernel->max_dynamic > CUDART_SHARED_DEFAULT ? cudart_shared_optin(device) : limit) ||
        (kernel->max_dynamic && c->shared > limit))
        return CUDA_INVALID_VALUE;
    if (product(&c->block) > cudart_bound_of(kernel->code) ||
        cudart_ctas_per_sm(device, kernel->code, product(&c->block), c->shared) == 0)
        return CUDA_LAUNCH_OUT_OF_RESOURCES;
    return CUDA_SUCCESS;
}

/* CTAs of a cooperative grid may wait for one another, so that the device must hold all of them at once. */
static enum cuda_error check_cooperative(const struct cudart_device *device, const struct cudart_kernel *kernel,
                                         const struct cudart_configuration *c)
{
    uint64_t room =
        cudart_ctas_per_sm(device, kernel->code, product(&c->block), c->shared) * device->parameters.sm.count;
    return product(&c->grid) > room ? CUDA_COOPERATIVE_LAUNCH_TOO_LARGE : CUDA_SUCCESS;
}

/* ===== launches ===== */

/* Memory in which the CTAs of a cooperative grid synchronise. It is zero at first, and again in its initial state when
 * a grid has ended. Each stream has one, since its grids follow one another. 0: no memory. */
static uint64_t workspace_of(struct cudart_device *device, uint64_t stream)
{
    enum { WORKSPACE = 256 }; /* bytes; the library of cooperative groups uses 8 */
    static const char zeros[WORKSPACE];
    struct workspace *all = device->workspaces.items;
    for (uint32_t i = 0; i < device->workspaces.count; i++)
        if (all[i].stream == stream)
            return all[i].address;
    uint64_t address = execute_device_allocate(&device->functional, WORKSPACE);
    if (!address || !execute_device_write(&device->functional, address, zeros, WORKSPACE))
        return 0;
    *(struct workspace *)mnp_array_add(&device->workspaces, 1, sizeof *all) = (struct workspace){stream, address};
    return address;
}

/* Whether a kernel computes but what its addresses and branches depend on. */
static bool is_bare(struct cudart_device *device, const struct execute_code *code)
{
    struct cudart *rt = device->rt;
    if (!rt->calls.options.bare)
        return false;
    if (!code->has_values)
        mnp_warn(&rt->simulation->results.log,
                 "--values needed: all values of kernel %s are computed: it is machine code, or calls functions, or "
                 "addresses and branches depend on them",
                 code->name);
    if (code->follows_memory)
        mnp_warn(&rt->simulation->results.log,
                 "--values needed: addresses or branches of kernel %s depend on global memory, where kernels before it "
                 "may not have stored what they would have",
                 code->name);
    return true;
}

static enum cuda_error give_kernel(struct cudart_device *device, const struct cudart_kernel *kernel,
                                   const struct cudart_configuration *c, const uint32_t cluster[3], void **arguments)
{
    struct cudart *rt = device->rt;
    const uint32_t grid[3] = {c->grid.x, c->grid.y, c->grid.z}, block[3] = {c->block.x, c->block.y, c->block.z};
    unsigned char *storage = mnp_allocate((size_t)kernel->code->parameter_bytes + 1, 1);
    struct mnp_error error = {{0}};
    struct execute_launch launch;
    if (!execute_launch_prepare(&launch, kernel->code, grid, block, (uint32_t)c->shared, (const void *const *)arguments,
                                storage, &error) ||
        (cluster[0] && !execute_launch_cluster(&launch, cluster, &error))) {
        free(storage);
        return cudart_refuse(rt, &error, CUDA_INVALID_CONFIGURATION);
    }
    launch.bare = is_bare(device, kernel->code);
    launch.workspace = c->cooperative ? workspace_of(device, c->stream) : 0;
    launch.registers = cudart_registers_of(device, kernel->code, product(&c->block));
    if (launch.registers < kernel->code->registers)
        mnp_warn(&rt->simulation->results.log,
                 "kernel %s: %u registers per thread are estimated, %u are there for blocks of %u threads, and assumed",
                 kernel->code->name, kernel->code->registers, launch.registers, launch.threads);
    launch.resident =
        cudart_ctas_per_sm(device, kernel->code, product(&c->block), c->shared) * device->parameters.sm.count;
    enum cuda_error problem = c->cooperative && !launch.workspace ? CUDA_MEMORY_ALLOCATION : cudart_begin_machine(rt);
    if (!problem && !cudart_sync_managed_of_all(rt, CUDART_ALL)) /* the kernel sees what the host has written by now */
        problem = CUDA_MEMORY_ALLOCATION;
    if (problem) {
        free(storage);
        return problem;
    }
    struct cudart_operation *operation = cudart_enqueue(rt, c->stream, CUDART_KERNEL);
    operation->kernel = kernel;
    cudart_meet_kernel(rt, operation);
    operation->launch = launch;
    operation->launch.early = c->early && cudart_may_overlap(rt, operation, c->stream);
    operation->launch.queued = operation->follows && !operation->launch.early;
    operation->launch.records = operation->launch.queued ? operation->records : 0;
    operation->storage = storage;
    return CUDA_SUCCESS;
}

/* Keeps what is said at the end: a program may not look at errors of launches. Returns `problem`. */
static enum cuda_error refuse_launch(struct cudart *rt, const struct cudart_kernel *kernel,
                                     const struct cudart_configuration *c, enum cuda_error problem)
{
    struct cudart_failed_launches *failed = &rt->faults.launches;
    char *name = kernel ? mnp_demangle_brief(kernel->code->name, sizeof failed->kernel - 1) : NULL;
    *failed = (struct cudart_failed_launches){.count = failed->count + 1,
                                              .error = problem,
                                              .grid = {c->grid.x, c->grid.y, c->grid.z},
                                              .block = {c->block.x, c->block.y, c->block.z}};
    snprintf(failed->kernel, sizeof failed->kernel, "%s", name ? name : "");
    free(name);
    return problem;
}

enum cuda_error cudart_launch(struct cudart_device *device, const void *function, const struct cudart_configuration *c,
                              void **arguments)
{
    struct cudart *rt = device->rt;
    struct cudart_kernel *kernel;
    struct cudart_configuration in_ctas = *c;
    uint32_t cluster[3] = {0};
    enum cuda_error problem = check_shape(c);
    if (problem)
        return refuse_launch(rt, NULL, c, problem);
    problem = cudart_may_enqueue(rt, c->stream);
    if (!problem && cudart_any_stream(rt, c->stream)->device != device)
        problem = CUDA_INVALID_RESOURCE_HANDLE; /* a kernel runs on the current device */
    problem = problem ? problem : cudart_kernel_of(device, function, &kernel);
    if (problem)
        return problem;
    if (!arguments && kernel->code->parameters.count)
        return CUDA_INVALID_VALUE;
    cudart_count_ctas(kernel, &in_ctas);
    problem = check_resources(device, kernel, c);
    problem = problem ? problem : cudart_cluster_of(device, kernel, &in_ctas, cluster);
    if (!problem && c->cooperative)
        problem = check_cooperative(device, kernel, &in_ctas);
    if (problem)
        return refuse_launch(rt, kernel, c, problem);
    if (rt->faults.pending)
        return CUDA_SUCCESS; /* behind a kernel that has failed, nothing is executed */
    return give_kernel(device, kernel, &in_ctas, cluster, arguments);
}

/* The last value of an attribute of a launch; NULL: it has none. Those of other kinds are hints, or their 0 is what is
 * done anyway. */
static const struct cuda_launch_attribute *attribute_of(const struct cuda_launch_config *config, uint32_t id)
{
    const struct cuda_launch_attribute *found = NULL;
    for (unsigned i = 0; i < config->attribute_count; i++)
        if (config->attributes[i].id == id)
            found = &config->attributes[i];
    return found;
}

/* Events that a launch records: when all its CTAs have begun, or have let others begin. Here they are recorded when it
 * has ended, which is later, and never wrong. */
static enum cuda_error record_events(struct cudart *rt, const struct cuda_launch_config *config)
{
    static const uint32_t ids[] = {CUDA_ATTRIBUTE_PROGRAMMATIC_EVENT, CUDA_ATTRIBUTE_COMPLETION_EVENT};
    enum cuda_error problem = CUDA_SUCCESS;
    for (uint32_t i = 0; !problem && i < sizeof ids / sizeof *ids; i++) {
        const struct cuda_launch_attribute *attribute = attribute_of(config, ids[i]);
        if (attribute && attribute->event)
            problem = cudart_record_event(rt, attribute->event, config->stream, false);
    }
    return problem;
}

static enum cuda_error check_attributes(struct cudart *rt, const struct cuda_launch_config *config)
{
    struct mnp_error error = {{0}};
    if (config->attribute_count && !config->attributes)
        return CUDA_INVALID_VALUE;
    for (unsigned i = 0; i < config->attribute_count; i++) {
        if (config->attributes[i].id >= CUDA_ATTRIBUTES)
            return CUDA_INVALID_VALUE;
        if (config->attributes[i].id == CUDA_ATTRIBUTE_UPDATABLE) {
            mnp_fail(&error, "nodes of graphs that kernels update are not supported; launch without "
                             "cudaLaunchAttributeDeviceUpdatableKernelNode");
            return cudart_refuse(rt, &error, CUDA_NOT_SUPPORTED);
        }
    }
    return CUDA_SUCCESS;
}

enum cuda_error cudart_launch_config(struct cudart_device *device, const struct cuda_launch_config *config,
                                     const void *function, void **arguments)
{
    enum cuda_error problem = config ? check_attributes(device->rt, config) : CUDA_INVALID_VALUE;
    if (problem)
        return problem;
    const struct cuda_launch_attribute *cooperative = attribute_of(config, CUDA_ATTRIBUTE_COOPERATIVE);
    const struct cuda_launch_attribute *early = attribute_of(config, CUDA_ATTRIBUTE_PROGRAMMATIC);
    struct cudart_configuration c = {.grid = config->grid,
                                     .block = config->block,
                                     .shared = config->dynamic_shared,
                                     .stream = config->stream,
                                     .cooperative = cooperative && cooperative->number,
                                     .early = early && early->number};
    cudart_read_cluster(config, c.cluster);
    problem = cudart_launch(device, function, &c, arguments);
    return problem ? problem : record_events(device->rt, config);
}

enum cuda_error cudart_launch_function(struct cudart *rt, uint64_t stream, void (*function)(void *),
                                       void (*callback)(uint64_t, int, void *), void *data)
{
    if (!function && !callback)
        return CUDA_INVALID_VALUE;
    enum cuda_error problem = cudart_may_enqueue(rt, stream);
    if (problem)
        return problem;
    struct cudart_operation *operation = cudart_enqueue(rt, stream, CUDART_FUNCTION);
    operation->function = function;
    operation->callback = callback;
    operation->data = data;
    if (!cudart_is_captured(rt, stream))
        cudart_watch_host(rt);
    return CUDA_SUCCESS;
}

/* ===== <<<…>>> ===== */

void cudart_push_configuration(struct cudart *rt, const struct cudart_configuration *c)
{
    *(struct cudart_configuration *)mnp_array_add(&rt->configurations, 1, sizeof *c) = *c;
}

enum cuda_error cudart_pop_configuration(struct cudart *rt, struct cudart_configuration *c)
{
    if (rt->configurations.count == 0)
        return CUDA_MISSING_CONFIGURATION;
    *c = ((const struct cudart_configuration *)rt->configurations.items)[--rt->configurations.count];
    return CUDA_SUCCESS;
}

void cudart_forget_launches(struct cudart_device *device)
{
    device->workspaces.count = 0;
}
