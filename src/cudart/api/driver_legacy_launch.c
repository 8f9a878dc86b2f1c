/* SPDX-License-Identifier: BSD-3-Clause */
/* The driver API of before CUDA 4: launches piece by piece, and contexts that are counted. */
#include "cudart/api/driver.h"
#include "cudart/base/state.h"
#include "cudart/device/device.h"
#include "cudart/launch/legacy_launch.h"
#include "cudart/process/api_call.h"

/* `work` with what is stated of the function, as `p`. */
#define OF_FUNCTION(work)                                                                                              \
    do {                                                                                                               \
        enum cuda_error before, problem;                                                                               \
        CUresult wrong = cudart_driver_begin(true, &before);                                                           \
        if (wrong)                                                                                                     \
            return wrong;                                                                                              \
        struct cudart *rt = cudart_enter();                                                                            \
        struct cudart_device *current = cudart_current_device(rt);                                                     \
        struct cudart_legacy_launch *p = cudart_legacy_launch_of(current, function, &problem);                         \
        if (p)                                                                                                         \
            problem = rt->faults.failure ? rt->faults.failure : (work);                                                \
        return cudart_driver_end(before, cudart_leave(rt, problem));                                                   \
    } while (0)

static enum cuda_error shape_block(struct cudart_legacy_launch *p, int x, int y, int z)
{
    if (x < 1 || y < 1 || z < 1)
        return CUDA_INVALID_VALUE;
    p->block[0] = (uint32_t)x;
    p->block[1] = (uint32_t)y;
    p->block[2] = (uint32_t)z;
    return CUDA_SUCCESS;
}

CUDART_API CUresult cuFuncSetBlockShape(CUfunction function, int x, int y, int z)
{
    OF_FUNCTION(shape_block(p, x, y, z));
}

CUDART_API CUresult cuFuncSetSharedSize(CUfunction function, unsigned bytes)
{
    OF_FUNCTION((p->shared = bytes, CUDA_SUCCESS));
}

CUDART_API CUresult cuParamSetSize(CUfunction function, unsigned bytes)
{
    OF_FUNCTION(cudart_state_arguments(p, bytes));
}

CUDART_API CUresult cuParamSeti(CUfunction function, int offset, unsigned value)
{
    OF_FUNCTION(cudart_state_argument(p, offset, &value, sizeof value));
}

CUDART_API CUresult cuParamSetf(CUfunction function, int offset, float value)
{
    OF_FUNCTION(cudart_state_argument(p, offset, &value, sizeof value));
}

CUDART_API CUresult cuParamSetv(CUfunction function, int offset, const void *value, unsigned bytes)
{
    OF_FUNCTION(cudart_state_argument(p, offset, value, bytes));
}

CUDART_API CUresult cuLaunchGridAsync(CUfunction function, int width, int height, CUstream stream)
{
    const int grid[2] = {width, height};
    OF_FUNCTION(cudart_launch_legacy(current, p, grid, (uint64_t)stream));
}

CUDART_API CUresult cuLaunchGrid(CUfunction function, int width, int height)
{
    return cuLaunchGridAsync(function, width, height, NULL);
}

CUDART_API CUresult cuLaunch(CUfunction function)
{
    return cuLaunchGridAsync(function, 1, 1, NULL);
}

/* A context has one user: what is attached ends with it. */
CUDART_API CUresult cuCtxAttach(CUcontext *context, unsigned flags)
{
    return !context || flags ? CUDA_ERROR_INVALID_VALUE : cuCtxGetCurrent(context);
}

CUDART_API CUresult cuCtxDetach(CUcontext context)
{
    return cuCtxDestroy(context);
}

/* Banks of shared memory have four bytes. */
CUDART_API CUresult cuCtxGetSharedMemConfig(unsigned *width)
{
    enum { FOUR_BYTES = 1 };
    DRIVER_CALL(width ? (*width = FOUR_BYTES, CUDA_SUCCESS) : CUDA_INVALID_VALUE);
}

CUDART_API CUresult cuCtxSetSharedMemConfig(unsigned width)
{
    DRIVER_CALL(width > 2 ? CUDA_INVALID_VALUE : CUDA_SUCCESS);
}

CUDART_API CUresult cuFuncSetSharedMemConfig(CUfunction function, unsigned width)
{
    OF_FUNCTION(width > 2 ? CUDA_INVALID_VALUE : CUDA_SUCCESS);
}
