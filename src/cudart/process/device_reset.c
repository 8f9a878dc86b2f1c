/* SPDX-License-Identifier: BSD-3-Clause */
/* A new beginning: the device as it was at first. What the program has registered stays, to be loaded again. */
#include "cudart/process/device_reset.h"

#include "cudart/base/driver_contexts.h"
#include "cudart/base/failure.h"
#include "cudart/base/state.h"
#include "cudart/device/allocator.h"
#include "cudart/device/device.h"
#include "cudart/device/memory_pools.h"
#include "cudart/device/modules.h"
#include "cudart/launch/graph_launch.h"
#include "cudart/launch/launch.h"
#include "cudart/launch/legacy_launch.h"
#include "cudart/memory/arrays.h"
#include "cudart/memory/exported_memory.h"
#include "cudart/memory/registered_memory.h"
#include "cudart/memory/virtual_memory.h"
#include "cudart/stream/streams.h"
#include "cudart/stream/synchronize.h"

static void renew(struct cudart_device *device)
{
    struct cudart *rt = device->rt;
    cudart_forgive(rt);
    cudart_forget_graphs(rt);
    cudart_forget_streams(device);
    cudart_forget_arrays(device);
    cudart_forget_launches(device);
    cudart_forget_legacy_launches(rt);
    cudart_forget_registered(rt);
    cudart_forget_pools(device);
    cudart_forget_imports(device);
    cudart_forget_memory(device);
    cudart_forget_pieces(device);
    cudart_unload_all(device);
    if (!device->begun)
        return;
    execute_device_reset(&device->functional);
    cudart_load_all(device);
}

enum cuda_error cudart_reset_device(struct cudart_device *device)
{
    struct cudart *rt = device->rt;
    if (rt->turn.calling)
        return CUDA_NOT_PERMITTED; /* streams wait for the function that asks */
    cudart_wait_all(rt, device);
    enum cuda_error left = rt->faults.failure ? rt->faults.failure : rt->faults.pending;
    if (left == CUDA_INITIALIZATION_ERROR)
        return left;
    renew(device);
    return CUDA_SUCCESS;
}

void cudart_forget_contexts(struct cudart_device *device)
{
    struct cudart *rt = device->rt;
    if ((!rt->faults.failure && cudart_any_context(rt, device->number)) ||
        rt->faults.failure == CUDA_INITIALIZATION_ERROR || rt->turn.calling)
        return;
    cudart_wait_all(rt, device);
    renew(device);
}
