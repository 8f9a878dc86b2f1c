/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies and fills of boxes, in arrays and in memory. */
#include "cudart/core/copies.h"

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

enum cuda_error cudart_fill_box(struct cudart *rt, struct cuda_pitched memory, int value, struct cuda_extent size,
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
