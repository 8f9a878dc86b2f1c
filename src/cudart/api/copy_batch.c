/* SPDX-License-Identifier: BSD-3-Clause */
/* Several copies by one call, in both APIs. */
#include "cudart/api/driver.h"
#include "cudart/api/versions.h"
#include "cudart/base/state.h"
#include "cudart/device/device.h"
#include "cudart/memory/copies.h"
#include "cudart/process/api_call.h"
#include "cudart/stream/streams.h"

#include <string.h>

enum { IN_ORDER = 1, DURING_CALL, ANY }; /* cudaMemcpySrcAccessOrder */

struct attributes { /* cudaMemcpyAttributes, CUmemcpyAttributes; the hints of places are passed over */
    int order, from[2], to[2];
    unsigned flags;
};

struct batch {
    void *const *to;
    const void *const *from;
    const size_t *bytes;
    size_t count;
    const struct attributes *attributes;
    const size_t *first; /* copies from which on each of the attributes counts */
    size_t kinds;
};

/* Whether all copies have attributes, in their order. */
static bool is_well(const struct batch *b)
{
    if (!b->to || !b->from || !b->bytes || !b->count || !b->attributes || !b->first || !b->kinds || b->kinds > b->count)
        return false;
    for (size_t i = 0; i < b->kinds; i++)
        if (b->first[i] >= b->count || (i ? b->first[i] <= b->first[i - 1] : b->first[i] != 0) ||
            b->attributes[i].order < IN_ORDER || b->attributes[i].order > ANY)
            return false;
    return true;
}

/* Makes copies in their order; waits for those to be read during the call. `*wrong`: the one that could not be made. */
static enum cuda_error copy_all(struct cudart_device *device, const struct batch *b, uint64_t stream, size_t *wrong)
{
    struct cudart *rt = device->rt;
    enum cuda_error problem = CUDA_SUCCESS;
    *wrong = SIZE_MAX;
    if (!cudart_stream_known(rt, stream))
        return CUDA_INVALID_RESOURCE_HANDLE;
    if (stream < CUDA_STREAM_PER_THREAD || !is_well(b)) /* the legacy stream is not allowed */
        return CUDA_INVALID_VALUE;
    if (cudart_is_captured(rt, stream))
        return CUDA_STREAM_CAPTURE_UNSUPPORTED;
    for (size_t i = 0, kind = 0; !problem && i < b->count; i++) {
        kind += kind + 1 < b->kinds && b->first[kind + 1] == i;
        *wrong = i;
        problem = cudart_copy(device, b->to[i], b->from[i], b->bytes[i], CUDA_COPY_DEFAULT, stream,
                              b->attributes[kind].order == DURING_CALL);
    }
    return problem;
}

static int copy_batch(const struct batch *batch, size_t *failed, uint64_t stream, const char *name)
{
    size_t wrong;
    struct cudart *rt = cudart_enter_function(name);
    enum cuda_error problem = rt->faults.failure;
    problem = problem ? problem : copy_all(cudart_current_device(rt), batch, stream, &wrong);
    if (failed && problem && !rt->faults.failure)
        *failed = wrong;
    return cudart_leave(rt, problem);
}

/* In CUDA 12 the place of the copy that failed stands before the stream. */
CUDART_API int maniple_12_cudaMemcpyBatchAsync(void *const *to, const void *const *from, const size_t *bytes,
                                               size_t count, const void *attributes, const size_t *first, size_t kinds,
                                               size_t *failed, uint64_t stream)
{
    const struct batch batch = {to, from, bytes, count, attributes, first, kinds};
    return copy_batch(&batch, failed, stream, "cudaMemcpyBatchAsync");
}

CUDART_API int maniple_13_cudaMemcpyBatchAsync(void *const *to, const void *const *from, const size_t *bytes,
                                               size_t count, const void *attributes, const size_t *first, size_t kinds,
                                               uint64_t stream)
{
    const struct batch batch = {to, from, bytes, count, attributes, first, kinds};
    return copy_batch(&batch, NULL, stream, "cudaMemcpyBatchAsync");
}

CUDART_API int cudaMemcpyBatchAsync(void *const *to, const void *const *from, const size_t *bytes, size_t count,
                                    const void *attributes, const size_t *first, size_t kinds, void *eighth,
                                    uint64_t ninth)
{
    CUDART_CHOOSE_FORM(
        maniple_12_cudaMemcpyBatchAsync(to, from, bytes, count, attributes, first, kinds, eighth, ninth),
        maniple_13_cudaMemcpyBatchAsync(to, from, bytes, count, attributes, first, kinds, (uint64_t)eighth));
}

CUDART_API CUresult cuMemcpyBatchAsync(void *const *to, const void *const *from, const size_t *bytes, size_t count,
                                       const void *attributes, const size_t *first, size_t kinds, size_t *wrong,
                                       CUstream stream)
{
    const struct batch batch = {to, from, bytes, count, attributes, first, kinds};
    size_t unused;
    DRIVER_WORK(copy_all(current, &batch, (uint64_t)stream, wrong ? wrong : &unused));
}

CUDART_API CUresult cuMemcpyBatchAsync_v2(void *const *to, const void *const *from, const size_t *bytes, size_t count,
                                          const void *attributes, const size_t *first, size_t kinds, CUstream stream)
{
    const struct batch batch = {to, from, bytes, count, attributes, first, kinds};
    size_t unused;
    DRIVER_WORK(copy_all(current, &batch, (uint64_t)stream, &unused));
}
