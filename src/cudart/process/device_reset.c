/* SPDX-License-Identifier: BSD-3-Clause */
/* A new beginning: the device as it was at first. What the program has registered stays, to be loaded again. */
#include "cudart/process/device_reset.h"

#include "cudart/base/driver_contexts.h"
#include "cudart/base/failure.h"
#include "cudart/base/state.h"
#include "cudart/device/allocator.h"
#include "cudart/device/memory_pools.h"
#include "cudart/device/modules.h"
#include "cudart/launch/graph_launch.h"
#include "cudart/launch/launch.h"
#include "cudart/launch/legacy_launch.h"
#include "cudart/memory/arrays.h"
#include "cudart/memory/registered_memory.h"
#include "cudart/memory/virtual_memory.h"
#include "cudart/stream/streams.h"
#include "cudart/stream/synchronize.h"

void cudart_restart(struct cudart *rt)
{
    cudart_forgive(rt);
    cudart_forget_graphs(rt);
    cudart_forget_streams(rt);
    cudart_forget_arrays(rt);
    cudart_forget_launches(rt);
    cudart_forget_prepared(rt);
    cudart_forget_registered(rt);
    cudart_forget_pools(rt);
    cudart_forget_memory(rt);
    cudart_forget_pieces(rt);
    cudart_unload_all(rt);
    if (!rt->machine.settings)
        return;
    execute_device_reset(&rt->machine.device);
    cudart_load_all(rt);
}

enum cuda_error cudart_reset(struct cudart *rt)
{
    cudart_wait_all(rt);
    enum cuda_error left = rt->faults.failure ? rt->faults.failure : rt->faults.pending;
    if (left == CUDA_INITIALIZATION_ERROR)
        return left;
    cudart_restart(rt);
    return CUDA_SUCCESS;
}

void cudart_forget_contexts(struct cudart *rt)
{
    if ((!rt->faults.failure && cudart_any_context(rt)) || rt->faults.failure == CUDA_INITIALIZATION_ERROR)
        return;
    cudart_wait_all(rt);
    cudart_restart(rt);
}
