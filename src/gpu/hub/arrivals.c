/* SPDX-License-Identifier: BSD-3-Clause */
/* Arrivals at a hub: packets go into queues, values are forwarded immediately. */
#include "engine/core/port.h"
#include "gpu/hub/gather.h"
#include "gpu/hub/state.h"

static void take_request(struct gpu_hub *hub, uint32_t gpc, const struct gpu_request *packet, uint64_t cycle)
{
    uint32_t place = mnp_queue_push(&hub->source[gpc].queue, hub->config.request_credits);
    *gpu_hub_request_at(hub, gpc, place) = (struct gpu_hub_request){.packet = *packet, .taken = cycle};
}

static void take_reply(struct gpu_hub *hub, uint32_t partition, const struct gpu_reply *packet)
{
    struct gpu_hub_source *source = &hub->source[hub->config.gpcs + partition];
    *gpu_hub_reply_at(hub, partition, mnp_queue_push(&source->queue, hub->config.reply_credits)) = *packet;
}

static void take_transfer(struct gpu_hub *hub, uint32_t lane, const struct gpu_transfer *packet)
{
    uint32_t place = mnp_queue_push(&hub->lane[lane].in[packet->channel], hub->config.lanes->buffer);
    *gpu_hub_in_at(hub, lane, packet->channel, place) = *packet;
}

static void take_flits(struct gpu_hub *hub, uint32_t lane, const struct gpu_lane_credit *packet)
{
    for (uint32_t channel = 0; channel < GPU_CHANNELS; channel++)
        hub->lane[lane].sender.credits[channel] += packet->flits[channel];
}

static struct gpu_values *pass_on(struct gpu_hub *hub, enum gpu_hub_ports port, uint32_t index,
                                  const struct gpu_values *packet, mnp_time time)
{
    struct gpu_values *sent = mnp_link_send(gpu_hub_link(hub, port, index), time);
    *sent = *packet;
    return sent;
}

/* At home an SM that asks from another device, or by a multicast object, has a number behind those of this one. */
static void give_home(struct gpu_hub *hub, uint32_t asker, const struct gpu_values *packet, mnp_time time)
{
    uint32_t partition = mnp_address_place(hub->config.map, packet->line).partition;
    pass_on(hub, GPU_HUB_HOME_VALUES, partition, packet, time)->sm =
        (uint16_t)(packet->sm + (asker + 1) * hub->config.sms);
}

/* Operands for a multicast object: to each of its members, which are told of all. */
static void spread(struct gpu_hub *hub, const struct gpu_values *packet, mnp_time time)
{
    const struct gpu_hub_config *config = &hub->config;
    struct mnp_multicast_places places = {0};
    if (config->multicasts)
        places = mnp_multicast_at(config->multicasts, packet->line);
    for (uint32_t device = 0; device < config->devices; device++) {
        struct gpu_values copy = *packet;
        if (!(places.devices >> device & 1))
            continue;
        copy.line = mnp_multicast_member(&places, device, packet->line);
        if (packet->kind == MNP_LIVE_COMBINED)
            copy.swap[0] = places.devices;
        if (device == config->device)
            give_home(hub, device, &copy, time);
        else
            pass_on(hub, GPU_HUB_FAR_VALUES_OUT, device, &copy, time);
    }
}

static void take_operands(struct gpu_hub *hub, const struct gpu_values *packet, mnp_time time)
{
    const struct gpu_hub_config *config = &hub->config;
    uint32_t home = gpu_hub_home(hub, packet->line);
    if (home == MNP_SPACE_DEVICES)
        spread(hub, packet, time);
    else if (config->lanes->to[home].count) /* otherwise the request becomes a fault */
        pass_on(hub, GPU_HUB_FAR_VALUES_OUT, home, packet, time);
}

/* Values that a device's memory holds, for an SM of this device. Those of a multicast object wait for all members. */
static void take_result(struct gpu_hub *hub, uint32_t device, const struct gpu_values *packet, mnp_time time)
{
    struct gpu_values combined;
    if (packet->kind == MNP_LIVE_COMBINED) {
        bool complete =
            gpu_gather_add(hub->gather, hub->config.combine, device, packet, &combined, &hub->totals->gathered);
        if (!complete)
            return;
        packet = &combined;
    }
    pass_on(hub, GPU_HUB_RESULTS, hub->config.gpc_of[packet->sm], packet, time);
}

/* Values cost no time of their own. */
static void take_values(struct gpu_hub *hub, struct mnp_port_place from, const struct gpu_values *packet, mnp_time time)
{
    uint32_t sms = hub->config.sms;
    if (from.port == GPU_HUB_VALUES) {
        take_operands(hub, packet, time);
    } else if (from.port == GPU_HUB_FAR_VALUES_IN) {
        give_home(hub, from.index, packet, time);
    } else if (from.port == GPU_HUB_HOME_RESULTS) {
        uint32_t asker = packet->sm / sms - 1;
        struct gpu_values result = *packet;
        result.sm = (uint16_t)(packet->sm % sms);
        if (asker == hub->config.device)
            take_result(hub, asker, &result, time);
        else
            pass_on(hub, GPU_HUB_FAR_RESULTS_OUT, asker, &result, time);
    } else {
        take_result(hub, from.index, packet, time);
    }
}

void gpu_hub_take_packets(struct gpu_hub *hub, mnp_time time, uint64_t cycle)
{
    struct mnp_inbox *inbox = &hub->unit->inbox;
    mnp_time edge = mnp_cursor_edge(&hub->unit->clock, cycle);
    uint32_t place;
    const void *packet;
    while ((packet = mnp_inbox_peek(inbox, time, &place))) {
        struct mnp_port_place from = mnp_port_of(hub->unit, place);
        if (from.port == GPU_HUB_REQUESTS)
            take_request(hub, from.index, packet, cycle);
        else if (from.port == GPU_HUB_HOME_REPLIES)
            take_reply(hub, from.index, packet);
        else if (from.port == GPU_HUB_LANES_IN)
            take_transfer(hub, from.index, packet);
        else if (from.port == GPU_HUB_LANE_CREDITS_IN)
            take_flits(hub, from.index, packet);
        else if (from.port == GPU_HUB_REPLY_CREDITS)
            hub->source[from.index].credits += ((const struct gpu_credit *)packet)->packets;
        else if (from.port == GPU_HUB_HOME_REQUEST_CREDITS)
            hub->source[hub->config.gpcs + from.index].credits += ((const struct gpu_credit *)packet)->packets;
        else
            take_values(hub, from, packet, edge);
        mnp_inbox_take(inbox);
        if (cycle < hub->next)
            hub->next = cycle;
    }
}
