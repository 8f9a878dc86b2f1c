/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The stand-in of libcudnn.so.9, NVIDIA's closed library of layers, which asks for the identity of NVIDIA's driver. XLA
 * wants a handle of it before it compiles anything. What it computes is not here: that is refused by its name.
 */
#include "standin/cudnn.h"

#include <stdlib.h>

struct cudnnContext {
    void *stream;
};

CUDNN_API int cudnnCreate(struct cudnnContext **handle)
{
    if (!handle)
        return CUDNN_BAD_PARAM;
    *handle = calloc(1, sizeof **handle);
    return *handle ? CUDNN_SUCCESS : CUDNN_BAD_PARAM;
}

CUDNN_API int cudnnDestroy(struct cudnnContext *handle)
{
    free(handle);
    return CUDNN_SUCCESS;
}

CUDNN_API int cudnnSetStream(struct cudnnContext *handle, void *stream)
{
    if (!handle)
        return CUDNN_BAD_PARAM;
    handle->stream = stream;
    return CUDNN_SUCCESS;
}

CUDNN_API int cudnnGetStream(const struct cudnnContext *handle, void **stream)
{
    if (!handle || !stream)
        return CUDNN_BAD_PARAM;
    *stream = handle->stream;
    return CUDNN_SUCCESS;
}

/* The version of the library with these names: 9.28.1. */
CUDNN_API size_t cudnnGetVersion(void)
{
    return 92801;
}

CUDNN_API size_t cudnnGetCudartVersion(void)
{
    return 13000;
}

CUDNN_API int cudnnGetProperty(int property, int *value)
{
    static const int version[] = {9, 28, 1};
    if (!value || property < 0 || property > 2)
        return CUDNN_BAD_PARAM;
    *value = version[property];
    return CUDNN_SUCCESS;
}

CUDNN_API const char *cudnnGetErrorString(int error)
{
    return error == CUDNN_SUCCESS     ? "CUDNN_STATUS_SUCCESS"
           : error == CUDNN_BAD_PARAM ? "CUDNN_STATUS_BAD_PARAM"
                                      : "CUDNN_STATUS_NOT_SUPPORTED";
}

CUDNN_API void cudnnGetLastErrorString(char *out, size_t room)
{
    if (out && room)
        *out = '\0';
}

/* Whether the parts of the library fit together, of which there is one here. */
#define FITS(name)                                                                                                     \
    CUDNN_API int name(void)                                                                                           \
    {                                                                                                                  \
        return CUDNN_SUCCESS;                                                                                          \
    }

FITS(cudnnGraphVersionCheck)
FITS(cudnnOpsVersionCheck)
FITS(cudnnCnnVersionCheck)
FITS(cudnnAdvVersionCheck)
FITS(cudnnSubquadraticOpsVersionCheck)
