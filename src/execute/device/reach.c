/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Access rights between devices that share a memory. A device may access its own allocations, those of devices that
 * have granted it access, and individually granted ranges. An address identifies its owner (contract/space.h).
 */
#include "execute/device/device.h"

#include "execute/device/journal.h"

#include <string.h>

void execute_device_join(struct execute_device *const *devices, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        devices[i]->peers = devices;
        devices[i]->peer_count = count;
    }
}

void execute_device_changed(struct execute_device *device)
{
    for (uint32_t i = 0; i < device->peer_count; i++) {
        device->peers[i]->changes++;
        device->peers[i]->recent = (struct mnp_region){0, 0};
    }
    device->changes += !device->peer_count;
    device->recent = (struct mnp_region){0, 0};
}

const struct execute_device *execute_device_home(const struct execute_device *device, uint64_t address)
{
    uint64_t number = (address - MNP_SPACE_BASE) / MNP_SPACE_PART_BYTES;
    return number < device->peer_count ? device->peers[number] : NULL;
}

void execute_device_open(struct execute_device *device, uint32_t other, bool open)
{
    uint32_t bit = UINT32_C(1) << other;
    device->open_to = open ? device->open_to | bit : device->open_to & ~bit;
    execute_device_changed(device);
    execute_note_open(device, other, open);
}

/* ===== ranges ===== */

/* The number of grants that begin before an address. */
static uint32_t grants_before(const struct execute_device *device, uint64_t address)
{
    return mnp_array_before(&device->grants, sizeof(struct execute_grant), address);
}

void execute_device_grant(struct execute_device *device, uint64_t address, uint64_t bytes, uint32_t devices)
{
    uint32_t first = grants_before(device, address), end = grants_before(device, address + bytes);
    uint32_t added = devices != 0, moved = device->grants.count - end;
    if (added && first == end)
        mnp_array_add(&device->grants, 1, sizeof(struct execute_grant));
    struct execute_grant *all = device->grants.items;
    if (all && moved)
        memmove(&all[first + added], &all[end], moved * sizeof *all);
    device->grants.count = first + added + moved;
    if (added)
        all[first] = (struct execute_grant){address, bytes, devices};
    execute_device_changed(device);
    execute_note_grant(device, &(struct execute_grant){address, bytes, devices});
}

/* The grant to a device that covers an address, or NULL. */
static const struct execute_grant *grant_at(const struct execute_device *owner, uint32_t user, uint64_t address)
{
    uint32_t place = grants_before(owner, address + 1);
    if (!place)
        return NULL;
    const struct execute_grant *grant = (const struct execute_grant *)owner->grants.items + place - 1;
    return address - grant->address < grant->bytes && grant->devices >> user & 1 ? grant : NULL;
}

void execute_device_regrant(struct execute_device *device, const struct execute_grant *grant, uint32_t users)
{
    const struct execute_grant *all = device->grants.items;
    uint32_t place = grants_before(device, grant->address);
    bool known = place < device->grants.count && all[place].address == grant->address;
    uint32_t others = known ? all[place].devices & ~users : 0, all_users = others | (grant->devices & users);
    execute_device_grant(device, grant->address, grant->bytes, all_users);
}

bool execute_device_reaches(const struct execute_device *device, struct mnp_region *recent, uint64_t address,
                            uint64_t bytes)
{
    const struct execute_device *home = execute_device_home(device, address);
    struct mnp_region region;
    if (!home)
        return false;
    const struct execute_grant *grant = grant_at(home, device->number, address);
    if (grant)
        region = (struct mnp_region){grant->address, grant->bytes};
    else if (home == device || !(home->open_to >> device->number & 1) ||
             !mnp_regions_before(&home->regions, address, &region))
        return false;
    if (address - region.address >= region.bytes || bytes > region.bytes - (address - region.address))
        return false;
    *recent = region;
    return true;
}
