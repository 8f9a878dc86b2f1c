/* SPDX-License-Identifier: BSD-3-Clause */
/* A kernel's arguments as one block of bytes, which the driver's calls and nodes of graphs may state in place of a
 * pointer to each. */
#include "cudart/core/launch.h"

#include <stdlib.h>

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

/* One pointer for each parameter, into the buffer. */
static enum cuda_error spread(const struct cudart_kernel *kernel, char *buffer, size_t bytes, void **arguments)
{
    const struct execute_transfer *parameters = kernel->code->parameters.items;
    for (uint32_t i = 0; i < kernel->code->parameters.count; i++) {
        arguments[i] = buffer + parameters[i].offset;
        if (parameters[i].offset > bytes || parameters[i].bytes > bytes - parameters[i].offset)
            return CUDA_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
}

enum cuda_error cudart_arguments(struct cudart *rt, const void *function, void *const *extra, void ***arguments,
                                 void ***made)
{
    struct cudart_kernel *kernel;
    char *buffer;
    size_t bytes;
    enum cuda_error problem = cudart_kernel_of(rt, function, &kernel);
    *made = NULL;
    if (problem)
        return problem;
    uint32_t count = kernel->code->parameters.count;
    if (!extra)
        return *arguments || count == 0 ? CUDA_SUCCESS : CUDA_INVALID_VALUE;
    if (*arguments || !read_extra(extra, &buffer, &bytes))
        return CUDA_INVALID_VALUE;
    *arguments = *made = mnp_allocate((size_t)count + 1, sizeof **made);
    return spread(kernel, buffer, bytes, *made);
}
