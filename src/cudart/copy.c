/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Copies and fills. Contents change when the call is made; when that has happened in simulated time is kept apart, by
 * the order of the stream and by the engines of the device.
 */
#include "base/arena.h"
#include "cudart/context.h"

#include <stdlib.h>
#include <string.h>

enum { FILL_BYTES = 64 * 1024 };

static bool copy_row(struct cudart *rt, uint64_t to, uint64_t from, uint64_t bytes)
{
    bool to_device = cudart_on_device(rt, to), from_device = cudart_on_device(rt, from);
    if (to_device && from_device) {
        unsigned char *between = mnp_allocate(bytes, 1); /* ranges may overlap */
        bool done =
            ptx_device_read(&rt->device, from, between, bytes) && ptx_device_write(&rt->device, to, between, bytes);
        free(between);
        return done;
    }
    if (to_device)
        return ptx_device_write(&rt->device, to, (void *)from, bytes);
    if (from_device)
        return ptx_device_read(&rt->device, from, (void *)to, bytes);
    memmove((void *)to, (void *)from, bytes);
    return true;
}

/* A kind that contradicts the addresses. Shared memory is on both sides. */
static enum cuda_error check_kind(const struct cudart *rt, uint64_t to, uint64_t from, int kind)
{
    if (kind < CUDA_HOST_TO_HOST || kind > CUDA_COPY_DEFAULT)
        return CUDA_INVALID_MEMCPY_DIRECTION;
    if (kind == CUDA_COPY_DEFAULT)
        return CUDA_SUCCESS;
    bool to_device = kind == CUDA_HOST_TO_DEVICE || kind == CUDA_DEVICE_TO_DEVICE;
    bool from_device = kind == CUDA_DEVICE_TO_HOST || kind == CUDA_DEVICE_TO_DEVICE;
    if ((to_device != cudart_on_device(rt, to) && !cudart_shared_at(rt, to)) ||
        (from_device != cudart_on_device(rt, from) && !cudart_shared_at(rt, from)))
        return CUDA_INVALID_VALUE;
    return CUDA_SUCCESS;
}

/* When a copy ends: its stream, the engine that it needs, and its length decide. */
static void take_time(struct cudart *rt, uint64_t to, uint64_t from, uint64_t bytes, uint64_t stream, bool wait)
{
    bool up = cudart_on_device(rt, to), down = cudart_on_device(rt, from);
    uint64_t *engine = up && down ? &rt->compute : up ? &rt->upload : &rt->download;
    uint64_t begin = cudart_stream_begin(rt, stream);
    begin = begin > *engine ? begin : *engine;
    *engine = begin + CUDART_COPY_FS + bytes / CUDART_COPY_BYTES * CUDART_FS_PER_NS;
    cudart_stream_end(rt, stream, *engine);
    if (wait)
        rt->now = *engine;
}

enum cuda_error cudart_copy_area(struct cudart *rt, const struct cudart_area *a, int kind, uint64_t stream, bool wait)
{
    if (cudart_prepare(rt))
        return rt->failure;
    if (!cudart_stream_known(rt, stream))
        return CUDA_INVALID_RESOURCE_HANDLE;
    if (wait && cudart_surface(rt))
        return rt->failure;
    if (a->width == 0 || a->height == 0)
        return CUDA_SUCCESS;
    if (a->height > 1 && (a->width > a->to_pitch || a->width > a->from_pitch))
        return CUDA_INVALID_PITCH_VALUE;
    enum cuda_error problem = a->to && a->from ? check_kind(rt, a->to, a->from, kind) : CUDA_INVALID_VALUE;
    if (problem || rt->pending)
        return problem; /* behind a kernel that has failed, nothing is executed */
    for (uint64_t row = 0; row < a->height; row++)
        if (!copy_row(rt, a->to + row * a->to_pitch, a->from + row * a->from_pitch, a->width))
            return CUDA_INVALID_VALUE;
    take_time(rt, a->to, a->from, a->width * a->height, stream, wait);
    return CUDA_SUCCESS;
}

static enum cuda_error copy(struct cudart *rt, const void *to, const void *from, size_t bytes, int kind,
                            uint64_t stream, bool wait)
{
    struct cudart_area area = {(uint64_t)to, bytes, (uint64_t)from, bytes, bytes, 1};
    return cudart_copy_area(rt, &area, kind, stream, wait);
}

CUDART_API int cudaMemcpy(void *to, const void *from, size_t bytes, int kind)
{
    CUDART_CALL(copy(rt, to, from, bytes, kind, 0, true));
}

CUDART_API int cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind, uint64_t stream)
{
    CUDART_CALL(copy(rt, to, from, bytes, kind, stream, false));
}

CUDART_API int cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t bytes)
{
    CUDART_CALL(to_device || from_device ? CUDA_INVALID_DEVICE
                                         : copy(rt, to, from, bytes, CUDA_DEVICE_TO_DEVICE, 0, true));
}

CUDART_API int cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                            int kind)
{
    struct cudart_area area = {(uint64_t)to, to_pitch, (uint64_t)from, from_pitch, width, height};
    CUDART_CALL(cudart_copy_area(rt, &area, kind, 0, true));
}

CUDART_API int cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                                 size_t height, int kind, uint64_t stream)
{
    struct cudart_area area = {(uint64_t)to, to_pitch, (uint64_t)from, from_pitch, width, height};
    CUDART_CALL(cudart_copy_area(rt, &area, kind, stream, false));
}

