/* SPDX-License-Identifier: BSD-3-Clause */
/* Arrivals at a hub: packets go into queues, values are forwarded immediately. */
#include "engine/core/port.h"
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

/* Values cost no time of their own. At home an SM of another device has a number behind those of this one. */
static void take_values(struct gpu_hub *hub, struct mnp_port_place from, const struct gpu_values *packet, mnp_time time)
{
    const struct gpu_hub_config *config = &hub->config;
    uint32_t sms = config->sms;
    if (from.port == GPU_HUB_VALUES) {
        uint32_t home = mnp_space_home(packet->line, config->devices, config->device);
        if (config->lanes->to[home].count) /* otherwise the request becomes a fault */
            pass_on(hub, GPU_HUB_FAR_VALUES_OUT, home, packet, time);
    } else if (from.port == GPU_HUB_FAR_VALUES_IN) {
        uint32_t partition = mnp_address_place(config->map, packet->line).partition;
        pass_on(hub, GPU_HUB_HOME_VALUES, partition, packet, time)->sm =
            (uint16_t)(packet->sm + (from.index + 1) * sms);
    } else if (from.port == GPU_HUB_HOME_RESULTS) {
        pass_on(hub, GPU_HUB_FAR_RESULTS_OUT, packet->sm / sms - 1, packet, time)->sm = (uint16_t)(packet->sm % sms);
    } else {
        pass_on(hub, GPU_HUB_RESULTS, config->gpc_of[packet->sm], packet, time);
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
