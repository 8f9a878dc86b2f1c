/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/memory/multicast.h"

#include "base/allocate.h"

#include <stdlib.h>
#include <string.h>

/* The object that an address lies in; NULL: none. */
static struct mnp_multicast *find(const struct mnp_multicasts *all, uint64_t address)
{
    struct mnp_multicast *objects = all->objects.items;
    uint32_t place = mnp_array_before(&all->objects, sizeof *objects, address + 1);
    if (!place || address - objects[place - 1].address >= objects[place - 1].bytes)
        return NULL;
    return &objects[place - 1];
}

static uint64_t *row_at(const struct mnp_multicast *object, uint64_t address)
{
    return object->bound + ((address - object->address) >> MNP_MULTICAST_SHIFT) * MNP_MULTICAST_DEVICES;
}

void mnp_multicasts_release(struct mnp_multicasts *all)
{
    struct mnp_multicast *objects = all->objects.items;
    for (uint32_t i = 0; i < all->objects.count; i++)
        free(objects[i].bound);
    mnp_array_release(&all->objects);
}

void mnp_multicasts_add(struct mnp_multicasts *all, uint64_t address, uint64_t bytes, uint32_t devices)
{
    uint32_t place = mnp_array_before(&all->objects, sizeof(struct mnp_multicast), address);
    mnp_array_add(&all->objects, 1, sizeof(struct mnp_multicast));
    struct mnp_multicast *object = (struct mnp_multicast *)all->objects.items + place;
    memmove(object + 1, object, (all->objects.count - 1 - place) * sizeof *object);
    size_t rows = bytes >> MNP_MULTICAST_SHIFT;
    *object = (struct mnp_multicast){.address = address, .bytes = bytes, .devices = devices};
    object->bound = mnp_allocate(rows * MNP_MULTICAST_DEVICES, sizeof *object->bound);
}

void mnp_multicasts_remove(struct mnp_multicasts *all, uint64_t address)
{
    struct mnp_multicast *object = find(all, address), *objects = all->objects.items;
    if (!object)
        return;
    free(object->bound);
    all->objects.count--;
    memmove(object, object + 1, (size_t)(objects + all->objects.count - object) * sizeof *object);
}

void mnp_multicasts_bind(struct mnp_multicasts *all, uint64_t address, uint32_t device, uint64_t memory)
{
    const struct mnp_multicast *object = find(all, address);
    if (object)
        row_at(object, address)[device] = memory;
}

struct mnp_multicast_places mnp_multicast_at(const struct mnp_multicasts *all, uint64_t address)
{
    const struct mnp_multicast *object = find(all, address);
    if (!object)
        return (struct mnp_multicast_places){0};
    const uint64_t *row = row_at(object, address);
    uint32_t devices = 0;
    for (uint32_t i = 0; i < MNP_MULTICAST_DEVICES; i++)
        devices |= (uint32_t)(row[i] != 0) << i;
    return (struct mnp_multicast_places){devices == object->devices ? devices : 0, row};
}
