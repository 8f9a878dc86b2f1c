/* SPDX-License-Identifier: BSD-3-Clause */
/* The runtime's arrays, textures and surfaces, and copies between arrays and memory. */
#include "cudart/api/graph.h"
#include "cudart/base/state.h"
#include "cudart/device/device.h"
#include "cudart/memory/arrays.h"
#include "cudart/memory/copies_3d.h"
#include "cudart/memory/textures.h"
#include "cudart/process/api_call.h"

/* ===== arrays ===== */

CUDART_API struct cuda_channel cudaCreateChannelDesc(int x, int y, int z, int w, int kind)
{
    return (struct cuda_channel){{x, y, z, w}, kind};
}

CUDART_API int cudaMallocArray(uint64_t *out, const struct cuda_channel *channel, size_t width, size_t height,
                               unsigned flags)
{
    const size_t extent[3] = {width, height, 0};
    CUDART_UNSEEN_CALL(cudart_make_array(current, out, channel, extent, flags));
}

CUDART_API int cudaMalloc3DArray(uint64_t *out, const struct cuda_channel *channel, struct cuda_extent size,
                                 unsigned flags)
{
    const size_t extent[3] = {size.width, size.height, size.depth};
    CUDART_UNSEEN_CALL(cudart_make_array(current, out, channel, extent, flags));
}

CUDART_API int cudaFreeArray(uint64_t array)
{
    CUDART_UNSEEN_CALL(cudart_free_array(rt, array));
}

static enum cuda_error about_array(struct cudart *rt, uint64_t handle, struct cuda_channel *channel,
                                   struct cuda_extent *extent, unsigned *flags)
{
    const struct cudart_array *array = cudart_array_of(rt, handle);
    if (!array)
        return CUDA_INVALID_RESOURCE_HANDLE;
    if (channel)
        *channel = array->channel;
    if (extent)
        *extent = (struct cuda_extent){array->width, array->height, array->depth};
    if (flags)
        *flags = array->flags;
    return CUDA_SUCCESS;
}

CUDART_API int cudaArrayGetInfo(struct cuda_channel *channel, struct cuda_extent *extent, unsigned *flags,
                                uint64_t array)
{
    CUDART_CALL(about_array(rt, array, channel, extent, flags));
}

CUDART_API int cudaGetChannelDesc(struct cuda_channel *channel, uint64_t array)
{
    CUDART_CALL(channel ? about_array(rt, array, channel, NULL, NULL) : CUDA_INVALID_VALUE);
}

/* ===== copies of three dimensions ===== */

static struct cudart_place place_of(uint64_t array, const struct cuda_position *at, const struct cuda_pitched *memory,
                                    uint64_t unit)
{
    return (struct cudart_place){
        array, (uint64_t)memory->address, memory->pitch, memory->height, at->x * (array ? unit : 1), at->y, at->z};
}

/* Widths and places are counted in texels as soon as an array takes part; places in memory in bytes. */
enum cuda_error cudart_copy_3d(struct cudart *rt, const struct cuda_copy_3d *c, uint64_t stream, bool wait)
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
    return cudart_copy_box(cudart_current_device(rt), &to, &from, size, c->kind, stream, wait);
}

CUDART_API int cudaMemcpy3D(const struct cuda_copy_3d *copy)
{
    CUDART_CALL(cudart_copy_3d(rt, copy, 0, true));
}

CUDART_API int cudaMemcpy3DAsync(const struct cuda_copy_3d *copy, uint64_t stream)
{
    CUDART_CALL(cudart_copy_3d(rt, copy, stream, false));
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

static enum cuda_error copy_array(struct cudart_device *device, const struct array_copy *c)
{
    const struct cudart_place array = {.array = c->array, .x = c->x, .y = c->y};
    const struct cudart_place memory = {.address = c->memory, .pitch = c->pitch, .rows = c->height};
    const uint64_t size[3] = {c->width, c->height, 1};
    if (!c->array)
        return CUDA_INVALID_VALUE;
    return c->to_array ? cudart_copy_box(device, &array, &memory, size, c->kind, c->stream, c->wait)
                       : cudart_copy_box(device, &memory, &array, size, c->kind, c->stream, c->wait);
}

CUDART_API int cudaMemcpy2DToArrayAsync(uint64_t array, size_t x, size_t y, const void *from, size_t pitch,
                                        size_t width, size_t height, int kind, uint64_t stream)
{
    const struct array_copy c = {array, x, y, (uint64_t)from, pitch, width, height, kind, stream, true, false};
    CUDART_CALL(copy_array(current, &c));
}

CUDART_API int cudaMemcpy2DToArray(uint64_t array, size_t x, size_t y, const void *from, size_t pitch, size_t width,
                                   size_t height, int kind)
{
    const struct array_copy c = {array, x, y, (uint64_t)from, pitch, width, height, kind, 0, true, true};
    CUDART_CALL(copy_array(current, &c));
}

CUDART_API int cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, uint64_t array, size_t x, size_t y, size_t width,
                                          size_t height, int kind, uint64_t stream)
{
    const struct array_copy c = {array, x, y, (uint64_t)to, pitch, width, height, kind, stream, false, false};
    CUDART_CALL(copy_array(current, &c));
}

