/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies of boxes between arrays and memory, and the runtime's functions that are such copies. */
#include "cudart/array.h"

/* ===== boxes ===== */

/* Where the box begins on one side, and how far rows and slices are from one another. */
static enum cuda_error locate(const struct cudart *rt, const struct cudart_place *place, const uint64_t size[3],
                              uint64_t *address, uint64_t *pitch, uint64_t *slice)
{
    if (!place->array) {
        uint64_t rows = place->rows ? place->rows : place->y + size[1], offset;
        *pitch = place->pitch ? place->pitch : place->x + size[0];
        if (!place->address || __builtin_mul_overflow(*pitch, rows, slice) ||
            __builtin_mul_overflow(*slice, place->z, &offset))
            return CUDA_INVALID_VALUE;
        if (place->x > *pitch || size[0] > *pitch - place->x)
            return CUDA_INVALID_PITCH_VALUE;
        *address = place->address + offset + place->y * *pitch + place->x;
        return CUDA_SUCCESS;
    }
    const struct cudart_array *array = cudart_array_of(rt, place->array);
    if (!array)
        return CUDA_INVALID_RESOURCE_HANDLE;
    const uint64_t limits[3] = {array->width * cudart_texel_bytes(&array->channel), array->height ? array->height : 1,
                                array->depth ? array->depth : 1};
    const uint64_t first[3] = {place->x, place->y, place->z};
    for (unsigned i = 0; i < 3; i++)
        if (first[i] > limits[i] || size[i] > limits[i] - first[i])
            return CUDA_INVALID_VALUE;
    *pitch = array->pitch;
    *slice = array->pitch * limits[1];
    *address = array->address + place->z * *slice + place->y * *pitch + place->x;
    return CUDA_SUCCESS;
}

enum cuda_error cudart_copy_box(struct cudart *rt, const struct cudart_place *to, const struct cudart_place *from,
                                const uint64_t size[3], int kind, uint64_t stream, bool wait)
{
    uint64_t to_slice, from_slice, depth = size[2];
    struct cudart_area area = {.width = size[0], .height = size[1]};
    if (!size[0] || !size[1] || !size[2])
        return CUDA_SUCCESS;
    enum cuda_error problem = locate(rt, to, size, &area.to, &area.to_pitch, &to_slice);
    problem = problem ? problem : locate(rt, from, size, &area.from, &area.from_pitch, &from_slice);
    if (!problem && to_slice == size[1] * area.to_pitch && from_slice == size[1] * area.from_pitch) {
        area.height *= depth; /* slices that follow one another are one area */
        depth = 1;
    }
    for (uint64_t i = 0; !problem && i < depth; i++) {
        problem = cudart_copy_area(rt, &area, kind, stream, wait && i == depth - 1);
        area.to += to_slice;
        area.from += from_slice;
    }
    return problem;
}

/* ===== memory of three dimensions ===== */

static enum cuda_error allocate_box(struct cudart *rt, struct cuda_pitched *out, struct cuda_extent size)
{
    enum { PITCH = 512 };
    uint64_t bytes;
    if (!out)
        return CUDA_INVALID_VALUE;
    if (size.width > CUDART_MEMORY)
        return CUDA_MEMORY_ALLOCATION;
    out->pitch = (size.width + PITCH - 1) / PITCH * PITCH;
    out->width = size.width;
    out->height = size.height;
    if (__builtin_mul_overflow(out->pitch, size.height, &bytes) || __builtin_mul_overflow(bytes, size.depth, &bytes))
        return CUDA_MEMORY_ALLOCATION;
    return cudart_allocate(rt, &out->address, bytes);
}

CUDART_API int cudaMalloc3D(struct cuda_pitched *out, struct cuda_extent size)
{
    CUDART_CALL(allocate_box(rt, out, size));
}

static enum cuda_error fill_box(struct cudart *rt, struct cuda_pitched memory, int value, struct cuda_extent size,
                                uint64_t stream)
{
    struct cudart_area area = {(uint64_t)memory.address, memory.pitch, 0, 0, size.width, size.height};
    enum cuda_error problem = CUDA_SUCCESS;
    for (size_t i = 0; !problem && i < size.depth; i++) {
        problem = cudart_fill_area(rt, &area, (uint32_t)value, 1, stream);
        area.to += memory.pitch * memory.height;
    }
    return problem;
}

CUDART_API int cudaMemset3D(struct cuda_pitched memory, int value, struct cuda_extent size)
{
    CUDART_CALL(fill_box(rt, memory, value, size, 0));
}

CUDART_API int cudaMemset3DAsync(struct cuda_pitched memory, int value, struct cuda_extent size, uint64_t stream)
{
    CUDART_CALL(fill_box(rt, memory, value, size, stream));
}

static struct cudart_place place_of(uint64_t array, const struct cuda_position *at, const struct cuda_pitched *memory,
                                    uint64_t unit)
{
    return (struct cudart_place){
        array, (uint64_t)memory->address, memory->pitch, memory->height, at->x * (array ? unit : 1), at->y, at->z};
}

/* Widths and places are counted in texels as soon as an array takes part; places in memory in bytes. */
static enum cuda_error copy_3d(struct cudart *rt, const struct cuda_copy_3d *c, uint64_t stream, bool wait)
{
    if (!c || (!c->from_array && !c->from.address) || (!c->to_array && !c->to.address) ||
        (c->from_array && c->from.address) || (c->to_array && c->to.address))
        return CUDA_INVALID_VALUE;
    uint64_t handle = c->to_array ? c->to_array : c->from_array, unit = 1;
    const struct cudart_array *array = cudart_array_of(rt, handle);
    if (handle && !array)
        return CUDA_INVALID_RESOURCE_HANDLE;
    if (array)
        unit = cudart_texel_bytes(&array->channel);
    const struct cudart_place to = place_of(c->to_array, &c->to_at, &c->to, unit);
    const struct cudart_place from = place_of(c->from_array, &c->from_at, &c->from, unit);
    const uint64_t size[3] = {c->extent.width * unit, c->extent.height, c->extent.depth};
    return cudart_copy_box(rt, &to, &from, size, c->kind, stream, wait);
}