/* ===== variables ===== */

struct symbol_copy {
    const void *symbol, *other; /* the variable, and the memory on the other side */
    uint64_t bytes, offset, stream;
    int kind;
    bool to_symbol, wait;
};

static enum cuda_error copy_symbol(struct cudart *rt, const struct symbol_copy *c)
{
    uint64_t address, size;
    enum cuda_error problem = cudart_symbol(rt, c->symbol, &address, &size);
    if (problem)
        return problem;
    if (c->offset > size || c->bytes > size - c->offset)
        return CUDA_INVALID_VALUE;
    int wrong = c->to_symbol ? CUDA_DEVICE_TO_HOST : CUDA_HOST_TO_DEVICE;
    if (c->kind == CUDA_HOST_TO_HOST || c->kind == wrong)
        return CUDA_INVALID_MEMCPY_DIRECTION;
    void *variable = (void *)(address + c->offset);
    return c->to_symbol ? copy(rt, variable, c->other, c->bytes, c->kind, c->stream, c->wait)
                        : copy(rt, c->other, variable, c->bytes, c->kind, c->stream, c->wait);
}

CUDART_API int cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset, int kind)
{
    struct symbol_copy c = {symbol, from, bytes, offset, 0, kind, true, true};
    CUDART_CALL(copy_symbol(rt, &c));
}

CUDART_API int cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t bytes, size_t offset, int kind,
                                       uint64_t stream)
{
    struct symbol_copy c = {symbol, from, bytes, offset, stream, kind, true, false};
    CUDART_CALL(copy_symbol(rt, &c));
}

CUDART_API int cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset, int kind)
{
    struct symbol_copy c = {symbol, to, bytes, offset, 0, kind, false, true};
    CUDART_CALL(copy_symbol(rt, &c));
}

CUDART_API int cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t bytes, size_t offset, int kind,
                                         uint64_t stream)
{
    struct symbol_copy c = {symbol, to, bytes, offset, stream, kind, false, false};
    CUDART_CALL(copy_symbol(rt, &c));
}

/* ===== fills ===== */

static bool fill_row(struct cudart *rt, uint64_t address, const unsigned char *pattern, uint64_t bytes)
{
    if (!cudart_on_device(rt, address)) {
        for (uint64_t done = 0; done < bytes; done += FILL_BYTES)
            memcpy((void *)(address + done), pattern, bytes - done < FILL_BYTES ? bytes - done : FILL_BYTES);
        return true;
    }
    for (uint64_t done = 0, step; done < bytes; done += step) {
        step = bytes - done < FILL_BYTES ? bytes - done : FILL_BYTES;
        if (!ptx_device_write(&rt->device, address + done, pattern, step))
            return false;
    }
    return true;
}

enum cuda_error cudart_fill_area(struct cudart *rt, const struct cudart_area *a, uint32_t value, unsigned bytes_each,
                                 uint64_t stream)
{
    if (cudart_prepare(rt))
        return rt->failure;
    if (!cudart_stream_known(rt, stream))
        return CUDA_INVALID_RESOURCE_HANDLE;
    if (a->width == 0 || a->height == 0)
        return CUDA_SUCCESS;
    uint64_t last, bytes;
    if (__builtin_mul_overflow(a->height - 1, a->to_pitch, &last) || __builtin_add_overflow(last, a->width, &bytes) ||
        (a->height > 1 && a->width > a->to_pitch) || !cudart_device_range(rt, a->to, bytes))
        return CUDA_INVALID_VALUE;
    if (rt->pending)
        return CUDA_SUCCESS;
    unsigned char *pattern = mnp_allocate(FILL_BYTES, 1);
    for (size_t i = 0; i < FILL_BYTES; i += bytes_each)
        memcpy(pattern + i, &value, bytes_each); /* little-endian, as the device */
    bool done = true;
    for (uint64_t row = 0; done && row < a->height; row++)
        done = fill_row(rt, a->to + row * a->to_pitch, pattern, a->width);
    free(pattern);
    take_time(rt, a->to, a->to, a->width * a->height / 32, stream, false); /* inside the device */
    return done ? CUDA_SUCCESS : CUDA_INVALID_VALUE;
}

static enum cuda_error fill(struct cudart *rt, const struct cudart_area *a, int value, uint64_t stream)
{
    return cudart_fill_area(rt, a, (uint32_t)value, 1, stream);
}

CUDART_API int cudaMemset(void *address, int value, size_t bytes)
{
    struct cudart_area area = {(uint64_t)address, bytes, 0, 0, bytes, 1};
    CUDART_CALL(fill(rt, &area, value, 0));
}

CUDART_API int cudaMemsetAsync(void *address, int value, size_t bytes, uint64_t stream)
{
    struct cudart_area area = {(uint64_t)address, bytes, 0, 0, bytes, 1};
    CUDART_CALL(fill(rt, &area, value, stream));
}

CUDART_API int cudaMemset2D(void *address, size_t pitch, int value, size_t width, size_t height)
{
    struct cudart_area area = {(uint64_t)address, pitch, 0, 0, width, height};
    CUDART_CALL(fill(rt, &area, value, 0));
}

CUDART_API int cudaMemset2DAsync(void *address, size_t pitch, int value, size_t width, size_t height, uint64_t stream)
{
    struct cudart_area area = {(uint64_t)address, pitch, 0, 0, width, height};
    CUDART_CALL(fill(rt, &area, value, stream));
}
