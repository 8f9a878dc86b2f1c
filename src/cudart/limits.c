/* SPDX-License-Identifier: BSD-3-Clause */
/* Limits of the device that a program may ask for or set. */
#include "cudart/context.h"

/* Stack of a thread, buffer of printf, heap of device malloc: what CUDA starts with. Ours have no such bounds, so that
 * a new one is remembered and changes nothing. */
static enum cuda_error limit_of(struct cudart *rt, unsigned limit, uint64_t *to, const uint64_t *from)
{
    if (limit > 2)
        return limit > 6 ? CUDA_INVALID_VALUE : CUDA_UNSUPPORTED_LIMIT;
    if (from)
        rt->limits[limit] = *from;
    if (to)
        *to = rt->limits[limit] ? rt->limits[limit] : limit == 0 ? 1024 : limit == 1 ? 1 << 20 : 8 << 20;
    return to || from ? CUDA_SUCCESS : CUDA_INVALID_VALUE;
}

CUDART_API int cudaDeviceSetLimit(int limit, size_t value)
{
    uint64_t from = value;
    CUDART_CALL(limit_of(rt, (unsigned)limit, NULL, &from));
}

CUDART_API int cudaDeviceGetLimit(size_t *value, int limit)
{
    CUDART_CALL(limit_of(rt, (unsigned)limit, value, NULL));
}
