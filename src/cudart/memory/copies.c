/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies and fills as programs ask for them: their checks, and what waits in a stream. */
#include "cudart/memory/copies.h"

#include "base/arena.h"
#include "cudart/base/failure.h"
#include "cudart/base/state.h"
#include "cudart/device/allocator.h"
#include "cudart/device/device.h"
#include "cudart/device/first_use.h"
#include "cudart/device/symbols.h"
#include "cudart/memory/virtual_memory.h"
#include "cudart/stream/graphs.h"
#include "cudart/stream/streams.h"
#include "cudart/stream/synchronize.h"
#include "cudart/stream/transfers.h"

#include <string.h>

/* A kind that contradicts the addresses. Shared memory is on both sides. */
static enum cuda_error check_kind(const struct cudart_device *device, uint64_t to, uint64_t from, int kind)
{
    if (kind < CUDA_HOST_TO_HOST || kind > CUDA_COPY_DEFAULT)
        return CUDA_INVALID_MEMCPY_DIRECTION;
    if (kind == CUDA_COPY_DEFAULT)
        return CUDA_SUCCESS;
    bool to_device = kind == CUDA_HOST_TO_DEVICE || kind == CUDA_DEVICE_TO_DEVICE;
    bool from_device = kind == CUDA_DEVICE_TO_HOST || kind == CUDA_DEVICE_TO_DEVICE;
    if ((to_device != cudart_on_device(device, to) && !cudart_shared_at(device, to)) ||
        (from_device != cudart_on_device(device, from) && !cudart_shared_at(device, from)))
        return CUDA_INVALID_VALUE;
    return CUDA_SUCCESS;
}

bool cudart_rows_are_there(const struct cudart_device *device, uint64_t address, uint64_t pitch,
                           const struct cudart_area *a, bool writes)
{
    uint64_t last, bytes;
    if (address < EXECUTE_DEVICE_BASE || address >= EXECUTE_DEVICE_END)
        return cudart_host_reaches(device, address, pitch, a->width, a->height, writes);
    return !__builtin_mul_overflow(a->height - 1, pitch, &last) && !__builtin_add_overflow(last, a->width, &bytes) &&
           cudart_device_range(device, address, bytes) && cudart_may_be_mapped(device, address, bytes) &&
           cudart_host_reaches(device, address, pitch, a->width, a->height, writes);
}

/* Pageable memory is read when the call is made: the program may change it then. */
static void take_bytes(struct cudart_operation *operation)
{
    struct cudart_area *a = &operation->area;
    operation->storage = mnp_allocate(a->width * a->height, 1);
    for (uint64_t row = 0; row < a->height; row++)
        memcpy(operation->storage + row * a->width, (void *)(a->from + row * a->from_pitch), a->width);
    a->from = (uint64_t)operation->storage;
    a->from_pitch = a->width;
}

/* Between two devices both are at work: a copy is read from one and written to the other. */
static enum cudart_engine between(const struct cudart_device *device, const struct cudart_area *a)
{
    return cudart_home(device, a->to) == cudart_home(device, a->from) ? CUDART_NO_ENGINE : CUDART_BOTH_ENGINES;
}

