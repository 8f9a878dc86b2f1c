/* SPDX-License-Identifier: BSD-3-Clause */
/* The hub (see hub.h). In a cycle what has come by lanes goes to GPCs and partitions, what has come from these goes to
 * the queues of lanes, and lanes that are free send. The order in which queues are looked at turns with the cycle. */
#include "base/range.h"
#include "engine/core/port.h"
#include "engine/count/statistics.h"
#include "gpu/hub/gather.h"
#include "gpu/hub/state.h"

#include <stdio.h>
#include <stdlib.h>

#define NEVER UINT64_MAX

/* ===== building ===== */

void gpu_hub_lay_out(void *self, struct mnp_arena *arena)
{
    struct gpu_hub *hub = self;
    const struct gpu_hub_config *config = &hub->config;
    size_t queues = (size_t)config->lanes->count * GPU_CHANNELS;
    hub->totals = mnp_arena_take(arena, 1, sizeof *hub->totals);
    hub->table = mnp_arena_take(arena, config->lanes->outstanding, sizeof *hub->table);
    hub->next_entry = mnp_arena_take(arena, config->lanes->outstanding, sizeof *hub->next_entry);
    hub->source = mnp_arena_take(arena, hub->sources, sizeof *hub->source);
    hub->requests = mnp_arena_take(arena, (size_t)config->gpcs * config->request_credits, sizeof *hub->requests);
    hub->replies = mnp_arena_take(arena, (size_t)config->partitions * config->reply_credits, sizeof *hub->replies);
    hub->lane = mnp_arena_take(arena, config->lanes->count, sizeof *hub->lane);
    hub->out = mnp_arena_take(arena, queues * config->lanes->queue, sizeof *hub->out);
    hub->in = mnp_arena_take(arena, queues * config->lanes->buffer, sizeof *hub->in);
}

static struct mnp_unit *create_unit(struct gpu_hub *hub, struct mnp_engine *engine)
{
    const struct gpu_hub_config *config = &hub->config;
    uint32_t lengths[GPU_HUB_PORTS];
    for (uint32_t port = 0; port < GPU_HUB_PORTS; port++)
        lengths[port] = port < GPU_HUB_HOME_REQUESTS    ? config->gpcs
                        : port < GPU_HUB_LANES_OUT      ? config->partitions
                        : port < GPU_HUB_FAR_VALUES_OUT ? config->lanes->count
                                                        : config->devices;
    return mnp_engine_create_unit(engine, &(struct mnp_unit_plan){.model = &gpu_hub_model,
                                                                  .name = "hub",
                                                                  .self = hub,
                                                                  .hertz = config->hertz,
                                                                  .slots = config->slots,
                                                                  .lengths = lengths});
}

struct gpu_hub *gpu_hub_create(struct mnp_engine *engine, const struct gpu_hub_config *config)
{
    struct gpu_hub *hub = mnp_allocate(1, sizeof *hub);
    const struct gpu_network_parameters *network = config->network;
    hub->config = *config;
    hub->sources = config->gpcs + config->partitions;
    hub->next = NEVER;
    hub->gather = gpu_gather_create();
    for (uint32_t sectors = 0; sectors <= GPU_LINE_SECTORS; sectors++) {
        hub->request_cycles[sectors] = gpu_port_cycles(network->header, network->request_width, sectors);
        hub->reply_cycles[sectors] = gpu_port_cycles(network->header, network->reply_width, sectors);
    }
    hub->unit = create_unit(hub, engine);
    mnp_pool_init(&hub->totals->pool, hub->next_entry, config->lanes->outstanding);
    return hub;
}

void gpu_hub_freeze(struct mnp_unit *unit)
{
    struct gpu_hub *hub = unit->self;
    uint32_t gpcs = hub->config.gpcs;
    for (uint32_t i = 0; i < hub->sources; i++)
        hub->source[i].credits =
            (i < gpcs ? gpu_hub_link(hub, GPU_HUB_REPLIES, i) : gpu_hub_link(hub, GPU_HUB_HOME_REQUESTS, i - gpcs))
                ->in_flight;
    for (uint32_t i = 0; i < hub->config.lanes->count; i++)
        for (uint32_t channel = 0; channel < GPU_CHANNELS; channel++)
            hub->lane[i].sender.credits[channel] = hub->config.lanes->buffer;
}

