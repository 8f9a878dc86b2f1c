/* SPDX-License-Identifier: BSD-3-Clause */
/* The driver API's arrays, textures, and copies of two and three dimensions. */
#include "cudart/api/driver.h"
#include "cudart/api/graph_driver.h"
#include "cudart/base/state.h"
#include "cudart/device/allocator.h"
#include "cudart/device/device.h"
#include "cudart/memory/arrays.h"
#include "cudart/memory/copies_3d.h"
#include "cudart/memory/textures.h"

/* ===== arrays ===== */

static const struct {
    CUarray_format format;
    int bits, kind; /* struct cuda_channel */
} formats[] = {
    {CU_AD_FORMAT_UNSIGNED_INT8, 8, 1}, {CU_AD_FORMAT_UNSIGNED_INT16, 16, 1}, {CU_AD_FORMAT_UNSIGNED_INT32, 32, 1},
    {CU_AD_FORMAT_SIGNED_INT8, 8, 0},   {CU_AD_FORMAT_SIGNED_INT16, 16, 0},   {CU_AD_FORMAT_SIGNED_INT32, 32, 0},
    {CU_AD_FORMAT_HALF, 16, 2},         {CU_AD_FORMAT_FLOAT, 32, 2},
};

static enum cuda_error channel_of(CUarray_format format, unsigned channels, struct cuda_channel *channel)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (formats[i].format != format)
            continue;
        *channel = (struct cuda_channel){.kind = formats[i].kind};
        for (unsigned j = 0; j < channels && j < 4; j++)
            channel->bits[j] = formats[i].bits;
        return channels == 1 || channels == 2 || channels == 4 ? CUDA_SUCCESS : CUDA_INVALID_VALUE;
    }
    return CUDA_INVALID_VALUE;
}

static enum cuda_error create(struct cudart_device *device, CUarray *out, const CUDA_ARRAY3D_DESCRIPTOR *shape)
{
    const size_t extent[3] = {shape->Width, shape->Height, shape->Depth};
    struct cuda_channel channel;
    enum cuda_error problem = channel_of(shape->Format, shape->NumChannels, &channel);
    return problem ? problem : cudart_make_array(device, (uint64_t *)out, &channel, extent, shape->Flags);
}

CUDART_API CUresult cuArray3DCreate(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *shape)
{
    DRIVER_WORK(array && shape ? create(current, array, shape) : CUDA_INVALID_VALUE);
}

CUDART_API CUresult cuArrayCreate(CUarray *array, const CUDA_ARRAY_DESCRIPTOR *shape)
{
    CUDA_ARRAY3D_DESCRIPTOR whole = {0};
    if (shape)
        whole = (CUDA_ARRAY3D_DESCRIPTOR){
            .Width = shape->Width, .Height = shape->Height, .Format = shape->Format, .NumChannels = shape->NumChannels};
    return cuArray3DCreate(array, shape ? &whole : NULL);
}

static enum cuda_error describe(const struct cudart *rt, CUDA_ARRAY3D_DESCRIPTOR *out, CUarray handle)
{
    const struct cudart_array *array = cudart_array_of(rt, (uint64_t)handle);
    if (!array)
        return CUDA_INVALID_RESOURCE_HANDLE;
    *out = (CUDA_ARRAY3D_DESCRIPTOR){.Width = array->width,
                                     .Height = array->height,
                                     .Depth = array->depth,
                                     .NumChannels = cudart_channels_of(&array->channel),
                                     .Flags = array->flags};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (formats[i].bits == array->channel.bits[0] && formats[i].kind == array->channel.kind)
            out->Format = formats[i].format;
    return CUDA_SUCCESS;
}

CUDART_API CUresult cuArray3DGetDescriptor(CUDA_ARRAY3D_DESCRIPTOR *shape, CUarray array)
{
    DRIVER_WORK(shape ? describe(rt, shape, array) : CUDA_INVALID_VALUE);
}

