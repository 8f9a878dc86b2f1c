/* SPDX-License-Identifier: BSD-3-Clause */
/* Multicast objects at the addresses where a device sees them. */
#include "execute/device/device.h"

#include <string.h>

_Static_assert((int)EXECUTE_MEMBERS == (int)MNP_MULTICAST_DEVICES, "places for all devices");

static const struct execute_view *find(const struct execute_device *device, uint64_t address)
{
    const struct execute_view *views = device->views.items;
    uint32_t place = mnp_array_before(&device->views, sizeof *views, address + 1);
    return place && address - views[place - 1].address < views[place - 1].bytes ? &views[place - 1] : NULL;
}

void execute_device_show(struct execute_device *device, const struct execute_view *view)
{
    execute_device_hide(device, view->address);
    uint32_t place = mnp_array_before(&device->views, sizeof *view, view->address);
    mnp_array_add(&device->views, 1, sizeof *view);
    struct execute_view *views = device->views.items;
    memmove(&views[place + 1], &views[place], (device->views.count - 1 - place) * sizeof *views);
    views[place] = *view;
    execute_device_changed(device);
}

void execute_device_hide(struct execute_device *device, uint64_t address)
{
    struct execute_view *views = device->views.items;
    uint32_t place = mnp_array_before(&device->views, sizeof *views, address);
    if (place == device->views.count || views[place].address != address)
        return;
    memmove(&views[place], &views[place + 1], (--device->views.count - place) * sizeof *views);
    execute_device_changed(device);
}

uint64_t execute_device_seen(const struct execute_device *device, uint64_t address)
{
    const struct execute_view *view = device->views.count ? find(device, address) : NULL;
    return view ? view->object + (address - view->address) : 0;
}

uint32_t execute_device_seen_lanes(const struct execute_device *device, uint32_t lanes, const uint64_t *addresses)
{
    uint32_t seen = 0;
    if (!device->views.count)
        return 0;
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        seen |= (uint32_t)(execute_device_seen(device, addresses[lane]) != 0) << lane;
    }
    return seen;
}

uint32_t execute_device_members(struct execute_device *device, uint64_t address, unsigned char *places[EXECUTE_MEMBERS])
{
    struct mnp_error ignored = {{0}};
    uint64_t object = execute_device_seen(device, address);
    uint32_t count = 0;
    if (!object)
        return 0;
    struct mnp_multicast_places behind = mnp_multicast_at(&device->memory->multicasts, object);
    for (uint32_t i = 0; i < MNP_MULTICAST_DEVICES; i++) {
        if (!(behind.devices >> i & 1))
            continue;
        uint64_t at = mnp_multicast_member(&behind, i, object);
        unsigned char *page = mnp_memory_page_for_writing(device->memory, at, &ignored);
        if (!page)
            return EXECUTE_NO_MEMBERS;
        places[count++] = page + at % MNP_MEMORY_PAGE;
    }
    return count ? count : EXECUTE_NO_MEMBERS;
}
