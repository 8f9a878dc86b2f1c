/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies and fills of boxes, in arrays and in memory. */
#include "cudart/memory/copies_3d.h"

#include "cudart/device/device.h"
#include "cudart/device/first_use.h"
#include "cudart/memory/arrays.h"
#include "cudart/memory/copies.h"
#include "cudart/stream/streams.h"

/* a + b * c. False: it is too large. */
static bool add_product(uint64_t a, uint64_t b, uint64_t c, uint64_t *sum)
{
    return !__builtin_mul_overflow(b, c, &b) && !__builtin_add_overflow(a, b, sum);
}

/* Computes where the box begins in memory, and the distance of rows and slices. */
static enum cuda_error locate_in_memory(const struct cudart_place *place, const uint64_t size[3], uint64_t *address,
                                        uint64_t *pitch, uint64_t *slice)
{
    uint64_t rows, row;
    if (!place->address || !add_product(size[1], place->y, 1, &rows) || !add_product(size[0], place->x, 1, &row))
        return CUDA_INVALID_VALUE;
    *pitch = place->pitch ? place->pitch : row;
    if (row > *pitch)
        return CUDA_INVALID_PITCH_VALUE;
    if (place->rows && place->rows < rows && (size[2] > 1 || place->z))
        return CUDA_INVALID_VALUE; /* overlapping slices */
    *slice = 0;
    if ((size[2] > 1 || place->z) && !add_product(0, *pitch, place->rows ? place->rows : rows, slice))
        return CUDA_INVALID_VALUE;
    bool good = add_product(place->address, *slice, place->z, address) &&
                add_product(*address, *pitch, place->y, address) && add_product(*address, place->x, 1, address);
    return good ? CUDA_SUCCESS : CUDA_INVALID_VALUE;
}

/* The same for memory or an array. */
static enum cuda_error locate(const struct cudart_device *device, const struct cudart_place *place,
                              const uint64_t size[3], uint64_t *address, uint64_t *pitch, uint64_t *slice)
{
    if (!place->array)
        return locate_in_memory(place, size, address, pitch, slice);
    const struct cudart_array *array = cudart_array_of(device->rt, place->array);
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

/* Whether all slices are there, so that none is copied where one is not. */
static bool slices_are_there(const struct cudart_device *device, uint64_t address, uint64_t pitch, uint64_t slice,
                             const struct cudart_area *a, uint64_t depth, bool writes)
{
    struct cudart_area all = {.width = slice, .height = depth};
    if (!add_product(a->width, pitch, a->height - 1, &all.width))
        return false;
    return cudart_rows_are_there(device, address, slice, &all, writes);
}

enum cuda_error cudart_copy_box(struct cudart_device *device, const struct cudart_place *to,
                                const struct cudart_place *from, const uint64_t size[3], int kind, uint64_t stream,
                                bool wait)
{
    uint64_t to_slice, from_slice, depth = size[2];
    struct cudart_area area = {.width = size[0], .height = size[1]};
    if (!size[0] || !size[1] || !size[2])
        return CUDA_SUCCESS;
    enum cuda_error problem = cudart_ensure_device(device);
    problem = problem ? problem : locate(device, to, size, &area.to, &area.to_pitch, &to_slice);
    problem = problem ? problem : locate(device, from, size, &area.from, &area.from_pitch, &from_slice);
    if (!problem && depth > 1 && to_slice == size[1] * area.to_pitch && from_slice == size[1] * area.from_pitch &&
        add_product(0, size[1], depth, &area.height))
        depth = 1; /* slices that follow one another are one area */
    if (!problem && depth > 1 &&
        !(slices_are_there(device, area.to, area.to_pitch, to_slice, &area, depth, true) &&
          slices_are_there(device, area.from, area.from_pitch, from_slice, &area, depth, false)))
        problem = CUDA_INVALID_VALUE;
    for (uint64_t i = 0; !problem && i < depth; i++) {
        problem = cudart_copy_area(device, &area, kind, stream, wait && i == depth - 1);
        area.to += to_slice;
        area.from += from_slice;
    }
    return problem;
}

enum cuda_error cudart_fill_box(struct cudart_device *device, struct cuda_pitched memory, int value,
                                struct cuda_extent size, uint64_t stream)
{
    struct cudart_area area = {(uint64_t)memory.address, memory.pitch, 0, 0, size.width, size.height};
    uint64_t slice = 0;
    if (!size.width || !size.height || !size.depth)
        return CUDA_SUCCESS;
    enum cuda_error problem = cudart_ensure_device(device);
    if (!problem && size.depth > 1 &&
        (memory.height < size.height || !add_product(0, memory.pitch, memory.height, &slice) ||
         !slices_are_there(device, area.to, memory.pitch, slice, &area, size.depth, true)))
        problem = CUDA_INVALID_VALUE;
    for (size_t i = 0; !problem && i < size.depth; i++) {
        problem = cudart_fill_area(device, &area, (uint32_t)value, 1, stream);
        area.to += slice;
    }
    return problem;
}