void gpu_hub_release(struct gpu_hub *hub)
{
    if (!hub)
        return;
    gpu_gather_release(hub->gather);
    free(hub);
}

struct mnp_unit *gpu_hub_unit(const struct gpu_hub *hub)
{
    return hub->unit;
}

struct gpu_lane *gpu_hub_sender(const struct gpu_hub *hub, uint32_t lane)
{
    return &hub->lane[lane].sender;
}

/* ===== from lanes to GPCs and partitions ===== */

/* Gives flits of a buffer back once enough of them are owed. */
static void give_flits(struct gpu_hub *hub, uint32_t lane, uint32_t channel, uint32_t flits)
{
    uint32_t *owed = &hub->lane[lane].owed[channel];
    if ((*owed += flits) < GPU_LANE_BATCH)
        return;
    struct gpu_lane_credit *credit = mnp_link_send(gpu_hub_link(hub, GPU_HUB_LANE_CREDITS_OUT, lane), hub->now);
    credit->flits[channel] = *owed;
    *owed = 0;
}

/* The kernel of a packet that has come: of a request of another device none. */
static uint32_t payer(const struct gpu_hub *hub, const struct gpu_transfer *packet)
{
    return packet->channel == GPU_CHANNEL_REPLIES ? hub->table[packet->tag].kernel : 0;
}

static uint32_t row_of_link(uint32_t lane)
{
    return lane < GPU_HUB_LINKS ? lane : GPU_HUB_LINKS;
}

static void count_in(struct gpu_hub *hub, uint32_t lane, const struct gpu_transfer *packet, uint32_t flits)
{
    uint64_t bytes = flits * hub->config.lanes->parameters->flit,
             *counters = mnp_counters(hub->unit, payer(hub, packet));
    counters[GPU_HUB_PACKETS_IN]++;
    counters[GPU_HUB_DATA_IN] += gpu_lane_data(packet);
    counters[GPU_HUB_BYTES_IN] += bytes;
    counters[GPU_HUB_LINK_IN + row_of_link(lane)] += bytes;
}

static void pass_reply(struct gpu_hub *hub, struct gpu_hub_source *gpc, const struct gpu_transfer *packet,
                       uint64_t cycle)
{
    const struct gpu_hub_entry *entry = &hub->table[packet->tag];
    uint64_t *counters = mnp_counters(hub->unit, entry->kernel);
    uint32_t index = (uint32_t)(gpc - hub->source);
    *(struct gpu_reply *)mnp_link_send(gpu_hub_link(hub, GPU_HUB_REPLIES, index), hub->now) =
        (struct gpu_reply){.line = entry->line,
                           .tag = entry->tag,
                           .sm = entry->sm,
                           .kernel = entry->kernel,
                           .kind = packet->kind,
                           .sectors = packet->sectors};
    gpc->until = cycle + hub->reply_cycles[gpu_reply_sectors(packet->kind, packet->sectors)];
    counters[GPU_HUB_ANSWERED]++;
    counters[GPU_HUB_LATENCY] += cycle - entry->taken;
    if (counters[GPU_HUB_MOST_LATENCY] < cycle - entry->taken)
        counters[GPU_HUB_MOST_LATENCY] = cycle - entry->taken;
    counters[GPU_HUB_LATENCIES + mnp_histogram_bin(GPU_LATENCY_BINS, cycle - entry->taken)]++;
    mnp_pool_give(&hub->totals->pool, hub->next_entry, packet->tag);
}

static void pass_request(struct gpu_hub *hub, uint32_t lane, struct gpu_hub_source *partition,
                         const struct gpu_transfer *packet, uint64_t cycle)
{
    uint32_t index = (uint32_t)(partition - hub->source) - hub->config.gpcs;
    uint32_t way = packet->multicast ? GPU_MULTICAST_TAG | lane << GPU_MULTICAST_TAG_LANE : 0;
    *(struct gpu_request *)mnp_link_send(gpu_hub_link(hub, GPU_HUB_HOME_REQUESTS, index), hub->now) =
        (struct gpu_request){.line = packet->line,
                             .bytes = {packet->bytes[0], packet->bytes[1]},
                             .tag = packet->tag | way,
                             .sm = (uint16_t)(packet->sm + (packet->asker + UINT32_C(1)) * hub->config.sms),
                             .kind = packet->kind,
                             .sectors = packet->sectors,
                             .operations = packet->operations,
                             .slice = (uint16_t)mnp_address_place(hub->config.map, packet->line).slice,
                             .ticket = packet->ticket};
    partition->until = cycle + hub->request_cycles[gpu_request_sectors(packet->kind, packet->sectors)];
    mnp_counters(hub->unit, 0)[GPU_HUB_SERVED]++;
}

