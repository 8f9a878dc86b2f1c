/* SPDX-License-Identifier: BSD-3-Clause */
/* Launches, the checks of the real runtime with its errors, and what a program can ask about kernels. */
#include "base/arena.h"
#include "cudart/queue.h"

#include <stdlib.h>
#include <string.h>

enum { SHARED_DEFAULT = 48 * 1024, MAX_THREADS = 1024, MAX_THREAD_REGISTERS = 255 };

static const struct sm_parameters *sm_of(const struct cudart *rt)
{
    return &rt->parameters.sm;
}

static uint64_t shared_optin(const struct cudart *rt)
{
    return sm_of(rt)->shared_max - sm_of(rt)->shared_reserved;
}

/* ===== resources ===== */

static uint64_t round_up(uint64_t value, uint64_t unit)
{
    return unit ? (value + unit - 1) / unit * unit : value;
}

static uint64_t shared_of(const struct execute_code *code, uint64_t dynamic)
{
    return dynamic ? code->dynamic_shared + dynamic : code->shared_bytes;
}

/* CTAs of `threads` that an SM holds at once, as the dispatcher of the timed model counts them. */
static uint64_t ctas_per_sm(const struct cudart *rt, const struct execute_code *code, uint64_t threads,
                            uint64_t dynamic)
{
    const struct sm_parameters *sm = sm_of(rt);
    uint64_t warps = (threads + 31) / 32, shared = shared_of(code, dynamic);
    uint64_t of_warp = round_up((uint64_t)code->registers * 32, sm->register_unit);
    uint64_t per_subcore = of_warp ? sm->registers / sm->subcores / of_warp : sm->warps;
    uint64_t fits = sm->ctas, by_warps = sm->warps / warps, by_registers = per_subcore * sm->subcores / warps;
    uint64_t of_cta = round_up(shared + sm->shared_reserved, sm->shared_unit);
    uint64_t by_shared = of_cta ? sm->shared_max / of_cta : fits;
    fits = by_warps < fits ? by_warps : fits;
    fits = by_registers < fits ? by_registers : fits;
    return by_shared < fits ? by_shared : fits;
}

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
    if (c->block.x > 1024 || c->block.y > 1024 || c->block.z > 64 || product(&c->block) > MAX_THREADS)
        return CUDA_INVALID_CONFIGURATION;
    return CUDA_SUCCESS;
}

static uint64_t bound_of(const struct execute_code *code)
{
    uint64_t bound = 1;
    for (unsigned i = 0; i < 3; i++)
        bound *= code->most_block[i] ? code->most_block[i] : 1;
    return code->most_block[0] && bound < MAX_THREADS ? bound : MAX_THREADS;
}

static enum cuda_error check_resources(const struct cudart *rt, const struct cudart_kernel *kernel,
                                       const struct cudart_configuration *c)
{
    uint64_t limit = kernel->max_dynamic > SHARED_DEFAULT ? kernel->max_dynamic : SHARED_DEFAULT;
    uint64_t shared = c->shared > CUDART_MEMORY ? CUDART_MEMORY : shared_of(kernel->code, c->shared);
    if (shared > (kernel->max_dynamic > SHARED_DEFAULT ? shared_optin(rt) : limit) ||
        (kernel->max_dynamic && c->shared > limit))
        return CUDA_INVALID_VALUE;
    if (product(&c->block) > bound_of(kernel->code) ||
        ctas_per_sm(rt, kernel->code, product(&c->block), c->shared) == 0)
        return CUDA_LAUNCH_OUT_OF_RESOURCES;
    return CUDA_SUCCESS;
}

/* ===== launches ===== */

/* CTAs of a cooperative grid may wait for one another, so that the device must hold all of them at once. */
static enum cuda_error check_cooperative(const struct cudart *rt, const struct cudart_kernel *kernel,
                                         const struct cudart_configuration *c)
{
    uint64_t room = ctas_per_sm(rt, kernel->code, product(&c->block), c->shared) * sm_of(rt)->count;
    return product(&c->grid) > room ? CUDA_COOPERATIVE_LAUNCH_TOO_LARGE : CUDA_SUCCESS;
}