CUDART_API CUresult cuArrayGetDescriptor(CUDA_ARRAY_DESCRIPTOR *shape, CUarray array)
{
    CUDA_ARRAY3D_DESCRIPTOR whole;
    CUresult problem = cuArray3DGetDescriptor(shape ? &whole : NULL, array);
    if (!problem)
        *shape = (CUDA_ARRAY_DESCRIPTOR){whole.Width, whole.Height, whole.Format, whole.NumChannels};
    return problem;
}

CUDART_API CUresult cuArrayDestroy(CUarray array)
{
    DRIVER_WORK(cudart_array_of(rt, (uint64_t)array) ? cudart_free_array(rt, (uint64_t)array)
                                                     : CUDA_INVALID_RESOURCE_HANDLE);
}

/* ===== copies ===== */

/* Memory that is said to be on one side lies there, or on both. */
static enum cuda_error side(const struct cudart_device *device, CUmemorytype type, const void *host,
                            CUdeviceptr address, CUarray array, struct cudart_place *place)
{
    switch (type) {
    case CU_MEMORYTYPE_HOST:
        place->address = (uint64_t)host;
        return cudart_on_device(device, place->address) ? CUDA_INVALID_VALUE : CUDA_SUCCESS;
    case CU_MEMORYTYPE_DEVICE:
        place->address = address;
        return cudart_on_device(device, address) || cudart_shared_at(device, address) ? CUDA_SUCCESS
                                                                                      : CUDA_INVALID_VALUE;
    case CU_MEMORYTYPE_UNIFIED:
        place->address = address;
        return CUDA_SUCCESS;
    case CU_MEMORYTYPE_ARRAY:
        place->array = (uint64_t)array;
        return array ? CUDA_SUCCESS : CUDA_INVALID_RESOURCE_HANDLE;
    default:
        return CUDA_INVALID_VALUE;
    }
}

static enum cuda_error copy_3d(struct cudart_device *device, const CUDA_MEMCPY3D *c, CUstream stream, bool wait)
{
    if (!c || c->srcLOD || c->dstLOD)
        return CUDA_INVALID_VALUE;
    struct cudart_place to = {
        .pitch = c->dstPitch, .rows = c->dstHeight, .x = c->dstXInBytes, .y = c->dstY, .z = c->dstZ};
    struct cudart_place from = {
        .pitch = c->srcPitch, .rows = c->srcHeight, .x = c->srcXInBytes, .y = c->srcY, .z = c->srcZ};
    const uint64_t size[3] = {c->WidthInBytes, c->Height, c->Depth};
    if (!size[0] || !size[1] || !size[2])
        return CUDA_SUCCESS;
    enum cuda_error problem = side(device, c->dstMemoryType, c->dstHost, c->dstDevice, c->dstArray, &to);
    problem = problem ? problem : side(device, c->srcMemoryType, c->srcHost, c->srcDevice, c->srcArray, &from);
    return problem ? problem : cudart_copy_box(device, &to, &from, size, CUDA_COPY_DEFAULT, (uint64_t)stream, wait);
}

enum cuda_error cudart_give_driver_copy(struct cudart *rt, const void *what)
{
    return copy_3d(cudart_current_device(rt), what, NULL, false);
}

static CUDA_MEMCPY3D deepen(const CUDA_MEMCPY2D *c)
{
    return (CUDA_MEMCPY3D){.srcXInBytes = c->srcXInBytes,
                           .srcY = c->srcY,
                           .srcMemoryType = c->srcMemoryType,
                           .srcHost = c->srcHost,
                           .srcDevice = c->srcDevice,
                           .srcArray = c->srcArray,
                           .srcPitch = c->srcPitch,
                           .dstXInBytes = c->dstXInBytes,
                           .dstY = c->dstY,
                           .dstMemoryType = c->dstMemoryType,
                           .dstHost = c->dstHost,
                           .dstDevice = c->dstDevice,
                           .dstArray = c->dstArray,
                           .dstPitch = c->dstPitch,
                           .WidthInBytes = c->WidthInBytes,
                           .Height = c->Height,
                           .Depth = 1};
}

CUDART_API CUresult cuMemcpy3D(const CUDA_MEMCPY3D *copy)
{
    DRIVER_WORK(copy_3d(current, copy, NULL, true));
}