enum cuda_error cudart_copy_area(struct cudart_device *device, const struct cudart_area *a, int kind, uint64_t stream,
                                 bool wait)
{
    struct cudart *rt = device->rt;
    if (cudart_ensure_device(device))
        return rt->faults.failure;
    if (!cudart_stream_known(rt, stream))
        return CUDA_INVALID_RESOURCE_HANDLE;
    if (wait && cudart_surface(rt))
        return rt->faults.failure;
    if (a->width == 0 || a->height == 0)
        return CUDA_SUCCESS;
    if (a->height > 1 && (a->width > a->to_pitch || a->width > a->from_pitch))
        return CUDA_INVALID_PITCH_VALUE;
    enum cuda_error problem = a->to && a->from ? check_kind(device, a->to, a->from, kind) : CUDA_INVALID_VALUE;
    if (problem || rt->faults.pending)
        return problem; /* behind a kernel that has failed, nothing is executed */
    if (!cudart_rows_are_there(device, a->to, a->to_pitch, a, true) ||
        !cudart_rows_are_there(device, a->from, a->from_pitch, a, false))
        return CUDA_INVALID_VALUE;
    problem = cudart_may_enqueue(rt, stream);
    bool captured = cudart_is_captured(rt, stream);
    if (problem || (captured && wait && !rt->graphs->building))
        return problem ? problem : cudart_may_wait(rt, cudart_any_stream(rt, stream));
    bool up = cudart_on_device(device, a->to), down = cudart_on_device(device, a->from);
    bool pageable = (!up && !cudart_shared_at(device, a->to)) || (!down && !cudart_shared_at(device, a->from));
    struct cudart_operation *operation = cudart_enqueue(rt, stream, CUDART_COPY);
    operation->area = *a;
    operation->of_graph = captured;
    operation->engine = up && down ? between(device, a) : up ? CUDART_UPLOAD : CUDART_DOWNLOAD;
    if (captured)
        return CUDA_SUCCESS; /* memory is read, and written, when the graph runs */
    if (up && pageable && !wait)
        take_bytes(operation);
    return wait || (pageable && !up) ? cudart_wait_stream(rt, stream) : CUDA_SUCCESS;
}

enum cuda_error cudart_copy(struct cudart_device *device, const void *to, const void *from, size_t bytes, int kind,
                            uint64_t stream, bool wait)
{
    struct cudart_area area = {(uint64_t)to, bytes, (uint64_t)from, bytes, bytes, 1};
    return cudart_copy_area(device, &area, kind, stream, wait);
}

enum cuda_error cudart_copy_symbol(struct cudart_device *device, const struct cudart_symbol_copy *c)
{
    uint64_t address, size;
    enum cuda_error problem = cudart_symbol(device, c->symbol, &address, &size);
    if (problem)
        return problem;
    if (c->offset > size || c->bytes > size - c->offset)
        return CUDA_INVALID_VALUE;
    int wrong = c->to_symbol ? CUDA_DEVICE_TO_HOST : CUDA_HOST_TO_DEVICE;
    if (c->kind == CUDA_HOST_TO_HOST || c->kind == wrong)
        return CUDA_INVALID_MEMCPY_DIRECTION;
    void *variable = (void *)(address + c->offset);
    return c->to_symbol ? cudart_copy(device, variable, c->other, c->bytes, c->kind, c->stream, c->wait)
                        : cudart_copy(device, c->other, variable, c->bytes, c->kind, c->stream, c->wait);
}

enum cuda_error cudart_fill_area(struct cudart_device *device, const struct cudart_area *a, uint32_t value,
                                 unsigned bytes_each, uint64_t stream)
{
    struct cudart *rt = device->rt;
    if (cudart_ensure_device(device))
        return rt->faults.failure;
    if (!cudart_stream_known(rt, stream))
        return CUDA_INVALID_RESOURCE_HANDLE;
    if (a->width == 0 || a->height == 0)
        return CUDA_SUCCESS;
    bool inside = a->to >= EXECUTE_DEVICE_BASE && a->to < EXECUTE_DEVICE_END;
    if (!inside || (a->height > 1 && a->width > a->to_pitch) ||
        !cudart_rows_are_there(device, a->to, a->to_pitch, a, true))
        return CUDA_INVALID_VALUE;
    if (rt->faults.pending)
        return CUDA_SUCCESS;
    enum cuda_error problem = cudart_may_enqueue(rt, stream);
    if (problem)
        return problem;
    struct cudart_operation *operation = cudart_enqueue(rt, stream, CUDART_FILL);
    operation->area = *a;
    operation->of_graph = cudart_is_captured(rt, stream);
    operation->value = value;
    operation->bytes_each = bytes_each;
    return CUDA_SUCCESS;
}
