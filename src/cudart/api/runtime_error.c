/* SPDX-License-Identifier: BSD-3-Clause */
/* The runtime's errors: their names, the last one, and the reset that forgets them. */
#include "cudart/api/runtime.h"
#include "cudart/base/errors.h"
#include "cudart/base/state.h"
#include "cudart/device/device.h"
#include "cudart/process/api_call.h"
#include "cudart/process/device_reset.h"

CUDART_API const char *cudaGetErrorName(int code)
{
    const char *name = cudart_error_name(code);
    return name ? name : "unrecognized error code";
}

CUDART_API const char *cudaGetErrorString(int code)
{
    const char *text = cudart_error_text(code);
    return text ? text : "unrecognized error code";
}

/* A failure of the context stays; another error is given once. */
static int last(bool clear)
{
    struct cudart *rt = cudart_enter();
    enum cuda_error error = cudart_last_error(clear);
    return cudart_leave_quietly(rt, rt->faults.failure ? rt->faults.failure : error);
}

CUDART_API int cudaGetLastError(void)
{
    return last(true);
}

CUDART_API int cudaPeekAtLastError(void)
{
    return last(false);
}

/* The device as it was at the beginning. What the program has registered stays, to be loaded again. */
CUDART_API int cudaDeviceReset(void)
{
    struct cudart *rt = cudart_enter();
    enum cuda_error problem = cudart_reset_device(cudart_current_device(rt));
    cudart_last_error(true);
    return cudart_leave_quietly(rt, problem);
}