/* The GPC or partition that a packet goes to. */
static struct gpu_hub_source *receiver(const struct gpu_hub *hub, const struct gpu_transfer *packet)
{
    if (packet->channel == GPU_CHANNEL_REPLIES)
        return &hub->source[hub->config.gpc_of[hub->table[packet->tag].sm]];
    return &hub->source[hub->config.gpcs + mnp_address_place(hub->config.map, packet->line).partition];
}

/* Passes the first packet of a queue on if it can go, and returns the next cycle at which one might. */
static uint64_t deliver(struct gpu_hub *hub, uint32_t lane, uint32_t channel, uint64_t cycle)
{
    struct mnp_queue *queue = &hub->lane[lane].in[channel];
    if (!queue->count)
        return NEVER;
    const struct gpu_transfer *packet = gpu_hub_in_at(hub, lane, channel, queue->head);
    struct gpu_hub_source *to = receiver(hub, packet);
    if (!to->credits)
        return NEVER;
    if (to->until > cycle)
        return to->until;
    uint32_t flits = gpu_lane_flits(hub->config.lanes->parameters, packet);
    count_in(hub, lane, packet, flits);
    to->credits--;
    if (channel == GPU_CHANNEL_REPLIES)
        pass_reply(hub, to, packet, cycle);
    else
        pass_request(hub, lane, to, packet, cycle);
    give_flits(hub, lane, channel, flits);
    mnp_queue_pop(queue, hub->config.lanes->buffer);
    return queue->count ? cycle + 1 : NEVER;
}

static uint64_t deliver_all(struct gpu_hub *hub, uint64_t cycle)
{
    uint32_t queues = hub->config.lanes->count * GPU_CHANNELS, at = (uint32_t)(cycle % queues);
    uint64_t next = NEVER;
    for (uint32_t i = 0; i < queues; i++, at = at + 1 < queues ? at + 1 : 0)
        next = mnp_min(next, deliver(hub, at / GPU_CHANNELS, at % GPU_CHANNELS, cycle));
    return next;
}

/* ===== from GPCs and partitions to lanes ===== */

static void refuse(struct gpu_hub *hub, const struct gpu_request *request, uint32_t home)
{
    struct mnp_error error = {{0}};
    if (home == MNP_SPACE_DEVICES)
        mnp_fail(&error, "SM %u of GPU %u accesses address 0x%lx, which is of no multicast object", request->sm,
                 hub->config.device, (unsigned long)request->line);
    else
        mnp_fail(
            &error,
            "SM %u of GPU %u accesses address 0x%lx, which is memory of GPU %u, to which no link leads; state links "
            "between them (fabric.pairs, fabric.switches)",
            request->sm, hub->config.device, (unsigned long)request->line, home);
    mnp_unit_fault(hub->unit, hub->now, &error);
}

/* A place in the queue of a lane; NULL: it is full. */
static struct gpu_hub_leaving *room(struct gpu_hub *hub, uint32_t lane, uint32_t channel)
{
    struct mnp_queue *queue = &hub->lane[lane].out[channel];
    if (queue->count == hub->config.lanes->queue)
        return NULL;
    return gpu_hub_out_at(hub, lane, channel, mnp_queue_push(queue, hub->config.lanes->queue));
}

/* The lane of a line to a device, or to a multicast object: all lanes then lead to switches. */
static uint32_t lane_to(const struct gpu_hub *hub, uint64_t line, uint32_t device)
{
    const struct gpu_hub_lanes *lanes = hub->config.lanes;
    if (device == MNP_SPACE_DEVICES)
        return gpu_lane_of(line, lanes->count);
    return lanes->to[device].first + gpu_lane_of(line, lanes->to[device].count);
}