/* Where the CTAs of a cooperative grid meet: zeros at first, and in order again when a grid has ended. One for each
 * stream, in which grids follow one another. 0: no memory. */
static uint64_t workspace_of(struct cudart *rt, uint64_t stream)
{
    enum { WORKSPACE = 256 }; /* bytes; the library of cooperative groups uses 8 */
    static const char zeros[WORKSPACE];
    struct cudart_workspace *all = rt->workspaces.items;
    for (uint32_t i = 0; i < rt->workspaces.count; i++)
        if (all[i].stream == stream)
            return all[i].address;
    uint64_t address = execute_device_allocate(&rt->device, WORKSPACE);
    if (!address || !execute_device_write(&rt->device, address, zeros, WORKSPACE))
        return 0;
    *(struct cudart_workspace *)mnp_array_add(&rt->workspaces, 1, sizeof *all) =
        (struct cudart_workspace){stream, address};
    return address;
}

static enum cuda_error give_kernel(struct cudart *rt, const struct cudart_kernel *kernel,
                                   const struct cudart_configuration *c, void **arguments)
{
    const uint32_t grid[3] = {c->grid.x, c->grid.y, c->grid.z}, block[3] = {c->block.x, c->block.y, c->block.z};
    unsigned char *storage = mnp_allocate((size_t)kernel->code->parameter_bytes + 1, 1);
    struct mnp_error error = {{0}};
    struct execute_launch launch;
    if (!execute_launch_prepare(&launch, kernel->code, grid, block, (uint32_t)c->shared, (const void *const *)arguments,
                                storage, &error)) {
        free(storage);
        return cudart_refuse(rt, &error, CUDA_INVALID_CONFIGURATION);
    }
    launch.workspace = c->cooperative ? workspace_of(rt, c->stream) : 0;
    launch.resident = ctas_per_sm(rt, kernel->code, product(&c->block), c->shared) * sm_of(rt)->count;
    enum cuda_error problem = c->cooperative && !launch.workspace ? CUDA_MEMORY_ALLOCATION : cudart_begin_machine(rt);
    if (!problem && !cudart_agree(rt, CUDART_ALL)) /* the kernel sees what the host has written by now */
        problem = CUDA_MEMORY_ALLOCATION;
    if (problem) {
        free(storage);
        return problem;
    }
    struct cudart_operation *operation = cudart_enqueue(rt, c->stream, CUDART_KERNEL);
    operation->kernel = kernel;
    operation->launch = launch;
    operation->storage = storage;
    return CUDA_SUCCESS;
}

static enum cuda_error launch(struct cudart *rt, const void *function, const struct cudart_configuration *c,
                              void **arguments)
{
    struct cudart_kernel *kernel;
    enum cuda_error problem = check_shape(c);
    if (!problem && !cudart_stream_known(rt, c->stream))
        problem = CUDA_INVALID_RESOURCE_HANDLE;
    problem = problem ? problem : cudart_kernel_of(rt, function, &kernel);
    problem = problem ? problem : check_resources(rt, kernel, c);
    if (!problem && c->cooperative)
        problem = check_cooperative(rt, kernel, c);
    if (problem || rt->pending)
        return problem; /* behind a kernel that has failed, nothing is executed */
    return give_kernel(rt, kernel, c, arguments);
}

CUDART_API int cudaLaunchKernel(const void *function, struct cuda_dim3 grid, struct cuda_dim3 block, void **arguments,
                                size_t shared, uint64_t stream)
{
    const struct cudart_configuration c = {grid, block, shared, stream, false};
    CUDART_CALL(launch(rt, function, &c, arguments));
}

