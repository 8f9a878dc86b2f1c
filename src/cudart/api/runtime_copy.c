/* SPDX-License-Identifier: BSD-3-Clause */
/* The runtime's copies and fills. */
#include "cudart/api/runtime.h"
#include "cudart/device/device.h"
#include "cudart/memory/copies.h"
#include "cudart/memory/copies_3d.h"
#include "cudart/process/api_call.h"
#include "cudart/stream/streams.h"

CUDART_API int cudaMemcpy(void *to, const void *from, size_t bytes, int kind)
{
    CUDART_CALL(cudart_copy(current, to, from, bytes, kind, 0, true));
}

CUDART_API int cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind, uint64_t stream)
{
    CUDART_CALL(cudart_copy(current, to, from, bytes, kind, stream, false));
}

CUDART_API int cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                            int kind)
{
    struct cudart_area area = {(uint64_t)to, to_pitch, (uint64_t)from, from_pitch, width, height};
    CUDART_CALL(cudart_copy_area(current, &area, kind, 0, true));
}

CUDART_API int cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                                 size_t height, int kind, uint64_t stream)
{
    struct cudart_area area = {(uint64_t)to, to_pitch, (uint64_t)from, from_pitch, width, height};
    CUDART_CALL(cudart_copy_area(current, &area, kind, stream, false));
}

/* ===== variables ===== */

CUDART_API int cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset, int kind)
{
    struct cudart_symbol_copy c = {symbol, from, bytes, offset, 0, kind, true, true};
    CUDART_CALL(cudart_copy_symbol(current, &c));
}

CUDART_API int cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t bytes, size_t offset, int kind,
                                       uint64_t stream)
{
    struct cudart_symbol_copy c = {symbol, from, bytes, offset, stream, kind, true, false};
    CUDART_CALL(cudart_copy_symbol(current, &c));
}

CUDART_API int cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset, int kind)
{
    struct cudart_symbol_copy c = {symbol, to, bytes, offset, 0, kind, false, true};
    CUDART_CALL(cudart_copy_symbol(current, &c));
}

CUDART_API int cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t bytes, size_t offset, int kind,
                                         uint64_t stream)
{
    struct cudart_symbol_copy c = {symbol, to, bytes, offset, stream, kind, false, false};
    CUDART_CALL(cudart_copy_symbol(current, &c));
}

/* ===== fills ===== */

static enum cuda_error fill(struct cudart_device *device, const struct cudart_area *a, int value, uint64_t stream)
{
    return cudart_fill_area(device, a, (uint32_t)value, 1, stream);
}

CUDART_API int cudaMemset(void *address, int value, size_t bytes)
{
    struct cudart_area area = {(uint64_t)address, bytes, 0, 0, bytes, 1};
    CUDART_CALL(fill(current, &area, value, 0));
}

CUDART_API int cudaMemsetAsync(void *address, int value, size_t bytes, uint64_t stream)
{
    struct cudart_area area = {(uint64_t)address, bytes, 0, 0, bytes, 1};
    CUDART_CALL(fill(current, &area, value, stream));
}

CUDART_API int cudaMemset2D(void *address, size_t pitch, int value, size_t width, size_t height)
{
    struct cudart_area area = {(uint64_t)address, pitch, 0, 0, width, height};
    CUDART_CALL(fill(current, &area, value, 0));
}

CUDART_API int cudaMemset2DAsync(void *address, size_t pitch, int value, size_t width, size_t height, uint64_t stream)
{
    struct cudart_area area = {(uint64_t)address, pitch, 0, 0, width, height};
    CUDART_CALL(fill(current, &area, value, stream));
}

CUDART_API int cudaMemset3D(struct cuda_pitched memory, int value, struct cuda_extent size)
{
    CUDART_CALL(cudart_fill_box(current, memory, value, size, 0));
}

CUDART_API int cudaMemset3DAsync(struct cuda_pitched memory, int value, struct cuda_extent size, uint64_t stream)
{
    CUDART_CALL(cudart_fill_box(current, memory, value, size, stream));
}