/* Whether a link leads to a device, or memory is bound to a multicast object. */
static bool reaches(const struct gpu_hub *hub, uint64_t line, uint32_t home)
{
    const struct mnp_multicasts *multicasts = hub->config.multicasts;
    if (home == MNP_SPACE_DEVICES)
        return multicasts && mnp_multicast_at(multicasts, line).devices;
    return hub->config.lanes->to[home].count != 0;
}

static void give_credit(const struct gpu_hub *hub, struct mnp_link *link, uint32_t *owed)
{
    if (++*owed < hub->config.network->credit_batch)
        return;
    struct gpu_credit *credit = mnp_link_send(link, hub->now);
    credit->packets = *owed;
    *owed = 0;
}

static void count_request(struct gpu_hub *hub, const struct gpu_request *packet)
{
    uint64_t *counters = mnp_counters(hub->unit, packet->kernel);
    bool atomic = packet->kind == GPU_ATOMIC || packet->kind == GPU_REDUCTION;
    counters[atomic ? GPU_HUB_ATOMICS : packet->kind == GPU_WRITE ? GPU_HUB_WRITES : GPU_HUB_READS]++;
}

/* Takes the first request of a GPC into the table and a queue. False: there is no room. */
static bool accept_request(struct gpu_hub *hub, uint32_t gpc, uint64_t cycle)
{
    const struct gpu_hub_config *config = &hub->config;
    struct gpu_hub_source *source = &hub->source[gpc];
    const struct gpu_hub_request *request = gpu_hub_request_at(hub, gpc, source->queue.head);
    const struct gpu_request *packet = &request->packet;
    uint32_t home = gpu_hub_home(hub, packet->line);
    bool reached = reaches(hub, packet->line, home);
    if (hub->totals->pool.used == config->lanes->outstanding)
        return false;
    struct gpu_hub_leaving *to = reached ? room(hub, lane_to(hub, packet->line, home), GPU_CHANNEL_REQUESTS) : NULL;
    if (reached && !to)
        return false;
    if (reached) {
        uint32_t entry = mnp_pool_take(&hub->totals->pool, hub->next_entry);
        hub->table[entry] =
            (struct gpu_hub_entry){packet->line, request->taken, packet->tag, packet->sm, packet->kernel};
        *to = (struct gpu_hub_leaving){
            .packet = {.line = packet->line,
                       .bytes = {packet->bytes[0], packet->bytes[1]},
                       .tag = entry,
                       .sm = packet->sm,
                       .operations = packet->operations,
                       .ticket = packet->ticket,
                       .asker = (uint8_t)config->device,
                       .home = (uint8_t)home,
                       .kind = packet->kind,
                       .sectors = packet->sectors,
                       .channel = GPU_CHANNEL_REQUESTS,
                       .multicast = home == MNP_SPACE_DEVICES ? GPU_MULTICAST : GPU_NO_MULTICAST},
            .taken = cycle,
            .kernel = packet->kernel};
        count_request(hub, packet);
    } else {
        refuse(hub, packet, home);
    }
    mnp_queue_pop(&source->queue, config->request_credits);
    give_credit(hub, gpu_hub_link(hub, GPU_HUB_REQUEST_CREDITS, gpc), &source->owed);
    return true;
}

static bool accept_reply(struct gpu_hub *hub, uint32_t partition, uint64_t cycle)
{
    const struct gpu_hub_config *config = &hub->config;
    struct gpu_hub_source *source = &hub->source[config->gpcs + partition];
    const struct gpu_reply *packet = gpu_hub_reply_at(hub, partition, source->queue.head);
    uint32_t asker = packet->sm / config->sms - 1, tag = packet->tag;
    bool member = tag & GPU_MULTICAST_TAG;
    uint32_t lane =
        member ? tag >> GPU_MULTICAST_TAG_LANE & (GPU_MULTICAST_LANES - 1) : lane_to(hub, packet->line, asker);
    struct gpu_hub_leaving *to = room(hub, lane, GPU_CHANNEL_REPLIES);
    if (!to)
        return false;
    *to = (struct gpu_hub_leaving){.packet = {.line = packet->line,
                                              .tag = member ? tag & (GPU_MULTICAST_TAG_BELOW - 1) : tag,
                                              .sm = (uint16_t)(packet->sm % config->sms),
                                              .asker = (uint8_t)asker,
                                              .home = (uint8_t)config->device,
                                              .kind = packet->kind,
                                              .sectors = packet->sectors,
                                              .channel = GPU_CHANNEL_REPLIES,
                                              .multicast = member ? GPU_MULTICAST_MEMBER : GPU_NO_MULTICAST},
                                   .taken = cycle};
    mnp_queue_pop(&source->queue, config->reply_credits);
    give_credit(hub, gpu_hub_link(hub, GPU_HUB_HOME_REPLY_CREDITS, partition), &source->owed);
    return true;
}

