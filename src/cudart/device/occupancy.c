/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels and the resources of a multiprocessor: how many CTAs it holds, and what a program can ask about that. */
#include "cudart/device/occupancy.h"

#include "base/range.h"
#include "cudart/device/device.h"
#include "cudart/device/modules.h"
#include "cudart/device/symbols.h"

enum { MAX_THREAD_REGISTERS = 255 };

static const struct sm_parameters *sm_of(const struct cudart_device *device)
{
    return &device->parameters.sm;
}

uint64_t cudart_shared_optin(const struct cudart_device *device)
{
    return sm_of(device)->shared_max - sm_of(device)->shared_reserved;
}

uint64_t cudart_shared_of(const struct execute_code *code, uint64_t dynamic)
{
    return (dynamic ? code->dynamic_shared + dynamic : code->shared_bytes) - code->shared_system;
}

uint32_t cudart_registers_of(const struct cudart_device *device, const struct execute_code *code, uint64_t threads)
{
    const struct sm_parameters *sm = sm_of(device);
    uint64_t subcore_warps = ((threads + 31) / 32 + sm->subcores - 1) / sm->subcores;
    uint64_t share = sm->registers / sm->subcores / (subcore_warps ? subcore_warps : 1);
    share = sm->register_unit ? share / sm->register_unit * sm->register_unit : share;
    return code->registers_estimated && code->registers * UINT64_C(32) > share ? (uint32_t)(share / 32)
                                                                               : code->registers;
}

/* CTAs of `threads` that an SM holds at once, as the dispatcher of the timed model counts them. */
uint64_t cudart_ctas_per_sm(const struct cudart_device *device, const struct execute_code *code, uint64_t threads,
                            uint64_t dynamic)
{
    const struct sm_parameters *sm = sm_of(device);
    uint64_t warps = (threads + 31) / 32, shared = cudart_shared_of(code, dynamic);
    uint64_t of_warp = mnp_round_up((uint64_t)cudart_registers_of(device, code, threads) * 32, sm->register_unit);
    uint64_t per_subcore = of_warp ? sm->registers / sm->subcores / of_warp : sm->warps;
    uint64_t fits = sm->ctas, by_warps = sm->warps / warps, by_registers = per_subcore * sm->subcores / warps;
    uint64_t of_cta = mnp_round_up(shared + sm->shared_reserved, sm->shared_unit);
    uint64_t by_shared = of_cta ? sm->shared_max / of_cta : fits;
    fits = by_warps < fits ? by_warps : fits;
    fits = by_registers < fits ? by_registers : fits;
    return by_shared < fits ? by_shared : fits;
}

uint64_t cudart_bound_of(const struct execute_code *code)
{
    uint64_t bound = 1;
    for (unsigned i = 0; i < 3; i++)
        bound *= code->most_block[i] ? code->most_block[i] : 1;
    return code->most_block[0] && bound < CUDART_MAX_THREADS ? bound : CUDART_MAX_THREADS;
}

enum cuda_error cudart_function_attributes(struct cudart_device *device, struct cuda_func_attributes *out,
                                           const void *function)
{
    struct cudart_kernel *kernel;
    const struct execute_code *code;
    if (!out)
        return CUDA_INVALID_VALUE;
    enum cuda_error problem = cudart_outline_of(device, function, &kernel, &code);
    if (problem)
        return problem;
    uint64_t threads = cudart_bound_of(code);
    while (threads > 32 && cudart_ctas_per_sm(device, code, threads, 0) == 0)
        threads -= 32;
    *out = (struct cuda_func_attributes){
        .shared = cudart_shared_of(code, 0),
        .local = execute_code_function_at(code, 0)->local_bytes,
        .max_threads = (int)threads,
        .registers = code->registers > MAX_THREAD_REGISTERS ? MAX_THREAD_REGISTERS : (int)code->registers,
        .ptx_version = (int)code->source,
        .binary_version = (int)mnp_settings_architecture(device->settings),
        .max_dynamic_shared =
            (int)(kernel->max_dynamic > CUDART_SHARED_DEFAULT ? kernel->max_dynamic
                                                              : CUDART_SHARED_DEFAULT - cudart_shared_of(code, 0)),
        .shared_carveout = -1,
        .cluster_must_be_set = code->needs_cluster || code->cluster[0],
        .cluster_width = (int)(code->cluster[0] ? code->cluster : kernel->cluster)[0],
        .cluster_height = (int)(code->cluster[0] ? code->cluster : kernel->cluster)[1],
        .cluster_depth = (int)(code->cluster[0] ? code->cluster : kernel->cluster)[2],
        .non_portable_cluster = kernel->non_portable};
    return CUDA_SUCCESS;
}

