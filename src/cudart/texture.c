/* SPDX-License-Identifier: BSD-3-Clause */
/* Arrays of one and two dimensions, and texture objects over them and over linear memory. */
#include "cudart/context.h"

#include <string.h>

enum { ROW_ALIGN = 512, MAX_SIDE = 131072 };

/* ===== texels ===== */

static unsigned channels_of(const struct cuda_channel *channel)
{
    unsigned count = 0;
    while (count < 4 && channel->bits[count])
        count++;
    return count;
}

static uint64_t texel_bytes(const struct cuda_channel *channel)
{
    return channels_of(channel) * (uint64_t)channel->bits[0] / 8;
}

static bool channel_is_well(const struct cuda_channel *channel)
{
    unsigned count = channels_of(channel);
    int bits = channel->bits[0];
    for (unsigned i = 1; i < 4; i++)
        if (channel->bits[i] != (i < count ? bits : 0))
            return false;
    return (count == 1 || count == 2 || count == 4) && (bits == 8 || bits == 16 || bits == 32) && channel->kind >= 0 &&
           channel->kind <= 2 && (channel->kind < 2 || bits > 8);
}

CUDART_API struct cuda_channel cudaCreateChannelDesc(int x, int y, int z, int w, int kind)
{
    return (struct cuda_channel){{x, y, z, w}, kind};
}

/* ===== arrays ===== */

static struct cudart_array *array_of(const struct cudart *rt, uint64_t handle)
{
    uint64_t place = handle - CUDART_FIRST_HANDLE;
    struct cudart_array *arrays = rt->arrays.items;
    bool known = handle >= CUDART_FIRST_HANDLE && place < rt->arrays.count && arrays[place].address;
    return known ? &arrays[place] : NULL;
}

static uint64_t rows_of(const struct cudart_array *array)
{
    return array->height ? array->height : 1;
}

static enum cuda_error make_array(struct cudart *rt, uint64_t *out, const struct cuda_channel *channel, size_t width,
                                  size_t height, unsigned flags)
{
    struct mnp_error error = {{0}};
    if (!out || !channel || width == 0 || width > MAX_SIDE || height > MAX_SIDE)
        return CUDA_INVALID_VALUE;
    if (!channel_is_well(channel))
        return CUDA_INVALID_CHANNEL_DESCRIPTOR;
    if (flags) {
        mnp_fail(&error, "cudaMallocArray: flags (surfaces, gathering) are not supported yet");
        return cudart_refuse(rt, &error, CUDA_NOT_SUPPORTED);
    }
    struct cudart_array array = {.width = width, .height = height, .channel = *channel};
    void *memory = NULL;
    array.pitch = (width * texel_bytes(channel) + ROW_ALIGN - 1) / ROW_ALIGN * ROW_ALIGN;
    enum cuda_error problem = cudart_allocate(rt, &memory, array.pitch * rows_of(&array));
    if (problem)
        return problem;
    array.address = (uint64_t)memory;
    *(struct cudart_array *)ptx_array_add(&rt->arrays, 1, sizeof array) = array;
    *out = CUDART_FIRST_HANDLE + rt->arrays.count - 1;
    return CUDA_SUCCESS;
}

CUDART_API int cudaMallocArray(uint64_t *out, const struct cuda_channel *channel, size_t width, size_t height,
                               unsigned flags)
{
    CUDART_CALL(make_array(rt, out, channel, width, height, flags));
}

static enum cuda_error free_array(struct cudart *rt, uint64_t handle)
{
    struct cudart_array *array = array_of(rt, handle);
    if (!handle)
        return CUDA_SUCCESS;
    if (!array)
        return CUDA_INVALID_VALUE;
    enum cuda_error problem = cudart_release(rt, array->address);
    array->address = 0;
    return problem;
}

CUDART_API int cudaFreeArray(uint64_t array)
{
    CUDART_CALL(free_array(rt, array));
}

static enum cuda_error about_array(struct cudart *rt, uint64_t handle, struct cuda_channel *channel, size_t extent[3],
                                   unsigned *flags)
{
    const struct cudart_array *array = array_of(rt, handle);
    if (!array)
        return CUDA_INVALID_RESOURCE_HANDLE;
    if (channel)
        *channel = array->channel;
    if (extent) {
        extent[0] = array->width;
        extent[1] = array->height;
        extent[2] = 0;
    }
    if (flags)
        *flags = 0;
    return CUDA_SUCCESS;
}