CUDART_API int __cudaLaunchKernel(const void *kernel, struct cuda_dim3 grid, struct cuda_dim3 block, void **arguments,
                                  size_t shared, uint64_t stream)
{
    return cudaLaunchKernel(kernel, grid, block, arguments, shared, stream);
}

CUDART_API int cudaLaunchCooperativeKernel(const void *function, struct cuda_dim3 grid, struct cuda_dim3 block,
                                           void **arguments, size_t shared, uint64_t stream)
{
    const struct cudart_configuration c = {grid, block, shared, stream, true};
    CUDART_CALL(launch(rt, function, &c, arguments));
}

/* Attributes that change what a launch means. 0 and the hints of others may be passed over. */
static enum cuda_error read_attributes(struct cudart *rt, const struct cuda_launch_config *config, bool *cooperative)
{
    enum { COOPERATIVE = 2, CLUSTER = 4 };
    for (unsigned i = 0; i < config->attribute_count; i++) {
        const struct cuda_launch_attribute *each = &config->attributes[i];
        struct mnp_error error = {{0}};
        const uint32_t *size = (const uint32_t *)each->bytes;
        if (each->id == COOPERATIVE)
            *cooperative = each->number;
        if (each->id == CLUSTER && (size[0] > 1 || size[1] > 1 || size[2] > 1))
            mnp_fail(&error, "cudaLaunchKernelExC: launches with clusters are not supported yet");
        if (error.text[0])
            return cudart_refuse(rt, &error, CUDA_NOT_SUPPORTED);
    }
    return CUDA_SUCCESS;
}

static enum cuda_error launch_config(struct cudart *rt, const struct cuda_launch_config *config, const void *function,
                                     void **arguments)
{
    if (!config)
        return CUDA_INVALID_VALUE;
    struct cudart_configuration c = {config->grid, config->block, config->dynamic_shared, config->stream, false};
    enum cuda_error problem = read_attributes(rt, config, &c.cooperative);
    return problem ? problem : launch(rt, function, &c, arguments);
}

CUDART_API int cudaLaunchKernelExC(const struct cuda_launch_config *config, const void *function, void **arguments)
{
    CUDART_CALL(launch_config(rt, config, function, arguments));
}

/* ===== <<<…>>> ===== */

/* Parts of one call, whose time cudaLaunchKernel takes. */
CUDART_API unsigned __cudaPushCallConfiguration(struct cuda_dim3 grid, struct cuda_dim3 block, size_t shared,
                                                uint64_t stream)
{
    struct cudart *rt = cudart_look();
    *(struct cudart_configuration *)mnp_array_add(&rt->configurations, 1, sizeof(struct cudart_configuration)) =
        (struct cudart_configuration){grid, block, shared, stream, false};
    return (unsigned)cudart_leave(rt, CUDA_SUCCESS);
}

CUDART_API int __cudaPopCallConfiguration(struct cuda_dim3 *grid, struct cuda_dim3 *block, size_t *shared,
                                          uint64_t *stream)
{
    struct cudart *rt = cudart_look();
    if (rt->configurations.count == 0)
        return cudart_leave(rt, CUDA_MISSING_CONFIGURATION);
    const struct cudart_configuration *c = rt->configurations.items;
    c += --rt->configurations.count;
    *grid = c->grid;
    *block = c->block;
    *shared = c->shared;
    *stream = c->stream;
    return cudart_leave(rt, CUDA_SUCCESS);
}

/* ===== questions about kernels ===== */

