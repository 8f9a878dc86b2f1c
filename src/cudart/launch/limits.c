/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings that a program may make and ask for, and that change nothing. */
#include "cudart/launch/limits.h"

#include "cudart/device/device.h"

/* Stack of a thread, buffer of printf, heap of device malloc: what CUDA starts with. Ours have no such bounds, so that
 * a new one is remembered and changes nothing. */
enum cuda_error cudart_limit(struct cudart_device *device, unsigned limit, uint64_t *to, const uint64_t *from)
{
    if (limit > 2)
        return limit > 6 ? CUDA_INVALID_VALUE : CUDA_UNSUPPORTED_LIMIT;
    if (from)
        device->limits[limit] = *from;
    if (to)
        *to = device->limits[limit] ? device->limits[limit] : limit == 0 ? 1024 : limit == 1 ? 1 << 20 : 8 << 20;
    return to || from ? CUDA_SUCCESS : CUDA_INVALID_VALUE;
}

void cudart_set_flags(struct cudart_device *device, unsigned flags)
{
    device->flags = flags;
}
