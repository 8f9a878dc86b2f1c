/* SPDX-License-Identifier: BSD-3-Clause */
/* Arrays of one, two and three dimensions. They lie in device memory, row by row and slice by slice. */
#include "cudart/memory/arrays.h"

#include "cudart/base/failure.h"
#include "cudart/base/state.h"
#include "cudart/device/device.h"
#include "cudart/memory/allocation.h"

#include <string.h>

enum { ROW_ALIGN = 512 };

/* ===== texels ===== */

unsigned cudart_channels_of(const struct cuda_channel *channel)
{
    unsigned count = 0;
    while (count < 4 && channel->bits[count])
        count++;
    return count;
}

uint64_t cudart_texel_bytes(const struct cuda_channel *channel)
{
    return cudart_channels_of(channel) * (uint64_t)channel->bits[0] / 8;
}

bool cudart_channel_is_well(const struct cuda_channel *channel)
{
    unsigned count = cudart_channels_of(channel);
    int bits = channel->bits[0];
    for (unsigned i = 1; i < 4; i++)
        if (channel->bits[i] != (i < count ? bits : 0))
            return false;
    return (count == 1 || count == 2 || count == 4) && (bits == 8 || bits == 16 || bits == 32) && channel->kind >= 0 &&
           channel->kind <= 2 && (channel->kind < 2 || bits > 8);
}

/* ===== arrays ===== */

static struct cudart_array *array_of(const struct cudart *rt, uint64_t handle)
{
    uint64_t place = handle - CUDART_FIRST_HANDLE;
    struct cudart_array *arrays = rt->arrays.items;
    bool known = handle >= CUDART_FIRST_HANDLE && place < rt->arrays.count && arrays[place].address;
    return known ? &arrays[place] : NULL;
}

const struct cudart_array *cudart_array_of(const struct cudart *rt, uint64_t handle)
{
    return array_of(rt, handle);
}

static uint64_t one_at_least(uint64_t count)
{
    return count ? count : 1;
}

/* Whether an extent is that of the six faces of a cube, or of several cubes. */
static bool is_cube(const size_t extent[3], bool several)
{
    return extent[0] == extent[1] && (several ? extent[2] % 6 == 0 : extent[2] == 6);
}

enum cuda_error cudart_make_array(struct cudart_device *device, uint64_t *out, const struct cuda_channel *channel,
                                  const size_t extent[3], unsigned flags)
{
    struct cudart *rt = device->rt;
    struct mnp_error error = {{0}};
    uint64_t bytes;
    if (!out || !channel || extent[0] == 0 || extent[0] > CUDART_MAX_SIDE || extent[1] > CUDART_MAX_SIDE ||
        extent[2] > CUDART_MAX_SIDE || (extent[2] && !extent[1] && !(flags & CUDART_ARRAY_LAYERED)) ||
        (flags & CUDART_ARRAY_LAYERED && !extent[2]) ||
        (flags & CUDART_ARRAY_CUBE && !is_cube(extent, flags & CUDART_ARRAY_LAYERED)) ||
        (flags & CUDART_ARRAY_GATHER && (!extent[1] || (extent[2] && !(flags & CUDART_ARRAY_LAYERED)))))
        return CUDA_INVALID_VALUE;
    if (!cudart_channel_is_well(channel))
        return CUDA_INVALID_CHANNEL_DESCRIPTOR;
    if (flags & ~(unsigned)(CUDART_ARRAY_LAYERED | CUDART_ARRAY_SURFACE | CUDART_ARRAY_CUBE | CUDART_ARRAY_GATHER)) {
        mnp_fail(&error, "an array with flags 0x%x (sparse, deferred mapping) is not supported yet", flags);
        return cudart_refuse(rt, &error, CUDA_NOT_SUPPORTED);
    }
    struct cudart_array array = {.device = device,
                                 .width = extent[0],
                                 .height = extent[1],
                                 .depth = extent[2],
                                 .channel = *channel,
                                 .flags = flags};
    void *memory = NULL;
    array.pitch = (array.width * cudart_texel_bytes(channel) + ROW_ALIGN - 1) / ROW_ALIGN * ROW_ALIGN;
    if (__builtin_mul_overflow(array.pitch * one_at_least(array.height), one_at_least(array.depth), &bytes))
        return CUDA_MEMORY_ALLOCATION;
    enum cuda_error problem = cudart_allocate(device, &memory, bytes);
    if (problem)
        return problem;
    array.address = (uint64_t)memory;
    *(struct cudart_array *)mnp_array_add(&rt->arrays, 1, sizeof array) = array;
    *out = CUDART_FIRST_HANDLE + rt->arrays.count - 1;
    return CUDA_SUCCESS;
}

enum cuda_error cudart_free_array(struct cudart *rt, uint64_t handle)
{
    struct cudart_array *array = array_of(rt, handle);
    if (!handle)
        return CUDA_SUCCESS;
    if (!array)
        return CUDA_INVALID_VALUE;
    enum cuda_error problem = cudart_release(array->device, array->address);
    array->address = 0;
    return problem;
}

void cudart_forget_arrays(struct cudart_device *device)
{
    struct mnp_array *table = &device->rt->arrays;
    struct cudart_array *arrays = table->items;
    for (uint32_t i = 0; i < table->count; i++)
        if (arrays[i].device == device)
            arrays[i].address = 0;
    while (table->count && !arrays[table->count - 1].address)
        table->count--;
}