/* The attributes from CUDA_FUNC_CLUSTER_WIDTH on. */
static enum cuda_error set_cluster_attribute(struct cudart_kernel *kernel, const struct execute_code *code,
                                             int attribute, int value)
{
    if (attribute == CUDA_FUNC_CLUSTER_POLICY)
        return value >= 0 && value <= 2 ? CUDA_SUCCESS : CUDA_INVALID_VALUE;
    if (attribute == CUDA_FUNC_NON_PORTABLE_CLUSTER) {
        kernel->non_portable = value != 0;
        return CUDA_SUCCESS;
    }
    if (value < 0 || code->cluster[0]) /* a kernel that states its own cluster keeps that one */
        return CUDA_INVALID_VALUE;
    kernel->cluster[attribute - CUDA_FUNC_CLUSTER_WIDTH] = (uint32_t)value;
    return CUDA_SUCCESS;
}

enum cuda_error cudart_set_function_attribute(struct cudart_device *device, const void *function, int attribute,
                                              int value)
{
    struct cudart_kernel *kernel;
    const struct execute_code *code;
    enum cuda_error problem = cudart_outline_of(device, function, &kernel, &code);
    if (problem)
        return problem;
    if (attribute == CUDA_FUNC_SHARED_CARVEOUT)
        return value >= -1 && value <= 100 ? CUDA_SUCCESS : CUDA_INVALID_VALUE;
    if (attribute >= CUDA_FUNC_CLUSTER_WIDTH && attribute <= CUDA_FUNC_CLUSTER_POLICY)
        return set_cluster_attribute(kernel, code, attribute, value);
    if (attribute != CUDA_FUNC_MAX_DYNAMIC_SHARED)
        return CUDA_INVALID_VALUE;
    if (value < 0 || (uint64_t)value + cudart_shared_of(code, 0) > cudart_shared_optin(device))
        return CUDA_INVALID_VALUE;
    cudart_set_max_dynamic(kernel, (uint32_t)value);
    return CUDA_SUCCESS;
}

enum cuda_error cudart_occupancy(struct cudart_device *device, int *blocks, const void *function, int threads,
                                 size_t dynamic)
{
    struct cudart_kernel *kernel;
    const struct execute_code *code;
    if (!blocks || threads < 1)
        return CUDA_INVALID_VALUE;
    enum cuda_error problem = cudart_outline_of(device, function, &kernel, &code);
    if (problem)
        return problem;
    bool possible = (uint64_t)threads <= cudart_bound_of(code) && dynamic <= cudart_shared_optin(device);
    *blocks = possible ? (int)cudart_ctas_per_sm(device, code, (uint64_t)threads, dynamic) : 0;
    return CUDA_SUCCESS;
}

/* The dynamic shared memory that each of so many blocks on a multiprocessor can have. */
enum cuda_error cudart_dynamic_left(struct cudart_device *device, size_t *bytes, const void *function, int blocks,
                                    int block_size)
{
    const struct sm_parameters *sm = &device->parameters.sm;
    struct cudart_kernel *kernel;
    const struct execute_code *code;
    if (!bytes || blocks < 1 || block_size < 1 || block_size > 1024 || (uint64_t)blocks > sm->ctas)
        return CUDA_INVALID_VALUE;
    enum cuda_error problem = cudart_outline_of(device, function, &kernel, &code);
    if (problem)
        return problem;
    uint64_t each = sm->shared_max / (uint64_t)blocks, used = code->dynamic_shared + sm->shared_reserved;
    each -= sm->shared_unit ? each % sm->shared_unit : 0;
    *bytes = each > used ? each - used : 0;
    return CUDA_SUCCESS;
}