CUDART_API int cudaArrayGetInfo(struct cuda_channel *channel, size_t extent[3], unsigned *flags, uint64_t array)
{
    CUDART_CALL(about_array(rt, array, channel, extent, flags));
}

CUDART_API int cudaGetChannelDesc(struct cuda_channel *channel, uint64_t array)
{
    CUDART_CALL(channel ? about_array(rt, array, channel, NULL, NULL) : CUDA_INVALID_VALUE);
}

struct array_copy {
    uint64_t array, other, pitch; /* of the memory on the other side */
    size_t x, y, width, height;   /* bytes, rows */
    int kind;
    bool to_array;
};

static enum cuda_error copy_array(struct cudart *rt, const struct array_copy *c)
{
    const struct cudart_array *array = array_of(rt, c->array);
    if (!array)
        return CUDA_INVALID_RESOURCE_HANDLE;
    uint64_t width = array->width * texel_bytes(&array->channel), rows = rows_of(array);
    if (c->x > width || c->width > width - c->x || c->y > rows || c->height > rows - c->y)
        return CUDA_INVALID_VALUE;
    uint64_t place = array->address + c->y * array->pitch + c->x;
    struct cudart_area area = {place, array->pitch, c->other, c->pitch, c->width, c->height};
    if (!c->to_array)
        area = (struct cudart_area){c->other, c->pitch, place, array->pitch, c->width, c->height};
    return cudart_copy_area(rt, &area, c->kind, 0, true);
}

CUDART_API int cudaMemcpy2DToArray(uint64_t array, size_t x, size_t y, const void *from, size_t pitch, size_t width,
                                   size_t height, int kind)
{
    struct array_copy c = {array, (uint64_t)from, pitch, x, y, width, height, kind, true};
    CUDART_CALL(copy_array(rt, &c));
}

CUDART_API int cudaMemcpy2DFromArray(void *to, size_t pitch, uint64_t array, size_t x, size_t y, size_t width,
                                     size_t height, int kind)
{
    struct array_copy c = {array, (uint64_t)to, pitch, x, y, width, height, kind, false};
    CUDART_CALL(copy_array(rt, &c));
}

/* Bytes in the order of rows, from a place inside one: whole rows, or part of one. */
static enum cuda_error copy_bytes(struct cudart *rt, struct array_copy *c, size_t bytes)
{
    const struct cudart_array *array = array_of(rt, c->array);
    uint64_t width = array ? array->width * texel_bytes(&array->channel) : 0;
    if (!array)
        return CUDA_INVALID_RESOURCE_HANDLE;
    bool part = c->x + bytes <= width;
    if (!part && (c->x || bytes % width))
        return CUDA_INVALID_VALUE;
    c->pitch = c->width = part ? bytes : width;
    c->height = part ? 1 : bytes / width;
    return copy_array(rt, c);
}

CUDART_API int cudaMemcpyToArray(uint64_t array, size_t x, size_t y, const void *from, size_t bytes, int kind)
{
    struct array_copy c = {.array = array, .other = (uint64_t)from, .x = x, .y = y, .kind = kind, .to_array = true};
    CUDART_CALL(copy_bytes(rt, &c, bytes));
}

/* ===== texture objects ===== */

