/* SPDX-License-Identifier: BSD-3-Clause */
/* Texture objects over arrays and over linear memory, and surface objects over arrays. */
#include "cudart/memory/textures.h"

#include "cudart/base/failure.h"
#include "cudart/base/state.h"
#include "cudart/device/allocator.h"
#include "cudart/device/device.h"
#include "cudart/device/first_use.h"
#include "cudart/memory/arrays.h"

#include <string.h>

/* Describes the memory of the texels. */
static enum cuda_error describe_resource(struct cudart_device *device, const struct cuda_resource *resource,
                                         struct execute_texture *texture, struct cuda_channel *channel)
{
    struct cudart *rt = device->rt;
    const struct cudart_array *array;
    struct mnp_error error = {{0}};
    *channel = resource->channel;
    texture->address = resource->address;
    switch (resource->kind) {
    case CUDA_RESOURCE_ARRAY:
        array = cudart_array_of(rt, resource->array);
        if (!array)
            return CUDA_INVALID_VALUE;
        *channel = array->channel;
        texture->address = array->address;
        texture->size[0] = (uint32_t)array->width;
        texture->size[1] = (uint32_t)array->height;
        texture->size[2] = (uint32_t)array->depth;
        texture->pitch = array->pitch;
        return CUDA_SUCCESS;
    case CUDA_RESOURCE_LINEAR:
    case CUDA_RESOURCE_PITCH:
        break;
    default:
        mnp_fail(&error, "cudaCreateTextureObject: mipmapped arrays are not supported yet");
        return cudart_refuse(rt, &error, CUDA_NOT_SUPPORTED);
    }
    if (!cudart_channel_is_well(channel))
        return CUDA_INVALID_CHANNEL_DESCRIPTOR;
    bool linear = resource->kind == CUDA_RESOURCE_LINEAR;
    uint64_t bytes = cudart_texel_bytes(channel), width = linear ? resource->size / bytes : resource->size;
    texture->pitch = linear ? resource->size : resource->pitch;
    texture->buffer = linear;
    if (width == 0 || width > UINT32_MAX ||
        (!linear && (resource->height == 0 || resource->height > CUDART_MAX_SIDE)) || width > texture->pitch / bytes)
        return CUDA_INVALID_VALUE;
    texture->size[0] = (uint32_t)width;
    texture->size[1] = linear ? 0 : (uint32_t)resource->height;
    /* Linear memory must exist at its beginning, as on NVIDIA's GPUs. A read beyond its end is a fault. */
    uint64_t all = linear ? bytes : texture->pitch * (resource->height - 1) + width * bytes;
    return cudart_device_range(device, texture->address, all) ? CUDA_SUCCESS : CUDA_INVALID_VALUE;
}

/* How they are read. */
static enum cuda_error describe_reading(struct cudart_device *device, const struct cuda_texture *how,
                                        const struct cuda_channel *channel, struct execute_texture *texture)
{
    struct mnp_error error = {{0}};
    bool real = channel->kind == 2;
    static const float black[4];
    if (how->srgb || memcmp(how->border, black, sizeof black) != 0) {
        mnp_fail(&error, "cudaCreateTextureObject: sRGB and border colours are not supported yet");
        return cudart_refuse(device->rt, &error, CUDA_NOT_SUPPORTED);
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
        bool possible = how->normalized || mode == EXECUTE_ADDRESS_CLAMP || mode == EXECUTE_ADDRESS_BORDER;
        texture->addressing[i] = (uint8_t)(possible ? mode : EXECUTE_ADDRESS_CLAMP);
    }
    texture->linear = how->filter;
    texture->normalized = how->normalized;
    texture->read_normalized = how->read && !real;
    texture->channels = (uint8_t)cudart_channels_of(channel);
    texture->channel_bytes = (uint8_t)(channel->bits[0] / 8);
    texture->kind = real ? EXECUTE_TEXEL_FLOAT : channel->kind ? EXECUTE_TEXEL_UNSIGNED : EXECUTE_TEXEL_SIGNED;
    return CUDA_SUCCESS;
}

/* Whether a filter shall go on behind the edges of a cube map. The descriptor of CUDA 11 ends before `seamless`. */
static bool crosses_edges(const struct cudart *rt, const struct cuda_resource *resource, const struct cuda_texture *how)
{
    const struct cudart_array *array =
        resource->kind == CUDA_RESOURCE_ARRAY ? cudart_array_of(rt, resource->array) : NULL;
    return array && array->flags & CUDART_ARRAY_CUBE && how->filter && how->seamless;
}

enum cuda_error cudart_make_texture(struct cudart_device *device, uint64_t *out, const struct cuda_resource *resource,
                                    const struct cuda_texture *how, const void *view)
{
    struct cudart *rt = device->rt;
    struct execute_texture texture = {0};
    struct cuda_channel channel;
    struct mnp_error error = {{0}};
    if (cudart_ensure_device(device))
        return rt->faults.failure;
    if (!out || !resource || !how)
        return CUDA_INVALID_VALUE;
    if (view) {
        mnp_fail(&error, "cudaCreateTextureObject: views of resources are not supported yet");
        return cudart_refuse(rt, &error, CUDA_NOT_SUPPORTED);
    }
    if (crosses_edges(rt, resource, how)) {
        mnp_fail(&error, "cudaCreateTextureObject: filters across the edges of a cube map are not supported yet");
        return cudart_refuse(rt, &error, CUDA_NOT_SUPPORTED);
    }
    enum cuda_error problem = describe_resource(device, resource, &texture, &channel);
    problem = problem ? problem : describe_reading(device, how, &channel, &texture);
    if (!problem)
        *out = execute_device_add_texture(&device->functional, &texture);
    return problem;
}

enum cuda_error cudart_make_surface(struct cudart_device *device, uint64_t *out, const struct cuda_resource *resource)
{
    struct cudart *rt = device->rt;
    const struct cudart_array *array;
    if (cudart_ensure_device(device))
        return rt->faults.failure;
    if (!out || !resource || resource->kind != CUDA_RESOURCE_ARRAY)
        return CUDA_INVALID_VALUE;
    array = cudart_array_of(rt, resource->array);
    if (!array)
        return CUDA_INVALID_VALUE;
    const struct execute_texture surface = {
        .address = array->address,
        .size = {(uint32_t)array->width, (uint32_t)array->height, (uint32_t)array->depth},
        .pitch = array->pitch,
        .channels = (uint8_t)cudart_channels_of(&array->channel),
        .channel_bytes = (uint8_t)(array->channel.bits[0] / 8)};
    *out = execute_device_add_texture(&device->functional, &surface);
    return CUDA_SUCCESS;
}

enum cuda_error cudart_remove_texture(struct cudart_device *device, uint64_t handle)
{
    bool removed =
        !handle || (!cudart_ensure_device(device) && execute_device_remove_texture(&device->functional, handle));
    return removed ? CUDA_SUCCESS : CUDA_INVALID_VALUE;
}