/* Takes a packet from each GPC and partition, if there is room. Whether some are left; `*moves`: whether the next one
 * of some queue shows in the following cycle. */
static bool accept_all(struct gpu_hub *hub, uint64_t cycle, bool *moves)
{
    uint32_t at = (uint32_t)(cycle % hub->sources);
    bool left = false;
    for (uint32_t i = 0; i < hub->sources; i++, at = at + 1 < hub->sources ? at + 1 : 0) {
        if (!hub->source[at].queue.count)
            continue;
        bool taken =
            at < hub->config.gpcs ? accept_request(hub, at, cycle) : accept_reply(hub, at - hub->config.gpcs, cycle);
        left |= hub->source[at].queue.count != 0;
        *moves |= taken && hub->source[at].queue.count;
    }
    return left;
}

/* ===== lanes ===== */

/* The row of bytes by kind that a packet counts in. */
static enum gpu_hub_statistic row_of_kind(const struct gpu_transfer *packet)
{
    if (packet->channel == GPU_CHANNEL_REPLIES)
        return gpu_lane_data(packet) ? GPU_HUB_REPLY_BYTES : GPU_HUB_ACKNOWLEDGEMENT_BYTES;
    if (packet->kind == GPU_ATOMIC || packet->kind == GPU_REDUCTION)
        return GPU_HUB_ATOMIC_BYTES;
    return packet->kind == GPU_WRITE ? GPU_HUB_WRITE_BYTES : GPU_HUB_READ_BYTES;
}

static void count_out(struct gpu_hub *hub, uint32_t lane, const struct gpu_hub_leaving *leaving, uint32_t flits,
                      uint64_t cycle)
{
    uint64_t *counters = mnp_counters(hub->unit, leaving->kernel), data = gpu_lane_data(&leaving->packet);
    uint64_t bytes = flits * hub->config.lanes->parameters->flit;
    counters[GPU_HUB_PACKETS_OUT]++;
    counters[GPU_HUB_DATA_OUT] += data;
    uint32_t receiver = gpu_lane_receiver(&leaving->packet);
    counters[receiver == MNP_SPACE_DEVICES ? GPU_HUB_DATA_TO_MANY : GPU_HUB_DATA_TO + receiver] += data;
    counters[GPU_HUB_BYTES_OUT] += bytes;
    counters[row_of_kind(&leaving->packet)] += bytes;
    counters[GPU_HUB_LINK_OUT + row_of_link(lane)] += bytes;
    counters[GPU_HUB_QUEUE_WAIT] += cycle - leaving->taken;
}

static void send(struct gpu_hub *hub, uint32_t lane, uint32_t channel, uint32_t flits, uint64_t cycle)
{
    struct gpu_hub_lane *to = &hub->lane[lane];
    const struct gpu_hub_leaving *leaving = gpu_hub_out_at(hub, lane, channel, to->out[channel].head);
    const struct gpu_lane_parameters *parameters = hub->config.lanes->parameters;
    mnp_time leaves = gpu_lane_take(parameters, &to->sender, channel, flits, hub->now);
    *(struct gpu_transfer *)mnp_link_send(gpu_hub_link(hub, GPU_HUB_LANES_OUT, lane), leaves) = leaving->packet;
    count_out(hub, lane, leaving, flits, cycle);
    to->sender.turn = !channel;
    mnp_queue_pop(&to->out[channel], hub->config.lanes->queue);
}

/* The channel that a lane sends next, and the flits of its packet; GPU_CHANNELS: none has packet and credits. */
static uint32_t next_channel(const struct gpu_hub *hub, uint32_t lane, uint32_t *flits)
{
    const struct gpu_hub_lane *from = &hub->lane[lane];
    for (uint32_t i = 0; i < GPU_CHANNELS; i++) {
        uint32_t channel = from->sender.turn ^ i;
        if (!from->out[channel].count)
            continue;
        const struct gpu_hub_leaving *leaving = gpu_hub_out_at(hub, lane, channel, from->out[channel].head);
        *flits = gpu_lane_flits(hub->config.lanes->parameters, &leaving->packet);
        if (*flits <= from->sender.credits[channel])
            return channel;
    }
    return GPU_CHANNELS;
}