/* Where the texels lie. */
static enum cuda_error describe_resource(struct cudart *rt, const struct cuda_resource *resource,
                                         struct ptx_texture *texture, struct cuda_channel *channel)
{
    const struct cudart_array *array;
    struct mnp_error error = {{0}};
    *channel = resource->channel;
    texture->address = resource->address;
    switch (resource->kind) {
    case CUDA_RESOURCE_ARRAY:
        array = array_of(rt, resource->array);
        if (!array)
            return CUDA_INVALID_VALUE;
        *channel = array->channel;
        texture->address = array->address;
        texture->size[0] = (uint32_t)array->width;
        texture->size[1] = (uint32_t)array->height;
        texture->pitch = array->pitch;
        return CUDA_SUCCESS;
    case CUDA_RESOURCE_LINEAR:
    case CUDA_RESOURCE_PITCH:
        break;
    default:
        mnp_fail(&error, "cudaCreateTextureObject: mipmapped arrays are not supported yet");
        return cudart_refuse(rt, &error, CUDA_NOT_SUPPORTED);
    }
    if (!channel_is_well(channel))
        return CUDA_INVALID_CHANNEL_DESCRIPTOR;
    bool linear = resource->kind == CUDA_RESOURCE_LINEAR;
    uint64_t bytes = texel_bytes(channel), width = linear ? resource->size / bytes : resource->size;
    texture->pitch = linear ? resource->size : resource->pitch;
    texture->buffer = linear;
    if (width == 0 || width > UINT32_MAX || (!linear && (resource->height == 0 || resource->height > MAX_SIDE)) ||
        width > texture->pitch / bytes)
        return CUDA_INVALID_VALUE;
    texture->size[0] = (uint32_t)width;
    texture->size[1] = linear ? 0 : (uint32_t)resource->height;
    uint64_t all = linear ? resource->size : texture->pitch * (resource->height - 1) + width * bytes;
    return cudart_device_range(rt, texture->address, all) ? CUDA_SUCCESS : CUDA_INVALID_VALUE;
}

/* How they are read. */
static enum cuda_error describe_reading(struct cudart *rt, const struct cuda_texture *how,
                                        const struct cuda_channel *channel, struct ptx_texture *texture)
{
    struct mnp_error error = {{0}};
    bool real = channel->kind == 2;
    static const float black[4];
    if (how->srgb || memcmp(how->border, black, sizeof black) != 0) {
        mnp_fail(&error, "cudaCreateTextureObject: sRGB and border colours are not supported yet");
        return cudart_refuse(rt, &error, CUDA_NOT_SUPPORTED);
    }
    if ((how->filter & ~1) || (how->read & ~1))
        return CUDA_INVALID_VALUE;
    if (how->read && !real && channel->bits[0] > 16)
        return CUDA_INVALID_NORM_SETTING;
    if (how->filter && !real && !how->read)
        return CUDA_INVALID_FILTER_SETTING;
    for (unsigned i = 0; i < 3; i++) {
        unsigned mode = (unsigned)how->addressing[i];
        if (mode > 3)
            return CUDA_INVALID_VALUE;
        /* Wrapping and mirroring need normalised coordinates; without them, they are clamping. */
        bool possible = how->normalized || mode == PTX_ADDRESS_CLAMP || mode == PTX_ADDRESS_BORDER;
        texture->addressing[i] = (uint8_t)(possible ? mode : PTX_ADDRESS_CLAMP);
    }
    texture->linear = how->filter;
    texture->normalized = how->normalized;
    texture->read_normalized = how->read && !real;
    texture->channels = (uint8_t)channels_of(channel);
    texture->channel_bytes = (uint8_t)(channel->bits[0] / 8);
    texture->kind = real ? PTX_TEXEL_FLOAT : channel->kind ? PTX_TEXEL_UNSIGNED : PTX_TEXEL_SIGNED;
    return CUDA_SUCCESS;
}

static enum cuda_error make_texture(struct cudart *rt, uint64_t *out, const struct cuda_resource *resource,
                                    const struct cuda_texture *how, const void *view)
{
    struct ptx_texture texture = {0};
    struct cuda_channel channel;
    struct mnp_error error = {{0}};
    if (cudart_prepare(rt))
        return rt->failure;
    if (!out || !resource || !how)
        return CUDA_INVALID_VALUE;
    if (view) {
        mnp_fail(&error, "cudaCreateTextureObject: views of resources are not supported yet");
        return cudart_refuse(rt, &error, CUDA_NOT_SUPPORTED);
    }
    enum cuda_error problem = describe_resource(rt, resource, &texture, &channel);
    problem = problem ? problem : describe_reading(rt, how, &channel, &texture);
    if (!problem)
        *out = ptx_device_add_texture(&rt->device, &texture);
    return problem;
}

CUDART_API int cudaCreateTextureObject(uint64_t *out, const struct cuda_resource *resource,
                                       const struct cuda_texture *how, const void *view)
{
    CUDART_CALL(make_texture(rt, out, resource, how, view));
}

CUDART_API int cudaDestroyTextureObject(uint64_t handle)
{
    CUDART_CALL(!handle || (!cudart_prepare(rt) && ptx_device_remove_texture(&rt->device, handle))
                    ? CUDA_SUCCESS
                    : CUDA_INVALID_VALUE);
}