CUDART_API CUresult cuMemcpy3DAsync(const CUDA_MEMCPY3D *copy, CUstream stream)
{
    DRIVER_WORK(copy_3d(current, copy, stream, false));
}

CUDART_API CUresult cuMemcpy2D(const CUDA_MEMCPY2D *copy)
{
    CUDA_MEMCPY3D deep;
    if (copy)
        deep = deepen(copy);
    return cuMemcpy3D(copy ? &deep : NULL);
}

CUDART_API CUresult cuMemcpy2DUnaligned(const CUDA_MEMCPY2D *copy)
{
    return cuMemcpy2D(copy);
}

CUDART_API CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D *copy, CUstream stream)
{
    CUDA_MEMCPY3D deep;
    if (copy)
        deep = deepen(copy);
    return cuMemcpy3DAsync(copy ? &deep : NULL, stream);
}

/* Bytes of the first row of an array. */
static enum cuda_error copy_row(struct cudart_device *device, struct cudart_place to, struct cudart_place from,
                                size_t bytes, int kind, CUstream stream, bool wait)
{
    const uint64_t size[3] = {bytes, 1, 1};
    return cudart_copy_box(device, &to, &from, size, kind, (uint64_t)stream, wait);
}

#define ARRAY(handle, offset)                                                                                          \
    (struct cudart_place)                                                                                              \
    {                                                                                                                  \
        .array = (uint64_t)(handle), .x = (offset)                                                                     \
    }
#define MEMORY(place)                                                                                                  \
    (struct cudart_place)                                                                                              \
    {                                                                                                                  \
        .address = (uint64_t)(place)                                                                                   \
    }

CUDART_API CUresult cuMemcpyDtoA(CUarray to, size_t offset, CUdeviceptr from, size_t bytes)
{
    DRIVER_WORK(copy_row(current, ARRAY(to, offset), MEMORY(from), bytes, CUDA_DEVICE_TO_DEVICE, NULL, true));
}

CUDART_API CUresult cuMemcpyAtoD(CUdeviceptr to, CUarray from, size_t offset, size_t bytes)
{
    DRIVER_WORK(copy_row(current, MEMORY(to), ARRAY(from, offset), bytes, CUDA_DEVICE_TO_DEVICE, NULL, true));
}

CUDART_API CUresult cuMemcpyHtoA(CUarray to, size_t offset, const void *from, size_t bytes)
{
    DRIVER_WORK(copy_row(current, ARRAY(to, offset), MEMORY(from), bytes, CUDA_COPY_DEFAULT, NULL, true));
}

CUDART_API CUresult cuMemcpyAtoH(void *to, CUarray from, size_t offset, size_t bytes)
{
    DRIVER_WORK(copy_row(current, MEMORY(to), ARRAY(from, offset), bytes, CUDA_COPY_DEFAULT, NULL, true));
}

CUDART_API CUresult cuMemcpyAtoA(CUarray to, size_t to_offset, CUarray from, size_t from_offset, size_t bytes)
{
    DRIVER_WORK(
        copy_row(current, ARRAY(to, to_offset), ARRAY(from, from_offset), bytes, CUDA_DEVICE_TO_DEVICE, NULL, true));
}

CUDART_API CUresult cuMemcpyHtoAAsync(CUarray to, size_t offset, const void *from, size_t bytes, CUstream stream)
{
    DRIVER_WORK(copy_row(current, ARRAY(to, offset), MEMORY(from), bytes, CUDA_COPY_DEFAULT, stream, false));
}

CUDART_API CUresult cuMemcpyAtoHAsync(void *to, CUarray from, size_t offset, size_t bytes, CUstream stream)
{
    DRIVER_WORK(copy_row(current, MEMORY(to), ARRAY(from, offset), bytes, CUDA_COPY_DEFAULT, stream, false));
}

/* ===== textures ===== */

