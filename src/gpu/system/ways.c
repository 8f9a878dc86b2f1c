/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu/system/ways.h"

#include "gpu/fabric/switch.h"

/* The sender of link `index` from switches to a device; NULL: there are fewer. */
static struct gpu_lane *from_switches(const struct gpu_system *system, uint32_t device, uint32_t index)
{
    const struct gpu_fabric *fabric = &system->fabric;
    for (uint32_t i = 0; i < fabric->switch_count; i++) {
        uint32_t lanes = (uint32_t)fabric->parameters->switches.value[i];
        if (index < lanes)
            return gpu_switch_sender(fabric->switches[i], device * lanes + index);
        index -= lanes;
    }
    return NULL;
}

/* The sender of link `index` of a way; NULL: there are fewer. */
static struct gpu_lane *sender(const struct gpu_system *system, struct gpu_way way, uint32_t index)
{
    if (way.from == GPU_WAY_ANY)
        return from_switches(system, way.to, index);
    const struct gpu_hub_lanes *lanes = &system->fabric.lanes[way.from];
    uint32_t first = way.to == GPU_WAY_ANY ? 0 : lanes->to[way.to].first;
    uint32_t count = way.to == GPU_WAY_ANY ? lanes->count : lanes->to[way.to].count;
    return index < count ? gpu_hub_sender(system->devices[way.from]->hub, first + index) : NULL;
}

uint64_t gpu_way_bytes(const struct gpu_system *system, struct gpu_way way)
{
    uint64_t flits = 0;
    const struct gpu_lane *lane;
    for (uint32_t i = 0; (lane = sender(system, way, i)) != NULL; i++)
        flits += lane->sent;
    return flits * system->fabric.parameters->lane.flit;
}

void gpu_way_lend(struct gpu_system *system, struct gpu_way way, uint64_t rate)
{
    struct gpu_lane *lane;
    for (uint32_t i = 0; (lane = sender(system, way, i)) != NULL; i++)
        lane->lent = rate;
}

void gpu_way_count(struct gpu_system *system, uint32_t from, uint32_t to, uint64_t bytes)
{
    mnp_counters(gpu_hub_unit(system->devices[from]->hub), 0)[GPU_HUB_COPIED_TO + to] += bytes;
}
