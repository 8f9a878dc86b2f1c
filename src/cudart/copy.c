/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies and fills: what they are, and what they do to memory when they end. */
#include "base/arena.h"
#include "cudart/queue.h"
#include "gpu/session.h"

#include <stdlib.h>
#include <string.h>

enum { FILL_BYTES = 64 * 1024 };

static bool copy_row(struct cudart *rt, uint64_t to, uint64_t from, uint64_t bytes)
{
    bool to_device = cudart_on_device(rt, to), from_device = cudart_on_device(rt, from);
    if (to_device && from_device) {
        unsigned char *between = mnp_allocate(bytes, 1); /* ranges may overlap */
        bool done = execute_device_read(&rt->device, from, between, bytes) &&
                    execute_device_write(&rt->device, to, between, bytes);
        free(between);
        return done;
    }
    if (to_device && rt->recorder)
        execute_recorder_copy(rt->recorder, to, bytes);
    if (to_device)
        return execute_device_write(&rt->device, to, (void *)from, bytes);
    if (from_device)
        return execute_device_read(&rt->device, from, (void *)to, bytes);
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

static bool fill_row(struct cudart *rt, uint64_t address, const unsigned char *pattern, uint64_t bytes)
{
    if (!cudart_on_device(rt, address)) {
        for (uint64_t done = 0; done < bytes; done += FILL_BYTES)
            memcpy((void *)(address + done), pattern, bytes - done < FILL_BYTES ? bytes - done : FILL_BYTES);
        return true;
    }
    for (uint64_t done = 0, step; done < bytes; done += step) {
        step = bytes - done < FILL_BYTES ? bytes - done : FILL_BYTES;
        if (!execute_device_write(&rt->device, address + done, pattern, step))
            return false;
    }
    return true;
}

static bool fill_rows(struct cudart *rt, const struct cudart_operation *operation)
{
    const struct cudart_area *a = &operation->area;
    unsigned char *pattern = mnp_allocate(FILL_BYTES, 1);
    for (size_t i = 0; i < FILL_BYTES; i += operation->bytes_each)
        memcpy(pattern + i, &operation->value, operation->bytes_each); /* little-endian, as the device */
    bool done = true;
    for (uint64_t row = 0; done && row < a->height; row++)
        done = fill_row(rt, a->to + row * a->to_pitch, pattern, a->width);
    free(pattern);
    return done;
}

/* Whether rows lie in one allocation, if they lie on the device. */
static bool check_rows(const struct cudart *rt, uint64_t address, uint64_t pitch, const struct cudart_area *a)
{
    uint64_t last, bytes;
    return !cudart_on_device(rt, address) ||
           (!__builtin_mul_overflow(a->height - 1, pitch, &last) && !__builtin_add_overflow(last, a->width, &bytes) &&
            cudart_device_range(rt, address, bytes));
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
    if (!check_rows(rt, a->to, a->to_pitch, a) || !check_rows(rt, a->from, a->from_pitch, a))
        return CUDA_INVALID_VALUE;
    bool up = cudart_on_device(rt, a->to), down = cudart_on_device(rt, a->from);
    bool pageable = (!up && !cudart_shared_at(rt, a->to)) || (!down && !cudart_shared_at(rt, a->from));
    struct cudart_operation *operation = cudart_enqueue(rt, stream, CUDART_COPY);
    operation->area = *a;
    operation->engine = up && down ? NULL : up ? &rt->upload : &rt->download;
    if (up && pageable && !wait)
        take_bytes(operation);
    return wait || (pageable && !up) ? cudart_wait_stream(rt, stream) : CUDA_SUCCESS;
}

/* Brings what host and kernels share of an area up to date. */
static bool agree_about(struct cudart *rt, const struct cudart_operation *operation)
{
    const struct cudart_area *a = &operation->area;
    return cudart_agree_about(rt, a->to, (a->height - 1) * a->to_pitch + a->width) &&
           (operation->kind == CUDART_FILL ||
            cudart_agree_about(rt, a->from, (a->height - 1) * a->from_pitch + a->width));
}

/* Copies and fills go through the L2, and may leave their lines there. */
static void leave_in_l2(struct cudart *rt, const struct cudart_area *a)
{
    if (!rt->timed || !rt->parameters.machine.memcpy_warms_l2 || !cudart_on_device(rt, a->to))
        return;
    bool dense = a->height == 1 || a->to_pitch == a->width;
    struct execute_copied copied = {.address = a->to,
                                    .bytes = dense ? a->width * a->height : a->width,
                                    .rows = dense ? 1 : a->height,
                                    .pitch = dense ? 0 : a->to_pitch};
    execute_device_copied(&rt->device, &copied);
    if (rt->session)
        gpu_session_wake(rt->session);
}

bool cudart_copy_now(struct cudart *rt, const struct cudart_operation *operation)
{
    const struct cudart_area *a = &operation->area;
    bool done = agree_about(rt, operation);
    if (operation->kind == CUDART_FILL)
        done = done && fill_rows(rt, operation);
    for (uint64_t row = 0; operation->kind == CUDART_COPY && done && row < a->height; row++)
        done = copy_row(rt, a->to + row * a->to_pitch, a->from + row * a->from_pitch, a->width);
    done = done && agree_about(rt, operation);
    if (done)
        leave_in_l2(rt, a);
    return done;
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
    struct cudart_operation *operation = cudart_enqueue(rt, stream, CUDART_FILL);
    operation->area = *a;
    operation->value = value;
    operation->bytes_each = bytes_each;
    return CUDA_SUCCESS;
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
