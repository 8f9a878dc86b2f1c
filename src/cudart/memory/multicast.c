/* SPDX-License-Identifier: BSD-3-Clause */
#include "cudart/memory/multicast.h"

#include "cudart/base/state.h"
#include "cudart/device/device.h"

/* Addresses of no object, which devices without rights see. */
#define CLOSED (MNP_SPACE_MULTICAST + MNP_SPACE_MULTICAST_BYTES / 2)

_Static_assert((int)MNP_MULTICAST_DEVICES == (int)MNP_SPACE_DEVICES, "memory of all devices");

static struct mnp_multicasts *table_of(const struct cudart *rt)
{
    return &rt->system->memory.multicasts;
}

struct cudart_multicast *cudart_multicast_at(const struct cudart *rt, uint32_t number)
{
    return (struct cudart_multicast *)rt->multicasts.items + number;
}

/* Addresses are not used again, so that packets of an object that is no more are none of another's. */
uint32_t cudart_multicast_make(struct cudart *rt, uint64_t bytes, uint32_t devices)
{
    uint32_t number = rt->multicasts.count;
    uint64_t address = MNP_SPACE_MULTICAST;
    for (uint32_t i = 0; i < number; i++)
        address = cudart_multicast_at(rt, i)->address + cudart_multicast_at(rt, i)->reserved;
    struct cudart_multicast *object = mnp_array_add(&rt->multicasts, 1, sizeof *object);
    *object = (struct cudart_multicast){.address = address, .bytes = bytes, .reserved = bytes, .wanted = devices};
    return number;
}

void cudart_multicast_drop(struct cudart *rt, uint32_t number)
{
    struct cudart_multicast *object = cudart_multicast_at(rt, number);
    mnp_multicasts_remove(table_of(rt), object->address);
    mnp_array_release(&object->bindings);
    object->bytes = 0;
}

bool cudart_multicast_is_ready(const struct cudart *rt, uint32_t number)
{
    const struct cudart_multicast *object = cudart_multicast_at(rt, number);
    return (uint32_t)__builtin_popcount(object->devices) == object->wanted;
}

bool cudart_multicast_add(struct cudart *rt, uint32_t number, uint32_t place)
{
    struct cudart_multicast *object = cudart_multicast_at(rt, number);
    uint32_t bit = UINT32_C(1) << place;
    if (object->devices & bit || cudart_multicast_is_ready(rt, number))
        return false;
    object->devices |= bit;
    if (cudart_multicast_is_ready(rt, number))
        mnp_multicasts_add(table_of(rt), object->address, object->bytes, object->devices);
    return true;
}

/* ===== memory ===== */

static void place_binding(struct cudart *rt, const struct cudart_multicast *object,
                          const struct cudart_binding *binding, uint64_t address)
{
    for (uint64_t at = 0; at < binding->bytes; at += MNP_MULTICAST_GRANULE)
        mnp_multicasts_bind(table_of(rt), object->address + binding->offset + at, binding->device,
                            address ? address + binding->from + at : 0);
}

bool cudart_multicast_bind(struct cudart *rt, uint32_t number, const struct cudart_binding *binding, uint64_t address)
{
    struct cudart_multicast *object = cudart_multicast_at(rt, number);
    const struct cudart_binding *all = object->bindings.items;
    for (uint32_t i = 0; i < object->bindings.count; i++)
        if (all[i].device == binding->device && all[i].offset < binding->offset + binding->bytes &&
            binding->offset < all[i].offset + all[i].bytes)
            return false;
    *(struct cudart_binding *)mnp_array_add(&object->bindings, 1, sizeof *binding) = *binding;
    place_binding(rt, object, binding, address);
    return true;
}

uint32_t cudart_multicast_unbind(struct cudart *rt, uint32_t number, uint32_t place, uint64_t offset, uint64_t bytes)
{
    struct cudart_multicast *object = cudart_multicast_at(rt, number);
    struct cudart_binding *all = object->bindings.items;
    for (uint32_t i = 0; i < object->bindings.count; i++) {
        if (all[i].device != place || all[i].offset != offset || all[i].bytes != bytes)
            continue;
        uint32_t piece = all[i].piece;
        place_binding(rt, object, &all[i], 0);
        all[i] = all[--object->bindings.count];
        return piece;
    }
    return UINT32_MAX;
}

void cudart_multicast_move(struct cudart *rt, uint32_t piece, uint64_t address)
{
    for (uint32_t number = 0; number < rt->multicasts.count; number++) {
        const struct cudart_multicast *object = cudart_multicast_at(rt, number);
        const struct cudart_binding *all = object->bindings.items;
        for (uint32_t i = 0; i < object->bindings.count; i++)
            if (all[i].piece == piece)
                place_binding(rt, object, &all[i], address);
    }
}

void cudart_multicast_forget(struct cudart *rt, uint32_t piece)
{
    cudart_multicast_move(rt, piece, 0);
    for (uint32_t number = 0; number < rt->multicasts.count; number++) {
        struct mnp_array *bindings = &cudart_multicast_at(rt, number)->bindings;
        struct cudart_binding *all = bindings->items;
        for (uint32_t i = bindings->count; i-- > 0;)
            if (all[i].piece == piece)
                all[i] = all[--bindings->count];
    }
}

/* ===== addresses ===== */

void cudart_multicast_show(struct cudart *rt, uint32_t number, uint64_t address, uint32_t rights)
{
    const struct cudart_multicast *object = cudart_multicast_at(rt, number);
    for (uint32_t i = 0; i < rt->machine_devices; i++) {
        bool may = rights >> i & object->devices >> i & 1;
        execute_device_show(rt->system->parts[i], &(struct execute_view){.address = address,
                                                                         .bytes = object->bytes,
                                                                         .object = may ? object->address : CLOSED});
    }
}

void cudart_multicast_hide(struct cudart *rt, uint64_t address)
{
    for (uint32_t i = 0; i < rt->machine_devices; i++)
        execute_device_hide(rt->system->parts[i], address);
}