static enum cuda_error resource_of(const CUDA_RESOURCE_DESC *from, struct cuda_resource *to)
{
    *to = (struct cuda_resource){.kind = (int)from->resType};
    switch (from->resType) {
    case CU_RESOURCE_TYPE_ARRAY:
        to->array = (uint64_t)from->res.array.hArray;
        return CUDA_SUCCESS;
    case CU_RESOURCE_TYPE_LINEAR:
        to->address = from->res.linear.devPtr;
        to->size = from->res.linear.sizeInBytes;
        return channel_of(from->res.linear.format, from->res.linear.numChannels, &to->channel);
    case CU_RESOURCE_TYPE_PITCH2D:
        to->address = from->res.pitch2D.devPtr;
        to->size = from->res.pitch2D.width;
        to->height = from->res.pitch2D.height;
        to->pitch = from->res.pitch2D.pitchInBytes;
        return channel_of(from->res.pitch2D.format, from->res.pitch2D.numChannels, &to->channel);
    default:
        return CUDA_SUCCESS; /* mipmapped: refused with all others of them */
    }
}

/* Texels of integers of 8 and 16 bits are read as fractions, unless the flags say otherwise. */
static void describe_texture(const CUDA_TEXTURE_DESC *from, const struct cuda_channel *channel, struct cuda_texture *to)
{
    *to = (struct cuda_texture){.filter = (int)from->filterMode,
                                .normalized = (from->flags & CU_TRSF_NORMALIZED_COORDINATES) != 0,
                                .srgb = (from->flags & CU_TRSF_SRGB) != 0,
                                .seamless = (from->flags & CU_TRSF_SEAMLESS_CUBEMAP) != 0};
    to->read = !(from->flags & CU_TRSF_READ_AS_INTEGER) && channel->kind != 2 && channel->bits[0] <= 16;
    for (unsigned i = 0; i < 3; i++)
        to->addressing[i] = (int)from->addressMode[i];
    for (unsigned i = 0; i < 4; i++)
        to->border[i] = from->borderColor[i];
}

static enum cuda_error create_texture(struct cudart_device *device, CUtexObject *out,
                                      const CUDA_RESOURCE_DESC *resource, const CUDA_TEXTURE_DESC *how,
                                      const void *view)
{
    struct cuda_resource from;
    struct cuda_texture reading;
    if (!out || !resource || !how)
        return CUDA_INVALID_VALUE;
    enum cuda_error problem = resource_of(resource, &from);
    if (problem)
        return problem;
    const struct cudart_array *array =
        from.kind == CUDA_RESOURCE_ARRAY ? cudart_array_of(device->rt, from.array) : NULL;
    describe_texture(how, array ? &array->channel : &from.channel, &reading);
    uint64_t handle;
    problem = cudart_make_texture(device, &handle, &from, &reading, view);
    if (!problem)
        *out = handle;
    return problem;
}

CUDART_API CUresult cuTexObjectCreate(CUtexObject *texture, const CUDA_RESOURCE_DESC *resource,
                                      const CUDA_TEXTURE_DESC *how, const CUDA_RESOURCE_VIEW_DESC *view)
{
    DRIVER_WORK(create_texture(current, texture, resource, how, view));
}

CUDART_API CUresult cuTexObjectDestroy(CUtexObject texture)
{
    DRIVER_WORK(cudart_remove_texture(current, texture));
}

static enum cuda_error create_surface(struct cudart_device *device, CUsurfObject *out,
                                      const CUDA_RESOURCE_DESC *resource)
{
    struct cuda_resource from;
    uint64_t handle;
    if (!out || !resource)
        return CUDA_INVALID_VALUE;
    enum cuda_error problem = resource_of(resource, &from);
    problem = problem ? problem : cudart_make_surface(device, &handle, &from);
    if (!problem)
        *out = handle;
    return problem;
}

CUDART_API CUresult cuSurfObjectCreate(CUsurfObject *surface, const CUDA_RESOURCE_DESC *resource)
{
    DRIVER_WORK(create_surface(current, surface, resource));
}

CUDART_API CUresult cuSurfObjectDestroy(CUsurfObject surface)
{
    return cuTexObjectDestroy(surface);
}
