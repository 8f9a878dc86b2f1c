/* SPDX-License-Identifier: BSD-3-Clause */
/* A kernel's arguments as one block of bytes, which the driver's calls and nodes of graphs may state in place of a
 * pointer to each. */
#include "cudart/launch/kernel_arguments.h"

#include "cudart/device/device.h"
#include "cudart/device/modules.h"
#include "cudart/device/symbols.h"

#include <stdlib.h>
#include <string.h>

/* The buffer that `extra` names, and its size: pairs of a key and a value. */
static bool read_extra(void *const *extra, char **buffer, size_t *bytes)
{
    *buffer = NULL;
    *bytes = 0;
    for (unsigned i = 0; (uintptr_t)extra[i] != CUDART_EXTRA_END; i += 2)
        if ((uintptr_t)extra[i] == CUDART_EXTRA_BUFFER)
            *buffer = extra[i + 1];
        else if ((uintptr_t)extra[i] == CUDART_EXTRA_SIZE && extra[i + 1])
            *bytes = *(size_t *)extra[i + 1];
        else
            return false;
    return *buffer;
}

/* One pointer for each parameter, into a copy of the buffer behind the pointers. A buffer may end inside the last
 * parameter, as NCCL's does, which states what it uses of 4 KiB: the rest is zeros. NULL: a parameter is missing. */
static void **spread(const struct execute_code *code, const char *buffer, size_t bytes)
{
    const struct execute_transfer *parameters = code->parameters.items;
    size_t pointers = ((size_t)code->parameters.count + 1) * sizeof(void *), room = code->parameter_bytes;
    for (uint32_t i = 0; i < code->parameters.count; i++)
        if (parameters[i].offset >= bytes)
            return NULL;
    char *block = mnp_allocate(pointers + room + 1, 1);
    memcpy(block + pointers, buffer, bytes < room ? bytes : room);
    void **arguments = (void **)block;
    for (uint32_t i = 0; i < code->parameters.count; i++)
        arguments[i] = block + pointers + parameters[i].offset;
    return arguments;
}

enum cuda_error cudart_arguments(struct cudart_device *device, const void *function, void *const *extra,
                                 void ***arguments, void ***made)
{
    struct cudart_kernel *kernel;
    char *buffer;
    size_t bytes;
    enum cuda_error problem = cudart_kernel_of(device, function, &kernel);
    *made = NULL;
    if (problem)
        return problem;
    uint32_t count = kernel->code->parameters.count;
    if (!extra)
        return *arguments || count == 0 ? CUDA_SUCCESS : CUDA_INVALID_VALUE;
    if (*arguments || !read_extra(extra, &buffer, &bytes))
        return CUDA_INVALID_VALUE;
    *arguments = *made = spread(kernel->code, buffer, bytes);
    return *made ? CUDA_SUCCESS : CUDA_INVALID_VALUE;
}
