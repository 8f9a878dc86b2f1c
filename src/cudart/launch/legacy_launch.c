/* SPDX-License-Identifier: BSD-3-Clause */
/* Launches that are stated piece by piece, as before CUDA 4: the shape of a block, shared memory and arguments are a
 * function's until the next launch changes them. PyCUDA still does so. */
#include "cudart/launch/legacy_launch.h"

#include "cudart/base/state.h"
#include "cudart/device/device.h"
#include "cudart/device/modules.h"
#include "cudart/device/symbols.h"
#include "cudart/launch/kernel_arguments.h"
#include "cudart/launch/launch.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_ARGUMENTS = 4096 };

struct cudart_legacy_launch *cudart_legacy_launch_of(struct cudart_device *device, const void *function,
                                                     enum cuda_error *problem)
{
    struct cudart *rt = device->rt;
    struct cudart_kernel *kernel;
    *problem = cudart_kernel_of(device, function, &kernel);
    if (*problem)
        return NULL;
    struct cudart_legacy_launch *all = rt->legacy_launches.items;
    for (uint32_t i = 0; i < rt->legacy_launches.count; i++)
        if (all[i].function == function)
            return &all[i];
    struct cudart_legacy_launch *made = mnp_array_add(&rt->legacy_launches, 1, sizeof *made);
    *made = (struct cudart_legacy_launch){.function = function, .block = {1, 1, 1}};
    return made;
}

enum cuda_error cudart_state_arguments(struct cudart_legacy_launch *p, size_t bytes)
{
    if (bytes > MOST_ARGUMENTS)
        return CUDA_INVALID_VALUE;
    unsigned char *arguments = mnp_allocate(bytes + 1, 1);
    if (p->bytes)
        memcpy(arguments, p->arguments, p->bytes < bytes ? p->bytes : bytes);
    free(p->arguments);
    p->arguments = arguments;
    p->bytes = bytes;
    return CUDA_SUCCESS;
}

/* Arguments may come before their size, and beyond it. */
enum cuda_error cudart_state_argument(struct cudart_legacy_launch *p, int offset, const void *value, size_t bytes)
{
    if (offset < 0 || !value || bytes > MOST_ARGUMENTS || (size_t)offset > MOST_ARGUMENTS - bytes)
        return CUDA_INVALID_VALUE;
    if ((size_t)offset + bytes > p->bytes)
        cudart_state_arguments(p, (size_t)offset + bytes);
    memcpy(p->arguments + offset, value, bytes);
    return CUDA_SUCCESS;
}

enum cuda_error cudart_launch_legacy(struct cudart_device *device, const struct cudart_legacy_launch *p,
                                     const int grid[2], uint64_t stream)
{
    void *const extra[] = {(void *)CUDART_EXTRA_BUFFER, p->arguments, (void *)CUDART_EXTRA_SIZE, (void *)&p->bytes,
                           (void *)CUDART_EXTRA_END};
    void **arguments = NULL, **made = NULL;
    if (grid[0] < 1 || grid[1] < 1)
        return CUDA_INVALID_VALUE;
    const struct cuda_launch_config config = {.grid = {(uint32_t)grid[0], (uint32_t)grid[1], 1},
                                              .block = {p->block[0], p->block[1], p->block[2]},
                                              .dynamic_shared = p->shared,
                                              .stream = stream};
    enum cuda_error problem = cudart_arguments(device, p->function, p->bytes ? extra : NULL, &arguments, &made);
    problem = problem ? problem : cudart_launch_config(device, &config, p->function, arguments);
    free(made);
    return problem;
}

void cudart_forget_legacy_launches(struct cudart *rt)
{
    struct cudart_legacy_launch *all = rt->legacy_launches.items;
    for (uint32_t i = 0; i < rt->legacy_launches.count; i++)
        free(all[i].arguments);
    rt->legacy_launches.count = 0;
}