/* Sends what lanes can begin to send before the next edge; returns the next cycle at which one might. */
static uint64_t send_all(struct gpu_hub *hub, uint64_t cycle, bool *sent)
{
    mnp_time end = mnp_cursor_edge(&hub->unit->clock, cycle + 1);
    uint64_t next = NEVER;
    for (uint32_t lane = 0; lane < hub->config.lanes->count; lane++) {
        uint32_t flits, channel;
        while ((channel = next_channel(hub, lane, &flits)) != GPU_CHANNELS && hub->lane[lane].sender.free < end) {
            send(hub, lane, channel, flits, cycle);
            *sent = true;
        }
        if (channel != GPU_CHANNELS)
            next = mnp_min(next, gpu_lane_cycle(&hub->unit->clock, hub->lane[lane].sender.free));
    }
    return next;
}

/* ===== running ===== */

static void step(struct gpu_hub *hub, uint64_t cycle)
{
    bool moves = false, sent = false;
    mnp_visit(hub->unit, cycle);
    hub->now = mnp_cursor_edge(&hub->unit->clock, cycle);
    gpu_hub_take_packets(hub, hub->now, cycle);
    uint64_t next = deliver_all(hub, cycle);
    bool left = accept_all(hub, cycle, &moves);
    next = mnp_min(next, send_all(hub, cycle, &sent));
    hub->next = moves || (left && sent) ? cycle + 1 : next;
}

static uint64_t next_cycle(const struct gpu_hub *hub, mnp_time until)
{
    const struct mnp_unit *unit = hub->unit;
    if (unit->no_skip)
        return unit->visited;
    if (unit->inbox.next >= until)
        return hub->next;
    return mnp_min(hub->next, mnp_cursor_cycle_at(&unit->clock, unit->inbox.next));
}

mnp_time gpu_hub_advance(struct mnp_unit *unit, mnp_time until)
{
    struct gpu_hub *hub = unit->self;
    if (hub->known_to != hub->totals->counted) /* the state has been restored: look at everything once */
        hub->next = unit->visited = hub->totals->counted;
    if (hub->totals->counted - unit->clock.cycle > 512) /* near the present, the cursor's arithmetic is fast */
        mnp_cursor_move(&unit->clock, hub->totals->counted);
    uint64_t limit = mnp_cursor_cycle_at(&unit->clock, until), cycle;
    while ((cycle = next_cycle(hub, until)) < limit)
        step(hub, cycle);
    if (until > 0)
        gpu_hub_take_packets(hub, until - 1, limit); /* packets that arrive behind the last edge before `until` */
    hub->totals->counted = hub->known_to = limit;
    mnp_pass(unit, limit);
    return hub->next == NEVER ? MNP_NEVER : mnp_cursor_edge(&unit->clock, hub->next);
}

void gpu_hub_pace(const struct mnp_unit *unit, size_t row, struct mnp_pace *pace)
{
    const struct gpu_hub *hub = unit->self;
    *pace = (struct mnp_pace){.hertz = hub->config.lanes->parameters->rate * 1000000,
                              .amount = row == GPU_HUB_LINK_PEAK ? 1 : hub->config.lanes->count};
}

void gpu_hub_report(const struct mnp_unit *unit, FILE *out)
{
    const struct gpu_hub *hub = unit->self;
    if (hub->totals->pool.used)
        fprintf(out, "%s: %u requests to other GPUs have no reply\n", unit->name, hub->totals->pool.used);
    for (uint32_t lane = 0; lane < hub->config.lanes->count; lane++) {
        const struct gpu_hub_lane *l = &hub->lane[lane];
        for (uint32_t channel = 0; channel < GPU_CHANNELS; channel++)
            if (l->out[channel].count || l->in[channel].count)
                fprintf(out, "%s lane %u: %u %s wait to leave (%u credits), %u have come\n", unit->name, lane,
                        l->out[channel].count, channel == GPU_CHANNEL_REPLIES ? "replies" : "requests",
                        l->sender.credits[channel], l->in[channel].count);
    }
}
