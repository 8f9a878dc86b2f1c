/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu/fabric/links.h"

#include "engine/core/port.h"
#include "gpu/fabric/switch.h"

/* ===== topology ===== */

/* Links between two devices: the pairs of a device with those before it stand together, so that the first ones of a
 * list are those of fewer devices. */
static uint32_t pair_links(const struct gpu_fabric_parameters *p, uint32_t one, uint32_t other)
{
    uint32_t high = one > other ? one : other, low = one > other ? other : one;
    return (uint32_t)p->pairs.value[high * (high - 1) / 2 + low];
}

static mnp_time nanoseconds(uint64_t count)
{
    return count * (MNP_SECOND / 1000000000);
}

/* The longest way from a sender to a receiver and back: of the lanes that leave a switch. */
static mnp_time round_trip(const struct gpu_fabric_parameters *p, uint64_t hertz)
{
    mnp_time out = nanoseconds(p->latency + (p->switches.count ? p->switch_latency : 0));
    return out + nanoseconds(p->latency) + (hertz ? mnp_edge(hertz, 4) : 0);
}

void gpu_fabric_links_of(const struct gpu_fabric_parameters *p, uint32_t device, uint32_t devices, uint64_t hertz,
                         struct gpu_hub_lanes *lanes)
{
    enum { QUEUE = 16 /* packets at a sender */ };
    *lanes = (struct gpu_hub_lanes){.parameters = &p->lane,
                                    .buffer = gpu_lane_buffer(&p->lane, round_trip(p, hertz)),
                                    .queue = QUEUE,
                                    .outstanding = (uint32_t)p->outstanding};
    for (uint32_t i = 0; i < p->switches.count; i++)
        lanes->count += (uint32_t)p->switches.value[i];
    for (uint32_t other = 0; other < devices; other++) {
        if (other == device)
            continue;
        lanes->to[other].first = p->switches.count ? 0 : lanes->count;
        lanes->to[other].count = p->switches.count ? lanes->count : pair_links(p, device, other);
        lanes->count += p->switches.count ? 0 : lanes->to[other].count;
    }
}

/* ===== links of the engine ===== */

/* A lane, and the credits that come back. */
static void connect_lane(struct mnp_engine *engine, struct mnp_unit *from, uint32_t from_index, struct mnp_unit *to,
                         uint32_t to_index, mnp_time out, mnp_time back, uint32_t buffer)
{
    mnp_connect(engine, mnp_at_port(from, "lanes out", from_index), mnp_at_port(to, "lanes in", to_index), out,
                GPU_CHANNELS * buffer);
    mnp_connect(engine, mnp_at_port(to, "lane credits out", to_index), mnp_at_port(from, "lane credits in", from_index),
                back, GPU_CHANNELS * buffer);
}

/* Values that the SMs of a device can have under way to others: of what waits before the hub, and what is in its table.
 * Those that come back are answers to loads. */
static void connect_values(struct mnp_engine *engine, const struct gpu_device *from, const struct gpu_device *to,
                           mnp_time time)
{
    struct mnp_unit *a = gpu_hub_unit(from->hub), *b = gpu_hub_unit(to->hub);
    if (!from->source->memory)
        return;
    mnp_connect(engine, mnp_at_port(a, "far values out", to->number), mnp_at_port(b, "far values in", from->number),
                time, from->hub_values);
    mnp_connect(engine, mnp_at_port(b, "far results out", from->number), mnp_at_port(a, "far results in", to->number),
                time, from->hub_results);
}

static void connect_pair(struct gpu_fabric *fabric, struct mnp_engine *engine, const struct gpu_device *from,
                         const struct gpu_device *to)
{
    const struct gpu_hub_lanes *out = &fabric->lanes[from->number], *in = &fabric->lanes[to->number];
    mnp_time time = nanoseconds(fabric->parameters->latency);
    for (uint32_t i = 0; i < out->to[to->number].count; i++)
        connect_lane(engine, gpu_hub_unit(from->hub), out->to[to->number].first + i, gpu_hub_unit(to->hub),
                     in->to[from->number].first + i, time, time, out->buffer);
    if (out->to[to->number].count)
        connect_values(engine, from, to, time);
}

/* A switch, to which each device has lanes `first` … `first` + `lanes` - 1. */
static void connect_switch(struct gpu_fabric *fabric, struct mnp_engine *engine, struct gpu_device *const *devices,
                           uint32_t count, uint32_t first, uint32_t lanes)
{
    const struct gpu_fabric_parameters *p = fabric->parameters;
    uint32_t buffer = fabric->lanes[0].buffer;
    mnp_time in = nanoseconds(p->latency), out = in + nanoseconds(p->switch_latency);
    struct gpu_switch *chip = gpu_switch_create(
        engine, &(struct gpu_switch_config){
                    .parameters = &p->lane,
                    .index = fabric->switch_count,
                    .devices = count,
                    .lanes = lanes,
                    .buffer = buffer,
                    .outstanding = p->multicast ? (uint32_t)p->outstanding : 0,
                    .multicasts = devices[0]->source->memory ? &devices[0]->source->memory->multicasts : NULL,
                    .hertz = devices[0]->parameters->machine.clock_noc});
    fabric->switches[fabric->switch_count++] = chip;
    for (uint32_t device = 0; device < count; device++) {
        struct mnp_unit *hub = gpu_hub_unit(devices[device]->hub), *unit = gpu_switch_unit(chip);
        for (uint32_t i = 0; i < lanes; i++) {
            connect_lane(engine, hub, first + i, unit, device * lanes + i, in, in, buffer);
            connect_lane(engine, unit, device * lanes + i, hub, first + i, out, in, buffer);
        }
    }
}

void gpu_fabric_links_connect(struct gpu_fabric *fabric, struct mnp_engine *engine, struct gpu_device *const *devices,
                              uint32_t count)
{
    const struct gpu_fabric_parameters *p = fabric->parameters;
    for (uint32_t i = 0, first = 0; i < p->switches.count; i++) {
        connect_switch(fabric, engine, devices, count, first, (uint32_t)p->switches.value[i]);
        first += (uint32_t)p->switches.value[i];
    }
    for (uint32_t from = 0; from < count; from++)
        for (uint32_t to = 0; to < count; to++) {
            if (from == to)
                continue;
            if (p->switches.count)
                connect_values(engine, devices[from], devices[to], nanoseconds(2 * p->latency + p->switch_latency));
            else
                connect_pair(fabric, engine, devices[from], devices[to]);
        }
}
