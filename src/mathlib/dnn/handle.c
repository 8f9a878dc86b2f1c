/* SPDX-License-Identifier: BSD-3-Clause */
/* Handles, versions and words of our libcudnn. */
#include "mathlib/dnn/handle.h"

#include <stdio.h>
#include <stdlib.h>

enum { VERSION = 92801 /* version 9.28.1 has these functions */, RUNTIME = 13000 };

MATHLIB_API int cudnnCreate(cudnnHandle_t *handle)
{
    if (!handle)
        return DNN_BAD_PARAM_NULL_POINTER;
    struct cudnnContext *h = calloc(1, sizeof *h);
    if (!h)
        return DNN_ALLOC_FAILED;
    if (!mathlib_open(&h->kernels)) {
        free(h);
        return DNN_NOT_INITIALIZED;
    }
    *handle = h;
    return DNN_SUCCESS;
}

MATHLIB_API int cudnnDestroy(cudnnHandle_t h)
{
    if (!h)
        return DNN_NOT_INITIALIZED;
    cuCtxSynchronize();
    mathlib_close(&h->kernels);
    free(h);
    return DNN_SUCCESS;
}

MATHLIB_API int cudnnSetStream(cudnnHandle_t h, CUstream stream)
{
    if (!h)
        return DNN_NOT_INITIALIZED;
    h->kernels.stream = stream;
    return DNN_SUCCESS;
}

MATHLIB_API int cudnnGetStream(cudnnHandle_t h, CUstream *stream)
{
    if (!h || !stream)
        return h ? DNN_BAD_PARAM_NULL_POINTER : DNN_NOT_INITIALIZED;
    *stream = h->kernels.stream;
    return DNN_SUCCESS;
}

MATHLIB_API size_t cudnnGetVersion(void)
{
    return VERSION;
}

MATHLIB_API size_t cudnnGetCudartVersion(void)
{
    return RUNTIME;
}

MATHLIB_API int cudnnGetProperty(int property, int *value)
{
    static const int version[] = {VERSION / 10000, VERSION / 100 % 100, VERSION % 100};
    if (!value || property < 0 || property > 2)
        return DNN_BAD_PARAM;
    *value = version[property];
    return DNN_SUCCESS;
}

MATHLIB_API const char *cudnnGetErrorString(int status)
{
    static const struct {
        int status;
        const char *name;
    } rows[] = {
        {DNN_SUCCESS, "CUDNN_STATUS_SUCCESS"},
        {DNN_NOT_INITIALIZED, "CUDNN_STATUS_NOT_INITIALIZED"},
        {DNN_BAD_PARAM, "CUDNN_STATUS_BAD_PARAM"},
        {DNN_BAD_PARAM_NULL_POINTER, "CUDNN_STATUS_BAD_PARAM_NULL_POINTER"},
        {DNN_BAD_PARAM_NOT_FINALIZED, "CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED"},
        {DNN_BAD_PARAM_SIZE_INSUFFICIENT, "CUDNN_STATUS_BAD_PARAM_SIZE_INSUFFICIENT"},
        {DNN_BAD_PARAM_SHAPE_MISMATCH, "CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH"},
        {DNN_BAD_PARAM_ATTRIBUTE_TYPE, "CUDNN_STATUS_BAD_PARAM_ATTRIBUTE_TYPE"},
        {DNN_NOT_SUPPORTED, "CUDNN_STATUS_NOT_SUPPORTED"},
        {DNN_NOT_SUPPORTED_GRAPH_PATTERN, "CUDNN_STATUS_NOT_SUPPORTED_GRAPH_PATTERN"},
        {DNN_NOT_SUPPORTED_SHAPE, "CUDNN_STATUS_NOT_SUPPORTED_SHAPE"},
        {DNN_NOT_SUPPORTED_DATA_TYPE, "CUDNN_STATUS_NOT_SUPPORTED_DATA_TYPE"},
        {DNN_ALLOC_FAILED, "CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED"},
        {DNN_EXECUTION_FAILED, "CUDNN_STATUS_EXECUTION_FAILED"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].status == status)
            return rows[i].name;
    return "CUDNN_UNKNOWN_STATUS";
}

MATHLIB_API void cudnnGetLastErrorString(char *out, size_t room)
{
    if (out && room)
        *out = '\0';
}

/* Whether the parts of the library fit together, of which there is one here. */
#define FITS(name)                                                                                                     \
    MATHLIB_API int name(void)                                                                                         \
    {                                                                                                                  \
        return DNN_SUCCESS;                                                                                            \
    }

FITS(cudnnGraphVersionCheck)
FITS(cudnnOpsVersionCheck)
FITS(cudnnCnnVersionCheck)
FITS(cudnnAdvVersionCheck)
FITS(cudnnSubquadraticOpsVersionCheck)
