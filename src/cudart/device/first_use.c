/* SPDX-License-Identifier: BSD-3-Clause */
/* The device's beginning: at the first call that needs one. */
#include "cudart/device/first_use.h"

#include "cudart/base/state.h"
#include "cudart/device/device.h"
#include "cudart/device/modules.h"

enum cuda_error cudart_ask_device(struct cudart_device *device)
{
    struct cudart *rt = device->rt;
    if (!device->settings && !rt->faults.failure && cudart_build_device(device, cudart_newest_architecture(device)))
        return rt->faults.failure;
    if (device->settings && rt->faults.failure)
        return cudart_unanswerable(device);
    return rt->sharing.timed ? rt->faults.failure : cudart_ensure_device(device);
}

enum cuda_error cudart_unanswerable(const struct cudart_device *device)
{
    enum cuda_error failure = device->rt->faults.failure;
    return failure == CUDA_INITIALIZATION_ERROR || !device->settings ? failure : CUDA_SUCCESS;
}

enum cuda_error cudart_ensure_device(struct cudart_device *device)
{
    struct cudart *rt = device->rt;
    cudart_thread()->uses_device = true;
    if (device->begun || rt->faults.failure)
        return rt->faults.failure;
    if (!device->settings && cudart_build_device(device, cudart_newest_architecture(device)))
        return rt->faults.failure;
    if (cudart_use_shared(device))
        return rt->faults.failure;
    device->begun = true;
    cudart_load_all(device);
    return CUDA_SUCCESS;
}
