/* SPDX-License-Identifier: BSD-3-Clause */
/* A new beginning: the device as it was at first. What the program has registered stays, to be loaded again. */
#include "cudart/core/call.h"
#include "cudart/core/copies.h"
#include "cudart/core/launch.h"

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