CUDART_API int cudaMemcpy3D(const struct cuda_copy_3d *copy)
{
    CUDART_CALL(copy_3d(rt, copy, 0, true));
}

CUDART_API int cudaMemcpy3DAsync(const struct cuda_copy_3d *copy, uint64_t stream)
{
    CUDART_CALL(copy_3d(rt, copy, stream, false));
}

/* ===== arrays of two dimensions ===== */

struct array_copy {
    uint64_t array;
    size_t x, y; /* bytes, rows */
    uint64_t memory, pitch;
    size_t width, height; /* bytes, rows */
    int kind;
    uint64_t stream;
    bool to_array, wait;
};

static enum cuda_error copy_array(struct cudart *rt, const struct array_copy *c)
{
    const struct cudart_place array = {.array = c->array, .x = c->x, .y = c->y};
    const struct cudart_place memory = {.address = c->memory, .pitch = c->pitch, .rows = c->height};
    const uint64_t size[3] = {c->width, c->height, 1};
    if (!c->array)
        return CUDA_INVALID_VALUE;
    return c->to_array ? cudart_copy_box(rt, &array, &memory, size, c->kind, c->stream, c->wait)
                       : cudart_copy_box(rt, &memory, &array, size, c->kind, c->stream, c->wait);
}

CUDART_API int cudaMemcpy2DToArrayAsync(uint64_t array, size_t x, size_t y, const void *from, size_t pitch,
                                        size_t width, size_t height, int kind, uint64_t stream)
{
    const struct array_copy c = {array, x, y, (uint64_t)from, pitch, width, height, kind, stream, true, false};
    CUDART_CALL(copy_array(rt, &c));
}

CUDART_API int cudaMemcpy2DToArray(uint64_t array, size_t x, size_t y, const void *from, size_t pitch, size_t width,
                                   size_t height, int kind)
{
    const struct array_copy c = {array, x, y, (uint64_t)from, pitch, width, height, kind, 0, true, true};
    CUDART_CALL(copy_array(rt, &c));
}

CUDART_API int cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, uint64_t array, size_t x, size_t y, size_t width,
                                          size_t height, int kind, uint64_t stream)
{
    const struct array_copy c = {array, x, y, (uint64_t)to, pitch, width, height, kind, stream, false, false};
    CUDART_CALL(copy_array(rt, &c));
}

CUDART_API int cudaMemcpy2DFromArray(void *to, size_t pitch, uint64_t array, size_t x, size_t y, size_t width,
                                     size_t height, int kind)
{
    const struct array_copy c = {array, x, y, (uint64_t)to, pitch, width, height, kind, 0, false, true};
    CUDART_CALL(copy_array(rt, &c));
}

CUDART_API int cudaMemcpy2DArrayToArray(uint64_t to, size_t to_x, size_t to_y, uint64_t from, size_t from_x,
                                        size_t from_y, size_t width, size_t height, int kind)
{
    const struct cudart_place target = {.array = to, .x = to_x, .y = to_y};
    const struct cudart_place source = {.array = from, .x = from_x, .y = from_y};
    const uint64_t size[3] = {width, height, 1};
    CUDART_CALL(!to || !from ? CUDA_INVALID_VALUE : cudart_copy_box(rt, &target, &source, size, kind, 0, true));
}

/* Bytes in the order of rows, from a place inside one: part of a row, or whole rows. */
static enum cuda_error copy_bytes(struct cudart *rt, struct array_copy c, size_t bytes)
{
    const struct cudart_array *array = cudart_array_of(rt, c.array);
    uint64_t width = array ? array->width * cudart_texel_bytes(&array->channel) : 0;
    if (!array)
        return CUDA_INVALID_RESOURCE_HANDLE;
    bool part = c.x + bytes <= width;
    if (!part && (c.x || bytes % width))
        return CUDA_INVALID_VALUE;
    c.pitch = c.width = part ? bytes : width;
    c.height = part ? 1 : bytes / width;
    return copy_array(rt, &c);
}

CUDART_API int cudaMemcpyToArrayAsync(uint64_t array, size_t x, size_t y, const void *from, size_t bytes, int kind,
                                      uint64_t stream)
{
    const struct array_copy c = {array, x, y, (uint64_t)from, 0, 0, 0, kind, stream, true, false};
    CUDART_CALL(copy_bytes(rt, c, bytes));
}

CUDART_API int cudaMemcpyToArray(uint64_t array, size_t x, size_t y, const void *from, size_t bytes, int kind)
{
    const struct array_copy c = {array, x, y, (uint64_t)from, 0, 0, 0, kind, 0, true, true};
    CUDART_CALL(copy_bytes(rt, c, bytes));
}

CUDART_API int cudaMemcpyFromArrayAsync(void *to, uint64_t array, size_t x, size_t y, size_t bytes, int kind,
                                        uint64_t stream)
{
    const struct array_copy c = {array, x, y, (uint64_t)to, 0, 0, 0, kind, stream, false, false};
    CUDART_CALL(copy_bytes(rt, c, bytes));
}

CUDART_API int cudaMemcpyFromArray(void *to, uint64_t array, size_t x, size_t y, size_t bytes, int kind)
{
    const struct array_copy c = {array, x, y, (uint64_t)to, 0, 0, 0, kind, 0, false, true};
    CUDART_CALL(copy_bytes(rt, c, bytes));
}
