/* SPDX-License-Identifier: BSD-3-Clause */
/* The device's beginning: at the first call that needs one. */
#include "cudart/device/first_use.h"

#include "cudart/base/state.h"
#include "cudart/device/device.h"
#include "cudart/device/modules.h"

enum cuda_error cudart_prepare(struct cudart *rt)
{
    if (rt->machine.settings || rt->faults.failure)
        return rt->faults.failure;
    if (cudart_build_device(rt, cudart_newest_architecture(rt)))
        return rt->faults.failure;
    cudart_load_all(rt);
    return CUDA_SUCCESS;
}