CUDART_API int cudaMemcpy2DFromArray(void *to, size_t pitch, uint64_t array, size_t x, size_t y, size_t width,
                                     size_t height, int kind)
{
    const struct array_copy c = {array, x, y, (uint64_t)to, pitch, width, height, kind, 0, false, true};
    CUDART_CALL(copy_array(current, &c));
}

CUDART_API int cudaMemcpy2DArrayToArray(uint64_t to, size_t to_x, size_t to_y, uint64_t from, size_t from_x,
                                        size_t from_y, size_t width, size_t height, int kind)
{
    const struct cudart_place target = {.array = to, .x = to_x, .y = to_y};
    const struct cudart_place source = {.array = from, .x = from_x, .y = from_y};
    const uint64_t size[3] = {width, height, 1};
    CUDART_CALL(!to || !from ? CUDA_INVALID_VALUE : cudart_copy_box(current, &target, &source, size, kind, 0, true));
}

/* Bytes in the order of rows, from a place inside one: part of a row, or whole rows. */
static enum cuda_error copy_bytes(struct cudart_device *device, struct array_copy c, size_t bytes)
{
    const struct cudart_array *array = cudart_array_of(device->rt, c.array);
    uint64_t width = array ? array->width * cudart_texel_bytes(&array->channel) : 0;
    if (!array)
        return CUDA_INVALID_RESOURCE_HANDLE;
    bool part = c.x + bytes <= width;
    if (!part && (c.x || bytes % width))
        return CUDA_INVALID_VALUE;
    c.pitch = c.width = part ? bytes : width;
    c.height = part ? 1 : bytes / width;
    return copy_array(device, &c);
}

CUDART_API int cudaMemcpyToArrayAsync(uint64_t array, size_t x, size_t y, const void *from, size_t bytes, int kind,
                                      uint64_t stream)
{
    const struct array_copy c = {array, x, y, (uint64_t)from, 0, 0, 0, kind, stream, true, false};
    CUDART_CALL(copy_bytes(current, c, bytes));
}

CUDART_API int cudaMemcpyToArray(uint64_t array, size_t x, size_t y, const void *from, size_t bytes, int kind)
{
    const struct array_copy c = {array, x, y, (uint64_t)from, 0, 0, 0, kind, 0, true, true};
    CUDART_CALL(copy_bytes(current, c, bytes));
}

CUDART_API int cudaMemcpyFromArrayAsync(void *to, uint64_t array, size_t x, size_t y, size_t bytes, int kind,
                                        uint64_t stream)
{
    const struct array_copy c = {array, x, y, (uint64_t)to, 0, 0, 0, kind, stream, false, false};
    CUDART_CALL(copy_bytes(current, c, bytes));
}

CUDART_API int cudaMemcpyFromArray(void *to, uint64_t array, size_t x, size_t y, size_t bytes, int kind)
{
    const struct array_copy c = {array, x, y, (uint64_t)to, 0, 0, 0, kind, 0, false, true};
    CUDART_CALL(copy_bytes(current, c, bytes));
}

/* ===== textures and surfaces ===== */

CUDART_API int cudaCreateTextureObject(uint64_t *out, const struct cuda_resource *resource,
                                       const struct cuda_texture *how, const void *view)
{
    CUDART_CALL(cudart_make_texture(current, out, resource, how, view));
}

CUDART_API int cudaDestroyTextureObject(uint64_t handle)
{
    CUDART_CALL(cudart_remove_texture(current, handle));
}

CUDART_API int cudaCreateSurfaceObject(uint64_t *out, const struct cuda_resource *resource)
{
    CUDART_CALL(cudart_make_surface(current, out, resource));
}

CUDART_API int cudaDestroySurfaceObject(uint64_t handle)
{
    return cudaDestroyTextureObject(handle);
}
