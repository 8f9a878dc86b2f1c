/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stand-in of libcupti.so, NVIDIA's closed library for profilers, which asks for the identity of NVIDIA's driver. It
 * states its version and has recorded nothing; it refuses subscriptions and activities, so that profilers go on with
 * what they know of the host (PyTorch's does).
 */
#include "standin/cupti.h"

CUPTI_API int cuptiGetVersion(uint32_t *version)
{
    if (!version)
        return CUPTI_BAD_PARAMETER;
    *version = CUPTI_MAJOR == 12 ? 26 : 130001;
    return CUPTI_SUCCESS;
}

CUPTI_API int cuptiGetResultString(int result, const char **text)
{
    if (!text)
        return CUPTI_BAD_PARAMETER;
    *text = result == CUPTI_SUCCESS         ? "CUPTI_SUCCESS"
            : result == CUPTI_BAD_PARAMETER ? "CUPTI_ERROR_INVALID_PARAMETER"
            : result == CUPTI_NO_MORE       ? "CUPTI_ERROR_MAX_LIMIT_REACHED"
                                            : "CUPTI_ERROR_NOT_SUPPORTED";
    return CUPTI_SUCCESS;
}

CUPTI_API int cuptiActivityGetNextRecord(const uint8_t *buffer, size_t bytes, void **record)
{
    (void)buffer, (void)bytes;
    if (!record)
        return CUPTI_BAD_PARAMETER;
    *record = NULL;
    return CUPTI_NO_MORE;
}

CUPTI_API int cuptiActivityGetNumDroppedRecords(void *context, uint32_t stream, size_t *dropped)
{
    (void)context, (void)stream;
    if (!dropped)
        return CUPTI_BAD_PARAMETER;
    *dropped = 0;
    return CUPTI_SUCCESS;
}

/* Ends of what has never begun. */
#define DONE(name)                                                                                                     \
    CUPTI_API int name(void)                                                                                           \
    {                                                                                                                  \
        return CUPTI_SUCCESS;                                                                                          \
    }

DONE(cuptiActivityDisable)
DONE(cuptiActivityFlush)
DONE(cuptiActivityFlushAll)
DONE(cuptiFinalize)
DONE(cuptiUnsubscribe)