static enum cuda_error attributes_of(struct cudart *rt, struct cuda_func_attributes *out, const void *function)
{
    struct cudart_kernel *kernel;
    if (!out)
        return CUDA_INVALID_VALUE;
    enum cuda_error problem = cudart_kernel_of(rt, function, &kernel);
    if (problem)
        return problem;
    const struct execute_code *code = kernel->code;
    uint64_t threads = bound_of(code);
    while (threads > 32 && ctas_per_sm(rt, code, threads, 0) == 0)
        threads -= 32;
    *out = (struct cuda_func_attributes){
        .shared = code->shared_bytes,
        .local = execute_code_function_at(code, 0)->local_bytes,
        .max_threads = (int)threads,
        .registers = code->registers > MAX_THREAD_REGISTERS ? MAX_THREAD_REGISTERS : (int)code->registers,
        .ptx_version = (int)code->architecture,
        .binary_version = (int)mnp_settings_architecture(rt->settings),
        .max_dynamic_shared =
            (int)(kernel->max_dynamic > SHARED_DEFAULT ? kernel->max_dynamic : SHARED_DEFAULT - code->shared_bytes),
        .shared_carveout = -1};
    return CUDA_SUCCESS;
}

CUDART_API int cudaFuncGetAttributes(struct cuda_func_attributes *out, const void *function)
{
    CUDART_CALL(attributes_of(rt, out, function));
}

static enum cuda_error set_attribute(struct cudart *rt, const void *function, int attribute, int value)
{
    struct cudart_kernel *kernel;
    enum cuda_error problem = cudart_kernel_of(rt, function, &kernel);
    if (problem)
        return problem;
    if (attribute == CUDA_FUNC_SHARED_CARVEOUT)
        return value >= -1 && value <= 100 ? CUDA_SUCCESS : CUDA_INVALID_VALUE;
    if (attribute != CUDA_FUNC_MAX_DYNAMIC_SHARED)
        return CUDA_INVALID_VALUE;
    if (value < 0 || (uint64_t)value + kernel->code->shared_bytes > shared_optin(rt))
        return CUDA_INVALID_VALUE;
    kernel->max_dynamic = (uint32_t)value;
    return CUDA_SUCCESS;
}

CUDART_API int cudaFuncSetAttribute(const void *function, int attribute, int value)
{
    CUDART_CALL(set_attribute(rt, function, attribute, value));
}

static enum cuda_error known_kernel(struct cudart *rt, const void *function)
{
    struct cudart_kernel *kernel;
    return cudart_kernel_of(rt, function, &kernel);
}

CUDART_API int cudaFuncSetCacheConfig(const void *function, int configuration)
{
    CUDART_CALL(configuration < 0 || configuration > 3 ? CUDA_INVALID_VALUE : known_kernel(rt, function));
}

static enum cuda_error name_of(struct cudart *rt, const char **name, const void *function)
{
    struct cudart_kernel *kernel;
    enum cuda_error problem = name ? cudart_kernel_of(rt, function, &kernel) : CUDA_INVALID_VALUE;
    if (!problem)
        *name = kernel->name;
    return problem;
}

CUDART_API int cudaFuncGetName(const char **name, const void *function)
{
    CUDART_CALL(name_of(rt, name, function));
}

static enum cuda_error occupancy(struct cudart *rt, int *blocks, const void *function, int threads, size_t dynamic)
{
    struct cudart_kernel *kernel;
    if (!blocks || threads < 1)
        return CUDA_INVALID_VALUE;
    enum cuda_error problem = cudart_kernel_of(rt, function, &kernel);
    if (problem)
        return problem;
    bool possible = (uint64_t)threads <= bound_of(kernel->code) && dynamic <= shared_optin(rt);
    *blocks = possible ? (int)ctas_per_sm(rt, kernel->code, (uint64_t)threads, dynamic) : 0;
    return CUDA_SUCCESS;
}

CUDART_API int cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function, int threads,
                                                             size_t dynamic)
{
    CUDART_CALL(occupancy(rt, blocks, function, threads, dynamic));
}

CUDART_API int cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *function, int threads,
                                                                      size_t dynamic, unsigned flags)
{
    CUDART_CALL(flags > 1 ? CUDA_INVALID_VALUE : occupancy(rt, blocks, function, threads, dynamic));
}
