/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Logs of errors (CUDA driver API 12.9, error log management). What goes wrong is said on standard error, so the log
 * stays empty and nobody is called back. Both APIs have these functions with the same numbers.
 */
#include "cudart/api/driver.h"

CUDART_API CUresult cuLogsRegisterCallback(void (*callback)(void *, int, char *, size_t), void *data, void **handle)
{
    (void)data;
    if (!callback)
        return CUDA_ERROR_INVALID_VALUE;
    if (handle)
        *handle = (void *)callback;
    return CUDA_DRIVER_SUCCESS;
}

CUDART_API CUresult cuLogsUnregisterCallback(void *handle)
{
    return handle ? CUDA_DRIVER_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* The place of the newest entry of the log, which is always empty. */
CUDART_API CUresult cuLogsCurrent(unsigned *iterator, unsigned flags)
{
    if (!iterator || flags)
        return CUDA_ERROR_INVALID_VALUE;
    *iterator = 0;
    return CUDA_DRIVER_SUCCESS;
}

CUDART_API CUresult cuLogsDumpToMemory(unsigned *iterator, char *buffer, size_t *size, unsigned flags)
{
    (void)iterator;
    if (!buffer || !size || flags)
        return CUDA_ERROR_INVALID_VALUE;
    if (*size)
        *buffer = 0;
    *size = 0;
    return CUDA_DRIVER_SUCCESS;
}
